// Signs and verifies ACCEPT-v1: the record of a person's decision to adopt, override or escalate another record. It names the
// hash of that record's signed bytes.
import type { Infer } from '../../platform/once.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { AcceptRecordSchema } from './attestation.schema.ts'
import { isHash } from '../tree/verify-proof.ts'
import { byCodeUnits, findPolicyFault, signedHashOrNull, signMembers } from './attestation-record.ts'
import { findNameFault } from './member-names.ts'
import { wholeNumberIn } from './number-text.ts'
import { parseRfc3339 } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { findRecordFault, VERIFY_FAULTS, type PinnedTrust } from './verify-record.ts'

/** The format's name, in the record and in the command's --profile. */
export const ACCEPT_PROFILE = 'accept-1'

export const ACCEPT_DECISIONS = ['ACCEPTED', 'OVERRIDDEN', 'ESCALATED'] as const
export type AcceptDecision = (typeof ACCEPT_DECISIONS)[number]

/** The record that `AcceptRecordSchema` describes. It has no numbers, because a number has more than one spelling. */
export type AcceptRecord = Readonly<Infer<typeof AcceptRecordSchema>>

export type UnsignedAcceptRecord = Omit<AcceptRecord, 'signature'>

export const ACCEPT_FAULTS = {
  ...VERIFY_FAULTS,
  unsupported_version: 'v is not accept-1.',
  not_a_text: 'A member other than policy_applied is not a string.',
  unknown_decision: 'decision is none of ACCEPTED, OVERRIDDEN and ESCALATED.',
  unknown_subject: 'subject_v is neither 1 nor action-1, or subject_id is empty.',
  hash_malformed: 'subject_hash is not 64 lower-case hexadecimal digits, or reason_hash is neither that nor empty.',
  no_reviewer: 'reviewer_ref is empty.',
} as const

export type AcceptFault = keyof typeof ACCEPT_FAULTS

const TEXTS = [
  'v',
  'acceptance_id',
  'org_id',
  'subject_v',
  'subject_id',
  'subject_hash',
  'decision',
  'reason_hash',
  'reviewer_ref',
  'reviewer_authority',
  'timestamp',
  'public_key',
  'signature',
] as const

export type Acceptance = {
  /** A UUID of version 4 for this record only. */
  acceptanceId: string
  /** The ATTESTATION-v1 record that was decided on. `hash`: its `signedHash`. */
  subject: { organisationId: string; attestationId: string; hash: string }
  decision: AcceptDecision
  reasonHash: string
  reviewer: string
  authority: string
  /** In any order, duplicates allowed. */
  policies: readonly string[]
  /** Milliseconds since the epoch. */
  decidedAt: number
}

export const describeAcceptance = (acceptance: Acceptance, publicKey: string): UnsignedAcceptRecord => ({
  v: ACCEPT_PROFILE,
  acceptance_id: acceptance.acceptanceId,
  org_id: acceptance.subject.organisationId,
  subject_v: '1',
  subject_id: acceptance.subject.attestationId,
  subject_hash: acceptance.subject.hash,
  decision: acceptance.decision,
  reason_hash: acceptance.reasonHash,
  reviewer_ref: acceptance.reviewer,
  reviewer_authority: acceptance.authority,
  policy_applied: [...new Set(acceptance.policies)].toSorted(byCodeUnits),
  timestamp: new Date(acceptance.decidedAt).toISOString(),
  public_key: publicKey,
})

/** Reads a stored record that is to be signed. Returns null if every verifier would reject it. */
export const readAcceptance = (value: unknown): UnsignedAcceptRecord | null =>
  isJsonObject(value) && isUnsigned(value) ? value : null

/** Returns the record in the content of an approval's step, without its signature; null for a step that is no decision. */
export const acceptanceOf = ({ acceptance }: JsonObject): JsonObject | null =>
  isJsonObject(acceptance) ? acceptance : null

/** Throws TypeError for a record that every verifier would reject, or that names another key. */
export const signAcceptance = (record: UnsignedAcceptRecord, key: SigningKey): Promise<AcceptRecord> =>
  signMembers(record, key, findMemberFault)

/**
 * Returns null if the record is complete and was signed by a key trusted at its time.
 *
 * @param isIncluded see `findKeyFault`
 */
export const findAcceptFault = (record: unknown, trust: PinnedTrust, isIncluded = false): AcceptFault | null =>
  findRecordFault(record, trust, findMemberFault, { isIncluded })

/** Returns true if the record refers to the signed bytes of this ATTESTATION-v1 record. */
export function isAcceptanceOf(record: JsonObject, subject: JsonObject): boolean {
  const { subject_v, subject_id, subject_hash, org_id } = record
  const isNamed = subject_v === '1' && wholeNumberIn(subject, 'v') === 1 && subject_id === subject['attestation_id']
  return isNamed && org_id === subject['org_id'] && subject_hash === signedHashOrNull(subject)
}

function findMemberFault(record: JsonObject): AcceptFault | null {
  const fault = findNameFault(record, [...TEXTS, 'policy_applied'])
  if (fault !== null) return fault
  const { v, decision, subject_v, subject_id, reason_hash, reviewer_ref } = record
  if (v !== ACCEPT_PROFILE) return 'unsupported_version'
  if (TEXTS.some((name) => typeof record[name] !== 'string')) return 'not_a_text'
  if (!ACCEPT_DECISIONS.some((one) => one === decision)) return 'unknown_decision'
  if ((subject_v !== '1' && subject_v !== 'action-1') || subject_id === '') return 'unknown_subject'
  if (!isHash(record['subject_hash']) || (reason_hash !== '' && !isHash(reason_hash))) return 'hash_malformed'
  if (reviewer_ref === '') return 'no_reviewer'
  return (
    findPolicyFault(record['policy_applied']) ??
    (parseRfc3339(record['timestamp']) === null ? 'timestamp_malformed' : null)
  )
}

const isUnsigned = (value: JsonObject): value is JsonObject & UnsignedAcceptRecord =>
  findMemberFault({ ...value, signature: '' }) === null && !Object.hasOwn(value, 'signature')
