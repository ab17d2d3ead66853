import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/providers/adapter-by-dialect.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { standardUsage, type StreamEvent } from '../../../src/providers/chat-answer.ts'
import type { Dialect } from '../../../src/providers/provider-registry.ts'
import { createSseParser } from '../../../src/providers/sse.ts'
import { answers, dialects, perplexityAnswer } from '../../fixtures/providers/answers.ts'
import {
  anthropicEvents,
  dataStream,
  eventsOf,
  mistralEvents,
  namedStream,
  openAiEvents,
  perplexityEvents,
  streams,
} from '../../fixtures/providers/streams.ts'

const encoder = new TextEncoder()

function decodeChunks(dialect: Dialect, chunks: readonly Uint8Array[]): StreamEvent[] {
  const parser = createSseParser({ maxEventBytes: 100_000 })
  const decoder = adapters[dialect].createStreamDecoder()
  const items = [
    ...chunks.flatMap((chunk) => parser.push(chunk) ?? []).map((raw) => decoder.push(raw, true)),
    ...parser.end().map((raw) => decoder.push(raw, false)),
  ]
  return [...items.flatMap(({ events }) => events), ...decoder.close()]
}

const decode = (dialect: Dialect, text: string) => decodeChunks(dialect, [encoder.encode(text)])
const lastOf = (events: readonly StreamEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'failed' && last.failure.kind !== 'unsupported' ? last.failure.cause : last?.type
}
const isTerminal = ({ type }: StreamEvent) => type === 'end' || type === 'failed'
const finishes = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'finish' ? [event.reason] : []))

const chunkOf = (index: number, content: string, reason: string | null = null) => ({
  choices: [{ index, delta: { content }, finish_reason: reason }],
})
const deltaOf = (usage: object) => ({ type: 'message_delta', delta: { stop_reason: null }, usage })

