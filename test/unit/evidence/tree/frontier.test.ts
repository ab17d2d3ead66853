// The right edge of the tree: what is worked out from it is what RFC 6962 defines over all leaves, and it is read back as it
// was written.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appendLeaf,
  EMPTY_FRONTIER,
  frontierFromBytes,
  frontierToBytes,
  rootOf,
  type Frontier,
} from '../../../../src/evidence/tree/frontier.ts'
import { rootAt } from '../../../../src/evidence/tree/merkle-tree.ts'
import { subtreesOf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { runs } from '../../../support/runs.ts'
import { inventTree } from '../../tiles/invented-tree.ts'

const tree = inventTree(null)

/** As it is once the tree has so many leaves. */
const frontierAt = (size: number): Frontier => ({
  size,
  hashes: subtreesOf({ start: 0, end: size }).map(({ level, index }) => tree.read(level, index)),
})

describe('a frontier', () => {
  it('has the tree’s root after each leaf, from the first to the six-hundredth', () => {
    let frontier = EMPTY_FRONTIER
    for (let size = 0; size < 600; size += 1) {
      expect(rootOf(frontier)).toEqual(rootAt(size, tree.read))
      frontier = appendLeaf(frontier, tree.read(0, size))
    }
    expect(frontier).toEqual(frontierAt(600))
  })

  it('grows the same where it is larger than 32 bits', () => {
    const size = 2 ** 40 + 2 ** 33 - 1
    const hash = new Uint8Array(32)
    const hashes = subtreesOf({ start: 0, end: size }).map(() => hash)
    const grown = appendLeaf({ size, hashes }, hash)
    expect([grown.size, grown.hashes.length]).toEqual([size + 1, 2])
  })

  it('is not changed by what grows from it', () => {
    const before = frontierAt(7)
    appendLeaf(before, tree.read(0, 7))
    expect(before).toEqual(frontierAt(7))
  })

  it('is read back as it was written, also from the middle of a buffer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 9 }), (size, offset) => {
        const bytes = frontierToBytes(frontierAt(size))
        const within = new Uint8Array(bytes.length + offset)
        within.set(bytes, offset)
        expect(frontierFromBytes(within.subarray(offset))).toEqual(frontierAt(size))
      }),
      { numRuns: runs(50) },
    )
  })

  it.each([
    ['nothing', new Uint8Array()],
    ['half a size', new Uint8Array(7)],
    ['a hash too few', frontierToBytes(frontierAt(7)).subarray(0, 72)],
    ['a hash too many', new Uint8Array(40)],
    ['half a hash', frontierToBytes(frontierAt(7)).subarray(0, 90)],
    ['a size that no number has', new Uint8Array(8 + 64 * 32).fill(255)],
  ])('is never read from %s', (_, bytes) => {
    expect(() => frontierFromBytes(bytes)).toThrow(RangeError)
  })

  it('that lacks a hash does not grow', () => {
    expect(() => appendLeaf({ size: 3, hashes: [] }, new Uint8Array(32))).toThrow(RangeError)
  })
})
