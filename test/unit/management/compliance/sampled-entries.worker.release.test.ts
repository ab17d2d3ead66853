// The sample that L2 and L6 are judged by, of entries that are in R2: read again there, and told where one is gone or another.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DamagedTileError } from '../../../../src/tiles/tiled-log.ts'
import { drawSample } from '../../../../src/evidence/tree/draw-sample.ts'
import { sha256, sha256Hex } from '../../../../src/platform/sha256.ts'
import { fallbackIfDamaged } from '../../../../src/organisation/compliance/log-facts.ts'
import { sampleEntries } from '../../../../src/organisation/compliance/sample-entries.ts'
import { DAY_MS, utcDay } from '../../../../src/platform/time.ts'
import { openArchivedLedger, openParts, storeTiles } from '../../organisation/journal/archived-ledger.ts'
import { noon, PUBLIC_KEY } from '../../organisation/chat-organisation.ts'
import { fillLedger, objectOf, putAway } from '../export/exported.ts'
import { oversee, readScore, tamper, type Overseen } from './overseen.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

async function archived(): Promise<Overseen> {
  const overseen = await oversee()
  await fillLedger(overseen, 1000, PUBLIC_KEY)
  // All of them are counted before they leave.
  expect((await overseen.controls()).get('L1')).toMatchObject({
    state: 'pass',
    evidence: { values: { receipts: 500 } },
  })
  await putAway(overseen)
  return overseen
}

/** Returns a seed whose first range begins at the position. */
function seedThatDraws(from: number, treeSize: number): string {
  for (let n = 0; n < 1000; n += 1) {
    const seed = sha256Hex(`seed ${n}`)
    if (drawSample({ seed, first: 0, treeSize }, sha256)[0]?.from === from) return seed
  }
  throw new Error('no seed draws it')
}

const objectsOf = async (overseen: Overseen): Promise<string[]> => {
  const { objects } = await env.FILES.list()
  return objects.map(({ key }) => key).filter((name) => name.includes(objectOf(overseen).id.toString()))
}

describe('the sample of entries', () => {
  it('is of two hundred, drawn from the whole log, those in R2 included', async () => {
    const overseen = await archived()
    const controls = await overseen.controls()
    expect(controls.get('L2')).toMatchObject({ state: 'pass', evidence: { values: { entries_read: 200 } } })
    expect(controls.get('L6')).toMatchObject({ state: 'pass', evidence: { values: { unreadable: 0 } } })
    expect(controls.get('D3')).toMatchObject({ state: 'pass', evidence: { values: { without_key: 0 } } })
    const keys = controls.get('K1')?.evidence.values
    expect(keys).toMatchObject({ keys_of_sample: 1 })
  })

  it('tells of sealed entries that are gone before their time: L6 fails, and L2 does not', async () => {
    const overseen = await archived()
    const sealed = (await objectsOf(overseen)).filter((name) => !name.includes('/tile/'))
    expect(sealed.length).toBeGreaterThan(0)
    await env.FILES.delete(sealed)
    const controls = await overseen.controls()
    expect(controls.get('L6')?.state).toBe('fail')
    expect(controls.get('L6')?.evidence.positions?.length).toBeGreaterThan(50)
    expect(controls.get('L2')?.state).toBe('pass')
    vi.setSystemTime(noon + 365 * DAY_MS - 1)
    const onLastDay = (await readScore(await overseen.signIn('owner'))).controls.find(({ id }) => id === 'L6')
    expect(onLastDay?.state).toBe('fail')
  })

  it('tells of entries at hand that are gone: L6 fails', async () => {
    const overseen = await oversee()
    await fillLedger(overseen, 300, PUBLIC_KEY)
    await runInDurableObject(objectOf(overseen), (_, { storage, id }) => storeTiles(openParts(storage, id.toString())))
    await tamper(overseen, 'DELETE FROM entries WHERE position BETWEEN 20 AND 219')
    const control = (await overseen.controls()).get('L6')
    expect([control?.state, (control?.evidence.positions?.length ?? 0) > 50]).toEqual(['fail', true])
  })

  it('is not taken for drawn where R2 is out of reach', async () => {
    const reading = Promise.reject(new Error('out of reach'))
    await expect(fallbackIfDamaged(reading, 'damaged')).rejects.toThrow('out of reach')
    expect(await fallbackIfDamaged(Promise.reject(new DamagedTileError()), 'damaged')).toBe('damaged')
  })

  it('holds nothing to be missing whose time is over', async () => {
    const overseen = await archived()
    vi.setSystemTime(noon + 40 * DAY_MS)
    const { controls } = await readScore(await overseen.signIn('owner'))
    expect(controls.find(({ id }) => id === 'L6')).toMatchObject({
      state: 'pass',
      evidence: { values: { unreadable: 0 } },
    })
  })

  it('holds nothing to be missing that has expired while R2 took no objects', async () => {
    const ledger = openArchivedLedger()
    const later = noon + 8 * DAY_MS
    for (let n = 0; n < 20; n += 1) {
      await ledger.append(noon, 30)
      await ledger.append(noon, 7)
    }
    await ledger.completeTile(noon)
    ledger.failWith({ put: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweepAll(later)).rejects.toThrow('unreachable')
    const missing = (): Promise<readonly number[]> =>
      ledger.inLedger(async ({ storage: { sql }, archive, journal }) => {
        const size = journal.state.next
        const parts = { sql, archive, size, seed: seedThatDraws(0, size) }
        return (await sampleEntries(parts, { first: utcDay(noon), last: utcDay(later) }, later)).missing
      })
    expect(await missing()).toEqual([])
    await ledger.exec('DROP TRIGGER entries_never_change')
    await ledger.exec("UPDATE entries SET entry = x'' WHERE position = 0")
    expect(await missing()).toEqual([0])
  })

  it('tells of a tree whose nodes do not lead to the root: L2 fails', async () => {
    const overseen = await archived()
    await tamper(overseen, 'UPDATE tile_levels SET edge = zeroblob(length(edge)) WHERE level > 0')
    expect((await overseen.controls()).get('L2')).toMatchObject({
      state: 'fail',
      evidence: { values: { root_matches: false } },
    })
  })

  it('tells of a tree whose newest leaves are gone from the database: L2 and L6 fail', async () => {
    const overseen = await oversee()
    await fillLedger(overseen, 60, PUBLIC_KEY)
    await tamper(overseen, 'DELETE FROM entries WHERE position BETWEEN 10 AND 49')
    const controls = await overseen.controls()
    expect(controls.get('L2')).toMatchObject({ state: 'fail', evidence: { values: { root_matches: false } } })
    expect(controls.get('L6')?.state).toBe('fail')
  })

  it('tells of a tree whose stored nodes are others: L2 fails', async () => {
    const overseen = await archived()
    const tiles = (await objectsOf(overseen)).filter((name) => name.includes('/tile/0/'))
    expect(tiles.length).toBeGreaterThan(0)
    await Promise.all(tiles.map((name) => env.FILES.put(name, new Uint8Array(256 * 32))))
    expect((await overseen.controls()).get('L2')?.state).toBe('fail')
  })
})