describe('a stream', () => {
  it.each(dialects)('%s: amounts to the same answer as one piece', (dialect) => {
    const events = decode(dialect, streams[dialect])
    const decoded = adapters[dialect].decode(answers[dialect])
    expect(lastOf(events)).toBe('end')
    const whole = decoded.ok ? decoded.answer : null
    expect(assembleAnswer(events)).toEqual({ ...whole, model: assembleAnswer(events).model })
  })

  it.each(dialects)('%s: gives the same events however its bytes are cut (split events lost tokens)', (dialect) => {
    const bytes = encoder.encode(streams[dialect])
    const whole = decodeChunks(dialect, [bytes])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (places) => {
        const ends = [...places, bytes.length].toSorted((a, b) => a - b)
        const chunks = ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end))
        expect(decodeChunks(dialect, chunks)).toEqual(whole)
      }),
      { numRuns: 40 },
    )
    expect(
      decodeChunks(
        dialect,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(whole)
  })

  it.each(dialects)('%s: cut anywhere ends in one failure, never as if it were complete', (dialect) => {
    const bytes = encoder.encode(streams[dialect])
    const complete = assembleAnswer(decodeChunks(dialect, [bytes]))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        const events = decodeChunks(dialect, [bytes.slice(0, length)])
        expect(events.filter(isTerminal)).toEqual(events.slice(-1))
        // A cut after the whole answer may still end well. Anything shorter must not.
        if (lastOf(events) === 'end') expect(assembleAnswer(events).choices).toEqual(complete.choices)
      }),
      { numRuns: 60 },
    )
    expect(lastOf(decode(dialect, ''))).toBe('cut')
  })

  it.each(dialects)('%s: survives any event, in any order, with exactly one end', (dialect) => {
    const all = Object.values(eventsOf).flat()
    const event = fc.oneof(
      fc.constantFrom(...all),
      fc.json({ maxDepth: 2 }),
      fc.constantFrom('', '{', 'null', '[]', '[DONE]', '{"type":7}', '{"error":"x"}'),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const read = decode(dialect, dataStream(events))
        expect(read.filter(isTerminal)).toHaveLength(1)
        expect(isTerminal(read.at(-1) ?? { type: 'end' })).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it.each<Dialect>(['openai-chat', 'anthropic-messages', 'perplexity-agent', 'mistral-chat'])(
    '%s: is silent after its end',
    (dialect) => {
      expect(decode(dialect, streams[dialect] + streams[dialect])).toEqual(decode(dialect, streams[dialect]))
    },
  )

  it.each<[Dialect, string]>([
    ['openai-chat', dataStream([openAiEvents[1] ?? {}, { error: { message: 'zebra', type: 'server_error' } }])],
    ['openai-chat', dataStream([{ id: 'x', choices: [], error: { code: 502, message: 'zebra' } }, '[DONE]'])],
    ['openai-chat', 'event: error\ndata: {"message":"zebra"}\n\n'],
    ['anthropic-messages', namedStream([{ type: 'error', error: { type: 'overloaded_error', message: 'zebra' } }])],
    ['gemini-generate', dataStream([{ error: { code: 503, message: 'zebra' } }])],
    ['gemini-generate', dataStream([JSON.stringify([{ error: { code: 503, message: 'zebra' } }])])],
    ['perplexity-agent', dataStream([{ type: 'response.failed', response: { error: { message: 'zebra' } } }])],
    ['perplexity-agent', dataStream([{ type: 'response.cancelled' }])],
    ['mistral-chat', dataStream([mistralEvents[0] ?? {}, { object: 'error', message: 'zebra', type: 'server_error' }])],
    ['perplexity-agent', dataStream([{ type: 'error', message: 'zebra' }])],
    [
      'perplexity-agent',
      dataStream([{ type: 'response.completed', response: { ...perplexityAnswer, status: 'failed' } }]),
    ],
  ])('%s: an error inside a 200 stream is a failure, and its words go no further', (dialect, text) => {
    const events = decode(dialect, text)
    expect(lastOf(events)).toBe('error_event')
    expect(JSON.stringify(events)).not.toContain('zebra')
  })

  it.each<[Dialect, string]>([
    [
      'openai-chat',
      dataStream([openAiEvents[1] ?? {}, { error: { message: 'zebra', type: 'x', code: 'invalid_prompt' } }]),
    ],
    [
      'anthropic-messages',
      namedStream([
        ...anthropicEvents.slice(0, 2),
        {
          type: 'error',
          error: {
            details: null,
            type: 'invalid_request_error',
            message: 'Output blocked by content filtering policy zebra',
          },
        },
      ]),
    ],
  ])('%s: an end by the provider’s own rules on content is told as that', (dialect, text) => {
    const events = decode(dialect, text)
    const failure = { cause: 'error_event', billed: 'maybe', rejection: { reason: 'content', member: null } }
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure })
    expect(JSON.stringify(events)).not.toContain('zebra')
  })

  it.each(dialects)('%s: an event that is no JSON is a failure', (dialect) =>
    expect(lastOf(decode(dialect, dataStream(['{"cut":'])))).toBe('malformed'),
  )
})

describe('OpenAI’s stream', () => {
  it('is a failure when nothing was said before [DONE] (mid-stream failure became a well-formed empty stream)', () =>
    expect(lastOf(decode('openai-chat', dataStream(['[DONE]'])))).toBe('malformed'))
  it('is cut when [DONE] comes without a finish reason', () =>
    expect(lastOf(decode('openai-chat', dataStream([openAiEvents[1] ?? {}, '[DONE]'])))).toBe('cut'))
  it('gives its usage, from a chunk without choices', () => {
    const { usage } = assembleAnswer(decode('openai-chat', streams['openai-chat']))
    expect(usage && standardUsage(usage).total_tokens).toBe(130)
  })
  it('keeps several choices apart', () => {
    const events = [chunkOf(1, 'b'), chunkOf(0, 'a'), chunkOf(1, 'B', 'stop'), chunkOf(0, 'A', 'length'), '[DONE]']
    expect(assembleAnswer(decode('openai-chat', dataStream(events))).choices).toMatchObject([
      { index: 0, text: 'aA', finishReason: 'length' },
      { index: 1, text: 'bB', finishReason: 'stop' },
    ])
  })
})

