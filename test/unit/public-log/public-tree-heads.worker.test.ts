// Tests the public log's head of each day: stored once with the day's first head, listed for anyone, and every refusal.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSigner } from '../../../src/evidence/records/configured-keys.ts'
import { verifyHead, type PublicHead } from '../../../src/evidence/records/tree-head.ts'
import { verifyConsistency } from '../../../src/evidence/tree/verify-proof.ts'
import { HeadsStore, MOST_DAYS_STORED } from '../../../src/public-log/heads.store.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { evict, grow, inLog, publishOnce } from './opened-log.ts'
import { keys, noon, publishAll, refusalOf, unreachable } from './strangers-view.ts'

const DAY_MS = 86_400_000
const FILE = 'public-log/days.json'

let service: Service

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  service = startService()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const get = (query = '', init?: RequestInit): Promise<Response> =>
  service.fetch(`/v1/public/transparency/heads${query}`, init)

async function list(query = ''): Promise<PublicHead[]> {
  const response = await get(query)
  expect(response.status).toBe(200)
  const { object, data } = await response.json<{ object: string; data: PublicHead[] }>()
  expect(object).toBe('list')
  return data
}

const daysOf = (heads: readonly PublicHead[]): string[] => heads.map(({ timestamp }) => timestamp)

const storedDays = (): Promise<PublicHead[]> => inLog(({ sql }) => new HeadsStore(sql).listDays(1000))

const puts = () => vi.spyOn(env.FILES, 'put').mock.calls

/** Appends a leaf at noon of each of these days after the first, and publishes it. */
async function publishOn(days: readonly number[]): Promise<void> {
  for (const day of days) {
    vi.setSystemTime(noon + day * DAY_MS)
    await grow(day + 1)
    await publishAll()
  }
}

describe('the head of a day', () => {
  it('is listed for each day that has one, newest first, and verifies with the service’s key', async () => {
    await publishOn([0, 1, 3, 4])
    const heads = await list()
    expect(daysOf(heads)).toEqual(['19', '18', '16', '15'].map((day) => `2091-03-${day}T12:00:00Z`))
    const pinned = keys.history.map(({ public_key: key }) => key)
    for (const head of heads) {
      expect(verifyHead(head, { keys: pinned })).toMatchObject({ valid: true, orgId: null })
      expect(verifyHead({ ...head, tree_size: head.tree_size + 1 }, { keys: pinned }).valid).toBe(false)
    }
  })

  it('has the members of the newest head', async () => {
    await publishAll()
    const newest = await service.fetch('/v1/public/transparency/sth')
    expect(await list()).toEqual([await newest.json()])
  })

  it('is joined to the last of the list by a proof of consistency', async () => {
    await publishOn([0, 1, 2, 3])
    const heads = await list('?days=3')
    const [last, first] = [heads[0], heads.at(-1)]
    const sizes = `old_size=${first?.tree_size}&new_size=${last?.tree_size}`
    const response = await service.fetch(`/v1/public/transparency/consistency?${sizes}`)
    const proof = await response.json<{ old_root: string; new_root: string }>()
    expect(proof).toMatchObject({ old_root: first?.root_hash, new_root: last?.root_hash })
    expect(verifyConsistency(proof).valid).toBe(true)
  })

  it('is the first of the day: later heads change neither the row nor the file', async () => {
    await publishOn([0, 1])
    const [before, file] = [await storedDays(), await env.FILES.head(FILE)]
    for (const minutes of [1, 2]) {
      vi.setSystemTime(noon + DAY_MS + minutes * 60_000)
      await grow(minutes)
      await publishAll()
    }
    expect(await storedDays()).toEqual(before)
    expect((await env.FILES.head(FILE))?.version).toBe(file?.version)
  })

  it('begins at midnight UTC', async () => {
    vi.setSystemTime(Date.UTC(2091, 2, 15, 23, 59, 59))
    await publishAll()
    vi.setSystemTime(Date.UTC(2091, 2, 16, 0, 0, 50))
    await publishAll()
    expect(daysOf(await list())).toEqual(['2091-03-16T00:00:50Z', '2091-03-15T23:59:59Z'])
  })

  it('is still there after the object has restarted', async () => {
    await publishOn([0, 1])
    await evict()
    await publishOn([2])
    expect(daysOf(await list())).toHaveLength(3)
  })

  it('never changes in the database', async () => {
    await publishAll()
    await expect(inLog(({ sql }) => void sql.exec('UPDATE head_days SET tree_size = 7'))).rejects.toThrow(
      'the head of a day never changes',
    )
  })

  it('is not stored where its head is refused', async () => {
    await publishOn([0])
    const [head] = await storedDays()
    const later = { ...head, tree_size: 99, timestamp: '2091-03-16T12:00:00Z' } as PublicHead
    const put = inLog((storage) => storage.transactionSync(() => new HeadsStore(storage.sql).put(later)))
    await expect(put).rejects.toThrow('a head covers leaves that are stored')
    expect(await storedDays()).toEqual([head])
  })

  it('is kept for the newest 400 days, and listed for the newest 90', async () => {
    await publishAll()
    await inLog((storage) => {
      const heads = new HeadsStore(storage.sql)
      const head = heads.newest()
      if (head === null) throw new Error('there is no head')
      for (let day = 1; day <= MOST_DAYS_STORED; day += 1) {
        const timestamp = new Date(noon + day * DAY_MS).toISOString().replace('.000', '')
        storage.transactionSync(() => heads.put({ ...head, timestamp }))
      }
    })
    const days = daysOf(await storedDays())
    expect([days.length, days.at(-1)]).toEqual([MOST_DAYS_STORED, '2091-03-16T12:00:00Z'])
    vi.setSystemTime(noon + (MOST_DAYS_STORED + 1) * DAY_MS)
    await publishAll()
    expect(await list()).toHaveLength(90)
  })
})

