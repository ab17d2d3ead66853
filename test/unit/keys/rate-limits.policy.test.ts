import { describe, expect, it } from 'vitest'
import { combineDecisions, decideLimit, lowerLimits } from '../../../src/keys/rate-limits.policy.ts'

const limits = { perMinute: 60, perDay: 2000 }
const noon = Date.UTC(2026, 10, 20, 12)
const midnight = Date.UTC(2026, 10, 21)

describe('decideLimit', () => {
  it('allows the last call of a window and says that none is left', () => {
    const decision = decideLimit(limits, { inWindow: 59, oldestAt: noon - 1000, inDay: 59 }, noon)
    expect(decision).toEqual({
      allowed: true,
      rate: { limit: 60, remaining: 0, resetAt: (noon + 59_000) / 1000 },
    })
  })

  it('refuses the next until the oldest call is 60 seconds old', () => {
    const decision = decideLimit(limits, { inWindow: 60, oldestAt: noon - 1000, inDay: 60 }, noon)
    expect(decision).toMatchObject({ allowed: false, retryAt: noon + 59_000, rate: { remaining: 0 } })
  })

  it('refuses until midnight UTC when the day is used up, though the minute has room', () => {
    const decision = decideLimit(limits, { inWindow: 0, oldestAt: null, inDay: 2000 }, noon)
    expect(decision).toMatchObject({ allowed: false, retryAt: midnight, rate: { limit: 2000 } })
  })

  it('reports the day once it has less room than the minute', () => {
    const decision = decideLimit(limits, { inWindow: 0, oldestAt: null, inDay: 1990 }, noon)
    expect(decision).toMatchObject({ allowed: true, rate: { limit: 2000, remaining: 9, resetAt: midnight / 1000 } })
  })
})

describe('combineDecisions', () => {
  const refusal = (retryAt: number) => ({
    allowed: false as const,
    rate: { limit: 1, remaining: 0, resetAt: retryAt / 1000 },
    retryAt,
    window: 'minute' as const,
  })
  const [sooner, later] = [refusal(noon + 1000), refusal(noon + 2000)]
  const passed = { allowed: true as const, rate: { limit: 2, remaining: 1, resetAt: 1 } }

  it('tells of two refusals the later time, whichever comes first', () => {
    expect(combineDecisions(sooner, later)).toEqual(later)
    expect(combineDecisions(later, sooner)).toEqual(later)
  })

  it('refuses where either does', () => {
    expect(combineDecisions(sooner, passed)).toEqual(sooner)
    expect(combineDecisions(passed, later)).toEqual(later)
  })
})

describe('lowerLimits', () => {
  it('lets a key have less than the plan and never more', () => {
    expect(lowerLimits(limits, { perMinute: 5, perDay: 9999 })).toEqual({ perMinute: 5, perDay: 2000 })
  })
})
