// Streams of every provider as Anthropic's events, written anew and passed on: whole, and cut at every byte.
import { describe, expect, it } from 'vitest'
import { answerHash, outlineOf } from '../../../../../src/evidence/records/answer-outline.ts'
import type { FinishReason } from '../../../../../src/providers/chat-answer.ts'
import { chatOf, EACH_PROVIDER } from '../../../../fixtures/providers/index.ts'
import { dataStream, namedStream, type Json, type ProviderMaterial } from '../../../../fixtures/providers/material.ts'
import { anthropic } from '../../../../fixtures/providers/anthropic.ts'
import { openai } from '../../../../fixtures/providers/openai.ts'
import { answerHashOf } from '../../../../support/independent/answer-recipe.ts'
import { AQTA, fail, finish, itemsOf, push } from '../../stream/writing.ts'
import { accepted } from './reading.ts'

type Piece = Record<string, string>
type Event = {
  type: string
  index?: number
  delta?: Piece & { stop_details?: Piece | null }
  content_block?: Piece
  [member: string]: unknown
}

const SALT = '0f'.repeat(16)

/** Sends streams of a provider through the writer as the service does. */
function sender({ model }: Pick<ProviderMaterial, 'model'>, isPassed = false, aqta = AQTA) {
  const { format, outline } = accepted({}, model.id)
  const call = { traceId: AQTA.trace_id, startedAt: 1_790_000_000_500, attestation: AQTA.attestation, outline }
  return async (body: string | Uint8Array<ArrayBuffer>) => {
    const writer = format.createWriter(call, isPassed)
    const items = await itemsOf(model, body)
    const isWhole = items.at(-1)?.events.at(-1)?.type === 'end'
    const before = push(writer, items).join('')
    const text = before + (isWhole ? finish(writer, aqta) : fail(writer)).join('')
    const said = writer.outline()
    return { isWhole, text, hash: said && answerHash(SALT, said) }
  }
}

const eventsIn = (text: string): Event[] =>
  text.split(/(?<=\n\n)/).map((event) => {
    const [, name, data = ''] = /^event: (\w+)\ndata: (.+)\n\n$/.exec(event) ?? []
    const json = JSON.parse(data) as Event
    expect(name).toBe(json.type)
    return json
  })

/** The blocks with their pieces joined. Only one is open at a time. */
function blocksOf(events: readonly Event[]): Piece[] {
  const blocks: Piece[] = []
  let open = -1
  for (const { type, index = -1, delta = {}, content_block: block } of events) {
    if (!type.startsWith('content_block_')) continue
    if (block !== undefined) open = blocks.push({ ...block }) - 1
    expect(index).toBe(open)
    if (type === 'content_block_stop') open = -2
    for (const [name, piece] of Object.entries(delta)) {
      const at = blocks[index] ?? {}
      if (name !== 'type' && typeof piece === 'string') at[name] = (at[name] ?? '') + piece
    }
  }
  return blocks
}

const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

const ERROR = 'event: error\ndata: {"error":{"code":"provider_error"}}\n\n'
const THOUGHTS = [
  { type: 'thinking', thinking: 'hm, so', signature: 'c2ln' },
  { type: 'redacted_thinking', data: 'aGlkZGVu' },
]
const TOLD: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** Each provider's stream written anew, and passed on where it is in this form. */
const WAYS = EACH_PROVIDER.flatMap(([provider, material]) =>
  (chatOf(provider).takesNative ? [false, true] : [false]).map((isPassed) => [provider, isPassed, material] as const),
)

describe.each(WAYS)('a stream of %s (passed on: %s)', (provider, isPassed, material) => {
  const send = sender(material, isPassed)
  const isClaude = chatOf(provider).takesNative

  it('is one message: its start, block after block, its end', async () => {
    const events = eventsIn((await send(material.stream)).text)
    const types = events.flatMap(({ type }) => (type.startsWith('content_block_') ? [] : [type]))
    expect(types.filter((type) => type !== 'ping')).toEqual(['message_start', 'message_delta', 'message_stop'])
    expect(blocksOf(events)).toMatchObject([
      ...(isClaude ? THOUGHTS : []),
      { type: 'text', text: 'Grüße 👋' },
      { type: 'tool_use', name: 'look', partial_json: '{"at":"left"}' },
      { type: 'tool_use', name: 'look', partial_json: isPassed ? '' : '{}' },
    ])
    const told = { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 }
    const usage = isPassed ? { cache_creation_input_tokens: 10, output_tokens: 30 } : told
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use', stop_sequence: null }, usage, aqta: AQTA })
  })

  it('says why it ends in the words of this form', async () => {
    for (const [reason, told] of material.ends) {
      const { events } = material.said({ text: 'Hi', ends: reason })
      const sent = eventsIn((await send(isClaude ? namedStream(events as Json[]) : dataStream(events))).text)
      const { stop_reason: end, stop_details: details } = sent.at(-2)?.delta ?? {}
      expect([reason, end]).toEqual([reason, isPassed ? reason : TOLD[told]])
      expect([reason, details?.['type']]).toEqual([
        reason,
        !isPassed && told === 'content_filter' ? 'refusal' : undefined,
      ])
    }
  })

  it('cut anywhere, is the beginning of that message and an error', async () => {
    const bytes = bytesOf(material.stream)
    const whole = await send(bytes)
    const held = (text: string) => text.replace(`,"aqta":${JSON.stringify(AQTA)}`, '')
    /** Cuts within one event come out alike. */
    const cuts = new Map<string, typeof whole>()
    for (let end = 0; end < bytes.length; end += 1) {
      const cut = await send(bytes.slice(0, end))
      cuts.set(cut.text + cut.hash, cut)
    }
    for (const { isWhole, text, hash } of cuts.values()) {
      expect(hash).toBe(answerHashOf(bytesOf(text), SALT))
      const before = isWhole ? text : text.slice(0, -ERROR.length).replace(/\n{3}$/, '\n\n')
      expect(text.endsWith(ERROR)).toBe(!isWhole)
      expect(isWhole ? text : whole.text).toBe(whole.text)
      expect(held(whole.text).startsWith(before) && /(?:^|\n\n)$/.test(before)).toBe(!isWhole)
    }
  })
})

