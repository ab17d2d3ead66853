// The limits as the organisation's object keeps them: exact under concurrency, at the window's edge and over evictions.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseKey, type ParsedKey } from '../../../src/keys/key-format.ts'
import type { ReferralAdmission } from '../../../src/organisation/admit/admit-referral.ts'
import { loadMemory } from '../../../src/organisation/journal/load-state.ts'
import { countsAt } from '../../../src/organisation/journal/state/calls.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { noon } from './chat-organisation.ts'
import { startService } from '../../support/unit/service.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

async function issueKey(body: object = {}): Promise<ParsedKey> {
  const { key } = await startService().createKey(body)
  const parsed = parseKey(key, readConfig(env).peppers)
  if (parsed === null) throw new Error('the issued key does not parse')
  return parsed
}

const objectOf = (key: ParsedKey) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(key.organisationId))

async function call(key: ParsedKey): Promise<ReferralAdmission> {
  return objectOf(key).admit({ keyId: key.keyId, secretHash: key.secretHash, scope: 'referral:read', entry: null })
}

describe('limits', () => {
  it.each([
    ['vk_test_', 120],
    ['vk_live_', 60],
  ])('lets exactly what a %s key may make a minute of 500 concurrent calls pass: %i', async (prefix, most) => {
    const key = await issueKey({ prefix })
    const admissions = await Promise.all(Array.from({ length: 500 }, () => call(key)))
    const passed = admissions.filter(({ outcome }) => outcome === 'admitted')
    const refused = admissions.filter(({ outcome }) => outcome === 'rate_limit_exceeded')
    expect([passed.length, refused.length]).toEqual([most, 500 - most])
  })

  it('never lets more than 60 pass in any 60 seconds, walking the edge of the window', async () => {
    const key = await issueKey({ requests_per_minute: 60 })
    const passedAt: number[] = []
    for (let second = 0; second < 180; second++) {
      // Late in a minute that is used up nothing changes from one millisecond to the next.
      for (const offset of second % 60 < 20 ? [0, 1, 998, 999] : [999]) {
        const now = noon + second * 1000 + offset
        vi.setSystemTime(now)
        if ((await call(key)).outcome === 'admitted') passedAt.push(now)
      }
    }
    for (const from of passedAt) {
      expect(passedAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(60)
    }
    // All room is used: three windows' worth and nothing lost at their edges.
    expect(passedAt.length).toBe(180)
  })

  it('opens again exactly when the oldest call is 60 seconds old', async () => {
    const key = await issueKey({ requests_per_minute: 1 })
    expect((await call(key)).outcome).toBe('admitted')
    vi.setSystemTime(noon + 59_999)
    expect(await call(key)).toMatchObject({ outcome: 'rate_limit_exceeded', retryAfterSeconds: 1 })
    vi.setSystemTime(noon + 60_000)
    expect((await call(key)).outcome).toBe('admitted')
  })

  it('keeps its counts when the object is evicted between calls', async () => {
    const key = await issueKey({ requests_per_minute: 3 })
    const outcomes: string[] = []
    for (let i = 0; i < 5; i++) {
      outcomes.push((await call(key)).outcome)
      await evictDurableObject(objectOf(key))
    }
    expect(outcomes).toEqual([...Array<string>(3).fill('admitted'), ...Array<string>(2).fill('rate_limit_exceeded')])
  })

  it('counts a UTC day and starts anew at midnight', async () => {
    const key = await issueKey({ requests_per_day: 2 })
    vi.setSystemTime(noon + 12 * 3_600_000 - 60_000)
    await call(key)
    await call(key)
    expect(await call(key)).toMatchObject({ outcome: 'rate_limit_exceeded', retryAfterSeconds: 60 })
    vi.setSystemTime(noon + 12 * 3_600_000)
    expect((await call(key)).outcome).toBe('admitted')
  })

  it('does not count refused calls', async () => {
    const key = await issueKey({ requests_per_day: 1 })
    await call(key)
    await call(key)
    await evictDurableObject(objectOf(key))
    const [used, outcomes] = await runInDurableObject(objectOf(key), (_, { storage: { sql } }) => [
      countsAt(loadMemory(sql).state.calls, key.keyId, noon),
      Array.from(sql.exec('SELECT outcome FROM calls ORDER BY before, n'), ({ outcome }) => outcome),
    ])
    expect(used).toEqual({ inWindow: 1, inDay: 1, oldestAt: noon })
    expect(outcomes).toEqual(['counted', 'rate'])
  })

  it('does not open a second window when the clock steps back', async () => {
    const key = await issueKey({ requests_per_minute: 1 })
    await call(key)
    vi.setSystemTime(noon - 3_600_000)
    expect((await call(key)).outcome).toBe('rate_limit_exceeded')
  })
})

describe('keys', () => {
  it('refuses a wrong secret, a revoked key and an expired key, and says which it is', async () => {
    const service = startService()
    const { key, id, organisationId } = await service.createKey({ expires_at: new Date(noon + 1000).toISOString() })
    const parsed = parseKey(key, readConfig(env).peppers)
    if (parsed === null) throw new Error('the issued key does not parse')
    expect(await call({ ...parsed, secretHash: new Uint8Array(32) })).toEqual({
      outcome: 'invalid_api_key',
      why: 'unknown',
    })
    vi.setSystemTime(noon + 1000)
    expect(await call(parsed)).toEqual({ outcome: 'invalid_api_key', why: 'expired' })
    vi.setSystemTime(noon)
    expect((await call(parsed)).outcome).toBe('admitted')
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
    expect(await call(parsed)).toEqual({ outcome: 'invalid_api_key', why: 'revoked' })
    const wrong = { ...parsed, secretHash: new Uint8Array(32) }
    expect(await call(wrong)).toEqual({ outcome: 'invalid_api_key', why: 'unknown' })
  })

  it('refuses a call outside the key’s scopes, and counts it', async () => {
    const key = await issueKey({ scopes: ['waiting-lists:read'], requests_per_minute: 1 })
    expect(await call(key)).toMatchObject({ outcome: 'scope_required', scope: 'referral:read' })
    expect((await call(key)).outcome).toBe('rate_limit_exceeded')
  })
})
