// How the tree is cut into tiles: every hash a proof needs is in one, whatever the size, and each tile has one path.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inclusionProof, inclusionRanges, rootAt, type NodeReader } from '../../../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves, hashesOf } from '../../../support/log-tree.ts'
import { subtreesOf, hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import {
  parseTilePath,
  partialPaths,
  TileHashes,
  tileOf,
  tilePath,
  tilesBetween,
  widthAt,
} from '../../../../src/evidence/tree/tiles.ts'
import { runs } from '../../../support/runs.ts'

const MOST = 1500

/** A tree of `size` leaves, each other than the rest, as it is in a database. */
function growTree(size: number): NodeReader {
  const nodes = new Map<string, Uint8Array>()
  const read: NodeReader = (level, index) => {
    const hash = nodes.get(`${level}/${index}`)
    if (hash === undefined) throw new RangeError(`no node ${level}/${index}`)
    return hash
  }
  const leaves = Array.from({ length: size }, (_, at) => hashLeaf(new TextEncoder().encode(String(at))))
  for (const { level, index, hash } of appendLeaves(0, leaves, read)) nodes.set(`${level}/${index}`, hash)
  return read
}

const readTree = growTree(MOST)

/** The tiles of a tree that was served at these sizes, one after the other, as files. */
function cutTiles(sizes: readonly number[]): Map<string, Uint8Array<ArrayBuffer>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  let served = -1
  for (const size of sizes) {
    for (const tile of tilesBetween(served, size)) {
      const { level, index, width } = hashesOf(tile)
      const bytes = new Uint8Array(width * 32)
      for (let at = 0; at < width; at += 1) bytes.set(readTree(level, index + at), at * 32)
      files.set(tilePath(tile), bytes)
    }
    served = size
  }
  return files
}

const readTiles =
  (files: Map<string, Uint8Array<ArrayBuffer>>, size: number): NodeReader =>
  (level, index) => {
    const tile = tileOf({ level, index })
    const bytes = files.get(tilePath({ ...tile, width: widthAt(tile, size) }))
    if (bytes === undefined) throw new RangeError('no such tile')
    return new TileHashes(bytes).hashOf({ level, index })
  }

const sizes = fc
  .uniqueArray(fc.integer({ min: 0, max: MOST }), { minLength: 1, maxLength: 5 })
  .map((some) => some.toSorted((a, b) => a - b))

describe('tiles', () => {
  it('written from size to size hold all that roots and proofs of any size served are made of', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (served, any, other) => {
        const newest = served.at(-1) ?? 0
        fc.pre(newest > 0)
        const read = readTiles(cutTiles(served), newest)
        const size = (any % newest) + 1
        const position = other % size
        expect(rootAt(size, read)).toEqual(rootAt(size, readTree))
        expect(inclusionProof(position, size, read)).toEqual(inclusionProof(position, size, readTree))
      }),
      { numRuns: runs(30) },
    )
  })

  it('are the same, written in one step or in many', () => {
    fc.assert(
      fc.property(sizes, (served) => {
        const newest = served.at(-1) ?? 0
        const inSteps = cutTiles(served)
        for (const [path, bytes] of cutTiles([newest])) expect(inSteps.get(path)).toEqual(bytes)
      }),
      { numRuns: runs(15) },
    )
  })

  it('of a tree that has not grown are none', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (size) => {
        expect(tilesBetween(size, size)).toEqual([])
      }),
    )
  })

  it('of the empty tree are none, whatever was there before', () => {
    expect(tilesBetween(-1, 0)).toEqual([])
  })

  it('at any size are as many as are written for one head of 32 full tiles, and no more than the right edge', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), fc.integer({ min: 1, max: 8192 }), (size, more) => {
        expect(tilesBetween(size, size + more).length).toBeLessThanOrEqual(33 + 2 * 6)
      }),
    )
  })

  it('reach every subtree of any size a number can say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 52 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (size, part) => {
          const position = Math.floor(size * part)
          for (const subtree of inclusionRanges(position, size).flatMap(subtreesOf)) {
            const tile = tileOf(subtree)
            expect(widthAt(tile, size)).toBeGreaterThan(0)
            expect(parseTilePath(...splitPath(tilePath({ ...tile, width: widthAt(tile, size) })))).not.toBeNull()
          }
        },
      ),
    )
  })

  it('that are too short for a hash give none', () => {
    expect(() => new TileHashes(new Uint8Array(3 * 32)).hashOf({ level: 2, index: 0 })).toThrow(RangeError)
  })
})

const splitPath = (path: string): [level: string, rest: string] => [
  path.slice(0, path.indexOf('/')),
  path.slice(path.indexOf('/') + 1),
]

describe('the path of a tile', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, '0/000'],
    [{ level: 0, index: 67, width: 12 }, '0/067.p/12'],
    [{ level: 1, index: 1000, width: 256 }, '1/x001/000'],
    [{ level: 2, index: 1_234_067, width: 1 }, '2/x001/x234/067.p/1'],
  ])('of %o is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(...splitPath(path))).toEqual(tile)
  })

  it('is read back as the tile it was written for, whichever', () => {
    const tiles = fc.record({
      level: fc.integer({ min: 0, max: 6 }),
      index: fc.integer({ min: 0, max: 10 ** 14 }),
      width: fc.integer({ min: 1, max: 256 }),
    })
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(parseTilePath(...splitPath(tilePath(tile)))).toEqual(tile)
      }),
    )
  })

  it.each([
    ['0', ''],
    ['0', '0'],
    ['0', '00'],
    ['0', '0000'],
    ['0', 'x000/005'],
    ['0', 'x000/x001/005'],
    ['0', '000/'],
    ['0', '/000'],
    ['0', '000.p/0'],
    ['0', '000.p/256'],
    ['0', '000.p/257'],
    ['0', '000.p/999'],
    ['0', '000.p/01'],
    ['0', '000.p/'],
    ['0', '000.p/1/'],
    ['0', '000.P/1'],
    ['0', 'X001/000'],
    ['0', '000\n'],
    ['0', '../head.json'],
    ['0', '..%2fhead.json'],
    ['0', '٠٠٠'],
    ['0', `${'x001/'.repeat(9)}001`],
    ['7', '000'],
    ['-1', '000'],
    ['00', '000'],
    ['', '000'],
    ['0\n', '000'],
    ['data', '000'],
  ])('is never %j/%j', (level, path) => {
    expect(parseTilePath(level, path)).toBeNull()
  })

  it('is none, rather than an error, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (level, path) => {
        const tile = parseTilePath(level, path)
        if (tile !== null) expect(tilePath(tile)).toBe(`${level}/${path}`)
      }),
    )
  })

  it('of each width a tile can have had before it was full is known', () => {
    const paths = partialPaths({ level: 0, index: 7 })
    expect([paths.length, paths.at(0), paths.at(-1)]).toEqual([255, '0/007.p/1', '0/007.p/255'])
  })
})
