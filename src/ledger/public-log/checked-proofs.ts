// The public log's proofs, made from tiles that may be damaged. Some answers are kept for a year by whoever gets them, so each
// is checked first as a reader would, and its root up to the one that was signed. Pure.
import type { PublicHead } from '../../attestation/tree-head.ts'
import {
  consistencyProof,
  consistencyRanges,
  inclusionProof,
  inclusionRanges,
  rootAt,
  type LeafRange,
  type NodeReader,
} from '../merkle.ts'
import { sha256 } from '../../platform/sha256.ts'
import { verifyConsistency, verifyInclusion } from '../proof.ts'
import type { PublicConsistencyProof, PublicInclusionProof } from './public-log.schema.ts'

export type PlannedProof<P> = {
  /** What is read for it. */
  ranges: LeafRange[]
  /** Null where it does not lead to the head's root: a node is not the log's. */
  make: (read: NodeReader) => P | null
}

type SignedRoot = Pick<PublicHead, 'tree_size' | 'root_hash'>

/** Of the leaf at `position` in the tree of `size`, which is larger than that and not larger than the head's. */
export const planInclusion = (
  position: number,
  size: number,
  head: SignedRoot,
): PlannedProof<PublicInclusionProof> => ({
  ranges: [{ start: position, end: position + 1 }, ...inclusionRanges(position, size), ...rangesUnder(size, head)],
  make: (read) => {
    const proof = {
      leaf_hash: read(0, position).toHex(),
      leaf_index: position,
      tree_size: size,
      root_hash: rootOf(size, read),
      audit_path: inclusionProof(position, size, read, sha256).map((hash) => hash.toHex()),
    }
    return verifyInclusion(proof).valid && isUnder(size, head, read) ? proof : null
  },
})

/** `oldSize` is from 1 to `newSize`, which is not larger than the head's. */
export const planConsistency = (
  oldSize: number,
  newSize: number,
  head: SignedRoot,
): PlannedProof<PublicConsistencyProof> => ({
  ranges: [wholeOf(oldSize), ...consistencyRanges(oldSize, newSize), ...rangesUnder(newSize, head)],
  make: (read) => {
    const proof = {
      v: 1 as const,
      log: 'public' as const,
      old_size: oldSize,
      new_size: newSize,
      old_root: rootOf(oldSize, read),
      new_root: rootOf(newSize, read),
      consistency_path: pathOf(oldSize, newSize, read),
    }
    return verifyConsistency(proof).valid && isUnder(newSize, head, read) ? proof : null
  },
})

const wholeOf = (size: number): LeafRange => ({ start: 0, end: size })

const rangesUnder = (size: number, head: SignedRoot): LeafRange[] => [
  wholeOf(size),
  ...consistencyRanges(size, head.tree_size),
]

/** Whether the tree of `size`, as these nodes have it, is the beginning of the one that the head was signed over. */
const isUnder = (size: number, head: SignedRoot, read: NodeReader): boolean =>
  verifyConsistency({
    old_size: size,
    new_size: head.tree_size,
    old_root: rootOf(size, read),
    new_root: head.root_hash,
    consistency_path: pathOf(size, head.tree_size, read),
  }).valid

const pathOf = (oldSize: number, newSize: number, read: NodeReader): string[] =>
  consistencyProof(oldSize, newSize, read, sha256).map((hash) => hash.toHex())

const rootOf = (size: number, read: NodeReader): string => rootAt(size, read, sha256).toHex()