describe('the file of heads', () => {
  it('is written once a day', async () => {
    const calls = puts()
    await publishOn([0, 1])
    await publishAll()
    expect(calls.filter(([key]) => key === FILE)).toHaveLength(2)
  })

  it('is written by the next publishing where its write failed, after the head was served', async () => {
    const signer = createSigner(keys)
    await expect(publishOnce({ signer, breaksAt: 'days put' })).rejects.toThrow('broken')
    expect((await service.fetch('/v1/public/transparency/sth')).status).toBe(200)
    expect(await list()).toEqual([])
    await evict()
    await publishAll()
    expect(await list()).toHaveLength(1)
  })
})

describe('listPublicTreeHeads', () => {
  it('answers an empty list before the first head, and asks no object', async () => {
    service = startService({ PUBLIC_LOG: unreachable, PUBLIC_LOG_INDEX: unreachable })
    expect(await list()).toEqual([])
  })

  it('answers as many heads as it is asked for, to any origin, for five minutes', async () => {
    await publishOn([0, 1, 2])
    expect(daysOf(await list('?days=2'))).toEqual(['2091-03-17T12:00:00Z', '2091-03-16T12:00:00Z'])
    expect(await list('?days=90')).toHaveLength(3)
    const { headers } = await get()
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each(['0', '91', 'x', '-1', '1.5', '1e9', '', '%00'])('refuses days=%s without touching storage', async (days) => {
    service = startService({ PUBLIC_LOG: unreachable, FILES: {} })
    const response = await get(`?days=${days}`)
    expect(response.headers.get('cache-control')).not.toContain('public')
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'invalid_request', param: 'days' })
  })

  it.each(['?day=1', '?days=1&size=2', '?days=1&days=2'])('refuses the query %s', async (query) => {
    expect(await refusalOf(await get(query))).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('refuses other methods', async () => {
    expect(await refusalOf(await get('', { method: 'POST' }))).toMatchObject({ status: 405 })
  })

  it('is 503 where storage does not answer', async () => {
    service = startService({ FILES: { get: () => Promise.reject(new Error('down')) } })
    expect(await refusalOf(await get())).toMatchObject({ status: 503, code: 'service_unavailable', retry_after: 5 })
  })
})
