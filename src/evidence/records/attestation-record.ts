// The record of ATTESTATION-v1 (docs/records.md#record): makes one from a decision, signs it, finds faults in its members.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Infer } from '../../platform/once.ts'
import type { AttestationSchema } from './attestation.schema.ts'
import { RECORD_OUTCOMES, type RecordOutcome } from './call-endings.ts'
import { canonicalBytes, ifCanonical } from './canonical-json.ts'
import type { JsonObject } from '../../platform/json.ts'
import { findNameFault } from './member-names.ts'
import { wholeNumberIn } from './number-text.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { encodeBase64url } from './base64.ts'
import type { SigningKey } from './signing-key.ts'
import { isHash } from '../tree/verify-proof.ts'
import { toEur } from '../../platform/money.ts'

export type AttestationRecord = Readonly<Infer<typeof AttestationSchema>>

export type UnsignedRecord = Omit<AttestationRecord, 'signature'>

export type Decision = {
  /** A UUID of version 4 for this decision only, computed from its facts (facts-commitment.ts). */
  attestationId: string
  organisationId: string
  requestHash: string
  model: string
  outcome: RecordOutcome
  /** In any order, duplicates allowed. */
  policies: readonly string[]
  /** A whole number, so that the record has at most 6 decimals of a euro. 0 for ALLOWED. */
  costPreventedMicroeur: number
  /** Milliseconds since the epoch. */
  decidedAt: number
}

/** Returns the trace id: the digits of the attestation's id, so that either id finds the record. */
export const traceIdOf = (attestationId: string): string => `tr_${attestationId.replaceAll('-', '')}`

/**
 * Throws TypeError if some verifier would reject the record: that is a bug of the caller.
 * @see https://github.com/Aqta-ai/attestation-spec
 */
export function describeDecision(decision: Decision, publicKey: string): UnsignedRecord {
  const { costPreventedMicroeur: microeur } = decision
  if (!Number.isSafeInteger(microeur) || microeur < 0) throw new TypeError('not a whole number of microeuros')
  return {
    v: 1,
    attestation_id: decision.attestationId,
    trace_id: traceIdOf(decision.attestationId),
    org_id: decision.organisationId,
    request_hash: decision.requestHash,
    model: decision.model,
    outcome: decision.outcome,
    policy_applied: [...new Set(decision.policies)].toSorted(byCodeUnits),
    cost_prevented_eur: toEur(microeur),
    timestamp: new Date(decision.decidedAt).toISOString(),
    public_key: publicKey,
  }
}

/**
 * Returns the canonical JSON of all members except the signature. Throws if a member has no canonical JSON.
 * @see https://github.com/Aqta-ai/attestation-spec
 */
export function signedBytes(record: JsonObject): Uint8Array {
  const { signature: _signature, ...signed } = record
  return canonicalBytes(signed)
}

/** Returns the SHA-256 of a record's signed bytes, in lower-case hexadecimal. Throws if the record has no canonical JSON. */
export const signedHash = (record: JsonObject): string => bytesToHex(sha256(signedBytes(record)))

/** Returns `signedHash`; null for a record without canonical JSON. */
export const signedHashOrNull = (record: JsonObject): string | null => ifCanonical(() => signedHash(record))

/** Compares texts by UTF-16 code units, as the format requires. The operator `<` does that. */
export function byCodeUnits(first: string, second: string): number {
  if (first === second) return 0
  return first < second ? -1 : 1
}

