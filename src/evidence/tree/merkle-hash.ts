// The two hashes of a Merkle tree (RFC 9162), and how its leaves divide into complete subtrees. Hashes with any SHA-256; the
// default is noble's, which runs everywhere. https://www.rfc-editor.org/rfc/rfc6962#section-2.1 has the same tree.
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

export type Sha256 = (bytes: Uint8Array) => Uint8Array

const LEAF_PREFIX = Uint8Array.of(0x00)
const NODE_PREFIX = Uint8Array.of(0x01)

/** Returns SHA-256(0x00 ‖ entry). @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1 */
export const hashLeaf = (entry: Uint8Array, hash: Sha256 = sha256): Uint8Array => hash(concatBytes(LEAF_PREFIX, entry))

/** Returns SHA-256(0x01 ‖ left ‖ right). @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1 */
export const hashNode = (left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array =>
  hash(concatBytes(NODE_PREFIX, left, right))

/** Returns the root of an empty tree: SHA-256 of no bytes. @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1 */
export const emptyRoot = (): Uint8Array => sha256(new Uint8Array())

/** The subtree with the 2^level leaves from index × 2^level on. */
export type Coordinate = { readonly level: number; readonly index: number }

/** The leaves from `start` (included) to `end` (excluded). */
export type LeafRange = { readonly start: number; readonly end: number }

/** Returns the largest complete subtrees that cover a range, left to right: the nodes to read for its hash. */
export function subtreesOf({ start, end }: LeafRange): Coordinate[] {
  const subtrees: Coordinate[] = []
  let from = start
  while (from < end) {
    let [level, leaves] = [0, 1]
    // Shifting would overflow at 32 bits.
    while (from % (leaves * 2) === 0 && from + leaves * 2 <= end) {
      leaves *= 2
      level += 1
    }
    subtrees.push({ level, index: from / leaves })
    from += leaves
  }
  return subtrees
}

/**
 * Returns where a tree of `size` leaves (2 or more) divides: the largest power of two below `size`.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1
 */
export function splitOf(size: number): number {
  let split = 1
  // Shifting would overflow at 32 bits.
  while (split * 2 < size) split *= 2
  return split
}
