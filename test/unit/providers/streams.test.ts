import { PROVIDER_IDS, type ProviderId } from '../../../src/providers/provider-registry.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { standardUsage, type StreamEvent } from '../../../src/providers/chat-answer.ts'
import { createSseParser } from '../../../src/providers/sse.ts'
import { anthropic } from '../../fixtures/providers/anthropic.ts'
import { google } from '../../fixtures/providers/google.ts'
import { mistral } from '../../fixtures/providers/mistral.ts'
import { openai } from '../../fixtures/providers/openai.ts'
import { perplexity } from '../../fixtures/providers/perplexity.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'
import { dataStream, namedStream } from '../../fixtures/providers/material.ts'

const encoder = new TextEncoder()

function decodeChunks(provider: ProviderId, chunks: readonly Uint8Array[]): StreamEvent[] {
  const parser = createSseParser({ maxEventBytes: 100_000 })
  const decoder = chatOf(provider).stream()
  const items = [
    ...chunks.flatMap((chunk) => parser.push(chunk) ?? []).map((raw) => decoder.push(raw, true)),
    ...parser.end().map((raw) => decoder.push(raw, false)),
  ]
  return [...items.flatMap(({ events }) => events), ...decoder.close()]
}

const decode = (provider: ProviderId, text: string) => decodeChunks(provider, [encoder.encode(text)])
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
  it.each(PROVIDER_IDS)('%s: amounts to the same answer as one piece', (provider) => {
    const events = decode(provider, MATERIAL[provider].stream)
    const decoded = chatOf(provider).decode(MATERIAL[provider].answer)
    expect(lastOf(events)).toBe('end')
    const whole = decoded.ok ? decoded.answer : null
    expect(assembleAnswer(events)).toEqual({ ...whole, model: assembleAnswer(events).model })
  })

  it.each(PROVIDER_IDS)(
    '%s: gives the same events however its bytes are cut (split events lost tokens)',
    (provider) => {
      const bytes = encoder.encode(MATERIAL[provider].stream)
      const whole = decodeChunks(provider, [bytes])
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (places) => {
          const ends = [...places, bytes.length].toSorted((a, b) => a - b)
          const chunks = ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end))
          expect(decodeChunks(provider, chunks)).toEqual(whole)
        }),
        { numRuns: 40 },
      )
      expect(
        decodeChunks(
          provider,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ).toEqual(whole)
    },
  )

  it.each(PROVIDER_IDS)('%s: cut anywhere ends in one failure, never as if it were complete', (provider) => {
    const bytes = encoder.encode(MATERIAL[provider].stream)
    const complete = assembleAnswer(decodeChunks(provider, [bytes]))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        const events = decodeChunks(provider, [bytes.slice(0, length)])
        expect(events.filter(isTerminal)).toEqual(events.slice(-1))
        // A cut after the whole answer may still end well. Anything shorter must not.
        if (lastOf(events) === 'end') expect(assembleAnswer(events).choices).toEqual(complete.choices)
      }),
      { numRuns: 60 },
    )
    expect(lastOf(decode(provider, ''))).toBe('cut')
  })

  it.each(PROVIDER_IDS)('%s: survives any event, in any order, with exactly one end', (provider) => {
    const all = Object.values(MATERIAL).flatMap(({ events }) => events)
    const event = fc.oneof(
      fc.constantFrom(...all),
      fc.json({ maxDepth: 2 }),
      fc.constantFrom('', '{', 'null', '[]', '[DONE]', '{"type":7}', '{"error":"x"}'),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const read = decode(provider, dataStream(events))
        expect(read.filter(isTerminal)).toHaveLength(1)
        expect(isTerminal(read.at(-1) ?? { type: 'end' })).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it.each(EACH_PROVIDER.filter(([, { hasEnd }]) => hasEnd))('%s: is silent after its end', (provider, { stream }) => {
    expect(decode(provider, stream + stream)).toEqual(decode(provider, stream))
  })

  it.each(EACH_PROVIDER.flatMap(([provider, { errors }]) => errors.streamed.map((text) => [provider, text] as const)))(
    '%s: an error inside a 200 stream is a failure, and its words go no further',
    (provider, text) => {
      const events = decode(provider, text)
      expect(lastOf(events)).toBe('error_event')
      expect(JSON.stringify(events)).not.toContain('zebra')
    },
  )

  it.each(EACH_PROVIDER.flatMap(([provider, { errors }]) => errors.ofContent.map((text) => [provider, text] as const)))(
    '%s: an end by the provider’s own rules on content is told as that',
    (provider, text) => {
      const events = decode(provider, text)
      const failure = { cause: 'error_event', billed: 'maybe', rejection: { reason: 'content', member: null } }
      expect(events.at(-1)).toMatchObject({ type: 'failed', failure })
      expect(JSON.stringify(events)).not.toContain('zebra')
    },
  )

  it.each(PROVIDER_IDS)('%s: an event that is no JSON is a failure', (provider) =>
    expect(lastOf(decode(provider, dataStream(['{"cut":'])))).toBe('malformed'),
  )
})

describe('OpenAI’s stream', () => {
  it('is a failure when nothing was said before [DONE] (mid-stream failure became a well-formed empty stream)', () =>
    expect(lastOf(decode('openai', dataStream(['[DONE]'])))).toBe('malformed'))
  it('is cut when [DONE] comes without a finish reason', () =>
    expect(lastOf(decode('openai', dataStream([openai.events[1] ?? {}, '[DONE]'])))).toBe('cut'))
  it('gives its usage, from a chunk without choices', () => {
    const { usage } = assembleAnswer(decode('openai', openai.stream))
    expect(usage && standardUsage(usage).total_tokens).toBe(130)
  })
  it('keeps several choices apart', () => {
    const events = [chunkOf(1, 'b'), chunkOf(0, 'a'), chunkOf(1, 'B', 'stop'), chunkOf(0, 'A', 'length'), '[DONE]']
    expect(assembleAnswer(decode('openai', dataStream(events))).choices).toMatchObject([
      { index: 0, text: 'aA', finishReason: 'length' },
      { index: 1, text: 'bB', finishReason: 'stop' },
    ])
  })
})

describe('Anthropic’s stream', () => {
  it('takes the last value of each count and never adds them, though a later one may leave some out', () => {
    const events = [
      ...anthropic.events.slice(0, -1),
      deltaOf({ output_tokens: 31, cache_read_input_tokens: 44 }),
      { type: 'message_delta', delta: { stop_reason: null } },
      { type: 'message_stop' },
    ]
    expect(assembleAnswer(decode('anthropic', namedStream(events))).usage).toMatchObject({
      inputUncached: 50,
      cacheRead: 44,
      cacheWrite: 10,
      outputVisible: 21,
      reasoning: 10,
    })
  })
  it('knows the input side from the start, so that a stream left early can be settled', () => {
    const { usage } = assembleAnswer(decode('anthropic', namedStream(anthropic.events.slice(0, 3))))
    expect(usage).toMatchObject({ inputUncached: 50, cacheRead: 40 })
  })
  it('passes over event types it does not know', () => {
    const events = [{ type: 'something_new', x: 1 }, ...anthropic.events]
    expect(lastOf(decode('anthropic', namedStream(events)))).toBe('end')
  })
})

describe('Gemini’s stream', () => {
  it('finishes with tool_calls though STOP comes in a later chunk than the call', () =>
    expect(finishes(decode('google', google.stream))).toEqual(['tool_calls']))
  it('numbers parallel calls of the same name (they all came at index 0)', () => {
    const calls = decode('google', google.stream).filter((event) => event.type === 'tool_call')
    expect(calls).toMatchObject([
      { index: 0, id: 'fc_1', signature: 'c2ln' },
      { index: 1, id: 'call_aBc9_0_1' },
    ])
  })
  it('is content_filter when the prompt was blocked', () => {
    const blocked = dataStream([{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 5 } }])
    const events = decode('google', blocked)
    expect([...finishes(events), lastOf(events)]).toEqual(['content_filter', 'end'])
  })
  it('takes what counts nothing for no usage, and leaves what was counted before (a cut stream cost nothing)', () => {
    const told = (usageMetadata: object) => ({ candidates: [{ content: { parts: [{ text: 'Hi' }] } }], usageMetadata })
    const usageOf = (...chunks: Record<string, unknown>[]) => assembleAnswer(decode('google', dataStream(chunks))).usage
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
      'google',
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
    const quiet = perplexity.events.filter(({ type }) => type !== 'response.output_text.delta')
    expect(assembleAnswer(decode('perplexity', dataStream(quiet))).choices[0]?.text).toBe('Grüße 👋')
  })
  it('finishes with length when incomplete', () => {
    const response = { ...perplexity.answer, status: 'incomplete', output: [] }
    const events = decode('perplexity', dataStream([{ type: 'response.incomplete', response }]))
    expect([...finishes(events), lastOf(events)]).toEqual(['length', 'end'])
  })
})

describe('Mistral’s stream', () => {
  it('gives the text that shares a list with the end of a thought, and no thought', () => {
    const events = decode('mistral', mistral.stream)
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['Grüße ', '👋'])
    expect(JSON.stringify(events)).not.toMatch(/thinking|aloud/)
  })
})
