// Usage that cannot be read, or not in full, costs nobody the answer: whole and streamed, at every provider.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/providers/adapter-by-dialect.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Answer } from '../../../src/providers/chat-answer.ts'
import type { Dialect } from '../../../src/providers/provider-registry.ts'
import {
  anthropicAnswer,
  answers,
  dialects,
  geminiAnswer,
  mistralAnswer,
  openAiAnswer,
  perplexityAnswer,
} from '../../fixtures/providers/answers.ts'
import { anthropicEvents, eventsOf, geminiEvents } from '../../fixtures/providers/streams.ts'
import { decodeData } from './decoding.ts'

type Json = Record<string, unknown>

const beside = (name: string) => (event: Json, usage: unknown) => (event[name] ? { ...event, [name]: usage } : event)

/** The event with other usage, if it has some. */
const put: Record<Dialect, (event: Json, usage: unknown) => Json> = {
  'openai-chat': beside('usage'),
  'anthropic-messages': (event, usage) =>
    event['type'] === 'message_start'
      ? { ...event, message: { id: 'msg_1', model: 'claude-haiku-4-5', usage } }
      : beside('usage')(event, usage),
  'gemini-generate': beside('usageMetadata'),
  'mistral-chat': beside('usage'),
  'perplexity-agent': (event, usage) =>
    event['type'] === 'response.completed' ? { ...event, response: { ...perplexityAnswer, usage } } : event,
}

const usages: Record<Dialect, Json> = {
  'openai-chat': openAiAnswer.usage,
  'anthropic-messages': anthropicAnswer.usage,
  'gemini-generate': geminiAnswer.usageMetadata,
  'perplexity-agent': perplexityAnswer.usage,
  'mistral-chat': mistralAnswer.usage,
}

/** The answer in one piece and streamed, with `usage` in the place of its own. */
function answersWith(dialect: Dialect, usage: unknown): Answer[] {
  const name = dialect === 'gemini-generate' ? 'usageMetadata' : 'usage'
  const decoded = adapters[dialect].decode({ ...answers[dialect], [name]: usage })
  const decoder = adapters[dialect].createStreamDecoder()
  const data = eventsOf[dialect].map((event) =>
    JSON.stringify(typeof event === 'string' ? event : put[dialect](event, usage)),
  )
  const read = [
    ...decodeData(
      decoder,
      data.map((text) => (text === '"[DONE]"' ? '[DONE]' : text)),
    ),
    ...decoder.close(),
  ]
  expect(read.at(-1)).toEqual({ type: 'end' })
  if (!decoded.ok) throw new Error(decoded.failure.cause)
  return [decoded.answer, assembleAnswer(read)]
}

const counts: Record<Dialect, { input: string; output: string }> = {
  'openai-chat': { input: 'prompt_tokens', output: 'completion_tokens' },
  'anthropic-messages': { input: 'input_tokens', output: 'output_tokens' },
  'gemini-generate': { input: 'promptTokenCount', output: 'candidatesTokenCount' },
  'perplexity-agent': { input: 'input_tokens', output: 'output_tokens' },
  'mistral-chat': { input: 'prompt_tokens', output: 'completion_tokens' },
}

describe.each(dialects)('%s', (dialect) => {
  const usage = usages[dialect]
  const { input, output } = counts[dialect]

  it.each([
    ['text'],
    [7],
    [[]],
    [true],
    [{ [input]: 'many' }],
    [{ ...usage, [input]: 1e300 }],
    [{ ...usage, [input]: -1 }],
  ])('usage of which no input can be read is none: %j', (odd) => {
    for (const answer of answersWith(dialect, odd))
      expect([answer.usage, answer.choices[0]?.text]).toEqual([null, 'Grüße 👋'])
  })

  it.each(['5', 1.5, -1, {}, 1e300])('an output count of %j is unread, and the input is believed', (odd) => {
    for (const answer of answersWith(dialect, { ...usage, [output]: odd })) {
      expect(answer.usage?.unread).toBe('output')
      expect(answer.usage?.inputUncached).toBeGreaterThan(0)
    }
  })

  it('is answered whatever stands in the place of its usage', () => {
    const member = fc.constantFrom(...Object.keys(usage))
    const odd = fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue()))
    fc.assert(
      fc.property(odd, (value) => {
        for (const answer of answersWith(dialect, value)) expect(answer.choices[0]?.text).toBe('Grüße 👋')
      }),
      { numRuns: 60 },
    )
  })
})

