// Tiles that were lost or changed in one bucket or in both: each is found, and put there again only where it is proven.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { checkTiles, type TileFault, type TileCheckMode, type TileCheckResult } from '../../../src/tiles/check-tiles.ts'
import { storeNextTile } from '../../../src/tiles/store-tiles.ts'
import type { TiledLog } from '../../../src/tiles/tiled-log.ts'
import type { TileCopy } from '../../../src/tiles/tile-files.store.ts'
import { fullTilesAt, type TileBytes } from '../../../src/evidence/tree/tiles.ts'
import { rootAt } from '../../../src/evidence/tree/merkle-tree.ts'
import type { Coordinate } from '../../../src/evidence/tree/merkle-hash.ts'
import { inventTree, levelsOf, tileBytes } from './invented-tree.ts'
import { inTiledLog } from './opened-tiles.ts'

const whole = inventTree(null)

/** Four full tiles, and the beginning of another. */
const SIZE = 1100
/** A tile of level 1 too. */
const LARGE = 65_536 + 600

const knownOf = (size: number) => ({ size, root: rootAt(size, whole.read) })

type Asked = { act?: TileCheckMode; isServed?: boolean; size?: number }

/** Page by page, from the first to the last. */
async function check(log: TiledLog, { act = 'compare', isServed = false, size = SIZE }: Asked = {}) {
  const pages: Extract<TileCheckResult, { outcome: 'checked' }>[] = []
  let from: Coordinate | null = null
  do {
    const page: TileCheckResult = await checkTiles({ log, known: knownOf(size), isServed, from, act })
    if (page.outcome !== 'checked') throw new Error(page.outcome)
    pages.push(page)
    from = page.next
  } while (from !== null)
  const faults: TileFault[] = pages.flatMap((page) => page.faults)
  const compared = pages.reduce((sum, page) => sum + page.compared, 0)
  return { faults, compared, total: pages[0]?.total, pages: pages.length }
}

const tile = (level: number, index: number): TileBytes => tileBytes(whole, { level, index, width: 256 })

type Opened = Parameters<Parameters<typeof inTiledLog>[1]>[0]

const bytesAt = async (name: string): Promise<Uint8Array> =>
  new Uint8Array((await (await env.FILES.get(name))?.arrayBuffer()) ?? [])

async function storeAll(log: Opened): Promise<void> {
  while (await storeNextTile(log, SIZE));
}

async function storeLarge(log: Opened): Promise<void> {
  log.levels.advance(levelsOf(whole, 254), 0)
  await Promise.all(Array.from({ length: 254 }, (_, index) => log.files.storeTile({ level: 0, index }, tile(0, index))))
  while (await storeNextTile(log, LARGE));
}

const HARM: readonly (readonly ['missing' | 'damaged', string, (name: string) => Promise<unknown>])[] = [
  ['missing', 'lost', (name) => env.FILES.delete(name)],
  ['damaged', 'cut', (name) => env.FILES.put(name, new Uint8Array(100))],
  ['damaged', 'changed', (name) => env.FILES.put(name, new Uint8Array(8192))],
]

