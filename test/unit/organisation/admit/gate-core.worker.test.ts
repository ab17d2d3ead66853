// The Worker's side of admission: fails closed, and a flood does not reach the object.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRefusalMemory } from '../../../../src/organisation/admit/gate-core.ts'
import { postJson, startService, withKey } from '../../../support/unit/service.ts'
import { noon } from '../chat-organisation.ts'

const rate = { limit: 60, remaining: 0, resetAt: 100 }
const refusal = (retryAt: number) => ({
  outcome: 'rate_limit_exceeded' as const,
  rate,
  retryAt,
  retryAfterSeconds: 1,
  over: 'minute' as const,
})

describe('the gate', () => {
  it('answers 503 when the organisation’s object cannot be reached, and says that nothing was done', async () => {
    const { key } = await startService().createKey()
    const unreachable = { getByName: () => ({ admit: () => Promise.reject(new Error('gone')) }) }
    const broken = startService({ ORGANISATIONS: unreachable })
    for (const init of [postJson(key, { action: 'book_appointment' }), postJson(key, {})]) {
      const response = await broken.fetch('/v1/referral/read', init)
      const body: unknown = await response.json()
      expect(response.status).toBe(503)
      expect(body).toMatchObject({ error: { code: 'service_unavailable' } })
      expect(JSON.stringify(body)).not.toContain('gone')
    }
  })

  it('refuses a made-up key without touching the object', async () => {
    const getByName = vi.fn<() => never>()
    const service = startService({ ORGANISATIONS: { getByName } })
    expect((await service.fetch('/v1/specialties', withKey(`vk_test_${'1'.repeat(89)}`))).status).toBe(401)
    expect(getByName).not.toHaveBeenCalled()
  })

  it('refuses a flood from memory once the object has said when to come back', async () => {
    // Fixes the clock, so that nothing remembered for ten seconds is forgotten meanwhile.
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    onTestFinished(() => void vi.useRealTimers())
    const service = startService()
    const { key } = await service.createKey({ requests_per_minute: 1 })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const response = await service.fetch('/v1/examples', withKey(key))
      statuses.push(response.status)
      if (i >= 2) expect(response.headers.get('server-timing')).toContain('organisation;dur=0.0')
      if (i >= 1) expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    }
    expect(statuses).toEqual([200, 429, 429, 429])
  })
})

describe('the memory of refusals', () => {
  it('forgets when the key may call again, and after ten seconds at the latest', () => {
    let now = 1_000_000
    const memory = createRefusalMemory(() => now)
    memory.remember('key_a', refusal(now + 3000))
    memory.remember('key_b', refusal(now + 86_400_000))
    now += 2999
    expect(memory.recall('key_a')).toMatchObject({ retryAfterSeconds: 1 })
    now += 1
    expect(memory.recall('key_a')).toBeNull()
    now += 6999
    expect(memory.recall('key_b')).not.toBeNull()
    now += 1
    expect(memory.recall('key_b')).toBeNull()
  })

  it('counts down what it tells', () => {
    let now = 0
    const memory = createRefusalMemory(() => now)
    memory.remember('key', refusal(9000))
    now = 4500
    expect(memory.recall('key')).toMatchObject({ retryAfterSeconds: 5 })
  })

  it('forgets when the clock steps back: what was said then need not hold now', () => {
    let now = 1_000_000
    const memory = createRefusalMemory(() => now)
    memory.remember('key', refusal(now + 86_400_000))
    now -= 1
    expect(memory.recall('key')).toBeNull()
  })

  it('keeps a bad key as long, and what is wrong with it', () => {
    let now = 0
    const memory = createRefusalMemory(() => now)
    memory.remember('key', { outcome: 'invalid_api_key', why: 'revoked' })
    now = 9_999
    expect(memory.recall('key')).toEqual({ outcome: 'invalid_api_key', why: 'revoked' })
    now = 10_000
    expect(memory.recall('key')).toBeNull()
  })

  it('stays bounded however many keys are refused', () => {
    const memory = createRefusalMemory(() => 0)
    for (let i = 0; i < 25_000; i++) memory.remember(`key_${i}`, refusal(5000))
    expect(memory.recall('key_24999')).not.toBeNull()
    expect(memory.recall('key_0')).toBeNull()
  })
})
