// Signs and verifies reading-1 (docs/records.md#reading): the record of what two readers named in a letter. A salted HMAC commits to
// the letter. It has no numbers, because a number has more than one spelling.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Infer } from '../../platform/once.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { ReadingSignedSchema } from './attestation.schema.ts'
import { isHash } from '../tree/verify-proof.ts'
import { findNameFault } from './member-names.ts'
import { READER_STATES, READING_ACTIONS, READING_PROFILE } from './reading-words.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { findRecordFault, VERIFY_FAULTS, type PinnedTrust } from './verify-record.ts'

/** The record that `ReadingSignedSchema` describes. Lists are Reader A's, then Reader B's. */
export type SignedReading = Readonly<Infer<typeof ReadingSignedSchema>>

export type UnsignedReading = Omit<SignedReading, 'signature'>

export const READING_FAULTS = {
  ...VERIFY_FAULTS,
  unsupported_version: 'v is not reading-1.',
  not_a_text: 'A member is not a string, or a list about the readers is not two strings.',
  identifier_malformed: 'reading_id or org_id is not its prefix and a UUID in lower case.',
  hash_malformed: 'A hash or the commitment is not 64 lower-case hexadecimal digits.',
  unknown_word: 'An action, decision, state or age group is none that the format has.',
  samples_malformed: 'reader_samples is not AGREEING/VALID/ASKED, each no more than the next.',
  date_malformed: 'dataset_archive_date is not a date.',
  contradicts_itself: 'The decision does not follow from what the readers named.',
} as const

export type ReadingFault = keyof typeof READING_FAULTS

const TEXTS = [
  'v',
  'reading_id',
  'org_id',
  'action',
  'letter_commitment',
  'decision',
  'specialty',
  'age_group',
  'dataset_hash',
  'dataset_archive_date',
  'prompt_hash',
  'service_version',
  'timestamp',
  'public_key',
  'signature',
] as const

const PAIRS = [
  'reader_providers',
  'reader_models',
  'reader_served_models',
  'reader_regions',
  'reader_states',
  'reader_specialties',
  'reader_age_groups',
  'reader_samples',
] as const

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SAMPLES = /^(0|[1-9]\d?)\/(0|[1-9]\d?)\/([1-9]\d?)$/
const DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the signed bytes of a record whose members are in canonical order. They are its canonical JSON, written in one step,
 * because every reading waits for it.
 */
export const readingBytes = (record: UnsignedReading): Uint8Array => new TextEncoder().encode(JSON.stringify(record))

/**
 * Returns null if the record is complete, follows its own rule, and was signed by a key trusted at its time.
 *
 * @param isIncluded see `findKeyFault`
 */
export const findReadingFault = (record: unknown, trust: PinnedTrust, isIncluded = false): ReadingFault | null =>
  findRecordFault(record, trust, findMemberFault, { isIncluded })

export const isReading = (record: JsonObject): record is JsonObject & SignedReading => findMemberFault(record) === null

function findMemberFault(record: JsonObject): ReadingFault | null {
  const fault = findNameFault(record, [...TEXTS, ...PAIRS])
  if (fault !== null) return fault
  if (record['v'] !== READING_PROFILE) return 'unsupported_version'
  if (!hasTexts(record)) return 'not_a_text'
  return (
    findWordFault(record) ??
    (followsFromReaders(record) ? null : 'contradicts_itself') ??
    (parseRfc3339(record.timestamp) === null ? 'timestamp_malformed' : null)
  )
}

type Texts = Record<(typeof TEXTS)[number], string> & Record<(typeof PAIRS)[number], readonly [string, string]>

const isText = (value: unknown): boolean => typeof value === 'string'

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText)

const hasTexts = (record: JsonObject): record is JsonObject & Texts =>
  TEXTS.every((name) => isText(record[name])) && PAIRS.every((name) => isPair(record[name]))

function findWordFault(record: Texts): ReadingFault | null {
  if (!isId(record.reading_id, 'rdg_') || !isId(record.org_id, 'org_')) return 'identifier_malformed'
  const hashes = [record.letter_commitment, record.dataset_hash, record.prompt_hash]
  if (!hashes.every(isHash)) return 'hash_malformed'
  const isKnown =
    isOneOf(READING_ACTIONS, record.action) &&
    isOneOf(['yes', 'ask'], record.decision) &&
    record.reader_states.every((state) => isOneOf(READER_STATES, state)) &&
    [record.age_group, ...record.reader_age_groups].every((group) => isOneOf(['', 'Adult', 'Child'], group))
  if (!isKnown) return 'unknown_word'
  if (!record.reader_samples.every((samples) => countsOf(samples) !== null)) return 'samples_malformed'
  const { dataset_archive_date: date } = record
  return DATE.test(date) && !Number.isNaN(Date.parse(date)) ? null : 'date_malformed'
}

export const isId = (text: string, prefix: string): boolean =>
  text.startsWith(prefix) && UUID.test(text.slice(prefix.length))

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word)

function countsOf(samples: string): { agreeing: number; valid: number; asked: number } | null {
  const [agreeing = 0, valid = 0, asked = 0] = SAMPLES.exec(samples)?.slice(1).map(Number) ?? []
  return asked > 0 && agreeing <= valid && valid <= asked ? { agreeing, valid, asked } : null
}

/** Applies the rule of the service, for readers of two providers: `yes` where both readers named one specialty, and an age group where both gave one. */
function followsFromReaders(record: Texts): boolean {
  const [a, b] = [readerOf(record, 0), readerOf(record, 1)]
  const [provider, other] = record.reader_providers
  if (!isWhole(a) || !isWhole(b) || provider === other) return false
  const areAgreed = a.specialty !== '' && a.specialty === b.specialty
  const specialty = areAgreed ? a.specialty : ''
  const ageGroup = areAgreed && a.ageGroup === b.ageGroup ? a.ageGroup : ''
  const decision = areAgreed ? 'yes' : 'ask'
  return record.decision === decision && record.specialty === specialty && record.age_group === ageGroup
}

const readerOf = (record: Texts, reader: 0 | 1) => ({
  state: record.reader_states[reader],
  specialty: record.reader_specialties[reader],
  ageGroup: record.reader_age_groups[reader],
  samples: record.reader_samples[reader],
})

/** Only a reader that named a specialty has one, and only a majority of valid samples names one or none. */
function isWhole({ state, specialty, ageGroup, samples }: ReturnType<typeof readerOf>): boolean {
  const { agreeing, valid, asked } = countsOf(samples) ?? { agreeing: 0, valid: 0, asked: 1 }
  const hasRead = (state === 'named' || state === 'none') && agreeing > 0
  if ((state === 'named') !== (specialty !== '') || (specialty === '' && ageGroup !== '')) return false
  return valid * 2 > asked ? hasRead || state === 'no_majority' : !hasRead
}

/**
 * Returns true if the letter, byte for byte as it was sent, and the salt make the record's commitment. SECURITY: HMAC takes a salt
 * with zero bytes after it for the same, so the salt must have its 64 digits.
 */
export const isLetterOf = ({ letter_commitment: commitment }: JsonObject, letter: Uint8Array, salt: string): boolean =>
  isHash(salt) && bytesToHex(hmac(sha256, hexToBytes(salt), letter)) === commitment
