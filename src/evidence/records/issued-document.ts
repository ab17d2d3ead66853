// Documents that the service signs as a whole when it hands them out: a medical receipt, the last line of an export. So members
// that no record has are its word too, and whoever hands the document on can change none of them.
import { encodeBase64url } from './base64.ts'
import type { KeyFault } from './kept-keys.ts'
import { areNumbersCanonical } from './number-text.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { signedBytes, type RecordFault } from './record.ts'
import { secondsOf } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { findSignatureFault, findTimeFault, findTrustFault, type PinnedTrust } from './verify-record.ts'

/** Its last members, in their order. What is signed is the canonical JSON of all members but the last. */
export type Issued = { issued_at: string; public_key: string; signature: string }

export const ISSUED_MEMBERS = ['issued_at', 'public_key', 'signature'] as const

/** SECURITY: `object` tells what it is, so that it passes for nothing else that the same key signs. */
export async function signIssued<Document extends { object: string }>(
  document: Document,
  key: SigningKey,
  now: number,
): Promise<Document & Issued> {
  const unsigned = { ...document, issued_at: new Date(now).toISOString(), public_key: key.publicKey }
  return { ...unsigned, signature: encodeBase64url(await key.sign(signedBytes(unsigned))) }
}

export const ISSUED_FAULTS = {
  number_spelling: 'A number in it is written otherwise than canonical JSON writes it.',
  issued_at_malformed: 'issued_at is not RFC 3339 with an explicit offset.',
} as const

export type IssuedFault = keyof typeof ISSUED_FAULTS | RecordFault | KeyFault

/** Null for a document that a trusted key of its time has signed as a whole. Its members are for whoever knows what it is. */
export function findIssuedFault(document: JsonObject, trust: PinnedTrust): IssuedFault | null {
  if (!areNumbersCanonical(document)) return 'number_spelling'
  if (secondsOf(document['issued_at']) === null) return 'issued_at_malformed'
  return (
    findTrustFault(document['public_key'], trust) ??
    findSignatureFault(document) ??
    findTimeFault(document, trust, { time: 'issued_at' })
  )
}