describe('comparing a log’s tiles', () => {
  it('finds nothing where all is as it was put, and restores nothing', () =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      // Partial tiles are not checked, whatever is there.
      await env.FILES.put(`${log.prefix}0/000.p/17`, new Uint8Array(3))
      for (const act of ['compare', 'restore', 'replace'] as const) {
        expect(await check(log, { act })).toEqual({ faults: [], compared: 4, total: 4, pages: 1 })
      }
    }))

  it.each(HARM)('finds one that is %s in one bucket, whichever: %s, and restores it from the other', (state, _, harm) =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      const [first, second] = [`${log.prefix}0/003`, `${log.mirrorPrefix}0/001`]
      for (const name of [first, second]) await harm(name)
      const found = (outcome: string) => [
        { tile: '0/001', copies: ['intact', state], outcome },
        { tile: '0/003', copies: [state, 'intact'], outcome },
      ]
      expect((await check(log)).faults).toEqual(found('restorable'))
      expect((await check(log, { act: 'restore' })).faults).toEqual(found('restored'))
      expect((await check(log)).faults).toEqual([])
      expect(await bytesAt(first)).toEqual(tile(0, 3))
      expect(await bytesAt(second)).toEqual(tile(0, 1))
    }),
  )

  it.each(HARM)('finds one of level 0 that is %s in both to be lost, and puts nothing there: %s', (state, _, harm) =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      for (const prefix of [log.prefix, log.mirrorPrefix]) await harm(`${prefix}0/003`)
      const before = await bytesAt(`${log.prefix}0/003`)
      for (const act of ['compare', 'restore', 'replace'] as const) {
        const { faults } = await check(log, { act })
        expect(faults).toEqual([{ tile: '0/003', copies: [state, state], outcome: 'lost' }])
      }
      expect(await bytesAt(`${log.prefix}0/003`)).toEqual(before)
    }),
  )

  it('does not believe two buckets that agree on another tile', () =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      for (const prefix of [log.prefix, log.mirrorPrefix]) await env.FILES.put(`${prefix}0/003`, tile(0, 4))
      const { faults } = await check(log, { act: 'restore' })
      expect(faults).toEqual([{ tile: '0/003', copies: ['damaged', 'damaged'], outcome: 'lost' }])
    }))

  it('makes one above level 0 again from those below it, and restores nothing below one that is lost for ever', () =>
    inTiledLog(whole, async (log) => {
      await storeLarge(log)
      const large = { size: LARGE }
      const both = async (name: string, harm: (name: string) => Promise<unknown>) =>
        Promise.all([log.prefix, log.mirrorPrefix].map((prefix) => harm(`${prefix}${name}`)))
      await both('1/000', (name) => env.FILES.put(name, new Uint8Array(8192)))
      // These tiles below it are in one bucket only.
      await env.FILES.delete(`${log.prefix}0/003`)
      await env.FILES.delete(`${log.mirrorPrefix}0/004`)
      const { faults, compared, pages } = await check(log, large)
      expect([compared, pages, faults.length]).toEqual([259, 6, 257])
      expect(faults[0]).toEqual({ tile: '1/000', copies: ['damaged', 'damaged'], outcome: 'restorable' })
      // Until it is restored it says nothing of those below it.
      expect(faults[4]).toEqual({ tile: '0/003', copies: ['missing', 'unproven'], outcome: 'unproven' })
      const restored = await check(log, { ...large, act: 'restore' })
      expect(restored.faults.map(({ tile: name, outcome }) => [name, outcome])).toEqual([
        ['1/000', 'restored'],
        ['0/003', 'restored'],
        ['0/004', 'restored'],
      ])
      expect(await bytesAt(`${log.mirrorPrefix}1/000`)).toEqual(tile(1, 0))

      for (const name of ['1/000', '0/003']) await both(name, (file) => env.FILES.delete(file))
      await env.FILES.delete(`${log.prefix}0/007`)
      const lost = await check(log, { ...large, act: 'restore' })
      expect([lost.faults[0]?.outcome, lost.faults[8]?.tile, lost.faults[8]?.outcome]).toEqual([
        'lost',
        '0/007',
        'unproven',
      ])
      expect(await env.FILES.head(`${log.prefix}0/007`)).toBeNull()
    }))

  it('fills a second bucket that is new', () =>
    inTiledLog(whole, async (log) => {
      const alone = log.withFiles({ mirror: null })
      for (let stored = 0; stored < 2; stored += 1) await storeNextTile(alone, SIZE)
      const { faults } = await check(log, { act: 'restore', size: 600 })
      expect(faults).toEqual(
        ['0/000', '0/001'].map((name) => ({ tile: name, copies: ['intact', 'missing'], outcome: 'restored' })),
      )
      expect(await bytesAt(`${log.mirrorPrefix}0/001`)).toEqual(tile(0, 1))
    }))

  it('looks at the one bucket where there is no other', () =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      await env.FILES.delete(`${log.prefix}0/003`)
      const { faults } = await check(log.withFiles({ mirror: null }), { act: 'restore' })
      expect(faults).toEqual([{ tile: '0/003', copies: ['missing'], outcome: 'lost' }])
    }))

  it('writes over nothing that has come there meanwhile', () =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      await env.FILES.delete(`${log.prefix}0/003`)
      const copiesOf = async (at: Coordinate): Promise<TileCopy[]> => {
        const copies = await log.files.copiesOf(at)
        if (at.level === 0 && at.index === 3) await env.FILES.put(`${log.prefix}0/003`, new Uint8Array(5))
        return copies
      }
      const files = {
        readTile: log.files.readTile.bind(log.files),
        readMirroredTile: log.files.readMirroredTile.bind(log.files),
        storeTile: log.files.storeTile.bind(log.files),
        copiesOf,
      }
      const { faults } = await check({ ...log, files }, { act: 'restore' })
      expect(faults).toEqual([{ tile: '0/003', copies: ['missing', 'intact'], outcome: 'changed' }])
      expect(await bytesAt(`${log.prefix}0/003`)).toEqual(new Uint8Array(5))
    }))

  it('ends where the tree is not the one that is known, and puts nothing', () =>
    inTiledLog(whole, async (log) => {
      for (let stored = 0; stored < 2; stored += 1) await storeNextTile(log, SIZE)
      await env.FILES.delete(`${log.prefix}0/001`)
      const known = { size: 600, root: new Uint8Array(32) }
      const asked = { log, known, isServed: false, from: null, act: 'replace' } as const
      expect(await checkTiles(asked)).toEqual({ outcome: 'contradicted' })
      expect(await checkTiles({ ...asked, from: { level: 0, index: 0 } })).toEqual({ outcome: 'contradicted' })
      expect(await env.FILES.head(`${log.prefix}0/001`)).toBeNull()
    }))

  it('is of all levels of a log that is too large to be held, some tiles a page', async () => {
    const newest = 256 ** 4 + 300
    const own = [0, 256 ** 3 - 1]
    const tree = inventTree(own)
    await inTiledLog(tree, async (log) => {
      log.levels.advance(levelsOf(tree, 256 ** 3), 0)
      const readTile = async ({ level, index }: Coordinate) => tileBytes(tree, { level, index, width: 256 })
      const copiesOf = async (at: Coordinate) => [
        { bytes: at.index === 255 ? null : await readTile(at), replace: () => Promise.resolve(true) },
      ]
      const files = { ...log.files, readTile, readMirroredTile: readTile, copiesOf } as unknown as TiledLog['files']
      const known = { size: newest, root: rootAt(newest, tree.read) }
      const page = (from: Coordinate) =>
        checkTiles({ log: { ...log, files }, known, isServed: false, from, act: 'compare' })
      const total = 1 + 256 + 256 ** 2 + 256 ** 3 + 1
      expect(await page({ level: 6, index: 0 })).toMatchObject({ compared: 1, total, next: { level: 2, index: 0 } })
      expect(await page({ level: 2, index: 192 })).toMatchObject({
        compared: 64,
        faults: [{ tile: '2/255', copies: ['missing'], outcome: 'restorable' }],
        next: { level: 1, index: 0 },
      })
      const last = 256 ** 3 - 3
      expect(fullTilesAt(0, newest) - last).toBe(4)
      expect(await page({ level: 0, index: last })).toMatchObject({
        compared: 3,
        faults: [],
        next: { index: last + 3 },
      })
      expect(await page({ level: 0, index: 256 ** 3 + 64 })).toMatchObject({ compared: 0, faults: [], next: null })
    })
  })
})

