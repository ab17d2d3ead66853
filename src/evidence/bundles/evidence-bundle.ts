// Judges an evidence bundle: a record with everything needed to check it years later, offline. Pure.
//
// SECURITY: the sender made all of the bundle, including its list of keys, so nothing in it is trusted. Every part must
// fit the record: a proof about another record or log says nothing about this one.
import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeBase64url } from '../records/base64.ts'
import { canonicalBytes } from '../records/canonical-json.ts'
import { KEY_LIST_FAULTS, KEY_FAULTS, readKeyList } from '../records/key-list.ts'
import { keyIdOf } from '../records/ed25519.ts'
import { areNumbersCanonical, wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { RECORD_FAULTS } from '../records/record.ts'
import { HEAD_FAULTS, verifyHead, type SignedTree } from '../records/tree-head.ts'
import { verifyRecord, type PinnedTrust } from '../records/verify-record.ts'
import { ENTRY_TAGS } from '../entry-tags.ts'
import { findHeadFault, findProofFault, isOfTree, LOGGED_FAULTS } from './logged-record.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { PROOF_FAULTS, verifyInclusion, type InclusionProof } from '../tree/proof.ts'
import { isSameBytes } from '../../platform/bytes.ts'

export const EVIDENCE_FORMAT = 'countersign-evidence-v1'

const OWN_FAULTS = {
  another_version: 'Its v is not 1.',
  another_format: 'Its format is not countersign-evidence-v1.',
  missing_member: 'A member is missing.',
  unknown_member: 'It has a member that evidence bundles do not have.',
  not_an_object: 'It is not a JSON object.',
  head_of_another_log: 'The head is of another log.',
  head_names_another_key: 'The head names another key than the one that signed it.',
  not_a_settlement:
    'It is no settlement: the entry is not its tag, 16 random bytes and the canonical JSON of the content.',
  settles_another: 'It settles another record.',
} as const

export type EvidencePart = 'bundle' | 'record' | 'organisation_log' | 'public_log' | 'settlement' | 'keys'

export type Fault = { readonly code: string; readonly reason: string }

/** `fault`: why the part is not valid; null if it is valid. */
export type EvidenceFinding = { readonly part: EvidencePart; readonly fault: Fault | null }

/**
 * One finding for each part in the bundle. `public_log` and `settlement` may be null, because a record may not be
 * published or settled yet. A bundle cannot show that somebody removed them.
 */
export function verifyEvidence(bundle: JsonObject, trust: PinnedTrust): EvidenceFinding[] {
  const read = readBundle(bundle)
  if ('code' in read) return [{ part: 'bundle', fault: read }]
  const judged = judge(read, trust)
  return [...findingsOf(read, judged), { part: 'keys', fault: judgeKeys(read.keys, read, judged) }]
}

/** The same for a record and its proofs without a list of keys. */
export const verifyLogged = (logged: LoggedRecord, trust: PinnedTrust): EvidenceFinding[] =>
  findingsOf(logged, judge(logged, trust))

function findingsOf(logged: LoggedRecord, judged: Judged): EvidenceFinding[] {
  const { settlement } = logged
  const { record, organisationLog, publicLog } = judged
  return [
    { part: 'record', fault: record },
    { part: 'organisation_log', fault: organisationLog.fault },
    ...(publicLog === null ? [] : [{ part: 'public_log', fault: publicLog.fault } as const]),
    ...(settlement === null
      ? []
      : [{ part: 'settlement', fault: judgeSettlement(settlement, logged, organisationLog) } as const]),
  ]
}

const own = (code: keyof typeof OWN_FAULTS): Fault => ({ code, reason: OWN_FAULTS[code] })

/** A record, the settlement of its call, and a head and a proof for each log. */
export type LoggedRecord = {
  record: JsonObject
  organisationLog: JsonObject
  publicLog: JsonObject | null
  settlement: JsonObject | null
}

type Bundle = LoggedRecord & { keys: JsonObject }

function readBundle(bundle: JsonObject): Bundle | Fault {
  if (bundle['format'] !== EVIDENCE_FORMAT) return own('another_format')
  const names = ['format', 'record', 'settlement', 'organisation_log', 'public_log', 'keys']
  // The anchor is judged separately: a bundle without it is still a bundle.
  const shape = findShapeFault(bundle, names, ['anchor'])
  if (shape !== null) return shape
  const { record, settlement, organisation_log: organisationLog, public_log: publicLog, keys } = bundle
  if (!isJsonObject(record) || !isJsonObject(organisationLog) || !isJsonObject(keys)) return own('not_an_object')
  if (publicLog === undefined || (publicLog !== null && !isJsonObject(publicLog))) return own('not_an_object')
  if (settlement === undefined || (settlement !== null && !isJsonObject(settlement))) return own('not_an_object')
  return { record, organisationLog, publicLog, settlement, keys }
}

function findShapeFault(object: JsonObject, names: readonly string[], optional: readonly string[] = []): Fault | null {
  if (names.some((name) => !Object.hasOwn(object, name))) return own('missing_member')
  const isKnown = (name: string): boolean => names.includes(name) || optional.includes(name)
  return Object.keys(object).every(isKnown) ? null : own('unknown_member')
}

const HEAD_MEMBERS = ['v', 'tree_size', 'root_hash', 'signature', 'public_key', 'key_id', 'algorithm']
const PROOF_MEMBERS = ['leaf_hash', 'leaf_index', 'tree_size', 'root_hash', 'audit_path']

/** The result for one log: the fault, or the proof and the tree that contains the record. */
type Logged = { fault: Fault } | { fault: null; proof: InclusionProof; tree: SignedTree }

type Judged = { record: Fault | null; organisationLog: Logged; publicLog: Logged | null }

function judge({ record, organisationLog, publicLog }: LoggedRecord, trust: PinnedTrust): Judged {
  const logs = {
    organisationLog: judgeLog(organisationLog, { record, isPublic: false }, trust),
    publicLog: publicLog === null ? null : judgeLog(publicLog, { record, isPublic: true }, trust),
  }
  const isIncluded = logs.organisationLog.fault === null || logs.publicLog?.fault === null
  return { record: judgeRecord(record, trust, isIncluded), ...logs }
}

function judgeLog(log: JsonObject, of: { record: JsonObject; isPublic: boolean }, trust: PinnedTrust): Logged {
  const { head, proof } = log
  const shape = findShapeFault(log, ['head', 'proof'])
  if (shape !== null) return { fault: shape }
  if (!isJsonObject(head) || !isJsonObject(proof)) return { fault: own('not_an_object') }
  const tree = judgeSignedHead(head, of.isPublic, trust)
  if ('code' in tree) return { fault: tree }
  const proven = judgeProof(proof, of.isPublic)
  if ('code' in proven) return { fault: proven }
  const code = findProofFault(of.record, proof, proven) ?? findHeadFault(of.record, proven, tree)
  return code === null ? { fault: null, proof: proven, tree } : { fault: { code, reason: LOGGED_FAULTS[code] } }
}

/** The tree in a head that has exactly its members and a trusted signature. Otherwise the fault. */
export function judgeSignedHead(head: JsonObject, isPublic: boolean, trust: PinnedTrust): SignedTree | Fault {
  // SECURITY: this check comes first, so that a head of one log is never judged as a head of the other.
  if ((head['log'] === 'public') !== isPublic) return own('head_of_another_log')
  const shape = findShapeFault(head, [...HEAD_MEMBERS, isPublic ? 'log' : 'org_id'], ['timestamp'])
  if (shape !== null) return shape
  if (wholeNumberIn(head, 'v') !== 1) return own('another_version')
  const verdict = verifyHead(head, trust)
  if (!verdict.valid) {
    const reasons: Readonly<Record<typeof verdict.fault, string>> = { ...HEAD_FAULTS, ...KEY_FAULTS }
    return { code: verdict.fault, reason: reasons[verdict.fault] }
  }
  const { public_key: publicKey, key_id: keyId, algorithm } = head
  const isSigner = publicKey === verdict.publicKey && keyId === keyIdOf(publicKey) && algorithm === 'Ed25519'
  return isSigner ? verdict : own('head_names_another_key')
}

/** No leaf or head covers the members beside the hashes. So they must not name the other log. */
export function judgeProof(proof: JsonObject, isPublic: boolean): InclusionProof | Fault {
  const shape = findShapeFault(proof, PROOF_MEMBERS, ['v', 'org_id', 'log', 'attestation_id'])
  if (shape !== null) return shape
  if (Object.hasOwn(proof, 'v') && wholeNumberIn(proof, 'v') !== 1) return own('another_version')
  const { log, org_id: orgId } = proof
  const isOther = isPublic ? (log !== undefined && log !== 'public') || orgId !== undefined : log !== undefined
  if (isOther) return { code: 'proof_of_another_log', reason: LOGGED_FAULTS.proof_of_another_log }
  const verdict = verifyInclusion(proof)
  return verdict.valid ? verdict.proof : { code: verdict.fault, reason: PROOF_FAULTS[verdict.fault] }
}

function judgeRecord(record: JsonObject, trust: PinnedTrust, isIncluded: boolean): Fault | null {
  const verdict = verifyRecord(record, trust, { isIncluded })
  if (verdict.valid) return null
  const reasons: Readonly<Record<typeof verdict.fault, string>> = { ...RECORD_FAULTS, ...KEY_FAULTS }
  return { code: verdict.fault, reason: reasons[verdict.fault] }
}

/** A settlement's entry begins with its tag and 16 random bytes. */
const CONTENT_AT = 1 + 16

/** The settlement must be in the same tree as the record, and must settle this record. */
function judgeSettlement(settlement: JsonObject, { record }: LoggedRecord, organisation: Logged): Fault | null {
  const shape = findShapeFault(settlement, ['settles', 'content', 'entry', 'proof'])
  if (shape !== null) return shape
  const { content, entry, proof } = settlement
  if (!isJsonObject(content) || !isJsonObject(proof)) return own('not_an_object')
  const bytes = typeof entry === 'string' ? decodeBase64url(entry) : null
  if (bytes === null || !isEntryOf(bytes, content)) return own('not_a_settlement')
  const proven = judgeProof(proof, false)
  if ('code' in proven) return proven
  const isOther = proof['org_id'] !== undefined && proof['org_id'] !== record['org_id']
  if (isOther) return { code: 'proof_of_another_log', reason: LOGGED_FAULTS.proof_of_another_log }
  if (proven.leaf_hash !== bytesToHex(hashLeaf(bytes))) {
    return { code: 'leaf_mismatch', reason: 'The proof is about another entry.' }
  }
  if (organisation.fault !== null) return organisation.fault
  if (!isOfTree(organisation.tree, { size: proven.tree_size, root: proven.root_hash })) {
    return { code: 'head_of_another_tree', reason: LOGGED_FAULTS.head_of_another_tree }
  }
  const position = organisation.proof.leaf_index
  const isItsOwn = wholeNumberIn(settlement, 'settles') === position && wholeNumberIn(content, 'settles') === position
  return isItsOwn && proven.leaf_index > position ? null : own('settles_another')
}

function isEntryOf(entry: Uint8Array, content: JsonObject): boolean {
  if (entry[0] !== ENTRY_TAGS.settlement || entry.length <= CONTENT_AT) return false
  try {
    return areNumbersCanonical(content) && isSameBytes(canonicalBytes(content), entry.subarray(CONTENT_AT))
  } catch {
    return false
  }
}

/**
 * Checks everything that the caller trusts against the bundle's own list too. The list can only take trust away: it may
 * show, for example, that the service revoked a pinned key.
 */
function judgeKeys(keys: JsonObject, bundle: Bundle, judged: Judged): Fault | null {
  const list = readKeyList(keys)
  if (!list.ok) return { code: list.fault, reason: KEY_LIST_FAULTS[list.fault] }
  const byList = judge(bundle, { keys: [], kept: list.keys })
  const faults = [
    judged.record === null ? byList.record : null,
    judged.organisationLog.fault === null ? byList.organisationLog.fault : null,
    judged.publicLog?.fault === null ? (byList.publicLog?.fault ?? null) : null,
  ]
  const fault = faults.find((each) => each !== null) ?? null
  return fault && { code: fault.code, reason: `By the bundle’s own list of keys: ${fault.reason}` }
}
