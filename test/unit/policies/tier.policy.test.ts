import { describe, expect, it } from 'vitest'
import { fitsBudget } from '../../../src/policies/budget.policy.ts'
import {
  actRetentionDays,
  decideModelAccess,
  findForbiddenLimit,
  planOf,
  readTier,
  retentionRange,
  TIERS,
} from '../../../src/policies/tier.policy.ts'

const noCustom = { requestsPerMinute: null, requestsPerMonth: null, retentionDays: null }

describe('planOf', () => {
  it.each([
    ['free', 5, 500, 7],
    ['starter', 100, 100_000, 90],
    ['pro', 1000, 1_000_000, 365],
    ['healthcare', 1000, 1_000_000, 365],
    ['enterprise', 1000, 1_000_000, 365],
  ] as const)('gives %s its rate, quota and retention', (tier, perMinute, perMonth, days) => {
    const plan = planOf({ tier, ...noCustom })
    expect([plan.requestsPerMinute, plan.requestsPerMonth, plan.retentionDays]).toEqual([perMinute, perMonth, days])
  })

  it('gives Pro its own rate and Enterprise its own rate and quota, and nobody else', () => {
    const custom = { requestsPerMinute: 7, requestsPerMonth: 9 }
    const plans = TIERS.map((tier) => {
      const { requestsPerMinute, requestsPerMonth } = planOf({ tier, ...noCustom, ...custom })
      return [tier, requestsPerMinute, requestsPerMonth]
    })
    expect(plans).toEqual([
      ['free', 5, 500],
      ['starter', 100, 100_000],
      ['pro', 7, 1_000_000],
      ['healthcare', 1000, 1_000_000],
      ['enterprise', 7, 9],
    ])
  })
})

describe('the retention that is chosen', () => {
  it.each([
    ['free', 7, 7],
    ['starter', 7, 90],
    ['pro', 7, 365],
    ['healthcare', 365, 2557],
    ['enterprise', 7, 2557],
  ] as const)('in the tier %s is from %i to %i days', (tier, least, most) => {
    expect(retentionRange(tier)).toEqual({ least, most })
    const days = (retentionDays: number) => planOf({ tier, ...noCustom, retentionDays }).retentionDays
    expect([days(least), days(most), days(least - 1), days(most + 1)]).toEqual([least, most, least, most])
  })
})

it.each([
  [7, 365],
  [365, 365],
  [2557, 2557],
])('of %i days for decisions, acts of management stay %i', (retentionDays, days) => {
  expect(actRetentionDays({ retentionDays })).toBe(days)
})

describe('readTier', () => {
  it.each(TIERS)('knows %s', (tier) => expect(readTier(tier)).toBe(tier))
  it.each(['', 'Free', 'platinum', 'constructor'])('refuses %j', (text) =>
    expect(() => readTier(text)).toThrow('a stored tier is none of those'),
  )
})

describe('limitNotCustom', () => {
  it.each([
    ['free', { requestsPerMinute: 10 }, 'requestsPerMinute'],
    ['pro', { requestsPerMinute: 10, requestsPerMonth: 10 }, 'requestsPerMonth'],
    ['healthcare', { requestsPerMonth: 10 }, 'requestsPerMonth'],
    ['free', { requestsPerMinute: null, requestsPerMonth: null }, null],
    ['pro', { requestsPerMinute: 10 }, null],
    ['enterprise', { requestsPerMinute: 10, requestsPerMonth: 10 }, null],
  ] as const)('of tier %s, wanting %o, is %s', (tier, wanted, limit) => {
    expect(findForbiddenLimit(tier, wanted)).toBe(limit)
  })
})

describe('decideModelAccess', () => {
  const dear = { providers: ['openai'], costEffective: false }
  const cheap = { providers: ['openai', 'bedrock'], costEffective: true }

  it.each([
    ['free', ['openai'], dear, 'tier'],
    ['free', [], dear, 'tier'],
    ['free', [], cheap, 'provider'],
    ['starter', ['google'], cheap, 'provider'],
    ['free', ['openai'], cheap, null],
    ['free', ['bedrock'], cheap, null],
    ['starter', ['google', 'openai'], dear, null],
  ] as const)('for %s with %j enabled and %o refuses by %s', (tier, enabledProviders, model, reason) => {
    const access = decideModelAccess({ tier, enabledProviders }, model)
    expect(access).toEqual(reason === null ? { allowed: true } : { allowed: false, reason })
  })
})

describe('fitsBudget', () => {
  it.each([
    ['there is no budget', null, 5, 5, 1_000_000, true],
    ['exactly the rest is asked for', 100, 30, 40, 30, true],
    ['one micro-euro more is asked for', 100, 30, 40, 31, false],
    ['it is spent and the request may cost something', 100, 100, 0, 1, false],
    ['it was lowered below what is spent', 50, 60, 0, 0, false],
  ])('when %s', (_, budget, spentMicroeur, reservedMicroeur, asked, fits) => {
    expect(fitsBudget(budget, { spentMicroeur, reservedMicroeur }, asked)).toBe(fits)
  })
})