describe('a tile that is complete and not stored yet', () => {
  const other = new Uint8Array(8192).fill(7)
  const SMALL = 600

  it('is not missed in files, unless readers have a head over it', () =>
    inTiledLog(whole, async (log) => {
      expect((await check(log, { size: SMALL })).faults).toEqual([])
      const { faults } = await check(log, { size: SMALL, isServed: true, act: 'restore' })
      expect(faults.map(({ tile: name, outcome }) => [name, outcome])).toEqual([
        ['0/000', 'restored'],
        ['0/001', 'restored'],
      ])
      expect(await bytesAt(`${log.prefix}0/001`)).toEqual(tile(0, 1))
    }))

  it('is never put where another is, unless readers have a head over it: the log may have been taken back', () =>
    inTiledLog(whole, async (log) => {
      await env.FILES.put(`${log.prefix}0/001`, other)
      const { faults } = await check(log, { size: SMALL, act: 'restore' })
      expect(faults).toEqual([{ tile: '0/001', copies: ['damaged', 'missing'], outcome: 'differs' }])
      expect(await bytesAt(`${log.prefix}0/001`)).toEqual(other)
      await check(log, { size: SMALL, isServed: true, act: 'restore' })
      expect(await bytesAt(`${log.prefix}0/001`)).toEqual(tile(0, 1))
    }))

  it('takes the place of another on explicit wish, in every bucket, and is then stored', () =>
    inTiledLog(whole, async (log) => {
      for (const prefix of [log.prefix, log.mirrorPrefix]) await env.FILES.put(`${prefix}0/001`, other)
      const { faults } = await check(log, { size: SMALL, act: 'replace' })
      expect(faults).toEqual([{ tile: '0/001', copies: ['damaged', 'damaged'], outcome: 'restored' }])
      for (const prefix of [log.prefix, log.mirrorPrefix]) {
        expect(await bytesAt(`${prefix}0/001`)).toEqual(tile(0, 1))
      }
      await storeAll(log)
      expect((await check(log)).faults).toEqual([])
    }))

  it('takes the place of nothing where the rows do not come to the root of the tree', () =>
    inTiledLog(whole, async (log) => {
      await env.FILES.put(`${log.prefix}0/001`, other)
      const damaged = { read: (first: number, count: number) => log.leaves.read(first + 1, count) }
      const asked = { known: knownOf(SMALL), isServed: false, from: null, act: 'replace' } as const
      expect(await checkTiles({ ...asked, log: { ...log, leaves: damaged } })).toEqual({ outcome: 'contradicted' })
      expect(await bytesAt(`${log.prefix}0/001`)).toEqual(other)
    }))
})
