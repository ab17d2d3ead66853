// The options of a check by countersign-verify or the verification page: keys, proofs, heads and cryptography. None comes from the
// document. Also the combinations of options that are refused.
import type { JsonObject } from '../../platform/json.ts'
import type { PinnedTrust, Trust } from '../records/verify-record.ts'
import type { DocumentKind } from './document-kind.ts'
import type { Freshness } from './freshness.ts'
import type { Finding } from './verification-finding.ts'
import { portableHashFunctions, type HashFunctions } from '../records/hash-functions.ts'
import { verifyEd25519 } from '../records/ed25519.ts'

export type ProfileCheck = (document: JsonObject, options: CheckOptions) => Finding[]

export type CheckOptions = {
  /** Null if the caller gave no key and did not ask for integrity alone. */
  trust: Trust | null
  /** The kind that the caller named; null to detect it. */
  kind: DocumentKind | null
  /** The check of the profile that the caller named; null without one. */
  profile: ProfileCheck | null
  /** The record that an acceptance or an outcome is about. Only those profiles use it. */
  subject: JsonObject | null
  /** The subject of a reading. Only the profile reading-1 uses it. */
  reading: ReadingEvidence
  request: JsonObject | null
  /** An inclusion proof of the record. */
  proof: JsonObject | null
  /** Signed heads of a proof's trees. */
  heads: readonly JsonObject[]
  /** The permitted age of a head; null for any age. */
  freshness: Freshness | null
  /** The time of the check, in milliseconds since the epoch. A file that says a later time is refused. */
  now: number
  /** The check of a caller's copy of the answer, beside a bundle; null without a copy. */
  answer: AnswerCheck | null
  /** These see the entries of an audit export that fit their leaves. */
  observers: readonly EntryObserver[]
  cryptography: Cryptography
}

/** `letter`: its bytes as they were sent. `salt`: 64 hex digits. `entry`: the bytes of the settlement's entry. */
export type ReadingEvidence = { letter: Uint8Array | null; salt: string | null; entry: Uint8Array | null }

/** An entry of an audit export that fits its leaf. `at`: as the line has it. `facts`: null if it has none. */
export type SeenEntry = {
  readonly index: number
  readonly kind: string
  readonly content: JsonObject
  readonly at: unknown
  readonly facts: JsonObject | null
}

export type EntryObserver = {
  /** @param head the export’s first line */
  begin: (head: JsonObject) => void
  take: (entry: SeenEntry) => void
  /** @param why `retention` or `unreadable` */
  takeWithheld: (index: number, why: unknown) => void
}

/** The evidence of a call, from its bundle, that its answer is checked against. */
export type AnsweredCall = {
  record: JsonObject
  /** Null if they were left out, or no hash covers them. */
  facts: JsonObject | null
  /** The settlement's content; null if the call is not settled. */
  content: JsonObject | null
  /** The salt of the answer's hash, unchecked; null if there is none. */
  salt: unknown
  /** True if nothing in the bundle is wrong. */
  isValid: boolean
}

export type AnswerCheck = (call: AnsweredCall, functions: HashFunctions) => Finding

export type Cryptography = HashFunctions & { readonly verifyEd25519: typeof verifyEd25519 }

/** Cryptography that runs in every JavaScript runtime. */
export const portableCryptography: Cryptography = { ...portableHashFunctions, verifyEd25519 }

export const NO_OPTIONS: CheckOptions = {
  trust: null,
  kind: null,
  profile: null,
  subject: null,
  reading: { letter: null, salt: null, entry: null },
  request: null,
  proof: null,
  heads: [],
  freshness: null,
  now: Infinity,
  answer: null,
  observers: [],
  cryptography: portableCryptography,
}

/** Why a combination of inputs is refused. The command and the page each have words of their own for it. */
export type Misuse =
  | 'no_trust'
  | 'integrity_of_no_record'
  | 'receipt_with_more'
  | 'export_with_more'
  | 'request_of_no_record'
  | 'proof_of_no_record'
  | 'head_of_no_proof'
  | 'answer_of_no_bundle'
  | 'checkpoint_without_log'
  | 'letter_without_salt'
  | 'proof_of_no_entry'
  | 'age_of_no_head'

export class MisuseError extends Error {
  readonly misuse: Misuse

  constructor(misuse: Misuse) {
    super(misuse)
    this.misuse = misuse
  }
}

export function trustOf({ trust }: CheckOptions): Trust {
  if (trust === null) throw new MisuseError('no_trust')
  return trust
}

/** Returns the trusted keys. Throws MisuseError for integrity alone, which shows something only for a record. */
export function pinnedTrustOf(options: CheckOptions): PinnedTrust {
  const trust = trustOf(options)
  if (!('keys' in trust)) throw new MisuseError('integrity_of_no_record')
  return trust
}
