// The two hashes of a Merkle tree (RFC 6962, section 2.1; RFC 9162), with any SHA-256. The default is noble's, which runs
// everywhere.
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

export type Sha256 = (bytes: Uint8Array) => Uint8Array

const LEAF_PREFIX = Uint8Array.of(0x00)
const NODE_PREFIX = Uint8Array.of(0x01)

/** Returns SHA-256(0x00 ‖ entry). */
export const hashLeaf = (entry: Uint8Array, hash: Sha256 = sha256): Uint8Array => hash(concatBytes(LEAF_PREFIX, entry))

/** Returns SHA-256(0x01 ‖ left ‖ right). */
export const hashNode = (left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array =>
  hash(concatBytes(NODE_PREFIX, left, right))

/** Returns the root of an empty tree: SHA-256 of no bytes. */
export const emptyRoot = (): Uint8Array => sha256(new Uint8Array())

/** Returns the largest power of two below `size`, which is at least 2: a tree of that size divides there. */
export function splitOf(size: number): number {
  let split = 1
  // Shifting would overflow at 32 bits.
  while (split * 2 < size) split *= 2
  return split
}
