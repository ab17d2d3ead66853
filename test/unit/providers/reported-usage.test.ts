// Usage that cannot be read, or not in full, costs nobody the answer: whole and streamed, at every provider.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { billCall, producedByAnswer } from '../../../src/gateway/call/bill.ts'
import { adapters } from '../../../src/providers/adapter-by-dialect.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { costMicroeur, parseEurRate } from '../../../src/providers/call-cost.ts'
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
import { modelNamed, pricesOf } from '../../fixtures/providers/models.ts'
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
  'perplexity-agent': { ...perplexityAnswer.usage, output_tokens_details: { reasoning_tokens: 10 } },
  'mistral-chat': { ...mistralAnswer.usage, completion_tokens_details: { reasoning_tokens: 10 } },
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

  it.each([['text'], [7], [[]], [true], [{}], [{ [input]: 'many' }]])(
    'usage of which no count can be read is none: %j',
    (odd) => {
      for (const answer of answersWith(dialect, odd))
        expect([answer.usage, answer.choices[0]?.text]).toEqual([null, 'Grüße 👋'])
    },
  )

  it.each(['5', 1.5, -1, {}, 1e300])('an output count of %j is unread, and the input is believed', (odd) => {
    for (const answer of answersWith(dialect, { ...usage, [output]: odd })) {
      expect(answer.usage?.unread).toEqual(['output', 'details'])
      expect(answer.usage?.inputUncached).toBeGreaterThan(0)
    }
  })

  it.each(['5', 1.5, -1, {}, 1e300])('an input count of %j is unread, and the output is believed', (odd) => {
    for (const answer of answersWith(dialect, { ...usage, [input]: odd })) {
      expect(answer.usage).toMatchObject({ unread: ['input', 'details'], outputVisible: 20, reasoning: 10 })
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
      expect(answer.usage?.unread).toEqual(['details'])
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
    expect(assembleAnswer(read).usage).toMatchObject({ inputUncached: 90, unread: ['output', 'details'] })
  })
})

const ESTIMATED_INPUT = 1_000
const ESTIMATED_OUTPUT = 400
const outline = { inputTokens: ESTIMATED_INPUT }
const models: Record<Dialect, string> = {
  'openai-chat': 'gpt-4.1-mini',
  'anthropic-messages': 'claude-haiku-4-5',
  'gemini-generate': 'gemini-3.8-flash',
  'perplexity-agent': 'sonar',
  'mistral-chat': 'mistral-medium-3-5',
}
const rate = parseEurRate('1')

/** The counts of `usages`. */
const counted = { cacheRead: 40, reasoning: 10, outputVisible: 20 }

describe.each(dialects)('the bill of %s where its usage is reported in part', (dialect) => {
  const usage = usages[dialect]
  const { input, output } = counts[dialect]
  const [whole] = answersWith(dialect, usage)
  if (!whole?.usage || rate === null) throw new Error('no usage')
  const reported = whole.usage
  const { cacheWrite } = reported
  const reasoningOnly = Object.fromEntries(
    Object.entries(usage).filter(([name]) => /thoughts|(put|tion)_tokens_d/.test(name)),
  )
  delete reasoningOnly['input_tokens_details']

  it.each([
    ['no input', { ...usage, [input]: undefined }, { ...counted, inputUncached: 960 - cacheWrite, cacheWrite }],
    [
      'no output',
      { ...usage, [output]: undefined },
      { ...counted, inputUncached: reported.inputUncached, cacheWrite, outputVisible: ESTIMATED_OUTPUT },
    ],
    [
      'only the reasoning',
      reasoningOnly,
      { inputUncached: ESTIMATED_INPUT, cacheRead: 0, cacheWrite: 0, reasoning: 10, outputVisible: ESTIMATED_OUTPUT },
    ],
  ])('estimates only what is missing: %s', (_, report, expected) => {
    const model = modelNamed(models[dialect])
    const last = { model: { ...model, search: null }, prices: pricesOf(models[dialect]) }
    for (const answer of answersWith(dialect, report)) {
      const produced = { ...producedByAnswer(answer), outputBytes: 3 * ESTIMATED_OUTPUT }
      const bill = billCall({ outline, routes: { last }, mostOutputTokens: 1_000 }, produced, null, rate)
      const feesMicrousd = report === reasoningOnly ? 0 : reported.feesMicrousd
      const billed = { ...expected, cacheWriteHour: 0, feesMicrousd }
      expect(bill).toEqual({
        usage: billed,
        estimated: true,
        costMicroeur: costMicroeur(billed, last.prices, rate),
        servedModel: produced.servedModel,
      })
    }
  })
})

