// Makes proofs about a log's tree from tiles that may be damaged. Each proof is first verified up to a known root: callers store
// proofs, and caches store public ones for a year. Pure, except for reading.
import {
  consistencyProof,
  consistencyRanges,
  inclusionProof,
  inclusionRanges,
  rootAt,
  type NodeReader,
} from '../evidence/tree/merkle-tree.ts'
import {
  verifyConsistency,
  verifyInclusion,
  type ConsistencyProof,
  type InclusionProof,
} from '../evidence/tree/verify-proof.ts'
import { subtreesOf, type LeafRange } from '../evidence/tree/merkle-hash.ts'
import { DamagedTileError, readNodes, type TiledLog } from './tiled-log.ts'
import { JoinedSubtrees, outsideSubtrees, rootOfRange, type TreeRange } from '../evidence/tree/range-proof.ts'
import { isSameBytes } from '../platform/bytes.ts'
import { sha256 } from '../platform/sha256.ts'

/** A tree with a root that is known to be the log's, from a head or a frontier. */
export type KnownTree = { readonly size: number; readonly root: Uint8Array }

export type PlannedProof<P> = {
  ranges: LeafRange[]
  /** Makes the proof. Null if it does not lead to the known root, because a node is damaged. */
  make: (read: NodeReader) => P | null
}

/**
 * Plans the proof of the leaf at `position` in the tree of `size`. `size` is larger than `position` and at most the known size.
 */
export const planInclusion = (position: number, size: number, known: KnownTree): PlannedProof<InclusionProof> => ({
  ranges: [{ start: position, end: position + 1 }, ...inclusionRanges(position, size), ...prefixRanges(size, known)],
  make: (read) => {
    const proof = {
      leaf_hash: read(0, position).toHex(),
      leaf_index: position,
      tree_size: size,
      root_hash: rootIn(size, read),
      audit_path: inclusionProof(position, size, read).map((hash) => hash.toHex()),
    }
    return verifyInclusion(proof).valid && isPrefixOf(size, known, read) ? proof : null
  },
})

/** Plans the proof that one tree extends another. `oldSize` is from 1 to `newSize`, which is at most the known size. */
export const planConsistency = (
  oldSize: number,
  newSize: number,
  known: KnownTree,
): PlannedProof<ConsistencyProof> => ({
  ranges: [wholeOf(oldSize), ...consistencyRanges(oldSize, newSize), ...prefixRanges(newSize, known)],
  make: (read) => {
    const proof = {
      old_size: oldSize,
      new_size: newSize,
      old_root: rootIn(oldSize, read),
      new_root: rootIn(newSize, read),
      consistency_path: pathOf(oldSize, newSize, read),
    }
    return verifyConsistency(proof).valid && isPrefixOf(newSize, known, read) ? proof : null
  },
})

/** Plans the proof of the leaves from `first` to `end` in the known tree: 64 hexadecimal digits a hash. */
export const planRange = (
  { first, end }: Pick<TreeRange, 'first' | 'end'>,
  known: KnownTree,
): PlannedProof<string[]> => {
  const range = { first, end, size: known.size }
  const [outside, inside] = [outsideSubtrees(range), subtreesOf({ start: first, end })]
  return {
    ranges: [...outside, ...inside].map(({ level, index }) => ({
      start: index * 2 ** level,
      end: (index + 1) * 2 ** level,
    })),
    make: (read) => {
      const proof = outside.map(({ level, index }) => read(level, index))
      const joined = new JoinedSubtrees(sha256)
      for (const { level, index } of inside) joined.add({ level, index, hash: read(level, index) })
      const root = rootOfRange(range, joined, proof)
      return root !== null && isSameBytes(root, known.root) ? proof.map((hash) => hash.toHex()) : null
    },
  }
}

/**
 * Makes an inclusion proof inside the object that has the log. Throws RangeError for sizes out of order; rejects as readNodes
 * does.
 */
export const proveInclusionAt = (
  log: TiledLog,
  { position, size }: { position: number; size: number },
  known: KnownTree,
): Promise<InclusionProof> => prove(log, planInclusion(position, size, known), known)

/**
 * Makes proofs of several leaves of the known tree after reading their tiles once. The caller makes them one by one, so
 * that other work may run in between. Rejects as readNodes does; the returned function throws DamagedTileError.
 */
export async function inclusionProverAt(
  log: TiledLog,
  positions: readonly number[],
  known: KnownTree,
): Promise<(position: number) => InclusionProof> {
  const { size } = known
  const ranges = positions.flatMap((position) => [
    { start: position, end: position + 1 },
    ...inclusionRanges(position, size),
  ])
  const read = await readNodes(log, withoutDuplicates([wholeOf(size), ...ranges]), size)
  const root_hash = rootIn(size, read)
  if (root_hash !== known.root.toHex()) throw new DamagedTileError()
  return (position) => {
    const audit_path = inclusionProof(position, size, read).map((hash) => hash.toHex())
    const proof = { leaf_hash: read(0, position).toHex(), leaf_index: position, tree_size: size, root_hash, audit_path }
    if (!verifyInclusion(proof).valid) throw new DamagedTileError()
    return proof
  }
}

const withoutDuplicates = (ranges: readonly LeafRange[]): LeafRange[] => [
  ...new Map(ranges.map((range) => [`${range.start}-${range.end}`, range])).values(),
]

/** Makes a consistency proof between two sizes, as `proveInclusionAt` does. */
export const proveConsistencyAt = (
  log: TiledLog,
  { oldSize, newSize }: { oldSize: number; newSize: number },
  known: KnownTree,
): Promise<ConsistencyProof> => prove(log, planConsistency(oldSize, newSize, known), known)

/** Makes the proof of a range of leaves, as `proveInclusionAt` does. */
export const proveRangeAt = (
  log: TiledLog,
  range: Pick<TreeRange, 'first' | 'end'>,
  known: KnownTree,
): Promise<string[]> => prove(log, planRange(range, known), known)

async function prove<P>(log: TiledLog, { ranges, make }: PlannedProof<P>, { size }: KnownTree): Promise<P> {
  const proof = make(await readNodes(log, ranges, size))
  if (proof === null) throw new DamagedTileError()
  return proof
}

const wholeOf = (size: number): LeafRange => ({ start: 0, end: size })

const prefixRanges = (size: number, known: KnownTree): LeafRange[] => [
  wholeOf(size),
  ...consistencyRanges(size, known.size),
]

/** True if the tree of `size`, by these nodes, is the beginning of the known tree. */
const isPrefixOf = (size: number, known: KnownTree, read: NodeReader): boolean =>
  verifyConsistency({
    old_size: size,
    new_size: known.size,
    old_root: rootIn(size, read),
    new_root: known.root.toHex(),
    consistency_path: pathOf(size, known.size, read),
  }).valid

const pathOf = (oldSize: number, newSize: number, read: NodeReader): string[] =>
  consistencyProof(oldSize, newSize, read).map((hash) => hash.toHex())

const rootIn = (size: number, read: NodeReader): string => rootAt(size, read).toHex()
