// What a document is checked against: all of it given by the caller, none of it taken from the document.
import { ACCEPT_PROFILE } from '../records/accept-record.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { PinnedTrust, Trust } from '../records/verify-record.ts'
import type { DocumentKind } from './document-kind.ts'
import type { Freshness } from './freshness.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { verifyEd25519 } from '../records/ed25519.ts'
import type { Hashing } from '../../platform/sha256.ts'
import type { Sha256 } from '../tree/merkle-hash.ts'

/** Formats that are no part of ATTESTATION-v1 itself. Nothing in a document names its own. */
export const PROFILES = [ACCEPT_PROFILE] as const
export type Profile = (typeof PROFILES)[number]

export type Against = {
  /** Null where neither a key was given nor integrity alone was asked for. */
  trust: Trust | null
  /** What the document is; null where its members are to tell. */
  kind: DocumentKind | null
  /** What the document is to be a record of, whatever its members are; null where no profile was named. */
  profile: Profile | null
  /** The record that a record of the profile is about. */
  subject: JsonObject | null
  /** The body of the request that a record is about. */
  request: JsonObject | null
  /** An inclusion proof of a record. */
  proof: JsonObject | null
  /** Signed heads of the trees that a proof speaks of. */
  heads: readonly JsonObject[]
  /** How old a head may be; null for any age. */
  freshness: Freshness | null
  /** What many records are checked with. */
  cryptography: Cryptography
}

export type Cryptography = {
  readonly sha256: Sha256
  readonly beginSha256: () => Hashing
  readonly verifyEd25519: typeof verifyEd25519
}

/** Runs wherever JavaScript does. */
export const portableCryptography: Cryptography = { sha256, beginSha256, verifyEd25519 }

function beginSha256(): Hashing {
  const hash = sha256.create()
  return {
    update(data) {
      hash.update(typeof data === 'string' ? utf8ToBytes(data) : data)
    },
    digestHex: () => bytesToHex(hash.digest()),
  }
}

export const AGAINST_NOTHING: Against = {
  trust: null,
  kind: null,
  profile: null,
  subject: null,
  request: null,
  proof: null,
  heads: [],
  freshness: null,
  cryptography: portableCryptography,
}

/** Why a document cannot be checked as it was asked for, in the words of the command. */
export const MISUSES = {
  no_trust: 'What is signed needs --key KEY or --keys FILE; a record may have --integrity-only.',
  integrity_of_no_record: '--integrity-only is for a record alone. Anything else needs a key you trust.',
  receipt_against_more: 'This is a medical receipt: it is checked with a key alone.',
  receipts_against_more: 'This is an export of medical receipts: it is checked with a key alone.',
  entries_against_more: 'This is an export of audit entries: it is checked with a key alone.',
  request_of_no_record: '--request belongs with a record.',
  proof_of_no_record: '--proof belongs with a record.',
  head_of_no_proof: '--head belongs with a proof, or with a record and its --proof.',
  checkpoint_without_log: 'This is a checkpoint: it is checked with --log VKEY.',
  age_of_no_head: '--max-age belongs with a head, a proof with its heads, or a checkpoint.',
} as const

export type Misuse = keyof typeof MISUSES

export class MisuseError extends Error {
  readonly misuse: Misuse

  constructor(misuse: Misuse) {
    super(MISUSES[misuse])
    this.misuse = misuse
  }
}

export function trustOf({ trust }: Against): Trust {
  if (trust === null) throw new MisuseError('no_trust')
  return trust
}

/** Integrity alone is asked of records only: of anything else it would show nothing. */
export function pinnedTrustOf(against: Against): PinnedTrust {
  const trust = trustOf(against)
  if (!('keys' in trust)) throw new MisuseError('integrity_of_no_record')
  return trust
}
