// Verifies inclusion and consistency proofs (RFC 9162), which are JSON objects as the API
// returns them. A proof with a superfluous hash is invalid. Every input gets a verdict.
import { hexToBytes } from '@noble/hashes/utils.js'
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { hashNode, splitOf } from './merkle-hash.ts'
import { isSameBytes } from '../../platform/bytes.ts'

export type InclusionProof = {
  readonly leaf_hash: string
  readonly leaf_index: number
  readonly tree_size: number
  readonly root_hash: string
  readonly audit_path: string[]
}

export type ConsistencyProof = {
  readonly old_size: number
  readonly new_size: number
  readonly old_root: string
  readonly new_root: string
  readonly consistency_path: string[]
}

export const PROOF_FAULTS = {
  not_an_object: 'It is not a JSON object.',
  size_malformed: 'A size is not a whole number from 1 to 2^53 - 1.',
  index_outside_tree: 'leaf_index is not the position of a leaf in the tree.',
  sizes_out_of_order: 'new_size is below old_size.',
  path_not_an_array: 'The path is not an array.',
  hash_malformed: 'A hash is not 64 lower-case hexadecimal digits.',
  path_too_short: 'The path is shorter than the sizes require.',
  path_too_long: 'The path is longer than the sizes allow.',
  root_mismatch: 'The path does not lead from the leaf to root_hash.',
  old_root_mismatch: 'The path does not lead to old_root.',
  new_root_mismatch: 'The path does not lead to new_root.',
} as const

export type ProofFault = keyof typeof PROOF_FAULTS

export type ProofVerdict<Proof> =
  | { readonly valid: true; readonly proof: Proof }
  | { readonly valid: false; readonly fault: ProofFault }

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.3.2 */
export function verifyInclusion(value: unknown): ProofVerdict<InclusionProof> {
  if (!isJsonObject(value)) return invalid('not_an_object')
  const { leaf_hash, root_hash, audit_path } = value
  const tree_size = sizeIn(value, 'tree_size')
  if (tree_size === null) return invalid('size_malformed')
  const leaf_index = wholeNumberIn(value, 'leaf_index')
  if (leaf_index === null || leaf_index >= tree_size) return invalid('index_outside_tree')
  if (!Array.isArray(audit_path)) return invalid('path_not_an_array')
  if (!isHash(leaf_hash) || !isHash(root_hash) || !areHashes(audit_path)) return invalid('hash_malformed')
  const root = rootOfPath(hexToBytes(leaf_hash), leaf_index, tree_size, audit_path.map(hexToBytes))
  if (typeof root === 'string') return invalid(root)
  if (!isSame(root, root_hash)) return invalid('root_mismatch')
  return { valid: true, proof: { leaf_hash, leaf_index, tree_size, root_hash, audit_path } }
}

/** @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.4.2 */
export function verifyConsistency(value: unknown): ProofVerdict<ConsistencyProof> {
  if (!isJsonObject(value)) return invalid('not_an_object')
  const { old_root, new_root, consistency_path } = value
  const [old_size, new_size] = [sizeIn(value, 'old_size'), sizeIn(value, 'new_size')]
  if (old_size === null || new_size === null) return invalid('size_malformed')
  if (new_size < old_size) return invalid('sizes_out_of_order')
  if (!Array.isArray(consistency_path)) return invalid('path_not_an_array')
  if (!isHash(old_root) || !isHash(new_root) || !areHashes(consistency_path)) return invalid('hash_malformed')
  const trees = { oldSize: old_size, newSize: new_size, isPrefix: true }
  const roots = grow(hexToBytes(old_root), trees, consistency_path.map(hexToBytes))
  if (typeof roots === 'string') return invalid(roots)
  if (!isSame(roots.old, old_root)) return invalid('old_root_mismatch')
  if (!isSame(roots.new, new_root)) return invalid('new_root_mismatch')
  return { valid: true, proof: { old_size, new_size, old_root, new_root, consistency_path } }
}

type PathFault = 'path_too_short' | 'path_too_long'

/**
 * Returns the root that a leaf's path leads to: the definition of PATH(m, D[n]), applied backwards.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.3.1
 */
function rootOfPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | PathFault {
  if (size === 1) return path.length === 0 ? leaf : 'path_too_long'
  const sibling = path.at(-1)
  if (sibling === undefined) return 'path_too_short'
  const split = splitOf(size)
  const isLeft = index < split
  const own = isLeft
    ? rootOfPath(leaf, index, split, path.slice(0, -1))
    : rootOfPath(leaf, index - split, size - split, path.slice(0, -1))
  if (typeof own === 'string') return own
  return isLeft ? hashNode(own, sibling) : hashNode(sibling, own)
}

/**
 * `isPrefix`: this subtree still begins with the whole old tree. Then the path omits its hash, which is the old root.
 */
type Trees = { oldSize: number; newSize: number; isPrefix: boolean }

/**
 * Returns both roots that a path leads to: the definition of SUBPROOF(m, D[n], b), applied backwards.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.4.1
 */
function grow(
  oldRoot: Uint8Array,
  { oldSize, newSize, isPrefix }: Trees,
  path: readonly Uint8Array[],
): { old: Uint8Array; new: Uint8Array } | PathFault {
  const last = path.at(-1)
  if (oldSize === newSize && isPrefix) return last === undefined ? { old: oldRoot, new: oldRoot } : 'path_too_long'
  if (last === undefined) return 'path_too_short'
  if (oldSize === newSize) return path.length === 1 ? { old: last, new: last } : 'path_too_long'
  const rest = path.slice(0, -1)
  const split = splitOf(newSize)
  if (oldSize <= split) {
    const left = grow(oldRoot, { oldSize, newSize: split, isPrefix }, rest)
    return typeof left === 'string' ? left : { old: left.old, new: hashNode(left.new, last) }
  }
  const right = grow(oldRoot, { oldSize: oldSize - split, newSize: newSize - split, isPrefix: false }, rest)
  return typeof right === 'string' ? right : { old: hashNode(last, right.old), new: hashNode(last, right.new) }
}

const invalid = (fault: ProofFault) => ({ valid: false, fault }) as const

/** Returns null for 0 too: no proof exists for an empty tree. */
const sizeIn = (proof: JsonObject, name: string): number | null => wholeNumberIn(proof, name) || null

export const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const areHashes = (values: readonly unknown[]): values is string[] => values.every(isHash)

const isSame = (hash: Uint8Array, hex: string): boolean => isSameBytes(hash, hexToBytes(hex))
