// Judges whether a record and its settlement are in a log: the signed head, the proofs, and the settlement's entry.
//
// SECURITY: every part must fit the record. A proof about another record or log says nothing about this one.
import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeBase64url } from '../records/base64.ts'
import { canonicalBytes, ifCanonical } from '../records/canonical-json.ts'
import { keyIdOf } from '../records/ed25519.ts'
import { findNameFault } from '../records/member-names.ts'
import { areNumbersCanonical, wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { HEAD_FAULTS, verifyHead, type SignedTree } from '../records/tree-head.ts'
import type { PinnedTrust } from '../records/verify-record.ts'
import { ENTRY_TAGS } from '../entry-tags.ts'
import { findHeadFault, findProofFault, isHeadOfTree, LOGGED_FAULTS, recordLeafHash } from '../bundles/logged-record.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { PROOF_FAULTS, verifyInclusion, type InclusionProof } from '../tree/verify-proof.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { faultOf, type Fault } from './verification-finding.ts'

export const PART_FAULTS = {
  ...LOGGED_FAULTS,
  another_version: 'Its v is not 1.',
  another_format: 'Its format is none of countersign-evidence-v1 to v3.',
  missing_member: 'A member is missing.',
  unknown_member: 'It has a member that evidence bundles do not have.',
  not_an_object: 'It is not a JSON object.',
  head_names_another_key: 'The head names another key than the one that signed it.',
  not_a_settlement: 'It is not a settlement: the entry is not its tag, 16 random bytes and the canonical JSON.',
  settles_another: 'It settles another record.',
  not_a_coverage: 'It is not a coverage entry: the entry is not its tag, 16 random bytes and the canonical JSON.',
  answer_salt_mismatch: 'The salt in the bundle is not the one that the log entry commits to. Get the bundle again.',
} as const

export const partFault = (code: keyof typeof PART_FAULTS): Fault => ({ code, reason: PART_FAULTS[code] })

export const findMembersFault = (...compared: Parameters<typeof findNameFault>): Fault | null =>
  faultOf(PART_FAULTS, findNameFault(...compared))

/** The result for one log: the fault, or the proof and the tree that contains the record. */
export type JudgedLog = { fault: Fault } | { fault: null; proof: InclusionProof; tree: SignedTree }

export function judgeLog(
  log: JsonObject,
  { record, isPublic }: { record: JsonObject; isPublic: boolean },
  trust: PinnedTrust,
): JudgedLog {
  const { head, proof } = log
  const membersFault = findMembersFault(log, ['head', 'proof'])
  if (membersFault !== null) return { fault: membersFault }
  if (!isJsonObject(head) || !isJsonObject(proof)) return { fault: partFault('not_an_object') }
  const tree = judgeSignedHead(head, isPublic, trust)
  if ('code' in tree) return { fault: tree }
  const proven = judgeProof(proof, isPublic)
  if ('code' in proven) return { fault: proven }
  const code =
    findProofFault({ record, leaf: recordLeafHash(record) }, proof, proven) ?? findHeadFault(record, proven, tree)
  return code === null ? { fault: null, proof: proven, tree } : { fault: partFault(code) }
}

const HEAD_MEMBERS = ['v', 'tree_size', 'root_hash', 'signature', 'public_key', 'key_id', 'algorithm']
const PROOF_MEMBERS = ['leaf_hash', 'leaf_index', 'tree_size', 'root_hash', 'audit_path']

/** Returns the tree in a head that has exactly its members and a trusted signature. Otherwise returns the fault. */
export function judgeSignedHead(head: JsonObject, isPublic: boolean, trust: PinnedTrust): SignedTree | Fault {
  // SECURITY: this check comes first, so that a head of one log is never judged as a head of the other.
  if ((head['log'] === 'public') !== isPublic) return partFault('head_of_another_log')
  const membersFault = findMembersFault(head, [...HEAD_MEMBERS, isPublic ? 'log' : 'org_id'], ['timestamp'])
  if (membersFault !== null) return membersFault
  if (wholeNumberIn(head, 'v') !== 1) return partFault('another_version')
  const verdict = verifyHead(head, trust)
  if (!verdict.valid) return faultOf(HEAD_FAULTS, verdict.fault)
  const { public_key: publicKey, key_id: keyId, algorithm } = head
  const isSigner = publicKey === verdict.publicKey && keyId === keyIdOf(publicKey) && algorithm === 'Ed25519'
  return isSigner ? verdict : partFault('head_names_another_key')
}

/** Judges a proof. No leaf or head covers its members `org_id` and `log`, so they must not name the other log. */
export function judgeProof(proof: JsonObject, isPublic: boolean): InclusionProof | Fault {
  const membersFault = findMembersFault(proof, PROOF_MEMBERS, ['v', 'org_id', 'log', 'attestation_id'])
  if (membersFault !== null) return membersFault
  if (Object.hasOwn(proof, 'v') && wholeNumberIn(proof, 'v') !== 1) return partFault('another_version')
  const { log, org_id: orgId } = proof
  const isOther = isPublic ? (log !== undefined && log !== 'public') || orgId !== undefined : log !== undefined
  if (isOther) return partFault('proof_of_another_log')
  const verdict = verifyInclusion(proof)
  return verdict.valid ? verdict.proof : faultOf(PROOF_FAULTS, verdict.fault)
}

/** A settlement's entry begins with its tag and 16 random bytes. */
const CONTENT_AT = 1 + 16

const SETTLEMENT_MEMBERS = ['settles', 'content', 'entry', 'proof']

type CallParts = { record: JsonObject; organisation: JudgedLog; hasAnswerSalt: boolean }

/** Judges a settlement, which must be in the same tree as the record and must settle this record. */
export function judgeSettlement(
  settlement: JsonObject,
  { record, organisation, hasAnswerSalt }: CallParts,
): Fault | null {
  const names = hasAnswerSalt ? [...SETTLEMENT_MEMBERS, 'answer_salt'] : SETTLEMENT_MEMBERS
  const membersFault = findMembersFault(settlement, names)
  if (membersFault !== null) return membersFault
  const proven = judgeEntry(settlement, 'settlement', { record, organisation })
  if ('code' in proven) return proven
  const position = proven.record
  const { content } = settlement
  const isItsOwn =
    wholeNumberIn(settlement, 'settles') === position &&
    isJsonObject(content) &&
    wholeNumberIn(content, 'settles') === position
  return isItsOwn && proven.index > position ? null : partFault('settles_another')
}

/** Judges an entry with its proof, which must be in the same tree as the record. Returns both positions, or the fault. */
export function judgeEntry(
  { content, entry, proof }: JsonObject,
  kind: 'settlement' | 'coverage',
  { record, organisation }: Pick<CallParts, 'record' | 'organisation'>,
): { index: number; record: number } | Fault {
  if (!isJsonObject(content) || !isJsonObject(proof)) return partFault('not_an_object')
  const bytes = typeof entry === 'string' ? decodeBase64url(entry) : null
  if (bytes === null || bytes[0] !== ENTRY_TAGS[kind] || !isContentOf(bytes, content, CONTENT_AT)) {
    return partFault(`not_a_${kind}`)
  }
  const proven = judgeProof(proof, false)
  if ('code' in proven) return proven
  const isOther = proof['org_id'] !== undefined && proof['org_id'] !== record['org_id']
  if (isOther) return partFault('proof_of_another_log')
  if (proven.leaf_hash !== bytesToHex(hashLeaf(bytes))) {
    return { code: 'leaf_mismatch', reason: 'The proof is about another entry.' }
  }
  if (organisation.fault !== null) return organisation.fault
  if (!isHeadOfTree(organisation.tree, { size: proven.tree_size, root: proven.root_hash })) {
    return partFault('head_of_another_tree')
  }
  return { index: proven.leaf_index, record: organisation.proof.leaf_index }
}

/** Returns true if the entry has the canonical JSON of this content from offset `at` on. */
export const isContentOf = (entry: Uint8Array, content: JsonObject, at: number): boolean =>
  areNumbersCanonical(content) && ifCanonical(() => isSameBytes(canonicalBytes(content), entry.subarray(at))) === true