describe('what a provider says at once', () => {
  const send = sender(openai)
  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const call = (index: number, json: string, more: Json = {}) =>
    chunk({ tool_calls: [{ index, ...more, function: { arguments: json, ...(more['id'] ? { name: 'look' } : {}) } }] })
  const blocks = async (...chunks: Json[]) => {
    const { text, hash } = await send(dataStream([chunk({ role: 'assistant', content: '' }), ...chunks, '[DONE]']))
    expect(hash).toBe(answerHashOf(bytesOf(text), SALT))
    const events = eventsIn(text)
    return { blocks: blocksOf(events), end: events.at(-2)?.delta }
  }
  const begun = [call(0, '{"at":', { id: 'a' }), call(1, '{"at":', { id: 'b' })]
  const input = (id: string, partial_json: string) => ({ type: 'tool_use', id, name: 'look', input: {}, partial_json })

  it('comes block after block, and nothing of it is lost', async () => {
    const mixed = [chunk({ content: 'One' }), call(1, ' 2.0'), call(0, '1}'), call(1, '}'), chunk({ content: ' two' })]
    expect((await blocks(...begun, ...mixed, chunk({}, 'tool_calls'))).blocks).toEqual([
      input('a', '{"at":1}'),
      input('b', '{"at": 2.0}'),
      { type: 'text', text: 'One two' },
    ])
  })

  it('is told as far as it came where the answer is cut for its length', async () => {
    const { blocks: told, end } = await blocks(...begun, call(1, '2'), chunk({}, 'length'))
    expect(told).toEqual([input('a', '{"at":'), input('b', '{"at":2')])
    expect(end?.['stop_reason']).toBe('max_tokens')
  })

  it('is a refusal where it is one in words', async () => {
    expect(await blocks(chunk({ refusal: 'I will' }), chunk({ refusal: ' not.' }), chunk({}, 'stop'))).toEqual({
      blocks: [{ type: 'text', text: 'I will not.' }],
      end: {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: null },
      },
    })
  })
})

describe('a long number of a call', () => {
  it('keeps its digits in a whole message, and is hashed as its reader’s JSON.parse reads it', () => {
    const { format, outline } = accepted({}, openai.model.id)
    const call = { traceId: AQTA.trace_id, startedAt: 1, attestation: AQTA.attestation, outline }
    const toolCalls = [{ id: 'a', name: 'look', arguments: '{"at":12345678901234567890}' }]
    const choice = { index: 0, text: '', refusal: null, toolCalls, finishReason: 'tool_calls' } as const
    const answer = { id: 'c', model: 'm', choices: [choice], usage: null, citations: [] }
    const bill = { usage: null, estimated: true, costMicroeur: 1, finishReason: null, servedModel: null }
    const body = format.present(call, { answer, passedBody: null }, { bill, aqta: AQTA, endedAt: 1 })
    expect(JSON.stringify(body)).toContain('"input":{"at":12345678901234567890}')
    const said = outlineOf(body)
    expect(said && answerHash(SALT, said)).toBe(answerHashOf(bytesOf(JSON.stringify(body)), SALT))
  })
})

describe('a provider of this form', () => {
  it('cannot speak for this service', async () => {
    const odd = anthropic.stream.replaceAll('{"type":"message_', '{"aqta":"odd","type":"message_')
    expect(odd).not.toBe(anthropic.stream)
    const { text } = await sender(anthropic, true)(odd.replace(/event: message_delta\n.*\n\n/, '$&$&'))
    expect(eventsIn(text).filter(({ aqta }) => aqta === 'odd')).toEqual([])
    expect(eventsIn(text).at(-2)).toMatchObject({ aqta: AQTA })
  })
})

describe('usage that a provider does not tell', () => {
  it('is a guess where its events are passed on, because clients add the two counts', async () => {
    const send = sender(anthropic, true, { ...AQTA, cost_estimated: true })
    const silent: unknown = JSON.parse(
      JSON.stringify(anthropic.events, (name, value: unknown) => (name === 'usage' ? undefined : value)),
    )
    const events = eventsIn((await send(namedStream(silent as Json[]))).text)
    expect([events[0], events.at(-2)]).toMatchObject([
      { message: { usage: { input_tokens: expect.any(Number) as number, output_tokens: 0 } } },
      { usage: { input_tokens: 7, output_tokens: 3 } },
    ])
  })
})
