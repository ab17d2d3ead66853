// Usage that cannot be read, or not in full, costs nobody the answer: whole and streamed, at every provider.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { billCall, producedByAnswer } from '../../../src/gateway/call/bill.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { costMicroeur, parseEurRate } from '../../../src/providers/call-cost.ts'
import type { Answer } from '../../../src/providers/chat-answer.ts'
import { pricesAt } from '../../../src/providers/model-catalogue.ts'
import type { ProviderId } from '../../../src/providers/provider-registry.ts'
import { google } from '../../fixtures/providers/google.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'
import type { Json, SentEvent } from '../../fixtures/providers/material.ts'
import { PRICED_AT } from '../../fixtures/providers/models.ts'
import { decodeBoth, decodeEvents, decodeObjects } from './decoding.ts'

/** The answer in one piece and streamed, with `usage` in the place of its own. */
function answersWith(provider: ProviderId, usage: unknown): Answer[] {
  const { answer, events, usage: reported } = MATERIAL[provider]
  return decodeBoth(provider, {
    whole: { ...answer, [reported.member]: usage },
    events: events.map((event) => (typeof event === 'string' ? event : reported.put(event, usage))),
  })
}

describe.each(EACH_PROVIDER)('%s', (provider, { usage: { report, input, output, odd: details } }) => {
  it.each([['text'], [7], [[]], [true], [{}], [{ [input]: 'many' }]])(
    'usage of which no count can be read is none: %j',
    (odd) => {
      for (const answer of answersWith(provider, odd))
        expect([answer.usage, answer.choices[0]?.text]).toEqual([null, 'Grüße 👋'])
    },
  )

  it.each(['5', 1.5, -1, {}, 1e300])('an output count of %j is unread, and the input is believed', (odd) => {
    for (const answer of answersWith(provider, { ...report, [output]: odd })) {
      expect(answer.usage?.unread).toEqual(['output', 'details'])
      expect(answer.usage?.inputUncached).toBeGreaterThan(0)
    }
  })

  it.each(['5', 1.5, -1, {}, 1e300])('an input count of %j is unread, and the output is believed', (odd) => {
    for (const answer of answersWith(provider, { ...report, [input]: odd })) {
      expect(answer.usage).toMatchObject({ unread: ['input', 'details'], outputVisible: 20, reasoning: 10 })
    }
  })

  it('is answered whatever stands in the place of its usage', () => {
    const member = fc.constantFrom(...Object.keys(report))
    const odd = fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue()))
    fc.assert(
      fc.property(odd, (value) => {
        for (const answer of answersWith(provider, value)) expect(answer.choices[0]?.text).toBe('Grüße 👋')
      }),
      { numRuns: 60 },
    )
  })

  it.each(details)('details that cannot be read leave all tokens believed, and are named: %j', (odd) => {
    const sum = (answer: Answer | undefined) => {
      const { inputUncached = 0, cacheRead = 0, cacheWrite = 0, outputVisible = 0, reasoning = 0 } = answer?.usage ?? {}
      return [inputUncached + cacheRead + cacheWrite, outputVisible + reasoning]
    }
    const [plain] = answersWith(provider, report)
    for (const answer of answersWith(provider, { ...report, ...odd })) {
      expect(answer.usage?.unread).toEqual(['details'])
      expect(sum(answer)).toEqual(sum(plain))
    }
  })
})

it('a last count of Gemini that cannot be read leaves the one before it, as one without the output', () => {
  const [first, ...others] = google.events
  const { put } = google.usage
  const odd = others.map((event) => put(event, { promptTokenCount: 'x' }))
  const read = decodeObjects(chatOf('google').stream(), [first ?? {}, ...odd])
  expect(assembleAnswer(read).usage).toMatchObject({ inputUncached: 90, unread: ['output', 'details'] })
})

const ESTIMATED_INPUT = 1_000
const ESTIMATED_OUTPUT = 400
const outline = { inputTokens: ESTIMATED_INPUT }
const rate = parseEurRate('1')

/** The counts of each report. */
const counted = { cacheRead: 40, reasoning: 10, outputVisible: 20 }

