// Signs and verifies outcome-1 (docs/records.md#outcome): the record of what a clinician chose after a reading. It names the hash of
// the reading's signed bytes, and no person.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import type { Infer } from '../../platform/once.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { OutcomeRecordSchema } from './attestation.schema.ts'
import { isHash } from '../tree/verify-proof.ts'
import { signedHash, signMembers } from './attestation-record.ts'
import { findNameFault } from './member-names.ts'
import { uuidOfHash } from './facts-commitment.ts'
import { isId, type SignedReading } from './reading-record.ts'
import {
  CHOICE_REASONS,
  CHOOSER_ROLES,
  OUTCOME_DECISIONS,
  OUTCOME_PROFILE,
  READING_PROFILE,
  type ChoiceReason,
  type ChooserRole,
  type OutcomeDecision,
} from './reading-words.ts'
import { parseRfc3339 } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { findRecordFault, VERIFY_FAULTS, type PinnedTrust } from './verify-record.ts'

export type OutcomeRecord = Readonly<Infer<typeof OutcomeRecordSchema>>

export type UnsignedOutcome = Omit<OutcomeRecord, 'signature'>

/** `specialty`: empty for none. */
export type Choice = { specialty: string; role: ChooserRole; reason: ChoiceReason }

export const OUTCOME_FAULTS = {
  ...VERIFY_FAULTS,
  unsupported_version: 'v is not outcome-1.',
  not_a_text: 'A member is not a string.',
  unknown_decision: 'decision is none of ACCEPTED, OVERRIDDEN and CHOSEN.',
  unknown_subject: 'subject_v is not reading-1.',
  unknown_word: 'chosen_by_role or reason_code is none that the format has.',
  hash_malformed: 'subject_hash is not 64 lower-case hexadecimal digits.',
  identifier_malformed: 'An id is malformed, or outcome_id does not follow from subject_id.',
} as const

export type OutcomeFault = keyof typeof OUTCOME_FAULTS

const TEXTS = [
  'v',
  'outcome_id',
  'org_id',
  'subject_v',
  'subject_id',
  'subject_hash',
  'decision',
  'chosen',
  'chosen_by_role',
  'reason_code',
  'timestamp',
  'public_key',
  'signature',
] as const

/** @param decidedAt in milliseconds since the epoch */
export const describeOutcome = (
  reading: SignedReading,
  { specialty, role, reason }: Choice,
  { decidedAt, publicKey }: { decidedAt: number; publicKey: string },
): UnsignedOutcome => ({
  v: OUTCOME_PROFILE,
  outcome_id: outcomeIdOf(reading.reading_id),
  org_id: reading.org_id,
  subject_v: READING_PROFILE,
  subject_id: reading.reading_id,
  subject_hash: signedHash(reading),
  decision: decisionOf(reading, specialty),
  chosen: specialty,
  chosen_by_role: role,
  reason_code: reason,
  timestamp: new Date(decidedAt).toISOString(),
  public_key: publicKey,
})

export const decisionOf = (
  { decision, specialty }: Pick<SignedReading, 'decision' | 'specialty'>,
  chosen: string,
): OutcomeDecision => {
  if (decision === 'ask') return 'CHOSEN'
  return chosen === specialty ? 'ACCEPTED' : 'OVERRIDDEN'
}

/** Follows from the reading's id, so that a reading has one outcome. */
export const outcomeIdOf = (readingId: string): string =>
  `out_${uuidOfHash(bytesToHex(sha256(utf8ToBytes(`${OUTCOME_PROFILE}|${readingId}`))), '8')}`

/**
 * Returns the hash that tells whether a choice is the same again. Of some eighty specialties a plain hash would be guessed at once;
 * the key is the reading's id, which is not stored.
 */
export const choiceHash = (readingId: string, specialty: string): Uint8Array =>
  hmac(sha256, utf8ToBytes(readingId), utf8ToBytes(specialty))

/** Throws TypeError for a record that every verifier would reject, or that names another key. */
export const signOutcome = (record: UnsignedOutcome, key: SigningKey): Promise<OutcomeRecord> =>
  signMembers(record, key, findMemberFault)

/** Returns null if the record is complete and was signed by a key trusted at its time. */
export const findOutcomeFault = (record: unknown, trust: PinnedTrust): OutcomeFault | null =>
  findRecordFault(record, trust, findMemberFault)

/** Returns true if the record is about this reading, and its decision follows from it. */
export function isOutcomeOf(record: JsonObject, reading: JsonObject & SignedReading): boolean {
  const { subject_id, subject_hash, org_id, chosen, decision } = record
  const isAbout = subject_id === reading.reading_id && subject_hash === signedHash(reading)
  const follows = typeof chosen === 'string' && decision === decisionOf(reading, chosen)
  return isAbout && org_id === reading.org_id && follows
}

function findMemberFault(record: JsonObject): OutcomeFault | null {
  const fault = findNameFault(record, TEXTS)
  if (fault !== null) return fault
  const { v, outcome_id, subject_v, subject_id, subject_hash, decision, chosen_by_role, reason_code } = record
  if (v !== OUTCOME_PROFILE) return 'unsupported_version'
  if (TEXTS.some((name) => typeof record[name] !== 'string')) return 'not_a_text'
  if (!OUTCOME_DECISIONS.some((one) => one === decision)) return 'unknown_decision'
  if (subject_v !== READING_PROFILE) return 'unknown_subject'
  const isKnown =
    CHOOSER_ROLES.some((one) => one === chosen_by_role) && CHOICE_REASONS.some((one) => one === reason_code)
  if (!isKnown) return 'unknown_word'
  if (!isHash(subject_hash)) return 'hash_malformed'
  const areIds = isId(String(subject_id), 'rdg_') && isId(String(record['org_id']), 'org_')
  if (!areIds || outcome_id !== outcomeIdOf(String(subject_id))) return 'identifier_malformed'
  return parseRfc3339(record['timestamp']) === null ? 'timestamp_malformed' : null
}

/** Returns the first 16 bytes of the hash of a reading's id: the row under which an outcome is remembered. */
export const readingIdHash = (readingId: string): Uint8Array => sha256(utf8ToBytes(readingId)).slice(0, 16)
