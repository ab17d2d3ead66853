import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { standardUsage, usageFromTotals, type Usage } from '../../../src/providers/chat-answer.ts'
import { findModel } from '../../../src/providers/model-catalogue.ts'
import { decideOutputLimit } from '../../../src/policies/budget.policy.ts'
import {
  costMicroeur,
  costPicousd,
  outputMicroeurPerMillion,
  parseEurRate,
  picousdToMicroeur,
  type EurRate,
} from '../../../src/providers/call-cost.ts'
import {
  estimateInputTokens,
  estimateUsage,
  mostOutputTokens,
  outputLimit,
} from '../../../src/providers/estimate-tokens.ts'
import { textMessage } from '../../../src/providers/chat-request.ts'
import { modelNamed, pricesOf } from '../../fixtures/providers/models.ts'

const count = fc.nat(10_000_000)
const usages: fc.Arbitrary<Usage> = fc.record({
  inputUncached: count,
  cacheRead: count,
  cacheWrite: count,
  cacheWriteHour: count,
  outputVisible: count,
  reasoning: count,
  feesMicrousd: count,
})
const usage = (counts: Partial<Usage>): Usage => ({
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible: 0,
  reasoning: 0,
  feesMicrousd: 0,
  ...counts,
})
const rate = (text: string): EurRate => {
  const parsed = parseEurRate(text)
  if (parsed === null) throw new Error('not a rate')
  return parsed
}

describe('what is reserved', () => {
  const asked = (tokens: number, choices: number, microeurPerMillion: number) =>
    decideOutputLimit({ tokens, most: 1_000_000, choices, microeurPerMillion }, 16_384).microeur

  it('is rounded up to whole micro-euro, and no further', () => {
    expect(decideOutputLimit({ tokens: 1, most: 10, choices: 1, microeurPerMillion: 1 }, 16_384).microeur).toBe(1)
    expect([asked(1_000_000, 1, 1), asked(500_001, 2, 1), asked(0, 1, 1)]).toEqual([1, 2, 0])
  })

  it('goes by a price of output that is rounded up too', () => {
    const prices = pricesOf('gpt-4.1-mini') // 1.6 out
    expect(outputMicroeurPerMillion(usage({}), prices, rate('0.1'))).toBe(160_000)
    expect(outputMicroeurPerMillion(usage({}), prices, rate('0.9000001'))).toBe(1_440_001)
  })
})

describe('the cost of a call', () => {
  it('prices each kind of token by its own price, thoughts as output', () => {
    const sonnet = pricesOf('claude-sonnet-5') // 2 in, 0.2 cached, 2.5 written, 10 out
    const counts = { inputUncached: 1000, cacheRead: 1000, cacheWrite: 1000, outputVisible: 1000, reasoning: 1000 }
    expect(costPicousd(usage(counts), sonnet)).toBe((2_000_000n + 200_000n + 2_500_000n + 20_000_000n) * 1000n)
    expect(costMicroeur(usage(counts), sonnet, rate('0.9'))).toBe(22_230)
  })

  it('prices what is kept for an hour above what is kept for minutes', () => {
    const opus = pricesOf('claude-opus-5') // 6.25 written for minutes, 10 for an hour
    expect(costPicousd(usage({ cacheWrite: 1000, cacheWriteHour: 1000 }), opus)).toBe(16_250_000_000n)
  })

  it('adds the fees a provider charges beside tokens', () => {
    expect(costMicroeur(usage({ feesMicrousd: 5_000 }), pricesOf('sonar'), rate('1'))).toBe(5_000)
  })

  it('prices the whole request higher above the long-context mark, and not at it', () => {
    const luna = pricesOf('gpt-5.6-luna')
    expect(costPicousd(usage({ inputUncached: 272_000 }), luna)).toBe(272_000n * 200_000n)
    expect(costPicousd(usage({ inputUncached: 272_001 }), luna)).toBe(272_001n * 400_000n)
    expect(costPicousd(usage({ cacheRead: 272_001 }), luna)).toBe(272_001n * 40_000n)
  })

  it('rounds half up, once, to the micro-euro', () => {
    expect(picousdToMicroeur(1_499_999n, rate('1'))).toBe(1)
    expect(picousdToMicroeur(1_500_000n, rate('1'))).toBe(2)
    expect(picousdToMicroeur(1_000_000n, rate('0.499999999'))).toBe(0)
    expect(picousdToMicroeur(1_000_000n, rate('0.5'))).toBe(1)
  })

  it('is exact: within half a micro-euro of the fraction, whatever the counts', () => {
    fc.assert(
      fc.property(usages, fc.integer({ min: 1, max: 2_000_000 }), (some, millionths) => {
        const exact = costPicousd(some, pricesOf('gpt-5.6-sol')) * BigInt(millionths) // in 1e-18 euro
        const got =
          BigInt(picousdToMicroeur(exact / BigInt(millionths), rate((millionths / 1e6).toFixed(6)))) * 10n ** 12n
        const difference = got - exact
        return difference <= 5n * 10n ** 11n && difference > -5n * 10n ** 11n
      }),
    )
  })

  it.each(['', '0', '0.0', '-1', '1.', '.5', '1,1', '1e3', 'NaN', '0.1234567890', ' 1', '1000.5'])(
    'does not take %j for a rate',
    (text) => expect(parseEurRate(text)).toBeNull(),
  )
})

