// An answer that is given a second time is the one that was given, under the ids, the time and the `aqta` of the second call.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  chatAnswerFormat,
  renewChunks,
  renewCompletion,
} from '../../../../src/gateway/operations/chat/chat-answer-format.ts'
import { renewEvents, renewResponse } from '../../../../src/gateway/operations/responses/responses-answer-format.ts'
import type { Aqta } from '../../../../src/gateway/call/trace.ts'
import { createResponseWriter } from '../../../../src/gateway/operations/responses/response-writer.ts'
import { parseEventStream } from '../../../../src/gateway/stream/event-writer.ts'
import { readJson } from '../../../../src/platform/json.ts'
import type { StreamEvent } from '../../../../src/providers/chat-answer.ts'
import { modelNamed, pricesOf } from '../../../fixtures/providers/models.ts'
import type { CallOutline } from '../../../../src/gateway/call/answer-format.ts'
import { NO_USAGE } from '../../../../src/providers/estimate-tokens.ts'
import { AQTA, USAGE } from '../stream/writing.ts'

const model = modelNamed('claude-haiku-4-5')
const outline = {
  model,
  routes: [{ model, prices: pricesOf(model.id), upFront: NO_USAGE }],
  hashes: { requestHash: '', loopHash: '' },
  bytes: 0,
  inputTokens: 0,
  chat: { maxTokens: null, choices: 1, hasSchema: false, temperature: null },
} satisfies CallOutline
const callOf = (digit: string, startedAt: number) => ({
  traceId: `tr_${digit.repeat(32)}`,
  startedAt,
  attestation: AQTA.attestation,
  outline,
})
const FIRST = callOf('a', 1_000_000)
const SECOND = callOf('b', 9_000_000)

const { attestation, ...FACTS } = AQTA
const SERVED = { served_model: 'claude-haiku-5-20991231', model_differs: true } as const
const ANSWERED: Aqta = { ...FACTS, ...SERVED, attestation }
const GIVEN = { ...AQTA, cost_eur: 0, provider: null, cached: true }
const CACHED: Aqta = { ...FACTS, cost_eur: 0, provider: null, cached: true, ...SERVED, attestation }

const ITEMS: StreamEvent[] = [
  { type: 'start', id: null, model: 'claude-haiku-4-5' },
  { type: 'text', choice: 0, text: 'Good day, ' },
  { type: 'text', choice: 0, text: 'said “data: [DONE]”\n\n' },
  { type: 'finish', choice: 0, reason: 'stop' },
]

const ResponseObject = z.looseObject({ output: z.array(z.looseObject({ id: z.string() })) })

const joined = (pieces: readonly Uint8Array[]): Uint8Array => Uint8Array.from(pieces.flatMap((piece) => [...piece]))
const textOf = (pieces: readonly Uint8Array[]): string => new TextDecoder().decode(joined(pieces))
const encoded = (body: object) => new TextEncoder().encode(JSON.stringify(body))

type Writer = ReturnType<typeof createResponseWriter>

function streamOf(writer: Writer, aqta: Aqta, endedAt: number): Uint8Array {
  const raw = new Uint8Array(0)
  const pushed = ITEMS.flatMap((event) => writer.push({ events: [event], raw, data: null }))
  return joined([...pushed, ...writer.finish({ aqta, usage: USAGE, endedAt }), ...writer.close()])
}

describe('a chat completion', () => {
  it('in one piece', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'aqta' }, finish_reason: 'stop' }]
    const first = { id: 'chatcmpl-of-the-provider', created: 5, choices, system_fingerprint: 'fp', aqta: ANSWERED }
    const again = readJson(textOf(renewCompletion(SECOND, encoded(first), GIVEN)))
    expect(again).toEqual({ ...first, id: `chatcmpl-${'b'.repeat(32)}`, created: 9_000, aqta: CACHED })
  })

  it.each([false, true])('in a stream, as if it had been written for the second call; usage asked for: %s', (usage) => {
    const format = chatAnswerFormat({ includeUsage: usage })
    const stream = streamOf(format.createWriter(FIRST, false), ANSWERED, 0)
    const wanted = new TextDecoder().decode(streamOf(format.createWriter(SECOND, false), CACHED, 0))
    expect(textOf(renewChunks(SECOND, stream, GIVEN))).toBe(wanted)
    expect(wanted.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('leaves in a stream what is no chunk, such as a provider’s comments', () => {
    const stream = new TextEncoder().encode(': waiting\n\ndata: {"id":"x","choices":[]}\r\n\r\ndata: [DONE]\n\n')
    const [comment, chunk, mark, ...more] = renewChunks(SECOND, stream, GIVEN).map((piece) => textOf([piece]))
    expect([comment, mark, more]).toEqual([': waiting\n\n', 'data: [DONE]\n\n', []])
    expect(chunk).toBe(`data: {"id":"chatcmpl-${'b'.repeat(32)}","choices":[],"created":9000}\n\n`)
  })
})

describe('a response', () => {
  const shown = { carriesReasoning: false, summary: null }
  const OWN = { instructions: null, user: 'second', aqta: GIVEN }
  const repeats = (user: string) => ({
    echo: { instructions: null, user },
    shown,
    nameOf: (name: string) => ({ name }),
  })

  it('in a stream, as if it had been written for the second call, its items included', () => {
    const stream = streamOf(createResponseWriter(FIRST, repeats('first')), ANSWERED, 5_000_000)
    const wanted = new TextDecoder().decode(
      streamOf(createResponseWriter(SECOND, repeats('second')), CACHED, SECOND.startedAt),
    )
    expect(textOf(renewEvents(SECOND, FIRST.traceId, stream, OWN))).toBe(wanted)
    expect(wanted).toContain(`msg_${'b'.repeat(32)}_0`)
  })

  it('in one piece', () => {
    const stream = streamOf(createResponseWriter(FIRST, repeats('first')), ANSWERED, 5_000_000)
    const { response } = z
      .object({ response: ResponseObject })
      .parse(readJson(parseEventStream(stream).at(-1)?.data ?? ''))
    const again = ResponseObject.parse(readJson(textOf(renewResponse(SECOND, FIRST.traceId, encoded(response), OWN))))
    expect(again).toMatchObject({
      id: `resp_${'b'.repeat(32)}`,
      created_at: 9_000,
      completed_at: 9_000,
      user: 'second',
      aqta: CACHED,
    })
    expect(again.output).toMatchObject([{ ...response.output[0], id: `msg_${'b'.repeat(32)}_0` }])
  })
})
