// The organisation's rate and monthly quota: exact under concurrency, at the window's edge, over evictions and months.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { REFERRAL_LIMITS } from '../../../src/keys/rate-limits.policy.ts'
import { countsAt, WHOLE_ORGANISATION } from '../../../src/organisation/journal/state/calls.ts'
import { monthAt } from '../../../src/organisation/journal/state/monthly-usage.ts'
import { countOutcomes, foundOrganisation, noon } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const times = <T>(n: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, index) => work(index)))

describe('the rate', () => {
  it.each([
    ['free', 5],
    ['starter', 100],
  ])('of %s lets exactly %i of 500 concurrent requests pass, over all of its keys', async (tier, limit) => {
    const organisation = await foundOrganisation({ tier })
    const keys = [await organisation.issueKey(), await organisation.issueKey({ prefix: 'sk-aqta-' })] as const
    const admissions = await times(500, (n) => organisation.admit(n % 2 === 0 ? keys[0] : keys[1]))
    expect(countOutcomes(admissions)).toEqual({ admitted: limit, rate_limit_exceeded: 500 - limit })
  })

  it('never lets more than 5 pass in any 60 seconds, walking the edge of the window', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const passedAt: number[] = []
    for (let second = 0; second < 180; second += 3) {
      for (const offset of [0, 1, 2999]) {
        const now = noon + second * 1000 + offset
        vi.setSystemTime(now)
        if ((await organisation.admit(key)).outcome === 'admitted') passedAt.push(now)
      }
    }
    for (const from of passedAt) {
      expect(passedAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(5)
    }
    expect(passedAt.length).toBe(15)
  })

  it('says when the next may pass, and is right to the millisecond', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    for (let n = 0; n < 5; n++) {
      vi.setSystemTime(noon + n * 1000)
      await organisation.admit(key)
    }
    const refusal = await organisation.admit(key)
    expect(refusal).toEqual({
      outcome: 'rate_limit_exceeded',
      rate: { limit: 5, remaining: 0, resetAt: noon / 1000 + 60 },
      retryAt: noon + 60_000,
      retryAfterSeconds: 56,
      over: 'minute',
    })
    vi.setSystemTime(noon + 59_999)
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
    vi.setSystemTime(noon + 60_000)
    expect((await organisation.admit(key)).outcome).toBe('admitted')
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
  })

  it('of a key is its own where that is less, and its day too', async () => {
    const organisation = await foundOrganisation({ tier: 'starter' })
    const small = await organisation.issueKey({ requests_per_minute: 2, requests_per_day: 3 })
    const other = await organisation.issueKey()
    const admissions = await times(10, () => organisation.admit(small))
    expect(countOutcomes(admissions)).toEqual({ admitted: 2, rate_limit_exceeded: 8 })
    expect((await organisation.admit(other)).outcome).toBe('admitted')
    vi.setSystemTime(noon + 60_000)
    expect((await organisation.admit(small)).outcome).toBe('admitted')
    expect(await organisation.admit(small)).toMatchObject({
      outcome: 'rate_limit_exceeded',
      rate: { limit: 3 },
      retryAfterSeconds: 12 * 3600 - 60,
    })
  })

  it('of a key is never more than the organisation’s, also after a lower tier was assigned', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey({ requests_per_minute: 1000 })
    await organisation.set({ tier: 'free' })
    expect(countOutcomes(await times(20, () => organisation.admit(key)))).toMatchObject({ admitted: 5 })
  })

  it('keeps its counts when the object is evicted between requests', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const admissions = []
    for (let n = 0; n < 7; n++) {
      admissions.push(await organisation.admit(key))
      await organisation.evict()
    }
    expect(countOutcomes(admissions)).toEqual({ admitted: 5, rate_limit_exceeded: 2 })
  })

  it('does not open a second window when the clock steps back', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await times(5, () => organisation.admit(key))
    vi.setSystemTime(noon - 3_600_000)
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
  })
})

