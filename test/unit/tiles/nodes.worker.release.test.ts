// A log in tiles: whatever part of it is stored, cut off, lost or damaged, its proofs are those of the whole tree, or none.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storeNextTile } from '../../../src/tiles/store-tiles.ts'
import { DamagedTileError, readNodes, type TiledLog } from '../../../src/tiles/tiled-log.ts'
import { proveConsistencyAt, proveInclusionAt } from '../../../src/tiles/proofs-from-tiles.ts'
import { OtherTileError, TileFiles } from '../../../src/tiles/tile-files.store.ts'
import type { Tile, TileBytes } from '../../../src/evidence/tree/tiles.ts'
import { consistencyProof, inclusionProof, rootAt } from '../../../src/evidence/tree/merkle-tree.ts'
import { bucketWith, putAfter, putThenFail } from '../../support/unit/bucket-with.ts'
import { runs } from '../../support/runs.ts'
import { inventTree, levelsOf, tileBytes, type InventedTree } from './invented-tree.ts'
import { inTiledLog } from './opened-tiles.ts'

const whole = inventTree(null)

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

type Sizes = { position: number; size: number; newest: number }

/** Both proofs, and that they are those of the whole tree. */
async function expectProofs(log: TiledLog, tree: InventedTree, { position, size, newest }: Sizes): Promise<void> {
  const known = { size: newest, root: rootAt(newest, tree.read) }
  const inclusion = await proveInclusionAt(log, { position, size }, known)
  expect(inclusion).toEqual({
    leaf_hash: tree.read(0, position).toHex(),
    leaf_index: position,
    tree_size: size,
    root_hash: rootAt(size, tree.read).toHex(),
    audit_path: hex(inclusionProof(position, size, tree.read)),
  })
  const consistency = await proveConsistencyAt(log, { oldSize: size, newSize: newest }, known)
  expect(consistency).toEqual({
    old_size: size,
    new_size: newest,
    old_root: rootAt(size, tree.read).toHex(),
    new_root: known.root.toHex(),
    consistency_path: hex(consistencyProof(size, newest, tree.read)),
  })
}

async function storeTiles(log: TiledLog, size: number, most = Infinity): Promise<number> {
  let stored = 0
  while (stored < most && (await storeNextTile(log, size))) stored += 1
  return stored
}

/** As if so many tiles were stored, of which only these are ever read. */
async function pretendStored(log: TiledLog, stored: number, read: readonly number[]): Promise<void> {
  log.levels.advance(levelsOf(whole, stored), 0)
  for (const index of read) {
    await log.files.storeTile({ level: 0, index }, tileBytes(whole, { level: 0, index, width: 256 }))
  }
}