describe('usage that a stream reports in parts', () => {
  const usageOf = (dialect: Dialect, events: readonly (Json | string)[]) => {
    const decoder = adapters[dialect].createStreamDecoder()
    const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    return assembleAnswer([...decodeData(decoder, data), ...decoder.close()]).usage
  }
  const anthropicReporting = (start: Json, end: Json | undefined) =>
    usageOf('anthropic-messages', [
      { type: 'message_start', message: { id: 'm', model: 'claude-haiku-4-5', usage: start } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: end },
      { type: 'message_stop' },
    ])
  const geminiReporting = (...reports: Json[]) =>
    usageOf(
      'gemini-generate',
      reports.map((usageMetadata) => ({
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata,
      })),
    )
  const openAiReporting = (dialect: Dialect, ...reports: Json[]) =>
    usageOf(dialect, [
      { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      ...reports.map((usage) => ({ id: 'c', choices: [], usage })),
      '[DONE]',
    ])

  it('is the last value of each count, never a sum', () => {
    const expected = { inputUncached: 5, outputVisible: 7 }
    const parts = [{ prompt_tokens: 4 }, { prompt_tokens: 5, completion_tokens: 2 }, { completion_tokens: 7 }]
    for (const dialect of ['openai-chat', 'mistral-chat'] as const) {
      expect(openAiReporting(dialect, ...parts)).toMatchObject(expected)
      expect(openAiReporting(dialect, ...parts)).not.toHaveProperty('unread')
    }
    const gemini = geminiReporting(
      { promptTokenCount: 4 },
      { promptTokenCount: 5, candidatesTokenCount: 2 },
      { candidatesTokenCount: 7 },
    )
    expect(gemini).toMatchObject(expected)
    expect(gemini).not.toHaveProperty('unread')
    const anthropic = anthropicReporting({ input_tokens: 4, output_tokens: 1 }, { input_tokens: 5, output_tokens: 7 })
    expect(anthropic).toMatchObject(expected)
    expect(anthropic).not.toHaveProperty('unread')
  })

  it('keeps a part of the input that a later report does not have', () => {
    const first = { prompt_tokens: 50, prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 2 } }
    const last = { prompt_tokens: 50, completion_tokens: 7, prompt_tokens_details: { cache_write_tokens: 3 } }
    expect(openAiReporting('openai-chat', first, last)).toMatchObject({
      inputUncached: 7,
      cacheRead: 40,
      cacheWrite: 3,
    })
  })

  it.each([undefined, {}, { output_tokens: null }, { input_tokens: 5 }])(
    'does not take the output at Claude’s start for the whole output: %j at the end',
    (end) =>
      expect(anthropicReporting({ input_tokens: 5, output_tokens: 1 }, end)).toMatchObject({
        inputUncached: 5,
        unread: ['output'],
      }),
  )

  it('is nothing where Gemini reports only its traffic type', () =>
    expect(geminiReporting({ trafficType: 'ON_DEMAND' })).toBeNull())

  it('of Gemini that wrote nothing has no output, and is complete', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 5 } }
    const whole = adapters['gemini-generate'].decode(blocked)
    for (const usage of [usageOf('gemini-generate', [blocked]), whole.ok ? whole.answer.usage : null]) {
      expect(usage).toMatchObject({ inputUncached: 5, outputVisible: 0 })
      expect(usage).not.toHaveProperty('unread')
    }
  })
})

it.each([
  { num_cached_tokens: 40 },
  { prompt_token_details: { cached_tokens: 40 } },
  { prompt_tokens_details: { cached_tokens: 40 }, num_cached_tokens: 9 },
])('Mistral’s cached tokens are read under each of their names: %j', (cached) => {
  for (const answer of answersWith('mistral-chat', { prompt_tokens: 100, completion_tokens: 3, ...cached })) {
    expect(answer.usage).toMatchObject({ inputUncached: 60, cacheRead: 40 })
    expect(answer.usage).not.toHaveProperty('unread')
  }
})

describe('a tool call without an id', () => {
  const idsOf = (answer: Answer | undefined) => answer?.choices[0]?.toolCalls.map(({ id, name }) => [id, name])
  const given = (id: string | undefined) => [
    { index: 0, id, function: { name: 'look', arguments: '{}' } },
    { index: 1, id: 'given', function: { name: 'go', arguments: '{}' } },
  ]
  const item = (call_id: string | null, name: string) => ({ type: 'function_call', call_id, name, arguments: '{}' })
  const agent = { ...perplexityAnswer, id: 'r-1', output: [item(null, 'look'), item('given', 'go')] }
  const block = (id: string | undefined, name: string) => ({ type: 'tool_use', id, name, input: {} })
  const started = (index: number, content_block: Json): Json[] => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ]

  it.each<[Dialect, Json, readonly (Json | string)[]]>([
    ...(['openai-chat', 'mistral-chat'] as const).flatMap((dialect) =>
      [undefined, ''].map((id): [Dialect, Json, readonly (Json | string)[]] => [
        dialect,
        { id: 'r-1', choices: [{ index: 0, message: { tool_calls: given(id) }, finish_reason: 'tool_calls' }] },
        [
          { id: 'r-1', choices: [{ index: 0, delta: { tool_calls: given(id) } }] },
          { id: 'r-1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
          '[DONE]',
        ],
      ]),
    ),
    [
      'anthropic-messages',
      { ...anthropicAnswer, id: 'r-1', content: [block(undefined, 'look'), block('given', 'go')] },
      [
        { type: 'message_start', message: { id: 'r-1', model: 'claude-haiku-4-5' } },
        ...started(0, block(undefined, 'look')),
        ...started(1, block('given', 'go')),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ],
    ],
    [
      'perplexity-agent',
      agent,
      [
        { type: 'response.created', response: { id: 'r-1' } },
        { type: 'response.output_item.done', item: item(null, 'look') },
        { type: 'response.completed', response: agent },
      ],
    ],
  ])('%s: gets the same one, whole and streamed', (dialect, whole, events) => {
    const decoded = adapters[dialect].decode(whole)
    const decoder = adapters[dialect].createStreamDecoder()
    const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    const read = [...decodeData(decoder, data), ...decoder.close()]
    const expected = [
      ['call_r1_0_0', 'look'],
      ['given', 'go'],
    ]
    expect(idsOf(decoded.ok ? decoded.answer : undefined)).toEqual(expected)
    expect(idsOf(assembleAnswer(read))).toEqual(expected)
  })

  it('keeps an id that comes before the name', () => {
    const decoder = adapters['openai-chat'].createStreamDecoder()
    const part = (call: Json) =>
      JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] })
    const read = decodeData(decoder, [
      part({ id: 'given' }),
      part({ function: { name: 'look' } }),
      part({ id: 'given', function: { name: 'look', arguments: '{}' } }),
    ])
    expect(idsOf(assembleAnswer(read))).toEqual([['given', 'look']])
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
