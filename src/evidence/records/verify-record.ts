// Verifies a record by the rules of ATTESTATION-v1, in the format's order. Returns a verdict for any input and never throws. Its
// single checks of key, signature and time also serve other signed documents.
import { decodeBase64url, encodeBase64url } from './base64.ts'
import { findMemberFault, RECORD_FAULTS, signedBytes } from './attestation-record.ts'
import { ifCanonical } from './canonical-json.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from './ed25519.ts'
import { findKeyFault, KEY_FAULTS, type ListedKey, type KeyList, type KeyFault } from './key-list.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { parseRfc3339 } from './rfc3339.ts'

/**
 * `keys` are trusted at any time (base64url). Keys in `list` are trusted for a time, even if `keys` has them too. `integrityOnly`
 * shows only that the key in the record signed it. Anyone can make such a record.
 */
export type Trust = { readonly keys: readonly string[]; readonly list?: KeyList } | { readonly integrityOnly: true }

/** Trust in keys. Everything except a single record needs it. */
export type PinnedTrust = Extract<Trust, { readonly keys: readonly string[] }>

export type KeySource = 'pinned' | 'untrusted'

export const VERIFY_FAULTS = { ...RECORD_FAULTS, ...KEY_FAULTS } as const

export type VerifyFault = keyof typeof VERIFY_FAULTS

export type RecordVerdict =
  | { readonly valid: true; readonly keySource: KeySource }
  | { readonly valid: false; readonly fault: VerifyFault }

/**
 * `time`: the member with the record's time. `isIncluded`: see `findKeyFault`. `verify`: a faster function with the results of
 * `verifyEd25519`.
 */
type VerifyOptions = { time?: string; isIncluded?: boolean; verify?: typeof verifyEd25519 }

/** @see https://github.com/Aqta-ai/attestation-spec */
export function verifyRecord(record: unknown, trust: Trust, judging: VerifyOptions = {}): RecordVerdict {
  const fault = findRecordFault(record, trust, findMemberFault, judging)
  if (fault !== null) return { valid: false, fault }
  return { valid: true, keySource: 'keys' in trust ? 'pinned' : 'untrusted' }
}

/**
 * Returns null if a record of any format is complete and was signed by a key trusted at its time. Applies the format's rules
 * first, so that all verifiers report the same fault. Then checks that the key was valid at the record's time.
 *
 * @param findFault finds faults of the format in the members
 */
export function findRecordFault<Fault extends string>(
  record: unknown,
  trust: Trust,
  findFault: (record: JsonObject) => Fault | null,
  { time = 'timestamp', isIncluded = false, verify = verifyEd25519 }: VerifyOptions = {},
): Fault | VerifyFault | null {
  if (!isJsonObject(record)) return 'not_an_object'
  return (
    findFault(record) ??
    findTrustFault(record['public_key'], trust) ??
    findSignatureFault(record, verify) ??
    findTimeFault(record, trust, { time, isIncluded })
  )
}

export function findTrustFault(publicKey: unknown, trust: Trust): VerifyFault | null {
  if (!('keys' in trust)) return null
  const trusted = trustedKeys(trust)
  if (trusted.length === 0) return 'no_trusted_key'
  return trusted.some((key) => key === publicKey) ? null : 'key_not_trusted'
}

/**
 * Checks by the list of trusted keys that a signed document's key was valid at the document's time. `time`: the member with
 * that time.
 */
export function findTimeFault(
  signed: JsonObject,
  trust: Trust,
  { time = 'timestamp', isIncluded = false }: { time?: string; isIncluded?: boolean } = {},
): KeyFault | null {
  const { public_key: publicKey } = signed
  const key = typeof publicKey === 'string' ? listedKey(trust, publicKey) : undefined
  return key === undefined ? null : findKeyFault(key, parseRfc3339(signed[time]), isIncluded)
}

export const trustedKeys = (trust: Trust): readonly string[] =>
  'keys' in trust ? [...trust.keys, ...(trust.list?.keys() ?? [])] : []

/** Returns the list’s entry for a key, in any spelling of the key; undefined without one. */
export function listedKey(trust: Trust, publicKey: string): ListedKey | undefined {
  const bytes = decodeExactly(publicKey, PUBLIC_KEY_BYTES)
  return 'keys' in trust && bytes !== null ? trust.list?.get(encodeBase64url(bytes)) : undefined
}

function findSignatureFault(record: JsonObject, verify: typeof verifyEd25519): VerifyFault | null {
  const message = ifCanonical(() => signedBytes(record))
  if (message === null) return 'not_canonicalisable'
  const signature = decodeExactly(record['signature'], SIGNATURE_BYTES)
  if (signature === null) return 'signature_malformed'
  const publicKey = decodeExactly(record['public_key'], PUBLIC_KEY_BYTES)
  if (publicKey === null) return 'public_key_malformed'
  return verify(signature, message, publicKey) ? null : 'signature_mismatch'
}

export function decodeExactly(text: unknown, length: number): Uint8Array | null {
  const bytes = typeof text === 'string' ? decodeBase64url(text) : null
  return bytes?.length === length ? bytes : null
}
