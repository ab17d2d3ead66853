// Checks that a record is in the log of a signed head: proof, leaf, tree, log and time must all match.
import { bytesToHex } from '@noble/hashes/utils.js'
import type { JsonObject } from '../../platform/json.ts'
import { ifCanonical } from '../records/canonical-json.ts'
import { receiptEntry } from '../records/receipt-entry.ts'
import { parseRfc3339 } from '../records/rfc3339.ts'
import type { SignedTree } from '../records/tree-head.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import type { InclusionProof } from '../tree/verify-proof.ts'

export const EVIDENCE_FORMAT = 'countersign-evidence-v3'

/** The forms of bundles, with the members that each has beside those of the first. */
export const EVIDENCE_FORMS: ReadonlyMap<unknown, readonly ('facts' | 'coverage')[]> = new Map([
  ['countersign-evidence-v1', []],
  ['countersign-evidence-v2', ['facts']],
  [EVIDENCE_FORMAT, ['facts', 'coverage']],
])

export const LOGGED_FAULTS = {
  leaf_mismatch: 'The proof is about another record.',
  proof_of_another_log: 'The proof names another record or organisation than the record does.',
  head_of_another_tree: 'The head has another size or root than the proof.',
  head_of_another_log: 'The head is of another log.',
  record_after_head: 'The record claims a later time than that of the head which already includes it.',
} as const

export type LoggedFault = keyof typeof LOGGED_FAULTS

/** Returns a record's leaf hash in lower-case hexadecimal, or null if the record has no canonical JSON. */
export const recordLeafHash = (record: JsonObject): string | null =>
  ifCanonical(() => bytesToHex(hashLeaf(receiptEntry(record))))

/** Checks that a valid proof is about this record: by its leaf hash, and by the ids that `document` states with it. */
export function findProofFault(
  { record, leaf }: { record: JsonObject; leaf: string | null },
  document: JsonObject,
  { leaf_hash }: InclusionProof,
): LoggedFault | null {
  if (leaf !== leaf_hash) return 'leaf_mismatch'
  const differs = (name: string): boolean => document[name] !== undefined && document[name] !== record[name]
  return differs('attestation_id') || differs('org_id') ? 'proof_of_another_log' : null
}

/**
 * Checks that a valid head has the tree of the proof. A head of an organisation's log must also name the record's
 * organisation.
 */
export function findHeadFault(record: JsonObject, proof: InclusionProof, head: SignedTree): LoggedFault | null {
  if (!isHeadOfTree(head, { size: proof.tree_size, root: proof.root_hash })) return 'head_of_another_tree'
  if (head.orgId !== null && head.orgId !== record['org_id']) return 'head_of_another_log'
  const [recorded, signed] = [parseRfc3339(record['timestamp']), parseRfc3339(head.timestamp)]
  return recorded !== null && signed !== null && recorded > signed ? 'record_after_head' : null
}

export type Tree = { readonly size: number; readonly root: string }

export const isHeadOfTree = ({ treeSize, rootHash }: SignedTree, { size, root }: Tree): boolean =>
  treeSize === size && rootHash === root
