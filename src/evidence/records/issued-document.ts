// Signs and verifies documents that the service signs as a whole when it issues them: a medical receipt, the last line of an
// export. The signature covers members that no record has, so nobody can change them afterwards.
import { encodeBase64url } from './base64.ts'
import { areNumbersCanonical } from './number-text.ts'
import type { JsonObject } from '../../platform/json.ts'
import { signedBytes } from './attestation-record.ts'
import { parseRfc3339 } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { findRecordFault, VERIFY_FAULTS, type PinnedTrust } from './verify-record.ts'

/** The last members of a signed document, in this order. The signature covers the canonical JSON of all other members. */
export type IssuedMembers = { issued_at: string; public_key: string; signature: string }

export const ISSUED_MEMBERS = ['issued_at', 'public_key', 'signature'] as const

/** SECURITY: the member `object` names the kind, so the document passes for nothing else that the key signs. */
export async function signIssuedDocument<Document extends { object: string }>(
  document: Document,
  key: SigningKey,
  now: number,
): Promise<Document & IssuedMembers> {
  const unsigned = { ...document, issued_at: new Date(now).toISOString(), public_key: key.publicKey }
  return { ...unsigned, signature: encodeBase64url(await key.sign(signedBytes(unsigned))) }
}

export const ISSUED_FAULTS = {
  ...VERIFY_FAULTS,
  number_spelling: 'A number in it is written otherwise than canonical JSON writes it.',
  issued_at_malformed: 'issued_at is not RFC 3339 with an explicit offset.',
} as const

export type IssuedFault = keyof typeof ISSUED_FAULTS

/** Returns null if a key trusted at its time signed the whole document. The caller checks the other members. */
export const findIssuedFault = (document: JsonObject, trust: PinnedTrust): IssuedFault | null =>
  findRecordFault(document, trust, findSpellingFault, { time: 'issued_at' })

function findSpellingFault(document: JsonObject): IssuedFault | null {
  if (!areNumbersCanonical(document)) return 'number_spelling'
  return parseRfc3339(document['issued_at']) === null ? 'issued_at_malformed' : null
}