describe.each(EACH_PROVIDER)('the bill of %s where its usage is reported in part', (provider, { model, usage }) => {
  const { report: full, thoughtOnly, input, output } = usage
  const [whole] = answersWith(provider, full)
  if (!whole?.usage || rate === null) throw new Error('no usage')
  const reported = whole.usage
  const { cacheWrite } = reported
  it.each([
    ['no input', { ...full, [input]: undefined }, { ...counted, inputUncached: 960 - cacheWrite, cacheWrite }],
    [
      'no output',
      { ...full, [output]: undefined },
      { ...counted, inputUncached: reported.inputUncached, cacheWrite, outputVisible: ESTIMATED_OUTPUT },
    ],
    [
      'only the reasoning',
      thoughtOnly,
      { inputUncached: ESTIMATED_INPUT, cacheRead: 0, cacheWrite: 0, reasoning: 10, outputVisible: ESTIMATED_OUTPUT },
    ],
  ])('estimates only what is missing: %s', (_, report, expected) => {
    const last = { model: { ...model, search: null }, prices: pricesAt(model, PRICED_AT) }
    for (const answer of answersWith(provider, report)) {
      const produced = { ...producedByAnswer(answer), outputBytes: 3 * ESTIMATED_OUTPUT }
      const bill = billCall({ outline, routes: { last }, mostOutputTokens: 1_000 }, produced, null, rate)
      const feesMicrousd = report === thoughtOnly ? 0 : reported.feesMicrousd
      const billed = { ...expected, cacheWriteHour: 0, feesMicrousd }
      expect(bill).toEqual({
        usage: billed,
        estimated: true,
        costMicroeur: costMicroeur(billed, last.prices, rate),
        finishReason: produced.finishReason,
        servedModel: produced.servedModel,
      })
    }
  })
})

describe('usage that a stream reports in parts', () => {
  const usageOf = (provider: ProviderId, events: readonly SentEvent[]) =>
    assembleAnswer(decodeEvents(provider, events)).usage
  const anthropicReporting = (start: Json, end: Json | undefined) =>
    usageOf('anthropic', [
      { type: 'message_start', message: { id: 'm', model: 'claude-haiku-4-5', usage: start } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: end },
      { type: 'message_stop' },
    ])
  const geminiReporting = (...reports: Json[]) =>
    usageOf(
      'google',
      reports.map((usageMetadata) => ({
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata,
      })),
    )
  const openAiReporting = (provider: ProviderId, ...reports: Json[]) =>
    usageOf(provider, [
      { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      ...reports.map((usage) => ({ id: 'c', choices: [], usage })),
      '[DONE]',
    ])

  it('is the last value of each count, never a sum', () => {
    const expected = { inputUncached: 5, outputVisible: 7 }
    const parts = [{ prompt_tokens: 4 }, { prompt_tokens: 5, completion_tokens: 2 }, { completion_tokens: 7 }]
    for (const provider of ['openai', 'mistral'] as const) {
      expect(openAiReporting(provider, ...parts)).toMatchObject(expected)
      expect(openAiReporting(provider, ...parts)).not.toHaveProperty('unread')
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
    expect(openAiReporting('openai', first, last)).toMatchObject({
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
    const whole = chatOf('google').decode(blocked)
    for (const usage of [usageOf('google', [blocked]), whole.ok ? whole.answer.usage : null]) {
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
  for (const answer of answersWith('mistral', { prompt_tokens: 100, completion_tokens: 3, ...cached })) {
    expect(answer.usage).toMatchObject({ inputUncached: 60, cacheRead: 40 })
    expect(answer.usage).not.toHaveProperty('unread')
  }
})

describe.each(EACH_PROVIDER)('a tool call of %s', (provider, { said, withoutArguments, endsInCalls: ends }) => {
  const callsOf = ({ choices: [choice] }: Answer) => (choice?.toolCalls ?? []).map(({ id, name }) => [id, name])
  const [args = {}] = withoutArguments

  it.each([undefined, null, ''])('with %j for an id gets the same one, whole and streamed', (id) => {
    const calls = [
      { id, name: 'look', ...args },
      { id: 'given', name: 'go', ...args },
    ]
    for (const answer of decodeBoth(provider, said({ calls, ends }))) {
      expect(callsOf(answer)).toEqual([
        ['call_r1_0_0', 'look'],
        ['given', 'go'],
      ])
    }
  })

  it.each(withoutArguments)('with the arguments %j has none, whole and streamed', (none) => {
    const calls = [{ id: 'a', name: 'look', ...none }]
    for (const { choices } of decodeBoth(provider, said({ calls, ends }))) {
      expect(choices[0]?.toolCalls).toMatchObject([{ name: 'look', arguments: '{}' }])
    }
  })
})

describe('a tool call of OpenAI', () => {
  const read = (choices: readonly Json[]) =>
    assembleAnswer(
      decodeObjects(
        chatOf('openai').stream(),
        choices.map((choice) => ({ choices: [{ index: 0, ...choice }] })),
      ),
    )
  const part = (call: Json) => ({ delta: { tool_calls: [{ index: 0, ...call }] } })

  it('keeps an id that comes before the name', () => {
    const answer = read([
      part({ id: 'given' }),
      part({ function: { name: 'look' } }),
      part({ id: 'given', function: { name: 'look', arguments: '{}' } }),
    ])
    expect(answer.choices[0]?.toolCalls).toMatchObject([{ id: 'given', name: 'look' }])
  })

  it('that was cut short is not told as one without arguments', () => {
    const answer = read([part({ id: 'a', function: { name: 'look' } }), { delta: {}, finish_reason: 'length' }])
    expect(answer.choices[0]?.toolCalls).toMatchObject([{ name: 'look', arguments: '' }])
  })
})
