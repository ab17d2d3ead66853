import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { healthRoutes } from '../../src/health.routes.ts'
import { csv, LONG_HEADER, LONG_ROW } from './referral/waiting-lists/published-file.ts'
import { openIsolate, publishOk, watch } from './referral/waiting-lists/test-storage.ts'
import { createHealthService } from '../../src/health.service.ts'
import { startService } from '../support/unit/service.ts'
import { makeTables } from '../support/unit/tables.ts'

const check = async (overrides: object = {}) => {
  const response = await startService(overrides).fetch('/healthz')
  const body: unknown = await response.json()
  return { status: response.status, caching: response.headers.get('cache-control'), body }
}

/** The limit that nobody waits beyond is never over. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

const KEYS_WITHOUT_SEED = JSON.stringify([
  { public_key: 'A'.repeat(43), status: 'active', valid_from: '2025-01-01T00:00:00Z', valid_until: null },
])

describe('checkHealth', () => {
  it('tells the dates of the figures served', async () => {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    stopTimers()
    expect(await check()).toEqual({
      status: 200,
      caching: 'no-store',
      body: {
        status: 'ok',
        dataset: { archiveDate: '2026-09-24', publishedOn: '2026-10-09' },
        software: { version: expect.stringMatching(/^\d/) as string, source_sha256: null, worker_id: null },
      },
    })
  })

  it('is answered as nothing that a page could run or frame', async () => {
    const { headers } = await startService().fetch('/healthz')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it('is well where nothing is published', async () => {
    expect(await check()).toMatchObject({ status: 200, body: { status: 'ok', dataset: null } })
  })

  it('is well where the storage fails', async () => {
    const DATASETS = watch(env.DATASETS, new Set(['get'])).watched
    expect(await check({ DATASETS })).toMatchObject({ status: 200, body: { status: 'ok', dataset: null } })
  })

  it('is well where the storage of figures hangs', async () => {
    const software = { version: '0.1.0', source_sha256: '0'.repeat(64), worker_id: 'a version' }
    const hanging = healthRoutes(() => new Promise(() => {}), { failingParts: async () => [] }, software)
    const response = await hanging.request('/healthz')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', dataset: null, software }])
  })

  it('reads the storage once for many calls', async () => {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    const { calls, watched } = watch(env.DATASETS)
    stopTimers()
    const service = startService({ DATASETS: watched })
    for (let i = 0; i < 5; i += 1) await service.fetch('/healthz')
    expect(calls).toStrictEqual(['get'])
  })

  it.each([
    ['signing_key', { ATTESTATION_KEYS: '[]' }],
    ['signing_key', { ATTESTATION_KEYS: KEYS_WITHOUT_SEED }],
    ['log_key', { LOG_KEYS: '[]' }],
    ['log_key', { LOG_KEYS: KEYS_WITHOUT_SEED }],
  ])('names %s where no key signs', async (part, overrides) => {
    expect(await check(overrides)).toMatchObject({
      status: 503,
      caching: 'no-store',
      body: { error: { code: 'service_unavailable' }, status: 'degraded', parts: [part], dataset: null },
    })
  })

  describe('of D1', () => {
    it('is well where a later release has applied more', async () => {
      const service = startService()
      await makeTables()
      await env.DB.prepare("INSERT INTO migration_hashes VALUES ('9999_later.sql', '0')").run()
      expect((await service.fetch('/healthz')).status).toBe(200)
    })

    it.each([
      ['a table is missing', 'DROP TABLE migration_hashes'],
      ['a migration is not applied', "DELETE FROM migration_hashes WHERE name = '0002_tier_requests.sql'"],
      ['a migration was edited', "UPDATE migration_hashes SET sha256 = '0' WHERE name = '0001_baseline.sql'"],
    ])('names the tables where %s', async (_, statement) => {
      const service = startService()
      await makeTables()
      await env.DB.prepare(statement).run()
      const response = await service.fetch('/healthz')
      expect([response.status, await response.json()]).toMatchObject([503, { parts: ['tables'] }])
    })

    it('names the storage where a row cannot be written, until it can, some seconds later', async () => {
      await makeTables()
      let isFull = true
      let now = Date.now()
      const db = replaceMember(env.DB, 'prepare', (query) =>
        isFull && query.startsWith('INSERT') ? env.DB.prepare('SELECT full FROM nothing') : env.DB.prepare(query),
      )
      const signs = { nameAt: () => 'key' }
      const health = createHealthService({ db, signer: signs, logSigner: signs, clock: () => now })
      expect(await health.failingParts()).toEqual(['storage'])
      isFull = false
      expect(await health.failingParts()).toEqual(['storage'])
      now += 5000
      expect(await health.failingParts()).toEqual([])
    })

    it('names the storage where D1 hangs, and asks it once a minute', async () => {
      let asked = 0
      const db = replaceMember(env.DB, 'prepare', () => {
        asked += 1
        return replaceMember(env.DB.prepare('SELECT 1'), 'all', () => new Promise(() => {}))
      })
      const signs = { nameAt: () => 'key' }
      const health = createHealthService({ db, signer: signs, logSigner: signs, clock: () => 0 })
      // Others are not kept waiting by the first check, and do not ask as well.
      expect(await Promise.all([health.failingParts(), health.failingParts()])).toEqual([['storage'], []])
      expect(await health.failingParts()).toEqual(['storage'])
      expect(asked).toBe(1)
    })
  })
})

/** The object with one of its functions replaced. */
const replaceMember = <T extends object, Name extends keyof T>(target: T, name: Name, value: T[Name]): T =>
  new Proxy(target, {
    get(from, member) {
      if (member === name) return value
      const own: unknown = Reflect.get(from, member)
      const bound: unknown = typeof own === 'function' ? own.bind(from) : own
      return bound
    },
  })