describe('the monthly quota', () => {
  const small = { tier: 'enterprise', requests_per_month: 40 }

  it('lets exactly 40 of 500 concurrent requests pass, and answers the rest until the month turns', async () => {
    const organisation = await foundOrganisation(small)
    const key = await organisation.issueKey()
    const admissions = await times(500, () => organisation.admit(key))
    expect(countOutcomes(admissions)).toEqual({ admitted: 40, quota_exceeded: 460 })
    expect(admissions.find(({ outcome }) => outcome === 'quota_exceeded')).toEqual({
      outcome: 'quota_exceeded',
      reason: 'requests',
      period: 'month',
      of: 'organisation',
      rate: { limit: 40, remaining: 0, resetAt: Date.UTC(2091, 3, 1) / 1000 },
      retryAfterSeconds: (Date.UTC(2091, 3, 1) - noon) / 1000,
    })
  })

  it('is not bought anew with another key, and survives evictions', async () => {
    const organisation = await foundOrganisation({ ...small, requests_per_month: 2 })
    for (const expected of ['admitted', 'admitted', 'quota_exceeded', 'quota_exceeded']) {
      expect((await organisation.admit(await organisation.issueKey())).outcome).toBe(expected)
      await organisation.evict()
    }
  })

  it.each([
    ['a month', Date.UTC(2091, 3, 1)],
    ['a year', Date.UTC(2092, 0, 1)],
    ['a February with 29 days', Date.UTC(2092, 2, 1)],
  ])('turns with %s at 00:00 UTC, and not a millisecond before', async (_, turn) => {
    vi.setSystemTime(turn - 5000)
    const organisation = await foundOrganisation({ ...small, requests_per_month: 1 })
    const key = await organisation.issueKey()
    await organisation.admit(key)
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'quota_exceeded', retryAfterSeconds: 5 })
    vi.setSystemTime(turn - 1)
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'quota_exceeded', retryAfterSeconds: 1 })
    vi.setSystemTime(turn)
    expect((await organisation.admit(key)).outcome).toBe('admitted')
  })

  it('is what the rate headers tell once less of it is left than of the minute', async () => {
    const organisation = await foundOrganisation({ ...small, requests_per_month: 3 })
    const key = await organisation.issueKey()
    const rate = { limit: 3, resetAt: Date.UTC(2091, 3, 1) / 1000 }
    expect(await organisation.admit(key)).toMatchObject({ rate: { ...rate, remaining: 2 } })
    expect(await organisation.admitInvalid(key)).toMatchObject({ rate: { ...rate, remaining: 2 } })
    expect(await organisation.admit(key)).toMatchObject({ rate: { ...rate, remaining: 1 } })
  })
})

describe('what is counted', () => {
  const used = async (organisation: Awaited<ReturnType<typeof foundOrganisation>>) => {
    const { calls, months } = await organisation.state()
    const { inWindow, inDay } = countsAt(calls, WHOLE_ORGANISATION, noon)
    expect(inDay).toBe(inWindow)
    return { rate: inWindow, quota: monthAt(months, noon).requests }
  }

  it('is nothing of a request refused for its key, its rate, its quota or the budget', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise', requests_per_month: 1, monthly_budget_eur: 1 })
    const key = await organisation.issueKey()
    await organisation.admit({ ...key, secretHash: new Uint8Array(32) })
    expect(await organisation.admit(key, { upFrontMicroeur: 1_000_001 })).toMatchObject({ reason: 'budget' })
    expect(await used(organisation)).toEqual({ rate: 0, quota: 0 })
    await organisation.admit(key)
    expect(await organisation.admit(key)).toMatchObject({ reason: 'requests' })
    expect(await used(organisation)).toEqual({ rate: 1, quota: 1 })
    await organisation.set({ requests_per_minute: 1, requests_per_month: 10 })
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
    expect(await used(organisation)).toEqual({ rate: 1, quota: 1 })
    expect(await organisation.calls()).toEqual(['budget', 'quota', 'rate'])
  })

  it('is the rate alone of a request answered 400, 403 or with a loop, and of a list of models', async () => {
    const organisation = await foundOrganisation({ tier: 'starter', enabled_providers: ['openai'] })
    const key = await organisation.issueKey()
    const noChat = await organisation.issueKey({ scopes: ['manage'] })
    await organisation.admitInvalid(key)
    await organisation.describe(key)
    await organisation.admit(key, { provider: 'google' })
    await organisation.admit(noChat)
    await organisation.admitInvalid(noChat)
    expect(await used(organisation)).toEqual({ rate: 5, quota: 0 })
    for (let n = 0; n < 6; n++) await organisation.admit(key, { loopHash: 'f'.repeat(64) })
    expect(await used(organisation)).toEqual({ rate: 11, quota: 4 })
  })

  it('leaves the referral keys of the organisation their own limits', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await times(6, () => organisation.admit(key))
    const { key: referral } = await organisation.service.createKey({}, organisation.id)
    const response = await organisation.service.fetch('/v1/examples', {
      headers: { authorization: `Bearer ${referral}` },
    })
    const remaining = String(REFERRAL_LIMITS.vk_test_.perMinute - 1)
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, remaining])
  })
})

describe('a change of the settings', () => {
  it('of the tier is in force with the next request, up and down', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await times(6, () => organisation.admit(key))
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
    await organisation.set({ tier: 'starter' })
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'admitted', tier: 'starter', rate: { limit: 100 } })
    await organisation.set({ tier: 'free' })
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
  })

  it('of the rate is in force with the next request, also after an eviction', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', requests_per_minute: 2 })
    const key = await organisation.issueKey()
    expect(countOutcomes(await times(4, () => organisation.admit(key)))).toMatchObject({ admitted: 2 })
    await organisation.set({ requests_per_minute: 3 })
    await organisation.evict()
    expect(countOutcomes(await times(4, () => organisation.admit(key)))).toMatchObject({ admitted: 1 })
    await organisation.set({ requests_per_minute: null })
    expect(await organisation.admit(key)).toMatchObject({ rate: { limit: 1000, remaining: 996 } })
  })
})