describe('proofs of a log in tiles', () => {
  it('are those of the whole tree, whatever its size and however many of its tiles are stored', async () => {
    const trees = fc.record({
      newest: fc.integer({ min: 1, max: 3000 }),
      stored: fc.nat(12),
      sizes: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(trees, ({ newest, stored, sizes }) =>
        inTiledLog(whole, async (log) => {
          await storeTiles(log, newest, stored)
          for (const [any, other] of sizes) {
            const size = (any % newest) + 1
            await expectProofs(log, whole, { position: other % size, size, newest })
          }
        }),
      ),
      { numRuns: runs(20) },
    )
  })

  it('are those of the whole tree where a tile of level 1 is just complete, and stored or not', async () => {
    for (const newest of [65_535, 65_536, 65_537, 65_792]) {
      await inTiledLog(whole, async (log) => {
        await pretendStored(log, 254, [0, 253])
        for (const more of [0, 1, 1]) {
          await storeTiles(log, newest, more)
          for (const position of [0, 65_279, newest - 1]) {
            await expectProofs(log, whole, { position, size: newest, newest })
            await expectProofs(log, whole, { position, size: position + 1, newest })
          }
        }
      })
    }
  })

  it('are those of the whole tree where it is too large to be made: around 256³ and 256⁴ leaves', async () => {
    const around = fc.record({
      power: fc.constantFrom(3, 4),
      off: fc.integer({ min: -600, max: 600 }),
      unstored: fc.nat(3),
      any: fc.nat(),
      other: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(around, ({ power, off, unstored, any, other }) => {
        const newest = 256 ** power + off
        const size = any % 3 === 0 ? newest - (any % 700) : (any % newest) + 1
        const position = other % 3 === 0 ? Math.max(0, size - 1 - (other % 700)) : other % size
        const tiles = [0, position, size - 1, newest - 1].map((leaf) => Math.floor(leaf / 256))
        const tree = inventTree([...tiles, ...tiles.map((tile) => tile - 1), ...tiles.map((tile) => tile + 1)])
        return inTiledLog(tree, async (log) => {
          const stored = Math.floor(newest / 256) - unstored
          log.levels.advance(levelsOf(tree, stored), 0)
          const files = new WholeFiles(tree, stored)
          await expectProofs({ ...log, files }, tree, { position, size, newest })
        })
      }),
      { numRuns: runs(15) },
    )
  })

  it('are refused where the tree is smaller', () =>
    inTiledLog(whole, async (log) => {
      await expect(readNodes(log, [{ start: 0, end: 11 }], 10)).rejects.toThrow(RangeError)
      const known = { size: 10, root: rootAt(10, whole.read) }
      expect(() => proveInclusionAt(log, { position: 10, size: 10 }, known)).toThrow(RangeError)
    }))

  it('are none where the rows are another history than the root', () =>
    inTiledLog(whole, async (log) => {
      const known = { size: 10, root: new Uint8Array(32) }
      await expect(proveInclusionAt(log, { position: 3, size: 10 }, known)).rejects.toThrow(DamagedTileError)
    }))
})

/** All tiles of a tree that is too large to be stored. */
class WholeFiles extends TileFiles {
  readonly #tree: InventedTree
  readonly #stored: number

  constructor(tree: InventedTree, stored: number) {
    super({ bucket: env.FILES, mirror: null, prefix: '' })
    this.#tree = tree
    this.#stored = stored
  }

  override readTile(tile: Tile): Promise<TileBytes | null> {
    const isStored = tile.index < Math.floor(this.#stored / 256 ** tile.level)
    return Promise.resolve(isStored ? tileBytes(this.#tree, tile) : null)
  }
}

describe('storing a tile', () => {
  const SIZE = 1000

  it('puts it and the one above that it completes into both buckets, and no other', () =>
    inTiledLog(whole, async (log) => {
      await pretendStored(log, 254, [])
      expect(await storeTiles(log, 65_536 + 300)).toBe(3)
      const put = [254, 255, 256].map((index) => ({ level: 0, index, width: 256 }))
      for (const tile of [...put, { level: 1, index: 0, width: 256 }]) {
        expect(await log.files.readTile(tile)).toEqual(tileBytes(whole, tile))
        expect(await log.files.readMirroredTile(tile)).toEqual(tileBytes(whole, tile))
      }
      const names = (await env.FILES.list({ prefix: log.prefix })).objects.map(({ key }) =>
        key.slice(log.prefix.length),
      )
      expect(names).toEqual(['0/254', '0/255', '0/256', '1/000'])
      expect(log.levels.tiledLeaves()).toBe(257 * 256)
    }))

  it.each([
    ['before the put', putAfter(() => Promise.reject(new Error('cut off')))],
    ['between the put and the transaction', putThenFail],
  ])('that is cut off %s loses nothing, and is done again', (_, put) =>
    inTiledLog(whole, async (log) => {
      await storeTiles(log, SIZE, 1)
      await expect(storeNextTile(log.withFiles({ bucket: bucketWith({ put }) }), SIZE)).rejects.toThrow('cut off')
      expect(log.levels.tiledLeaves()).toBe(256)
      await expectProofs(log, whole, { position: 300, size: 999, newest: SIZE })
      expect(await storeTiles(log, SIZE)).toBe(2)
      await expectProofs(log, whole, { position: 300, size: 999, newest: SIZE })
    }),
  )

  it('is not done until the second bucket has it too', () =>
    inTiledLog(whole, async (log) => {
      const mirror = bucketWith({ put: putAfter(() => Promise.reject(new Error('cut off'))) })
      await expect(storeNextTile(log.withFiles({ mirror }), SIZE)).rejects.toThrow('cut off')
      expect(log.levels.tiledLeaves()).toBe(0)
      await expectProofs(log, whole, { position: 3, size: 300, newest: SIZE })
    }))

  it.each(['first', 'second'])('never replaces another that the %s bucket has: the log stores no more', (which) =>
    inTiledLog(whole, async (log) => {
      await storeTiles(log, SIZE, 1)
      const name = `${which === 'first' ? log.prefix : log.mirrorPrefix}0/001`
      const other = tileBytes(whole, { level: 0, index: 7, width: 256 })
      await env.FILES.put(name, other)
      await expect(storeNextTile(log, SIZE)).rejects.toThrow(OtherTileError)
      const there = await env.FILES.get(name)
      expect(new Uint8Array((await there?.arrayBuffer()) ?? [])).toEqual(other)
      expect(log.levels.tiledLeaves()).toBe(256)
      await env.FILES.delete(name)
      expect(await storeTiles(log, SIZE)).toBe(2)
      await expectProofs(log, whole, { position: 300, size: 999, newest: SIZE })
    }),
  )

  it('by two at the same time is the same as by one', () =>
    inTiledLog(whole, async (log) => {
      while ((await Promise.all([storeNextTile(log, SIZE), storeNextTile(log, SIZE)])).includes(true));
      expect(log.levels.list()).toEqual(levelsOf(whole, 3).slice(0, 2))
    }))

  it('ends where the next is not complete', () =>
    inTiledLog(whole, async (log) => {
      expect(await storeTiles(log, 255)).toBe(0)
      expect(await storeTiles(log, 256)).toBe(1)
      expect(await storeTiles(log, 511)).toBe(0)
    }))

  it.each([
    ['UPDATE tile_levels SET stored = stored - 1', 'a stored tile stays stored'],
    [
      'INSERT OR REPLACE INTO tile_levels (level, stored, edge) VALUES (0, 1, zeroblob(0))',
      'a stored tile stays stored',
    ],
    ['DELETE FROM tile_levels', 'a level of tiles is never removed'],
    ['UPDATE tile_levels SET edge = zeroblob(31)', 'CHECK'],
  ])('is never taken back: %s', (statement, refusal) =>
    inTiledLog(whole, async (log) => {
      await storeTiles(log, SIZE)
      expect(() => log.storage.sql.exec(statement)).toThrow(refusal)
    }),
  )
})

describe('a stored tile', () => {
  const SIZE = 65_536 + 600
  const ask = (log: TiledLog) => expectProofs(log, whole, { position: 300, size: 700, newest: SIZE })

  const storeAll = async (log: TiledLog): Promise<void> => {
    await pretendStored(log, 255, [1, 2, 3])
    await storeTiles(log, SIZE)
  }

  const HARM: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
    ['lost', (name) => env.FILES.delete(name)],
    ['cut', (name) => env.FILES.put(name, new Uint8Array(100))],
    ['damaged', (name) => env.FILES.put(name, new Uint8Array(8192))],
    ['another one', async (name) => env.FILES.put(name, tileBytes(whole, { level: 0, index: 7, width: 256 }))],
  ]

  it.each(HARM)('of any level that is %s in the first bucket is read from the second', (_, harm) =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      await harm(`${log.prefix}0/001`)
      await ask(log)
      await harm(`${log.prefix}1/000`)
      await ask(log)
    }),
  )

  it.each(HARM)('that is %s in both makes no proof, nor does it where there is one bucket', (_, harm) =>
    inTiledLog(whole, async (log) => {
      await storeAll(log)
      await harm(`${log.prefix}0/001`)
      await expect(ask(log.withFiles({ mirror: null }))).rejects.toThrow(DamagedTileError)
      await harm(`${log.mirrorPrefix}0/001`)
      await expect(ask(log)).rejects.toThrow(DamagedTileError)
    }),
  )
})
