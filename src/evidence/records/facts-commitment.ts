// Commits to the facts of a decision, `facts-1`: the id of the decision's record is computed from the salted hash of its facts. So the
// leaf of the record covers facts for which the record has no member. docs/hashes.md describes the format.
//
// SECURITY: an id has 122 bits of the hash. A decision's settlement repeats the whole hash as `facts_sha256`.
import { sha256 as hashBytes } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { JsonObject } from '../../platform/json.ts'
import { isHash } from '../tree/verify-proof.ts'
import { canonicalJson, ifCanonical } from './canonical-json.ts'
import { areNumbersCanonical, wholeNumberIn } from './number-text.ts'

export const FACTS_FORM = 'facts-1'

/** The least retention of any tier, in days. No decision is deleted before. */
export const LEAST_RETENTION_DAYS = 7

/** The counts of an hour are kept for these days in every tier: as long as the longest retention. */
export const COUNTS_RETENTION_DAYS = 2557

/** Separates these hashes from all others. */
const CONTEXT = 'countersign-facts-1\0'

/** Returns the SHA-256 of bytes, 64 hex digits. */
export type HashBytes = (bytes: Uint8Array) => string

export const portableHash: HashBytes = (bytes) => bytesToHex(hashBytes(bytes))

/** The salt of facts, and of an answer: 16 bytes in hex. */
export const isSalt = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)

/** Returns the SHA-256 of a salt's 16 bytes, 64 hex digits. */
export const saltHash = (salt: string, hash: HashBytes = portableHash): string => hash(hexToBytes(salt))

/** Returns true for a salt in its form that fits the `salt_sha256` of a settlement's `answer`, if that has one. */
export const isSaltOf = (salt: unknown, { salt_sha256: committed }: JsonObject): salt is string =>
  isSalt(salt) && (committed === undefined || committed === saltHash(salt))

/** `text`: the canonical JSON of the facts. `sha256`: its salted hash, 64 hex digits. `attestationId`: a UUID of version 4. */
export type FactsCommitment = { text: string; sha256: string; attestationId: string }

/** Returns the SHA-256 of a text's UTF-8, 64 hex digits. */
export type HashText = (text: string) => string

const portableTextHash: HashText = (text) => portableHash(utf8ToBytes(text))

/** Returns what commits to the facts. Throws TypeError for facts without canonical JSON. @see docs/hashes.md */
export function commitToFacts(facts: JsonObject, hash: HashText = portableTextHash): FactsCommitment {
  const text = canonicalJson(facts)
  const digits = hash(CONTEXT + text)
  return { text, sha256: digits, attestationId: attestationIdOf(digits) }
}

export const attestationIdOf = (hash: string): string => uuidOfHash(hash, '4')

/**
 * Returns the first 16 bytes of a hash as a UUID, with its version and variant 10 set. @param hash in hex
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5
 */
export function uuidOfHash(hash: string, digit: '4' | '8'): string {
  const variant = '89ab'.charAt(Number.parseInt(hash.charAt(16), 16) & 3)
  const [time, version] = [`${hash.slice(0, 8)}-${hash.slice(8, 12)}`, `${digit}${hash.slice(13, 16)}`]
  return `${time}-${version}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

export const FACTS_FAULTS = {
  facts_missing: 'It has no facts, or no v and salt in them, where the log says that each decision has them.',
  facts_malformed: 'Its facts are not of the form facts-1, or the settlement’s facts_sha256 is not 64 digits.',
  facts_mismatch: 'Its facts are not those that its record’s id or its settlement commits to: they were changed.',
} as const

export const FACTS_NOT_COVERED = 'Facts not covered: no hash is over them.'

export type FactsFault = keyof typeof FACTS_FAULTS

/** `not_covered`: nothing commits to these facts, as of a decision before this form. `sha256`: the hash of covered facts. */
export type JudgedFacts = FactsFault | 'not_covered' | { sha256: string }

/**
 * Judges the facts of a decision by its record's id.
 *
 * @param facts as they were read; null if there are none
 */
export function judgeFacts(facts: JsonObject | null, attestationId: unknown, hash?: HashText): JudgedFacts {
  if (facts === null || !(Object.hasOwn(facts, 'v') || Object.hasOwn(facts, 'salt'))) return 'not_covered'
  if (!isWellFormed(facts)) return 'facts_malformed'
  const commitment = ifCanonical(() => commitToFacts(facts, hash))
  if (commitment === null) return 'facts_malformed'
  return commitment.attestationId === attestationId ? { sha256: commitment.sha256 } : 'facts_mismatch'
}

/** Judges a settlement's `facts_sha256` beside the hash of the facts of the decision that it settles. */
export function judgeRepeatedHash(repeated: unknown, sha256: string): FactsFault | null {
  if (!isHash(repeated)) return 'facts_malformed'
  return repeated === sha256 ? null : 'facts_mismatch'
}

function isWellFormed(facts: JsonObject): boolean {
  const { v, salt } = facts
  const days = wholeNumberIn(facts, 'retention_days') ?? 0
  const isSalted = v === FACTS_FORM && isSalt(salt)
  return isSalted && days >= LEAST_RETENTION_DAYS && areNumbersCanonical(facts)
}