export const RECORD_FAULTS = {
  not_an_object: 'It is not a JSON object.',
  missing_member: 'A member is missing.',
  unknown_member: 'It has a member that the format does not know.',
  unsupported_version: 'v is not the integer 1.',
  outcome_not_a_string: 'outcome is not a string.',
  unknown_outcome: 'outcome is none of ALLOWED, BLOCKED, SUPPRESSED and PASSED.',
  policies_not_an_array: 'policy_applied is not an array.',
  policies_not_strings: 'policy_applied contains something that is not a string.',
  policies_not_sorted: 'policy_applied is not in the order of UTF-16 code units.',
  request_hash_malformed: 'request_hash is not 64 lower-case hexadecimal digits.',
  cost_not_a_number: 'cost_prevented_eur is not a finite number.',
  cost_negative: 'cost_prevented_eur is below zero.',
  timestamp_malformed: 'timestamp is not RFC 3339 with an explicit offset.',
  no_trusted_key: 'No trusted key was given, and checking without one was not asked for.',
  key_not_trusted: 'public_key is not a trusted key.',
  not_canonicalisable: 'It contains a value that has no canonical JSON, such as half a surrogate pair.',
  signature_malformed: 'signature is not base64url, without padding, of 64 bytes.',
  public_key_malformed: 'public_key is not base64url, without padding, of 32 bytes.',
  signature_mismatch: 'The signature is not one of this key over this record.',
} as const

export type RecordFault = keyof typeof RECORD_FAULTS

const MEMBERS = [
  'v',
  'attestation_id',
  'trace_id',
  'org_id',
  'request_hash',
  'model',
  'outcome',
  'policy_applied',
  'cost_prevented_eur',
  'timestamp',
  'public_key',
  'signature',
]

/** PASSED is an old synonym of ALLOWED: accepted, never written. */
const OUTCOMES: ReadonlySet<string> = new Set([...RECORD_OUTCOMES, 'PASSED'])

/**
 * Returns the first fault, or null. The order is part of the format. The ids and the model may be any JSON, as public verifiers
 * allow.
 * @see https://github.com/Aqta-ai/attestation-spec
 */
export function findMemberFault(record: JsonObject): RecordFault | null {
  const fault = findNameFault(record, MEMBERS)
  if (fault !== null) return fault
  if (wholeNumberIn(record, 'v') !== 1) return 'unsupported_version'
  return (
    findOutcomeFault(record['outcome']) ??
    findPolicyFault(record['policy_applied']) ??
    (isHash(record['request_hash']) ? null : 'request_hash_malformed') ??
    findCostFault(record['cost_prevented_eur']) ??
    (parseRfc3339(record['timestamp']) === null ? 'timestamp_malformed' : null)
  )
}

function findOutcomeFault(outcome: unknown): RecordFault | null {
  if (typeof outcome !== 'string') return 'outcome_not_a_string'
  return OUTCOMES.has(outcome) ? null : 'unknown_outcome'
}

export function findPolicyFault(policies: unknown): RecordFault | null {
  if (!Array.isArray(policies)) return 'policies_not_an_array'
  const names: string[] = []
  for (const policy of policies as readonly unknown[]) {
    if (typeof policy !== 'string') return 'policies_not_strings'
    names.push(policy)
  }
  const isSorted = names.every((name, at) => at === 0 || byCodeUnits(names[at - 1] ?? '', name) <= 0)
  return isSorted ? null : 'policies_not_sorted'
}

function findCostFault(cost: unknown): RecordFault | null {
  if (typeof cost !== 'number' || !Number.isFinite(cost)) return 'cost_not_a_number'
  return cost < 0 ? 'cost_negative' : null
}

/**
 * Throws TypeError for a record that every verifier would reject, or that names another key. Ed25519 is deterministic,
 * so signing the same record again gives the same signature.
 * @see https://github.com/Aqta-ai/attestation-spec
 */
export const signRecord = (record: UnsignedRecord, key: SigningKey): Promise<AttestationRecord> =>
  signMembers(record, key, findMemberFault)

/**
 * Signs a record of any format. Throws TypeError as `signRecord` does.
 *
 * @param findFault what every verifier of the format finds in the members
 */
export async function signMembers<Unsigned extends JsonObject & { public_key: string }>(
  record: Unsigned,
  key: SigningKey,
  findFault: (record: JsonObject) => string | null,
): Promise<Unsigned & { signature: string }> {
  const fault = findFault({ ...record, signature: '' })
  if (fault !== null) throw new TypeError(`not a record to sign: ${fault}`)
  if (record.public_key !== key.publicKey) throw new TypeError('the record names another key')
  return { ...record, signature: encodeBase64url(await key.sign(signedBytes(record))) }
}
