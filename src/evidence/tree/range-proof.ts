// Proves that leaves are a range of a log's tree, so that an export can show that it has all of them. The proof has the roots of
// the largest complete subtrees outside the range. With all leaves of the range, they give the tree's root.
import { hashNode, type Sha256, subtreesOf, type Coordinate } from './merkle-hash.ts'
import type { StoredNode } from './merkle-tree.ts'

/** The leaves from `first` (included) to `end` (excluded) of a tree of `size` leaves. */
export type TreeRange = { readonly first: number; readonly end: number; readonly size: number }

export const isTreeRange = ({ first, end, size }: TreeRange): boolean =>
  Number.isSafeInteger(size) &&
  Number.isInteger(first) &&
  Number.isInteger(end) &&
  0 <= first &&
  first <= end &&
  end <= size

/** Returns the subtrees whose roots are the proof, in its order. Throws RangeError for an invalid range. */
export function outsideSubtrees(range: TreeRange): Coordinate[] {
  if (!isTreeRange(range)) throw new RangeError('a range is a part of the tree')
  return [...subtreesOf({ start: 0, end: range.first }), ...subtreesOf({ start: range.end, end: range.size })]
}

/** Joins roots of adjacent complete subtrees, added left to right: two that form a larger subtree become one. */
export class JoinedSubtrees {
  readonly hash: Sha256
  readonly #roots: StoredNode[] = []

  constructor(hash: Sha256) {
    this.hash = hash
  }

  add(node: StoredNode): void {
    let joined = node
    for (let left = this.#roots.at(-1); left !== undefined && isLeftOf(left, joined); left = this.#roots.at(-1)) {
      this.#roots.pop()
      const hash = hashNode(left.hash, joined.hash, this.hash)
      joined = { level: joined.level + 1, index: left.index / 2, hash }
    }
    this.#roots.push(joined)
  }

  /** Returns the joined roots, left to right. Leaves added one by one leave at most two roots a level. */
  get roots(): readonly StoredNode[] {
    return this.#roots
  }
}

/**
 * Returns the tree's root, from all leaves of a range and its proof. Returns null if the number of hashes in the proof is wrong,
 * or `inside` is another range. Throws RangeError for an invalid range.
 */
export function rootOfRange(range: TreeRange, inside: JoinedSubtrees, proof: readonly Uint8Array[]): Uint8Array | null {
  const outside = outsideSubtrees(range)
  if (outside.length !== proof.length || !covers(inside, range)) return null
  const whole = new JoinedSubtrees(inside.hash)
  const around = outside.map(({ level, index }, at): StoredNode => ({
    level,
    index,
    hash: proof[at] ?? new Uint8Array(),
  }))
  const lefts = subtreesOf({ start: 0, end: range.first }).length
  for (const node of [...around.slice(0, lefts), ...inside.roots, ...around.slice(lefts)]) whole.add(node)
  const hashes = whole.roots.map(({ hash }) => hash)
  return hashes.length === 0 ? null : hashes.reduceRight((right, left) => hashNode(left, right, inside.hash))
}

const isLeftOf = (left: Coordinate, { level, index }: Coordinate): boolean =>
  left.level === level && left.index === index - 1 && index % 2 === 1

function covers({ roots }: JoinedSubtrees, { first, end }: TreeRange): boolean {
  const subtrees = subtreesOf({ start: first, end })
  return (
    roots.length === subtrees.length &&
    subtrees.every(({ level, index }, at) => roots[at]?.level === level && roots[at].index === index)
  )
}
