// The two hashes of a Merkle tree as RFC 6962 (section 2.1) and RFC 9162 define it, over any SHA-256: noble's runs
// everywhere and is what is used unless another is given.
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

export type Sha256 = (bytes: Uint8Array) => Uint8Array

const LEAF_PREFIX = Uint8Array.of(0x00)
const NODE_PREFIX = Uint8Array.of(0x01)

/** SHA-256(0x00 ‖ entry). */
export const hashLeaf = (entry: Uint8Array, hash: Sha256 = sha256): Uint8Array => hash(concatBytes(LEAF_PREFIX, entry))

/** SHA-256(0x01 ‖ left ‖ right). */
export const hashNode = (left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array =>
  hash(concatBytes(NODE_PREFIX, left, right))

/** The root over no leaves: SHA-256 of nothing. */
export const emptyRoot = (): Uint8Array => sha256(new Uint8Array())

/** The largest power of two below `size`, which is where a tree of that size divides. `size` is at least 2. */
export function splitOf(size: number): number {
  let split = 1
  // Not by shifting, which in JavaScript ends at 32 bits.
  while (split * 2 < size) split *= 2
  return split
}
