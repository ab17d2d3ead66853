// Tests proofs when R2 returns other bytes than were put there: no wrong one is answered, whichever byte it is.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SubmittedReceipt } from '../../../src/public-log/public-log.client.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { grow, inLog, publishAll } from './opened-log.ts'

let service: Service

/** A year whose alarms never go off by themselves while the tests run. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2091, 2, 15, 12) })
  service = startService()
})
afterEach(() => vi.useRealTimers())

const get = (path: string): Promise<Response> => service.fetch(`/v1/public/transparency/${path}`)

const idOf = (receipts: readonly SubmittedReceipt[], at: number): string => receipts[at]?.attestationId ?? ''

const bytesAt = async (key: string): Promise<Uint8Array> =>
  new Uint8Array((await (await env.FILES.get(key))?.arrayBuffer()) ?? [])

describe('a tile that was damaged in storage', () => {
  const FULL = 'public-log/tile/0/000'
  const ABOVE = 'public-log/tile/1/000.p/1'
  const UNFILLED = 'public-log/tile/0/001.p/44'

  async function damage(key: string, at: number): Promise<Uint8Array> {
    const whole = await bytesAt(key)
    const damaged = Uint8Array.from(whole)
    damaged[at] = (whole[at] ?? 0) ^ 1
    await env.FILES.put(key, damaged)
    return whole
  }

  it.each([
    ['the leaf itself', FULL, 0, 'proof/3', 3],
    ['a leaf beside it', FULL, 0, 'proof/2', 3],
    ['a leaf of an older tree', FULL, 0, 'proof/2?tree_size=4', 3],
    ['a leaf that comes after the older tree', FULL, 0, 'proof/2?tree_size=4', 250],
    ['a leaf of both trees', FULL, 5, 'consistency?old_size=5&new_size=9', 0],
    ['a leaf of the newer tree', FULL, 5, 'consistency?old_size=5', 7],
  ])('gives no proof but 503, and the log says so: %s', async (_, key, byte, path, hash) => {
    const receipts = await grow(300)
    await publishAll()
    const whole = await damage(key, hash * 32 + byte)
    const lines: string[] = []
    const logged = vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line))
    const named = path.replace(/\/(\d+)/, (_all, at: string) => `/${idOf(receipts, Number(at))}`)
    const refused = await get(named)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    logged.mockRestore()
    expect(lines).toEqual([expect.stringContaining('"event":"public_log_failed","outcome":"tile_damaged"')])
    await env.FILES.put(key, whole)
    expect((await get(named)).status).toBe(200)
  })

  const cut = (key: string) => env.FILES.put(key, new Uint8Array(20))
  const lose = (key: string) => env.FILES.delete(key)

  it.each([
    ['the last leaf', UNFILLED, 'proof/3', (key: string) => damage(key, 43 * 32)],
    ['a subtree beside it', ABOVE, 'proof/299', (key: string) => damage(key, 31)],
    ['an older tree', UNFILLED, 'consistency?old_size=5', (key: string) => damage(key, 32)],
    ['a tile that was cut', UNFILLED, 'proof/3', cut],
    ['a tile that is gone', ABOVE, 'proof/3', lose],
    ['a tile that is asked for', UNFILLED, 'tile/0/001.p/44', lose],
  ])('is made again where it is not full, from what the database has: %s', async (_, key, path, harm) => {
    const receipts = await grow(300)
    await publishAll()
    const whole = await bytesAt(key)
    const lines: string[] = []
    const logged = vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line))
    await harm(key)
    expect((await get(path.replace(/(?<=proof\/)\d+/, (at) => idOf(receipts, Number(at))))).status).toBe(200)
    logged.mockRestore()
    expect(lines.at(-1)).toContain('"event":"public_log_failed","outcome":"edge_restored"')
    expect(await bytesAt(key)).toEqual(whole)
  })

  it('is not made again from a database that has another tree than the head that is served', async () => {
    const receipts = await grow(300)
    await publishAll()
    await inLog(({ sql }) => {
      sql.exec('DROP TRIGGER batches_never_change')
      sql.exec('UPDATE batches SET hashes = zeroblob(length(hashes))')
    })
    await lose(UNFILLED)
    expect((await get(`proof/${idOf(receipts, 3)}`)).status).toBe(503)
    expect(await env.FILES.head(UNFILLED)).toBeNull()
  })

  it.each([
    ['is gone', lose],
    ['was cut', cut],
  ])('is named in the log where it is full and %s', async (_, harm) => {
    await grow(300)
    await publishAll()
    await harm(FULL)
    const lines: string[] = []
    const logged = vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line))
    expect((await get('tile/0/000')).status).toBe(503)
    logged.mockRestore()
    expect(lines).toEqual([expect.stringContaining('"event":"public_log_failed","outcome":"tile_damaged"')])
  })

  it('is not kept where it was cut', async () => {
    const receipts = await grow(300)
    await publishAll()
    const whole = await bytesAt(FULL)
    await env.FILES.put(FULL, whole.subarray(0, 100))
    for (const path of [`proof/${idOf(receipts, 4)}`, 'tile/0/000']) expect((await get(path)).status).toBe(503)
    await env.FILES.put(FULL, whole)
    for (const path of [`proof/${idOf(receipts, 4)}`, 'tile/0/000']) expect((await get(path)).status).toBe(200)
  })
})
