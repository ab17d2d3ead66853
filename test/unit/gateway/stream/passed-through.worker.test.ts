// A provider's bytes, however they are cut and whenever they come, through parser, decoder, writer and stream to a caller:
// what is passed on is the same bytes, in whole events.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerHasher } from '../../../../src/evidence/records/answer-hasher.ts'
import { createPassThroughWriter } from '../../../../src/gateway/operations/chat/pass-through-writer.ts'
import { createResponseStream } from '../../../../src/gateway/stream/response-stream.ts'
import { createOutputCounter } from '../../../../src/gateway/call/bill.ts'
import { copyStream } from '../../../../src/gateway/call/streamed-answer.ts'
import { openStream } from '../../../../src/providers/provider-client.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { createSseParser } from '../../../../src/providers/sse.ts'
import { modelNamed } from '../../../fixtures/providers/models.ts'
import { runs } from '../../../support/runs.ts'
import { createTime } from './time.ts'
import { AQTA, ENDED_AT, USAGE } from './writing.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** So many milliseconds, and then so many bytes: all that are left where none are told. */
type Step = { readonly ms: number; readonly bytes?: number }

/** Returns the pieces that a caller receives who reads these bytes at the given paces. */
async function carry(source: Uint8Array, steps: readonly Step[], readerWaitsMs: readonly number[] = []) {
  const time = createTime()
  const { readable: body, writable } = new IdentityTransformStream()
  const provider = writable.getWriter()
  const opened = await openStream({
    provider: { baseUrl: 'https://provider.test', apiKey: 'k' },
    model: modelNamed('gpt-4.1-mini'),
    request: { messages: [textMessage('user', 'Hello')] },
    signal: new AbortController().signal,
    deadlines: { headersMs: 600_000, silenceMs: 600_000, totalMs: 600_000 },
    runtime: {
      now: time.now,
      after: time.after,
      random: () => 0,
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    },
  })
  if (!opened.ok) throw new Error('not opened')
  const stream = createResponseStream({
    stallMs: 600_000,
    signal: new AbortController().signal,
    now: time.now,
    after: time.after,
    memory: {
      resize: () => true,
      grow: () => true,
      keep: () => true,
      watch: () => undefined,
      release: () => undefined,
    },
  })
  const writer = createPassThroughWriter({ includeUsage: true, choices: 1, hasher: new AnswerHasher() })
  const soFar = createOutputCounter()
  const whenComplete = () => writer.finish({ aqta: AQTA, usage: USAGE, endedAt: ENDED_AT })
  const noteCost = (): undefined => undefined
  const carried = copyStream(opened.batches, { writer, stream, soFar, keep: () => true, noteCost, whenComplete }).then(
    (failure) => {
      stream.close(failure === null ? writer.close() : writer.fail({ error: { code: 'provider_error' } }))
      return failure
    },
  )

  const pieces: Uint8Array[] = []
  const reading = async () => {
    const waits = readerWaitsMs.values()
    for await (const piece of stream.body) {
      pieces.push(piece)
      const waitMs = waits.next().value ?? 0
      if (waitMs > 0) await new Promise<void>((resolve) => void time.after(waitMs, resolve))
    }
  }
  const read = reading()
  let sent = 0
  for (const { ms, bytes = source.length } of [...steps, { ms: 0 }]) {
    await time.pass(ms)
    if (sent < source.length) void provider.write(source.slice(sent, sent + bytes)).catch(() => undefined)
    sent += bytes
  }
  void provider.close().catch(() => undefined)
  await time.pass(10_000)
  const failure = await carried
  await read
  return { failure, pieces, outputBytes: soFar.produced().outputBytes }
}

const joined = (pieces: readonly Uint8Array[]): string =>
  decoder.decode(Uint8Array.from(pieces.flatMap((piece) => [...piece])))

const chunkOf = (choice: object, more: object = {}) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, finish_reason: null, ...choice }],
    usage: null,
    ...more,
  })
const say = (content: string, more: object = {}) => chunkOf({ delta: { content } }, more)

const FIRST = chunkOf({ delta: { role: 'assistant', content: '' } })
const FINISH = chunkOf({ delta: {}, finish_reason: 'stop' })
const usageChunk = (more: object = {}) =>
  JSON.stringify({ id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 }, ...more })

const dataEvent = (data: string, end = '\n') => `data: ${data}${end}${end}`

