// The right edge of a log's Merkle tree (RFC 9162): the roots of the complete subtrees of its leaves. Appends a leaf and computes
// the tree's root from this frontier alone, and encodes it as bytes.
import { emptyRoot, hashNode, subtreesOf } from './merkle-hash.ts'
import { sha256 } from '../../platform/sha256.ts'

export type Frontier = {
  readonly size: number
  /** One for each 1 of `size` in binary, the largest subtree first. */
  readonly hashes: readonly Uint8Array[]
}

const SIZE_BYTES = 8
const HASH_BYTES = 32

export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] }

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.2 */
export function appendLeaf({ size, hashes }: Frontier, leafHash: Uint8Array): Frontier {
  const grown = [...hashes]
  let hash = leafHash
  // Shifting would overflow at 32 bits.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
    const left = grown.pop()
    if (left === undefined) throw new RangeError('a frontier has a hash for each of its subtrees')
    hash = hashNode(left, hash, sha256)
  }
  grown.push(hash)
  return { size: size + 1, hashes: grown }
}

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.2 */
export const rootOf = ({ hashes }: Frontier): Uint8Array =>
  hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => hashNode(left, right, sha256))

/** Encodes the size in eight bytes, most significant first, and the hashes. */
export function frontierToBytes({ size, hashes }: Frontier): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZE_BYTES + hashes.length * HASH_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size))
  for (const [at, hash] of hashes.entries()) bytes.set(hash, SIZE_BYTES + at * HASH_BYTES)
  return bytes
}

/** Decodes a frontier. Throws RangeError for bytes that frontierToBytes did not make. */
export function frontierFromBytes(bytes: Uint8Array): Frontier {
  if (bytes.length < SIZE_BYTES) throw new RangeError('a frontier begins with its size')
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0))
  const subtrees = Number.isSafeInteger(size) ? subtreesOf({ start: 0, end: size }).length : -1
  if (bytes.length !== SIZE_BYTES + subtrees * HASH_BYTES) {
    throw new RangeError('a frontier has a hash for each of its subtrees')
  }
  const hashes = Array.from({ length: subtrees }, (_, at) => {
    const start = SIZE_BYTES + at * HASH_BYTES
    return bytes.slice(start, start + HASH_BYTES)
  })
  return { size, hashes }
}
