// Proves that leaves are a range of a log's tree: the roots of the largest complete subtrees outside of it, left to right. Whoever
// has all leaves of the range makes the tree's root again from both. Pure.
import { hashNode, type Sha256 } from './merkle-hash.ts'
import type { Coordinate, StoredNode } from './merkle.ts'

/** The leaves from `first` up to but not including `end`, of a tree of `size` leaves. */
export type TreeRange = { readonly first: number; readonly end: number; readonly size: number }

export const isTreeRange = ({ first, end, size }: TreeRange): boolean =>
  Number.isSafeInteger(size) &&
  Number.isInteger(first) &&
  Number.isInteger(end) &&
  0 <= first &&
  first <= end &&
  end <= size

/** The largest complete subtrees that the leaves from `start` up to `end` make up, left to right. */
export function largestSubtrees(start: number, end: number): Coordinate[] {
  const subtrees: Coordinate[] = []
  let from = start
  while (from < end) {
    let [level, leaves] = [0, 1]
    // Not by shifting, which in JavaScript ends at 32 bits.
    while (from % (leaves * 2) === 0 && from + leaves * 2 <= end) {
      leaves *= 2
      level += 1
    }
    subtrees.push({ level, index: from / leaves })
    from += leaves
  }
  return subtrees
}

/** Those whose roots are the proof, in its order. Throws RangeError for what is no range. */
export function outsideSubtrees(range: TreeRange): Coordinate[] {
  if (!isTreeRange(range)) throw new RangeError('a range is a part of the tree')
  return [...largestSubtrees(0, range.first), ...largestSubtrees(range.end, range.size)]
}

/** Roots of complete subtrees that lie side by side, from left to right: two that make up a larger one are made into that. */
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

  /** Of leaves that were added one by one, as few as there can be: a root or two a level. */
  get roots(): readonly StoredNode[] {
    return this.#roots
  }
}

/**
 * The root of the tree, from the subtrees of all leaves of a range and its proof. Null where the proof has not as many hashes as
 * the range takes, or the subtrees are not those of the range. Throws RangeError for what is no range.
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
  const lefts = largestSubtrees(0, range.first).length
  for (const node of [...around.slice(0, lefts), ...inside.roots, ...around.slice(lefts)]) whole.add(node)
  const hashes = whole.roots.map(({ hash }) => hash)
  return hashes.length === 0 ? null : hashes.reduceRight((right, left) => hashNode(left, right, inside.hash))
}

const isLeftOf = (left: Coordinate, { level, index }: Coordinate): boolean =>
  left.level === level && left.index === index - 1 && index % 2 === 1

function covers({ roots }: JoinedSubtrees, { first, end }: TreeRange): boolean {
  const subtrees = largestSubtrees(first, end)
  return (
    roots.length === subtrees.length &&
    subtrees.every(({ level, index }, at) => roots[at]?.level === level && roots[at].index === index)
  )
}
