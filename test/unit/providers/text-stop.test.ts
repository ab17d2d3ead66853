// Stop sequences at a provider that has none: whole, streamed, and split over pieces.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Answer } from '../../../src/providers/chat-answer.ts'
import { textMessage } from '../../../src/providers/chat-request.ts'
import { systemRuntime } from '../../../src/providers/http-exchange.ts'
import { complete, openStream, type Call } from '../../../src/providers/provider-client.ts'
import { createTextStop } from '../../../src/providers/text-stop.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '…'), maxLength: 12 })
const sequences = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '…'), minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
})

/** As a model would stop: written letter by letter, and cut as soon as a sequence is complete. */
function writeUntil(text: string, stops: readonly string[]): { text: string; isStopped: boolean } {
  for (let end = 1; end <= text.length; end += 1) {
    const ended = stops.filter((stop) => text.slice(0, end).endsWith(stop)).map(({ length }) => length)
    if (ended.length > 0) return { text: text.slice(0, end - Math.max(...ended)), isStopped: true }
  }
  return { text, isStopped: false }
}

function stopIn(pieces: readonly string[], stops: readonly string[]) {
  const stop = createTextStop(stops)
  const sent = pieces.map((piece) => stop.push(piece))
  return { sent, text: [...sent, stop.end()].join(''), isStopped: stop.stoppedBy() !== null }
}

describe('a text in pieces', () => {
  it('ends before the sequence that is complete first, however it is cut into pieces', () =>
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), sequences, (pieces, stops) => {
        const { text, isStopped } = stopIn(pieces, stops)
        expect({ text, isStopped }).toEqual(writeUntil(pieces.join(''), stops))
      }),
      { numRuns: 2_000 },
    ))

  it('is held back no further than what could begin a sequence', () =>
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), sequences, (pieces, stops) => {
        const { sent, text, isStopped } = stopIn(pieces, stops)
        const held = text.slice(sent.join('').length)
        expect(held === '' || (!isStopped && stops.some((stop) => stop !== held && stop.startsWith(held)))).toBe(true)
      }),
      { numRuns: 2_000 },
    ))
})

const usage = { input_tokens: 7, output_tokens: 9 }
const pages = { type: 'search_results', results: [{ url: 'https://a.test/', title: 'A' }] }
const message = (text: string) => ({ type: 'message', id: 'm', content: [{ type: 'output_text', text }] })
const runOf = (text: string) => ({
  id: 'r',
  model: 'perplexity/sonar',
  status: 'completed',
  output: [pages, message(text)],
  usage,
})

function asked(response: Response, stop: string[] | undefined): Call {
  return {
    provider: { baseUrl: 'https://provider.test', apiKey: 'k' },
    model: modelNamed('sonar'),
    request: { messages: [textMessage('user', 'Hello')], stop },
    signal: new AbortController().signal,
    deadlines: { headersMs: 5_000, silenceMs: 5_000, totalMs: 10_000 },
    runtime: { ...systemRuntime, fetch: () => Promise.resolve(response) },
  }
}

async function whole(pieces: string[], stop?: string[]): Promise<Answer> {
  const completion = await complete(asked(Response.json(runOf(pieces.join(''))), stop))
  if (!completion.ok) throw new Error(completion.failure.kind)
  return completion.answer
}

async function eventsOf(events: readonly object[], stop?: string[]) {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const stream = await openStream(asked(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), stop))
  if (!stream.ok) throw new Error(stream.failure.kind)
  const items = []
  for await (const batch of stream.batches) items.push(...batch)
  return items.flatMap((item) => item.events)
}

const created = { type: 'response.created', response: { id: 'r', model: 'perplexity/sonar' } }
const deltasOf = (pieces: readonly string[]) =>
  pieces.map((delta) => ({ type: 'response.output_text.delta', item_id: 'm', delta }))

async function streamed(pieces: string[], stop?: string[]): Promise<Answer> {
  const done = { type: 'response.completed', response: runOf(pieces.join('')) }
  return assembleAnswer(await eventsOf([created, ...deltasOf(pieces), done], stop))
}

describe.each([
  ['whole', whole],
  ['streamed', streamed],
])('an answer of sonar, %s', (_, ask) => {
  const pieces = ['One. ', 'Two. ', 'Thr', 'ee. Four. ', 'Five.']

  it('ends before the first sequence with the reason stop, and its usage and pages stay', async () => {
    const [all, cut] = [await ask(pieces), await ask(pieces, ['Four', 'Three'])]
    expect(cut.choices).toMatchObject([{ text: 'One. Two. ', finishReason: 'stop' }])
    expect({ ...cut, choices: [] }).toEqual({ ...all, choices: [] })
    expect(cut).toMatchObject({
      usage: { inputUncached: 7, outputVisible: 9 },
      citations: [{ url: 'https://a.test/' }],
    })
  })

  it.each([[['Six']], [['Five.!']], [[]], [undefined]])('is whole with the sequences %j', async (stop) => {
    expect((await ask(pieces, stop)).choices).toEqual((await ask(pieces)).choices)
  })

  it('may be empty', async () =>
    expect((await ask(pieces, ['One'])).choices).toMatchObject([{ text: '', finishReason: 'stop' }]))
})

describe('a stream of sonar with stop sequences', () => {
  it('that reaches its limit before one says so, and after one does not', async () => {
    const limit = { ...runOf('One. Two'), status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const events = [created, ...deltasOf(['One. ', 'Two']), { type: 'response.incomplete', response: limit }]
    const reasonWith = async (stop: string[]) => assembleAnswer(await eventsOf(events, stop)).choices[0]?.finishReason
    expect([await reasonWith(['Three']), await reasonWith(['Two'])]).toEqual(['length', 'stop'])
  })

  it('that fails has first what was held back', async () => {
    const events = await eventsOf([created, ...deltasOf(['One. T']), { type: 'error' }], ['Two'])
    expect(events.slice(-3).map((event) => (event.type === 'text' ? event.text : event.type))).toEqual([
      'One. ',
      'T',
      'failed',
    ])
  })
})