describe('standardUsage', () => {
  it('adds prompt and completion up to the total, whatever the usage', () => {
    fc.assert(
      fc.property(usages, (some) => {
        const standard = standardUsage(some)
        return (
          standard.total_tokens === standard.prompt_tokens + standard.completion_tokens &&
          standard.prompt_tokens_details.cached_tokens + standard.prompt_tokens_details.cache_write_tokens <=
            standard.prompt_tokens &&
          standard.completion_tokens_details.reasoning_tokens <= standard.completion_tokens
        )
      }),
    )
  })

  it('keeps a provider’s totals even where its parts exceed them, and never counts below zero', () => {
    const totals = { input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count }
    fc.assert(
      fc.property(fc.record(totals), (some) => {
        const split = usageFromTotals(some)
        const standard = standardUsage(split)
        return (
          standard.prompt_tokens === some.input &&
          standard.completion_tokens === some.output &&
          Object.values(split).every((value) => Number(value) >= 0)
        )
      }),
    )
  })
})

describe('estimates', () => {
  const request = { messages: [textMessage('user', 'é'.repeat(300))] }
  const mini = modelNamed('gpt-4.1-mini')

  it('count bytes, not characters, and images apart', () => {
    const image = { type: 'image', url: 'https://example.org/a.png' } as const
    expect(estimateInputTokens(request, mini)).toBeGreaterThanOrEqual(200)
    expect(estimateInputTokens({ messages: [{ role: 'user', content: [image, image] }] }, mini)).toBeGreaterThan(3_000)
    expect(estimateUsage(204, 30, 100)).toMatchObject({ inputUncached: 204, outputVisible: 10 })
    expect(estimateUsage(204, 30, 9)).toMatchObject({ outputVisible: 9 })
  })

  it('hold the whole output limit for every choice', () => {
    expect(mostOutputTokens({ ...request, maxTokens: 50, n: 5 }, mini)).toBe(250)
    expect(mostOutputTokens(request, mini)).toBe(mini.limits.maxOutputTokens)
  })

  it('cap the output limit at what the model can write', () => {
    expect(outputLimit({ ...request, maxTokens: 1_000_000 }, modelNamed('gpt-4.1-mini'))).toBe(32_768)
    expect(outputLimit(request, modelNamed('claude-haiku-4-5'))).toBe(64_000)
    expect(outputLimit({ ...request, maxTokens: 9 }, modelNamed('gpt-4.1-mini'))).toBe(9)
    expect(findModel('nobody')).toBeNull()
  })
})
