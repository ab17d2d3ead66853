// Verifies Ed25519 signatures (RFC 8032) with one result in a browser, in Node and in workerd. Makes the ids of public keys.
import { hashes, Point, verify } from '@noble/ed25519'
import { sha512, sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, bytesToHex } from '@noble/hashes/utils.js'
import { decodeBase64url, encodeBase64url } from './base64.ts'

hashes.sha512 = sha512

export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

/**
 * Verifies strictly: S below the group order, canonical points, no key of small order. The library checks the equation multiplied
 * by the cofactor. Native implementations check it without, so this function checks both.
 * @see https://www.rfc-editor.org/rfc/rfc8032#section-5.1.7
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return verify(signature, message, publicKey, { zip215: false }) && holdsWithoutCofactor(signature, message, publicKey)
}

/** Checks [S]B − [k]A = R (RFC 8032, section 5.1.7) without multiplying by the cofactor. */
function holdsWithoutCofactor(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const commitment = signature.subarray(0, 32)
  const challenge = littleEndian(sha512(concatBytes(commitment, publicKey, message))) % Point.CURVE().n
  const scalar = littleEndian(signature.subarray(32))
  const expected = Point.BASE.multiply(scalar, false).subtract(Point.fromBytes(publicKey).multiply(challenge, false))
  return expected.equals(Point.fromBytes(commitment))
}

const littleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n)

/**
 * Returns true for a public key in base64url. SECURITY: four texts decode to the same 32 bytes. Only one is accepted, so that no
 * key appears twice in a list.
 */
export function isPublicKey(value: unknown): value is string {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : null
  return bytes?.length === PUBLIC_KEY_BYTES && encodeBase64url(bytes) === value
}

/**
 * Returns `aqta-att-` and the first 16 hexadecimal digits of the SHA-256 of the raw key. Throws TypeError if the text is not
 * base64url.
 * @see docs/rotate-signing-keys.md#keys
 */
export function keyIdOf(publicKey: string): string {
  const bytes = decodeBase64url(publicKey)
  if (bytes === null) throw new TypeError('not base64url')
  return `aqta-att-${bytesToHex(sha256(bytes)).slice(0, 16)}`
}
