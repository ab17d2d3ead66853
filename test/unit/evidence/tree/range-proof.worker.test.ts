// A range proof: all leaves of a range and the hashes around it make the signed root again, and nothing else does.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proveRangeAt } from '../../../../src/tiles/proofs-from-tiles.ts'
import { storeNextTile } from '../../../../src/tiles/store-tiles.ts'
import { DamagedTileError } from '../../../../src/tiles/tiled-log.ts'
import {
  JoinedSubtrees,
  outsideSubtrees,
  rootOfRange,
  type TreeRange,
} from '../../../../src/evidence/tree/range-proof.ts'
import { sha256 } from '../../../../src/platform/sha256.ts'
import { inclusionProof, rootAt } from '../../../../src/evidence/tree/merkle-tree.ts'
import { runs } from '../../../support/runs.ts'
import { inventTree } from '../../tiles/invented-tree.ts'
import { inTiledLog } from '../../tiles/opened-tiles.ts'

const tree = inventTree(null)

const proofOf = (range: TreeRange): Uint8Array[] =>
  outsideSubtrees(range).map(({ level, index }) => tree.read(level, index))

const leavesOf = ({ first, end }: TreeRange): Uint8Array[] =>
  Array.from({ length: end - first }, (_, at) => tree.read(0, first + at))

function joined(first: number, leaves: readonly Uint8Array[]): JoinedSubtrees {
  const subtrees = new JoinedSubtrees(sha256)
  for (const [at, hash] of leaves.entries()) subtrees.add({ level: 0, index: first + at, hash })
  return subtrees
}

const rootOf = (range: TreeRange, leaves = leavesOf(range), proof = proofOf(range)): string | undefined =>
  rootOfRange(range, joined(range.first, leaves), proof)?.toHex()

const isRight = (range: TreeRange, leaves?: Uint8Array[], proof?: Uint8Array[]): boolean =>
  rootOf(range, leaves, proof) === rootAt(range.size, tree.read).toHex()

const ranges = fc.tuple(fc.integer({ min: 1, max: 700 }), fc.nat(), fc.nat()).map(([size, one, other]): TreeRange => {
  const [first = 0, end = 0] = [one % (size + 1), other % (size + 1)].toSorted((a, b) => a - b)
  return { first, end, size }
})

const another = (hash: Uint8Array | undefined): Uint8Array => (hash ?? new Uint8Array(32)).map((byte) => byte ^ 1)

describe('a range proof', () => {
  it('leads to the root of the tree, whatever tree and range', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        expect(rootOf(range)).toBe(rootAt(range.size, tree.read).toHex())
      }),
      { numRuns: runs(200) },
    )
  })

  it('of one leaf has hashes of its inclusion proof where the tree is complete', () => {
    const [range, hex] = [{ first: 5, end: 6, size: 16 }, (hash: Uint8Array) => hash.toHex()]
    expect(proofOf(range).map(hex).toSorted()).toEqual(inclusionProof(5, 16, tree.read).map(hex).toSorted())
  })

  it('of 864,198 in 1,000,000 leaves has 17 hashes, or as many more as the tree’s right edge has subtrees', () => {
    expect(outsideSubtrees({ first: 12_345, end: 876_543, size: 1_000_000 }).length).toBeLessThanOrEqual(27)
  })

  it('is refused once a leaf is another, missing, there twice, or in another place', () => {
    const filled = ranges.filter(({ first, end }) => end > first)
    fc.assert(
      fc.property(filled, fc.nat(), (range, any) => {
        const leaves = leavesOf(range)
        const at = any % leaves.length
        expect(isRight(range, leaves.with(at, another(leaves[at])))).toBe(false)
        expect(isRight(range, leaves.toSpliced(at, 1))).toBe(false)
        expect(isRight(range, leaves.toSpliced(at, 0, leaves[at] ?? another(undefined)))).toBe(false)
        if (at > 0)
          expect(isRight(range, leaves.toSpliced(at, 1).toSpliced(0, 0, leaves[at] ?? another(undefined)))).toBe(false)
      }),
      { numRuns: runs(200) },
    )
  })

  it('is refused once a hash of it is another, missing or too many, and for another range', () => {
    fc.assert(
      fc.property(ranges, fc.nat(), (range, any) => {
        const [leaves, proof] = [leavesOf(range), proofOf(range)]
        const at = any % Math.max(1, proof.length)
        expect(isRight(range, leaves, [...proof, another(proof[0])])).toBe(false)
        if (proof.length > 0) {
          expect(isRight(range, leaves, proof.with(at, another(proof[at])))).toBe(false)
          expect(isRight(range, leaves, proof.toSpliced(at, 1))).toBe(false)
        }
        // The size is the signed head's: no root says how many leaves it is of.
        const moved = { ...range, first: range.first + 1, end: range.end + 1 }
        if (range.end < range.size && leaves.length > 0) expect(isRight(moved, leaves, proof)).toBe(false)
      }),
      { numRuns: runs(200) },
    )
  })

  it('is about a part of the tree', () => {
    const wrong = [
      { first: 2, end: 1, size: 3 },
      { first: 0, end: 4, size: 3 },
      { first: -1, end: 1, size: 3 },
      { first: 0.5, end: 1, size: 3 },
      { first: 0, end: 1, size: 2 ** 54 },
    ]
    for (const range of wrong) expect(() => outsideSubtrees(range)).toThrow(RangeError)
  })
})

describe('made from tiles', () => {
  it('it is that of the whole tree, however many tiles are stored, and none where the known root is another', async () => {
    const logs = fc.record({
      size: fc.integer({ min: 1, max: 1500 }),
      stored: fc.nat(6),
      one: fc.nat(),
      other: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(logs, ({ size, stored, one, other }) =>
        inTiledLog(tree, async (log) => {
          for (let n = 0; n < stored && (await storeNextTile(log, size)); n += 1) continue
          const [first = 0, end = 0] = [one % (size + 1), other % (size + 1)].toSorted((a, b) => a - b)
          const known = { size, root: rootAt(size, tree.read) }
          const proof = await proveRangeAt(log, { first, end }, known)
          expect(proof).toEqual(proofOf({ first, end, size }).map((hash) => hash.toHex()))
          await expect(proveRangeAt(log, { first, end }, { size, root: another(known.root) })).rejects.toThrow(
            DamagedTileError,
          )
        }),
      ),
      { numRuns: runs(20) },
    )
  })
})