describe('a part that cannot be read', () => {
  it.each<[Dialect, Json]>([
    ['openai-chat', { prompt_tokens_details: 3 }],
    ['openai-chat', { completion_tokens_details: { reasoning_tokens: 'some' } }],
    ['perplexity-agent', { cost: 0.006 }],
    ['mistral-chat', { prompt_tokens_details: 3 }],
    ['perplexity-agent', { cost: { tool_calls_cost: '0.005' } }],
    ['perplexity-agent', { cost: { tool_calls_cost: 1e300 } }],
    ['anthropic-messages', { output_tokens_details: 4 }],
    ['gemini-generate', { cachedContentTokenCount: 'some' }],
  ])('%s: leaves all tokens believed, and says so: %j', (dialect, odd) => {
    const usage = usages[dialect]
    const sum = (answer: Answer | undefined) => {
      const { inputUncached = 0, cacheRead = 0, cacheWrite = 0, outputVisible = 0, reasoning = 0 } = answer?.usage ?? {}
      return [inputUncached + cacheRead + cacheWrite, outputVisible + reasoning]
    }
    const [plain] = answersWith(dialect, usage)
    for (const answer of answersWith(dialect, { ...usage, ...odd })) {
      expect(answer.usage?.unread).toBe('details')
      expect(sum(answer)).toEqual(sum(plain))
    }
  })

  it('of Gemini’s last count leaves the one before it, as one without the output', () => {
    const decoder = adapters['gemini-generate'].createStreamDecoder()
    const [first, ...others] = geminiEvents
    const odd = others.map((event) =>
      'usageMetadata' in event ? Object.assign({}, event, { usageMetadata: { promptTokenCount: 'x' } }) : event,
    )
    const read = decodeData(
      decoder,
      [first, ...odd].map((event) => JSON.stringify(event)),
    )
    expect(assembleAnswer(read).usage).toMatchObject({ inputUncached: 90, unread: 'output' })
  })
})

describe('a tool call without arguments', () => {
  const called = (answer: Answer | undefined) =>
    answer?.choices[0]?.toolCalls.map(({ name, arguments: text }) => [name, text])

  it.each<[Dialect, Json, readonly (Json | string)[]]>([
    ...[{}, { arguments: null }, { arguments: '' }].map((args): [Dialect, Json, readonly (Json | string)[]] => [
      'openai-chat',
      {
        ...openAiAnswer,
        choices: [
          {
            index: 0,
            message: { tool_calls: [{ id: 'a', function: { name: 'look', ...args } }] },
            finish_reason: 'tool_calls',
          },
        ],
      },
      [
        {
          choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', ...args } }] } }],
        },
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        '[DONE]',
      ],
    ]),
    ...[{}, { input: null }].map((args): [Dialect, Json, readonly (Json | string)[]] => [
      'anthropic-messages',
      { ...anthropicAnswer, content: [{ type: 'tool_use', id: 'a', name: 'look', ...args }] },
      [
        anthropicEvents[0] ?? {},
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'look', ...args } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ],
    ]),
    ...[{}, { args: null }].map((args): [Dialect, Json, readonly (Json | string)[]] => {
      const candidates = [
        { index: 0, content: { parts: [{ functionCall: { name: 'look', ...args } }] }, finishReason: 'STOP' },
      ]
      return ['gemini-generate', { ...geminiAnswer, candidates }, [{ ...geminiAnswer, candidates }]]
    }),
    ...[{}, { arguments: null }].map((args): [Dialect, Json, readonly (Json | string)[]] => {
      const response = { ...perplexityAnswer, output: [{ type: 'function_call', call_id: 'a', name: 'look', ...args }] }
      return ['perplexity-agent', response, [{ type: 'response.completed', response }]]
    }),
  ])('%s: has none, whole and streamed', (dialect, whole, events) => {
    const decoded = adapters[dialect].decode(whole)
    const decoder = adapters[dialect].createStreamDecoder()
    const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    const read = [...decodeData(decoder, data), ...decoder.close()]
    expect(called(decoded.ok ? decoded.answer : undefined)).toEqual([['look', '{}']])
    expect(called(assembleAnswer(read))).toEqual([['look', '{}']])
  })

  it('that was cut short is not told as one that has none', () => {
    const decoder = adapters['openai-chat'].createStreamDecoder()
    const call = { index: 0, id: 'a', function: { name: 'look' } }
    const read = decodeData(decoder, [
      JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }),
      JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }),
    ])
    expect(called(assembleAnswer(read))).toEqual([['look', '']])
  })
})
