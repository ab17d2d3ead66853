// What becomes of proofs when R2 gives other bytes than were put there: no wrong one is answered, whichever byte it is.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HandedReceipt } from '../../../../src/ledger/public-log/receipt-batch.ts'
import { startService, type Service } from '../../../support/unit/service.ts'
import { grow, publishAll } from './opened-log.ts'

let service: Service

/** A year whose alarms never go off by themselves while the tests run. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2091, 2, 15, 12) })
  service = startService()
})
afterEach(() => vi.useRealTimers())

const get = (path: string): Promise<Response> => service.fetch(`/v1/public/transparency/${path}`)

const idOf = (receipts: readonly HandedReceipt[], at: number): string => receipts[at]?.attestationId ?? ''

describe('a tile that was damaged in storage', () => {
  const FULL = 'public-log/tile/0/000'
  const ABOVE = 'public-log/tile/1/000.p/1'
  const UNFILLED = 'public-log/tile/0/001.p/44'

  async function damage(key: string, at: number): Promise<Uint8Array> {
    const whole = new Uint8Array((await (await env.FILES.get(key))?.arrayBuffer()) ?? [])
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
    ['a subtree beside it', ABOVE, 31, 'proof/299', 0],
    ['the last leaf', UNFILLED, 0, 'proof/3', 43],
    ['a leaf of both trees', FULL, 5, 'consistency?old_size=5&new_size=9', 0],
    ['a leaf of the newer tree', FULL, 5, 'consistency?old_size=5', 7],
    ['a leaf of neither tree’s boundary', UNFILLED, 0, 'consistency?old_size=5', 1],
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

  it('is not kept where it was cut', async () => {
    const receipts = await grow(5)
    await publishAll()
    const key = 'public-log/tile/0/000.p/5'
    const whole = new Uint8Array((await (await env.FILES.get(key))?.arrayBuffer()) ?? [])
    await env.FILES.put(key, whole.subarray(0, 100))
    for (const path of [`proof/${idOf(receipts, 4)}`, 'tile/0/000.p/5']) expect((await get(path)).status).toBe(503)
    await env.FILES.put(key, whole)
    for (const path of [`proof/${idOf(receipts, 4)}`, 'tile/0/000.p/5']) expect((await get(path)).status).toBe(200)
  })
})
