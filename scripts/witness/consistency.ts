// Whether a tree continues another: the algorithm of RFC 9162, section 2.1.4.2, bit by bit as it stands there.
import { createHash } from 'node:crypto'

export type Tree = { size: bigint; root: Buffer }

/** `old` is not larger than `grown`. */
export function isConsistent(old: Tree, grown: Tree, proof: readonly Buffer[]): boolean {
  if (old.size === 0n) return proof.length === 0
  if (old.size === grown.size) return proof.length === 0 && old.root.equals(grown.root)
  const path = isPowerOfTwo(old.size) ? [old.root, ...proof] : [...proof]
  const [first, ...rest] = path
  if (first === undefined || proof.length === 0) return false
  let [fn, sn] = [old.size - 1n, grown.size - 1n]
  while ((fn & 1n) === 1n) [fn, sn] = [fn >> 1n, sn >> 1n]
  let [fr, sr] = [first, first]
  for (const hash of rest) {
    if (sn === 0n) return false
    if ((fn & 1n) === 1n || fn === sn) {
      fr = hashNode(hash, fr)
      sr = hashNode(hash, sr)
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n]
    } else {
      sr = hashNode(sr, hash)
    }
    ;[fn, sn] = [fn >> 1n, sn >> 1n]
  }
  return sn === 0n && fr.equals(old.root) && sr.equals(grown.root)
}

const isPowerOfTwo = (number: bigint): boolean => (number & (number - 1n)) === 0n

const hashNode = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