/** A whole answer of these events, as it comes and as it is to go on. */
function answerOf(events: readonly string[], end: string): { source: Uint8Array; expected: string } {
  const passed = [dataEvent(FIRST, end), ...events, dataEvent(FINISH, end)].join('')
  return {
    source: encoder.encode(passed + dataEvent(usageChunk(), end) + dataEvent('[DONE]', end)),
    expected: passed + dataEvent(usageChunk({ aqta: AQTA })) + dataEvent('[DONE]'),
  }
}

const isWholeEvents = (piece: Uint8Array): boolean => {
  const parser = createSseParser({ maxEventBytes: piece.length })
  const events = parser.push(piece) ?? []
  return events.length > 0 && parser.end().length === 0
}

const texts = fc.oneof(
  { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) },
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '',
    'Grüße 👋',
    '漢字',
    '\uFEFFmark',
    '"',
    '\\',
    '\n',
    '\r\n\r\n',
    '\n\n',
    '\u2028',
    'data: x',
    'usage',
  ),
)

const bytesOf = (text: string): number => encoder.encode(text).length

describe('a stream that is passed on', () => {
  it('is the same bytes in whole events, however it is cut, whenever it comes and is read', async () => {
    const said = texts.map((text) => ({ data: say(text), bytes: bytesOf(text) }))
    const padded = fc
      .tuple(texts, fc.string({ maxLength: 5 }))
      .map(([text, obfuscation]) => ({ data: say(text, { obfuscation }), bytes: bytesOf(text) }))
    const other = fc.constantFrom(
      { data: chunkOf({ delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } }), bytes: 2 },
      { data: chunkOf({ delta: {} }), bytes: 0 },
      { data: chunkOf({ delta: { refusal: 'nein' } }), bytes: 4 },
      { data: say('said', { logprobs: { content: [] } }), bytes: 4 },
    )
    const events = fc.array(fc.oneof({ weight: 5, arbitrary: said }, { weight: 2, arbitrary: padded }, other), {
      maxLength: 12,
    })
    const ends = fc.constantFrom('\n', '\r\n')
    const step = fc.record({ ms: fc.constantFrom(0, 0, 0, 1, 2, 20), bytes: fc.integer({ min: 1, max: 400 }) })
    const comments = fc.array(fc.nat(12), { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          events,
          comments,
          ends,
          steps: fc.array(step, { maxLength: 24 }),
          readerWaits: fc.array(fc.constantFrom(0, 0, 1, 7), { maxLength: 12 }),
        }),
        async ({ events: all, comments: places, ends: end, steps, readerWaits }) => {
          const lines = all.map(({ data }) => dataEvent(data, end))
          for (const place of places) lines.splice(place, 0, `: ping${end}${end}`)
          const { source, expected } = answerOf(lines, end)
          const { failure, pieces, outputBytes } = await carry(source, steps, readerWaits)
          expect(failure).toBeNull()
          expect(joined(pieces)).toBe(expected)
          expect(pieces.every(isWholeEvents)).toBe(true)
          expect(outputBytes).toBe(all.reduce((sum, { bytes }) => sum + bytes, 0))
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it.each([
    ['\n', 'LF'],
    ['\r\n', 'CRLF'],
  ])('loses and joins no event wherever it is cut in two: %j', async (end) => {
    const [first = '', ...others] = [say('Grüße '), say('👋 漢字')].map((data) => dataEvent(data, end))
    const { source, expected } = answerOf([first, ...others, `: ping${end}${end}`], end)
    const from = bytesOf(dataEvent(FIRST, end) + first)
    const to = from + bytesOf(others.join('')) + 10
    for (let at = from; at < to; at += 1) {
      const { pieces } = await carry(source, [{ ms: 0, bytes: at }])
      expect(joined(pieces)).toBe(expected)
      expect(pieces.every(isWholeEvents)).toBe(true)
    }
  })

  it('is whole where it comes byte by byte', async () => {
    const { source, expected } = answerOf(
      [say('Grüße '), say('👋'), say('\n\n')].map((data) => dataEvent(data)),
      '\n',
    )
    const { pieces } = await carry(
      source,
      Array.from({ length: source.length }, () => ({ ms: 0, bytes: 1 })),
    )
    expect(joined(pieces)).toBe(expected)
  })

  it('that is cut off ends with what came whole and an error behind it', async () => {
    const events = [FIRST, say('a'), say('b'), say('c')].map((data) => dataEvent(data))
    const source = encoder.encode(events.join('') + dataEvent(say('d')).slice(0, 30))
    const { failure, pieces } = await carry(source, [{ ms: 0, bytes: 100 }])
    expect(failure).toMatchObject({ cause: 'cut' })
    expect(joined(pieces)).toBe(events.join('') + dataEvent(JSON.stringify({ error: { code: 'provider_error' } })))
  })
})
