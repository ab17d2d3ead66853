// Checks a signed reading with its letter and its entry in the log, and what a clinician chose after it. Has the check of each
// profile, apart from the other checks: most visits of the page need none.
import { bytesToHex } from '@noble/hashes/utils.js'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { ENTRY_SALT_BYTES, isEntryOfKind } from '../entry-tags.ts'
import { signedHashOrNull } from '../records/attestation-record.ts'
import { decodeBase64url } from '../records/base64.ts'
import { ACCEPT_PROFILE } from '../records/accept-record.ts'
import { findOutcomeFault, isOutcomeOf, OUTCOME_FAULTS } from '../records/outcome-record.ts'
import { readJsonObject } from '../records/read-json-object.ts'
import { findReadingFault, isLetterOf, isReading, READING_FAULTS } from '../records/reading-record.ts'
import { OUTCOME_PROFILE, READING_PROFILE } from '../records/reading-words.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { MisuseError, pinnedTrustOf, type CheckOptions, type ProfileCheck } from './check-options.ts'
import { checkInclusion } from './check-proof.ts'
import { toPrintable } from './printable.ts'
import { demoNote, faultOf, judged, judgedRecord, passed, unproven, type Finding } from './verification-finding.ts'
import { checkAcceptance } from './check-record.ts'
import { readingIn, textIn, type Profile } from './document-kind.ts'

/** Checks a signed reading; or the answer or the record around it, which also has the salt and the entry. */
function checkReading(document: JsonObject, options: CheckOptions): Finding[] {
  const whole = readingIn(document)
  if (whole === null) return checkSigned(document, options)
  const { record, signed } = whole
  const { letter } = options.reading
  const salt = letter === null ? null : (options.reading.salt ?? whole.salt)
  // Without a proof of the log, an entry is what its maker wrote.
  const kept = options.proof === null ? null : decodeBase64url(whole.entry ?? '-')
  const entry = options.reading.entry ?? kept
  const findings = checkSigned(signed, { ...options, reading: { letter, salt, entry } })
  if (!findings.every(({ valid }) => valid)) return findings
  const subject = toPrintable(record['id'])
  return [
    ...findings,
    agreesWithSigned(record, signed) && (record === document || isSameDecision(document, signed))
      ? passed('answer', subject, { code: 'only_the_signed_part', reason: ONLY_THE_SIGNED_PART })
      : judgedBy('answer', subject, 'members_differ'),
  ]
}

export const READING_EVIDENCE_FAULTS = {
  members_differ: 'Its id, letter or decision is another than what is signed.',
  letter_mismatch:
    'It is not the letter that was read, or not the salt. Each byte counts: the last line end and a byte order mark too.',
  entry_mismatch: 'The entry is no settlement with the hash and decision of this reading.',
  subject_mismatch: 'It is about another reading, about other bytes of this one, or does not follow from it.',
} as const

const judgedBy = (kind: Finding['kind'], subject: string, code: keyof typeof READING_EVIDENCE_FAULTS | null): Finding =>
  judged(kind, subject, faultOf(READING_EVIDENCE_FAULTS, code))

const ONLY_THE_SIGNED_PART = 'Only record.signed is proven. The rest has the same id, letter and decision.'

function agreesWithSigned({ id, question, outcome }: JsonObject, signed: JsonObject): boolean {
  const isSameQuestion =
    textIn(question, 'textHmac') === signed['letter_commitment'] && textIn(question, 'action') === signed['action']
  return id === signed['reading_id'] && isSameQuestion && isJsonObject(outcome) && isSameDecision(outcome, signed)
}

const isSameDecision = ({ decision, specialty, ageGroup }: JsonObject, signed: JsonObject): boolean =>
  decision === signed['decision'] &&
  (specialty ?? '') === signed['specialty'] &&
  (ageGroup ?? '') === signed['age_group']

function checkSigned(record: JsonObject, options: CheckOptions): Finding[] {
  const { letter, salt, entry } = options.reading
  if ((letter === null) !== (salt === null)) throw new MisuseError('letter_without_salt')
  if (options.proof !== null && entry === null) throw new MisuseError('proof_of_no_entry')
  if (options.heads.length > 0 && options.proof === null) throw new MisuseError('head_of_no_proof')
  const inLog = entry === null ? [] : checkEntry(record, entry, options)
  const isIncluded = options.proof !== null && inLog.every(({ valid }) => valid)
  const finding = judgeReading(record, options, isIncluded)
  if (!finding.valid) return [finding]
  return [finding, ...(letter === null || salt === null ? [] : [checkLetter(record, letter, salt)]), ...inLog]
}

function judgeReading(record: JsonObject, options: CheckOptions, isIncluded: boolean): Finding {
  const fault = faultOf(READING_FAULTS, findReadingFault(record, pinnedTrustOf(options), isIncluded))
  const names = ['reading_id', 'decision', 'specialty', 'timestamp'] as const
  return judgedRecord('reading', record, names, fault, demoNote(record['org_id']))
}

function checkLetter(record: JsonObject, letter: Uint8Array, salt: string): Finding {
  const subject = toPrintable(record['letter_commitment'])
  return judgedBy('letter', subject, isLetterOf(record, letter, salt) ? null : 'letter_mismatch')
}

/** Reads an entry from a file: its bytes, or the base64url text of them that an answer has. */
export function readEntryBytes(file: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(file).trim()
  return decodeBase64url(text) ?? file
}

/** Checks that an entry of the log has the hash of this reading, and by a proof that a signed head covers the entry. */
function checkEntry(record: JsonObject, entry: Uint8Array, options: CheckOptions): Finding[] {
  const leaf = bytesToHex(hashLeaf(entry))
  const content = readJsonObject(entry.subarray(1 + ENTRY_SALT_BYTES))
  const { reading, decision } = isEntryOfKind(entry, 'settlement') && content.readable ? content.object : {}
  if (reading !== signedHashOrNull(record) || decision !== record['decision'])
    return [judgedBy('settlement', leaf, 'entry_mismatch')]
  const { proof } = options
  return proof === null
    ? [judged('settlement', leaf, unproven(UNPROVEN_ENTRY))]
    : [passed('settlement', leaf), ...checkInclusion(proof, options, { record, leaf })]
}

const UNPROVEN_ENTRY = 'It has the hash of this reading. Give the proof that the log has the entry.'

function checkOutcome(record: JsonObject, options: CheckOptions): Finding[] {
  const { subject } = options
  const fault = faultOf(OUTCOME_FAULTS, findOutcomeFault(record, pinnedTrustOf(options)))
  const names = ['outcome_id', 'decision', 'chosen', 'chosen_by_role', 'timestamp'] as const
  const finding = judgedRecord('outcome', record, names, fault)
  if (subject === null || fault !== null) return [finding]
  const { signed } = readingIn(subject) ?? { signed: subject }
  const mismatch = isReading(signed) && isOutcomeOf(record, signed) ? null : 'subject_mismatch'
  const about = judgedBy('subject', toPrintable(record['subject_id']), mismatch)
  return [finding, about, judgeReading(signed, options, false)]
}

export const PROFILE_CHECKS: Readonly<Record<Profile, ProfileCheck>> = {
  [ACCEPT_PROFILE]: checkAcceptance,
  [READING_PROFILE]: checkReading,
  [OUTCOME_PROFILE]: checkOutcome,
}
