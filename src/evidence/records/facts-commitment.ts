// Commits to the facts of a decision, `facts-1`: the id of the decision's record is computed from the salted hash of its facts. So the
// leaf of the record covers facts for which the record has no member. docs/audit.md describes the format.
//
// SECURITY: an id has 122 bits of the hash. A decision's settlement repeats the whole hash as `facts_sha256`.
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js'
import type { JsonObject } from '../../platform/json.ts'
import { isHash } from '../tree/verify-proof.ts'
import type { Sha256 } from '../tree/merkle-hash.ts'
import { canonicalJson } from './canonical-json.ts'
import { areNumbersCanonical, wholeNumberIn } from './number-text.ts'

export const FACTS_FORM = 'facts-1'

/** The least retention of any tier, in days. No decision is deleted before. */
export const LEAST_RETENTION_DAYS = 7

/** Separates these hashes from all others. */
const CONTEXT = utf8ToBytes('countersign-facts-1\0')

const SALT = /^[0-9a-f]{32}$/

/** `text`: the canonical JSON of the facts. `sha256`: its salted hash, 64 hex digits. `attestationId`: a UUID of version 4. */
export type FactsCommitment = { text: string; sha256: string; attestationId: string }

/** Returns what commits to the facts. Throws TypeError for facts without canonical JSON. */
export function commitToFacts(facts: JsonObject, sha256: Sha256 = portableSha256): FactsCommitment {
  const text = canonicalJson(facts)
  const hash = sha256(concatBytes(CONTEXT, utf8ToBytes(text)))
  return { text, sha256: bytesToHex(hash), attestationId: attestationIdOf(hash) }
}

/** Returns the first 16 bytes of the hash as a UUID, with version 4 and variant 10 set (RFC 9562, 5.4). */
export function attestationIdOf(hash: Uint8Array): string {
  const id = hash.slice(0, 16)
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80
  return bytesToHex(id).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
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
export function judgeFacts(facts: JsonObject | null, attestationId: unknown, sha256?: Sha256): JudgedFacts {
  if (facts === null || !(Object.hasOwn(facts, 'v') || Object.hasOwn(facts, 'salt'))) return 'not_covered'
  if (!isWellFormed(facts)) return 'facts_malformed'
  try {
    const commitment = commitToFacts(facts, sha256)
    return commitment.attestationId === attestationId ? { sha256: commitment.sha256 } : 'facts_mismatch'
  } catch {
    return 'facts_malformed'
  }
}

/** Judges a settlement's `facts_sha256` beside the hash of the facts of the decision that it settles. */
export function judgeRepeatedHash(repeated: unknown, sha256: string): FactsFault | null {
  if (!isHash(repeated)) return 'facts_malformed'
  return repeated === sha256 ? null : 'facts_mismatch'
}

function isWellFormed(facts: JsonObject): boolean {
  const { v, salt } = facts
  const days = wholeNumberIn(facts, 'retention_days') ?? 0
  const isSalted = v === FACTS_FORM && typeof salt === 'string' && SALT.test(salt)
  return isSalted && days >= LEAST_RETENTION_DAYS && areNumbersCanonical(facts)
}
