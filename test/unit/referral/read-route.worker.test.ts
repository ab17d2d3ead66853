// The read route fed with anything: every answer is one of the contract's, none is a 500.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { REFERRAL_LIMITS } from '../../../src/keys/rate-limits.policy.ts'
import { ALLOWED_ACTIONS, HELD_ACTIONS } from '../../../src/referral/actions.ts'
import { postJson, startService, withKey, type Service } from '../../support/unit/service.ts'
import { noon } from '../organisation/chat-organisation.ts'
import { csv, LONG_HEADER, LONG_ROW } from './waiting-lists/published-file.ts'
import { openIsolate, publishOk } from './waiting-lists/test-storage.ts'
import { runs } from '../../support/runs.ts'

const DECLARED = new Set([200, 400, 403, 409, 413, 415, 422, 503])

let now = noon
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now }))
afterEach(() => vi.useRealTimers())

// Two seconds pass between calls, so that the key's minute never fills.
async function statusOf(service: Service, init: RequestInit): Promise<number> {
  vi.setSystemTime((now += 2000))
  const response = await service.fetch('/v1/referral/read', init)
  const body: unknown = await response.json()
  if (response.status !== 200 && response.status !== 409) {
    expect(body).toMatchObject({
      error: { code: expect.any(String) as unknown, message: expect.any(String) as unknown },
    })
  }
  return response.status
}

const anyBody = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      text: fc.oneof(fc.string({ unit: 'binary', maxLength: 5000 }), fc.jsonValue()),
      action: fc.oneof(fc.constantFrom(...ALLOWED_ACTIONS, ...HELD_ACTIONS, 'toString'), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
)

describe('readReferral', () => {
  it('answers any JSON with a declared status', async () => {
    const service = startService()
    const { key } = await service.createKey()
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        expect(DECLARED).toContain(await statusOf(service, postJson(key, body)))
      }),
      { numRuns: runs(100) },
    )
  })

  it('answers any bytes with a declared status', async () => {
    const service = startService()
    const { key } = await service.createKey()
    const types = fc.constantFrom('application/json', 'text/plain', '', 'application/json; charset=utf-16')
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), types, async (bytes, type) => {
        const init = withKey(key, { method: 'POST', headers: { 'content-type': type }, body: bytes })
        expect(DECLARED).toContain(await statusOf(service, init))
      }),
      { numRuns: runs(60) },
    )
  })

  it('admits, counts and refuses with 503 where the example letters cannot be read', async () => {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    const service = startService({ ASSETS: { fetch: () => Promise.reject(new Error('unreachable')) } })
    const { key } = await service.createKey()
    const answer = await service.fetch('/v1/referral/read', postJson(key, { text: 'Dear Doctor' }))
    expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } })
    const remaining = String(REFERRAL_LIMITS.vk_test_.perMinute - 1)
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([503, remaining])
    const refused = await service.fetch('/v1/referral/read', postJson(`${key}x`, { text: 'Dear Doctor' }))
    expect(refused.status).toBe(401)
  })
})
