// What a document is checked against: all of it given by the caller, none of it taken from the document.
import { ACCEPT_PROFILE } from '../../src/attestation/accept-record.ts'
import type { JsonObject } from '../../src/platform/json-object.ts'
import type { PinnedTrust, Trust } from '../../src/attestation/verify-record.ts'
import type { DocumentKind } from './document-kind.ts'

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
}

/** Why a document cannot be checked as it was asked for, in a sentence. */
export class MisuseError extends Error {}

export function trustOf({ trust }: Against): Trust {
  if (trust === null)
    throw new MisuseError('What is signed needs --key KEY or --keys FILE; a record may have --integrity-only.')
  return trust
}

/** Integrity alone is asked of records only: of anything else it would show nothing. */
export function pinnedTrustOf(against: Against): PinnedTrust {
  const trust = trustOf(against)
  if (!('keys' in trust))
    throw new MisuseError('--integrity-only is for a record alone. Anything else needs a key you trust.')
  return trust
}
