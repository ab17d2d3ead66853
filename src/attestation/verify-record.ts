// Judges a record by the rules of ATTESTATION-v1, in the format's order. Whatever it is given, it answers.
import { decodeBase64url } from './base64url.ts'
import { findMemberFault } from './check-members.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts'
import { isJsonObject, type JsonObject } from './read-json.ts'
import { signedBytes } from './record.ts'
import type { RecordFault } from './record-fault.ts'

/**
 * Which keys are trusted, in base64url, or that none is asked for. Integrity alone says only that whoever made the
 * record held the key written in it, which anyone can bring about.
 */
export type Trust = { readonly keys: readonly string[] } | { readonly integrityOnly: true }

export type KeySource = 'pinned' | 'untrusted'

export type RecordVerdict =
  | { readonly valid: true; readonly keySource: KeySource }
  | { readonly valid: false; readonly fault: RecordFault }

export function verifyRecord(record: unknown, trust: Trust): RecordVerdict {
  const fault = isJsonObject(record) ? findFault(record, trust) : 'not_an_object'
  if (fault !== null) return { valid: false, fault }
  return { valid: true, keySource: 'keys' in trust ? 'pinned' : 'untrusted' }
}

function findFault(record: JsonObject, trust: Trust): RecordFault | null {
  return findMemberFault(record) ?? findTrustFault(record['public_key'], trust) ?? findSignatureFault(record)
}

function findTrustFault(publicKey: unknown, trust: Trust): RecordFault | null {
  if (!('keys' in trust)) return null
  if (trust.keys.length === 0) return 'no_trusted_key'
  return trust.keys.some((key) => key === publicKey) ? null : 'key_not_trusted'
}

function findSignatureFault(record: JsonObject): RecordFault | null {
  const message = signedBytesOrNull(record)
  if (message === null) return 'not_canonicalisable'
  const signature = decodeExactly(record['signature'], SIGNATURE_BYTES)
  if (signature === null) return 'signature_malformed'
  const publicKey = decodeExactly(record['public_key'], PUBLIC_KEY_BYTES)
  if (publicKey === null) return 'public_key_malformed'
  return verifyEd25519(signature, message, publicKey) ? null : 'signature_mismatch'
}

function signedBytesOrNull(record: JsonObject): Uint8Array | null {
  try {
    return signedBytes(record)
  } catch {
    return null
  }
}

export function decodeExactly(text: unknown, length: number): Uint8Array | null {
  const bytes = typeof text === 'string' ? decodeBase64url(text) : null
  return bytes?.length === length ? bytes : null
}