describe('Anthropic’s stream', () => {
  it('takes the last value of each count and never adds them, though a later one may leave some out', () => {
    const events = [
      ...anthropicEvents.slice(0, -1),
      deltaOf({ output_tokens: 31, cache_read_input_tokens: 44 }),
      { type: 'message_delta', delta: { stop_reason: null } },
      { type: 'message_stop' },
    ]
    expect(assembleAnswer(decode('anthropic-messages', namedStream(events))).usage).toMatchObject({
      inputUncached: 50,
      cacheRead: 44,
      cacheWrite: 10,
      outputVisible: 21,
      reasoning: 10,
    })
  })
  it('knows the input side from the start, so that a stream left early can be settled', () => {
    const { usage } = assembleAnswer(decode('anthropic-messages', namedStream(anthropicEvents.slice(0, 3))))
    expect(usage).toMatchObject({ inputUncached: 50, cacheRead: 40 })
  })
  it('passes over event types it does not know', () => {
    const events = [{ type: 'something_new', x: 1 }, ...anthropicEvents]
    expect(lastOf(decode('anthropic-messages', namedStream(events)))).toBe('end')
  })
})

describe('Gemini’s stream', () => {
  it('finishes with tool_calls though STOP comes in a later chunk than the call', () =>
    expect(finishes(decode('gemini-generate', streams['gemini-generate']))).toEqual(['tool_calls']))
  it('numbers parallel calls of the same name (they all came at index 0)', () => {
    const calls = decode('gemini-generate', streams['gemini-generate']).filter((event) => event.type === 'tool_call')
    expect(calls).toMatchObject([
      { index: 0, id: 'fc_1', signature: 'c2ln' },
      { index: 1, id: 'call_aBc9_0_1' },
    ])
  })
  it('is content_filter when the prompt was blocked', () => {
    const blocked = dataStream([{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 5 } }])
    const events = decode('gemini-generate', blocked)
    expect([...finishes(events), lastOf(events)]).toEqual(['content_filter', 'end'])
  })
  it('takes what counts nothing for no usage, and leaves what was counted before (a cut stream cost nothing)', () => {
    const told = (usageMetadata: object) => ({ candidates: [{ content: { parts: [{ text: 'Hi' }] } }], usageMetadata })
    const usageOf = (...chunks: Record<string, unknown>[]) =>
      assembleAnswer(decode('gemini-generate', dataStream(chunks))).usage
    const traffic = told({ trafficType: 'ON_DEMAND' })
    expect(usageOf(traffic)).toBeNull()
    expect(usageOf(told({ promptTokenCount: 5 }), traffic)).toMatchObject({ inputUncached: 5 })
    expect(usageOf(told({ promptTokenCount: 0 }))).toMatchObject({ inputUncached: 0 })
  })
  it('keeps the calls apart that came before the prompt was blocked and after it (two at index 0, of one id)', () => {
    const called = (finishReason?: string) => ({
      responseId: 'r',
      candidates: [{ content: { parts: [{ functionCall: { name: 'look', id: 'same' } }] }, finishReason }],
    })
    const events = decode(
      'gemini-generate',
      dataStream([called(), { promptFeedback: { blockReason: 'OTHER' } }, called('STOP')]),
    )
    expect(events.filter((event) => event.type === 'tool_call')).toMatchObject([
      { index: 0, id: 'same' },
      { index: 1, id: 'call_r_0_1' },
    ])
  })
})

describe('Perplexity’s stream', () => {
  it('takes the text from the last event where no delta came (streams with no content for some prompts)', () => {
    const quiet = perplexityEvents.filter(({ type }) => type !== 'response.output_text.delta')
    expect(assembleAnswer(decode('perplexity-agent', dataStream(quiet))).choices[0]?.text).toBe('Grüße 👋')
  })
  it('finishes with length when incomplete', () => {
    const response = { ...perplexityAnswer, status: 'incomplete', output: [] }
    const events = decode('perplexity-agent', dataStream([{ type: 'response.incomplete', response }]))
    expect([...finishes(events), lastOf(events)]).toEqual(['length', 'end'])
  })
})

describe('Mistral’s stream', () => {
  it('gives the text that shares a list with the end of a thought, and no thought', () => {
    const events = decode('mistral-chat', streams['mistral-chat'])
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['Grüße ', '👋'])
    expect(JSON.stringify(events)).not.toMatch(/thinking|aloud/)
  })
  it.each([
    ['model_length', 'length'],
    ['error', 'content_filter'],
  ])('that finishes with %s finishes with %s', (reason, standard) =>
    expect(finishes(decode('mistral-chat', dataStream([chunkOf(0, 'a', reason), '[DONE]'])))).toEqual([standard]),
  )
})
