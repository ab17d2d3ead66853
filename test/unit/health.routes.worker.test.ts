import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { healthRoutes } from '../../src/health.routes.ts'
import { csv, LONG_HEADER, LONG_ROW } from './referral/waiting-lists/published-file.ts'
import { openIsolate, publishOk, watch } from './referral/waiting-lists/test-storage.ts'
import { startService } from '../support/unit/service.ts'

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

describe('checkHealth', () => {
  it('tells the dates of the figures served', async () => {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    stopTimers()
    expect(await check()).toEqual({
      status: 200,
      caching: 'no-store',
      body: { status: 'ok', dataset: { archiveDate: '2026-09-24', publishedOn: '2026-10-09' } },
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

  it('is well where the storage hangs', async () => {
    const hanging = healthRoutes(() => new Promise(() => {}))
    const response = await hanging.request('/healthz')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', dataset: null }])
  })

  it('reads the storage once for many calls', async () => {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    const { calls, watched } = watch(env.DATASETS)
    stopTimers()
    const service = startService({ DATASETS: watched })
    for (let i = 0; i < 5; i += 1) await service.fetch('/healthz')
    expect(calls).toStrictEqual(['get'])
  })
})
