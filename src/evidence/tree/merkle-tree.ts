// Computes roots and proofs of a Merkle tree (RFC 9162) from stored hashes of complete subtrees.
import { sha256 } from '../../platform/sha256.ts'
import { emptyRoot, hashNode, splitOf, subtreesOf, type Coordinate, type LeafRange } from './merkle-hash.ts'

export type StoredNode = Coordinate & { readonly hash: Uint8Array }

/** Returns the stored hash of a complete subtree. May throw if it is missing, which means damaged storage. */
export type NodeReader = (level: number, index: number) => Uint8Array

export function hashRange(range: LeafRange, read: NodeReader): Uint8Array {
  const hashes = subtreesOf(range).map(({ level, index }) => read(level, index))
  return hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => hashNode(left, right, sha256))
}

/**
 * Returns the root over the first `size` leaves, for any past size of the tree.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1
 */
export const rootAt = (size: number, read: NodeReader): Uint8Array => hashRange({ start: 0, end: size }, read)

/**
 * Returns the ranges whose hashes prove leaf `index` in the tree of `size` leaves, in the order of the proof.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.3.1
 */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  assertWithin(index, size)
  const ranges: LeafRange[] = []
  let start = 0
  let end = size
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    if (index < middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  return ranges.toReversed()
}

/**
 * Returns the ranges whose hashes prove that the tree of `newSize` leaves begins with the tree of `oldSize`.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.4.1
 */
export function consistencyRanges(oldSize: number, newSize: number): LeafRange[] {
  assertWithin(oldSize - 1, newSize)
  const ranges: LeafRange[] = []
  let start = 0
  let end = newSize
  while (end > oldSize) {
    const middle = start + splitOf(end - start)
    if (oldSize <= middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  // If the old tree is a complete subtree of the new one, the verifier already has its hash: the old root.
  if (start > 0) ranges.push({ start, end })
  return ranges.toReversed()
}

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.3.1 */
export const inclusionProof = (index: number, size: number, read: NodeReader): Uint8Array[] =>
  inclusionRanges(index, size).map((range) => hashRange(range, read))

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.4.1 */
export const consistencyProof = (oldSize: number, newSize: number, read: NodeReader): Uint8Array[] =>
  consistencyRanges(oldSize, newSize).map((range) => hashRange(range, read))

function assertWithin(index: number, size: number): void {
  if (!Number.isSafeInteger(size) || !Number.isInteger(index) || index < 0 || index >= size) {
    throw new RangeError('a proof is about a part of the tree')
  }
}
