// The Worker's side of admission: fails closed, and a flood does not reach the object.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { InvalidKey } from '../../../../src/keys/key-rules.policy.ts'
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

  it('refuses a flood from memory, after it has asked the object five times within the second', async () => {
    // Fixes the clock, so that nothing is forgotten meanwhile.
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    onTestFinished(() => void vi.useRealTimers())
    const service = startService()
    const { key } = await service.createKey({ requests_per_minute: 1 })
    expect((await service.fetch('/v1/examples', withKey(key))).status).toBe(200)
    const waits: (string | null)[] = []
    for (let i = 0; i < 7; i++) {
      const response = await service.fetch('/v1/examples', withKey(key))
      expect(response.status).toBe(429)
      waits.push(response.headers.get('retry-after'))
      if (i >= 5) expect(response.headers.get('server-timing')).toContain('organisation;dur=0.0')
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    }
    expect(waits).toEqual(['60', '60', '60', '60', '60', '1', '1'])
  })
})

describe('the memory of refusals', () => {
  const rememberedBy = (now: () => number, wanted: ReturnType<typeof refusal> | InvalidKey, times = 5) => {
    const memory = createRefusalMemory(now)
    for (let i = 0; i < times; i++) {
      memory.countAsk('key')
      memory.remember('key', wanted)
    }
    return memory
  }

  it('lets the object be asked five times in a second', () => {
    expect(rememberedBy(() => 0, refusal(86_400_000), 4).recall('key')).toBeNull()
  })

  it('forgets after a second, and says no longer a wait', () => {
    let now = 1_000_000
    const memory = rememberedBy(() => now, refusal(now + 86_400_000))
    now += 999
    expect(memory.recall('key')).toMatchObject({ retryAfterSeconds: 1 })
    now += 1
    expect(memory.recall('key')).toBeNull()
    memory.remember('key', refusal(now + 86_400_000))
    expect(memory.recall('key')).toBeNull()
  })

  it('counts asks that are not answered yet, and lets five through in the next second of a flood', () => {
    let now = 0
    const memory = createRefusalMemory(() => now)
    const ask = () => {
      if (memory.recall('key') !== null) return 'remembered'
      memory.countAsk('key')
      return 'asked'
    }
    memory.remember('key', refusal(86_400_000))
    expect(Array.from({ length: 6 }, ask)).toEqual([...Array<string>(4).fill('asked'), 'remembered', 'remembered'])
    now = 999
    memory.remember('key', refusal(86_400_000))
    now = 1_000
    expect(Array.from({ length: 6 }, ask)).toEqual([...Array<string>(5).fill('asked'), 'remembered'])
  })

  it('forgets a key that the object admits', () => {
    const memory = rememberedBy(() => 0, refusal(86_400_000))
    memory.forget('key')
    expect(memory.recall('key')).toBeNull()
  })

  it('forgets when the key may call again', () => {
    let now = 0
    const memory = rememberedBy(() => now, refusal(300))
    now = 299
    expect(memory.recall('key')).not.toBeNull()
    now = 300
    expect(memory.recall('key')).toBeNull()
  })

  it('forgets when the clock steps back: what was said then need not hold now', () => {
    let now = 1_000_000
    const memory = rememberedBy(() => now, refusal(now + 86_400_000))
    now -= 1
    expect(memory.recall('key')).toBeNull()
  })

  it('keeps what is wrong with a bad key', () => {
    const revoked: InvalidKey = { outcome: 'invalid_api_key', why: 'revoked' }
    expect(rememberedBy(() => 0, revoked).recall('key')).toEqual(revoked)
  })

  it('stays bounded however many keys are refused', () => {
    const memory = createRefusalMemory(() => 0)
    for (let i = 0; i < 25_000; i++) {
      memory.remember(`key_${i}`, refusal(5000))
      for (let asks = 0; asks < 4; asks++) memory.countAsk(`key_${i}`)
    }
    expect(memory.recall('key_24999')).not.toBeNull()
    expect(memory.recall('key_0')).toBeNull()
  })
})
