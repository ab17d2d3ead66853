// The key in a request's headers: which header counts, and what a wrong key is told.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startService, withKey, type CreatedKey, type Service } from '../../support/unit/service.ts'

type Refused = { error: { code: string; message: string } }

async function refusalOf(service: Service, path: string, init: RequestInit): Promise<string> {
  const response = await service.fetch(path, init)
  const { error } = await response.json<Refused>()
  expect([response.status, error.code, response.headers.get('www-authenticate')]).toEqual([
    401,
    'invalid_api_key',
    'Bearer',
  ])
  return error.message
}

const revoke = (service: Service, { organisationId, id }: CreatedKey) =>
  service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)

/** One whose time is over when the test goes on. */
async function expiredKey(service: Service, prefix: string): Promise<string> {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const expiresAt = Date.now() + 60_000
  const { key } = await service.createKey({ prefix, expires_at: new Date(expiresAt).toISOString() })
  vi.setSystemTime(expiresAt)
  return key
}

describe.each([
  { path: '/v1/specialties', prefix: 'vk_test_', other: 'aqta_', next: /by e-mail from the operator/ },
  { path: '/v1/models', prefix: 'aqta_', other: 'vk_live_', next: /POST \/api\/keys.*the operator/ },
])('a wrong key at $path', ({ path, prefix, other, next }) => {
  it('that was revoked is told so, and what to do next', async () => {
    const service = startService()
    const created = await service.createKey({ prefix })
    await revoke(service, created)
    const message = await refusalOf(service, path, withKey(created.key))
    expect(message).toMatch(/was revoked/)
    expect(message).toMatch(next)
  })

  it('that has expired is told so, and what to do next', async () => {
    const service = startService()
    const message = await refusalOf(service, path, withKey(await expiredKey(service, prefix)))
    expect(message).toMatch(/has expired/)
    expect(message).toMatch(next)
  })

  it('of the other service is told so, and what keys of this one are like', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix: other })
    const message = await refusalOf(service, path, withKey(key))
    expect(message).toMatch(/other service/)
    expect(message).toContain(prefix)
  })

  it('that was never issued is told nothing but how to get one', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix })
    const altered = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    const none = await refusalOf(service, path, {})
    expect(await refusalOf(service, path, withKey(altered))).toBe(none)
    expect(none).toMatch(next)
    expect(none).not.toMatch(/revoked|expired|other service|not known/)
  })
})

describe('the two spellings', () => {
  const both = (authorization: string, authorisation: string) => ({ headers: { authorization, authorisation } })

  it('a proxy’s Basic beside a good key does not make it a bad one', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix: 'aqta_' })
    expect((await service.fetch('/v1/models', both('Basic YTpi', `Bearer ${key}`))).status).toBe(200)
    expect((await service.fetch('/v1/models', both('', `Bearer ${key}`))).status).toBe(200)
  })

  it('of two keys the one in the standard’s header counts', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix: 'aqta_' })
    const madeUp = `aqta_${'1'.repeat(89)}`
    expect((await service.fetch('/v1/models', both(`Bearer ${key}`, `Bearer ${madeUp}`))).status).toBe(200)
    expect((await service.fetch('/v1/models', both(`Bearer ${madeUp}`, `Bearer ${key}`))).status).toBe(401)
  })

  it('the key under another scheme is none', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix: 'aqta_' })
    expect((await service.fetch('/v1/models', both(`Basic ${key}`, `Basic ${key}`))).status).toBe(401)
  })
})
