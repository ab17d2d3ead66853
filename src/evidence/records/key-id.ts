// How a public key is named for short.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { PUBLIC_KEY_BYTES } from './ed25519.ts'

/** SECURITY: one spelling only, of the four that decode to the same 32 bytes. With others, one key could stand in a list twice. */
export function isPublicKey(value: unknown): value is string {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : null
  return bytes?.length === PUBLIC_KEY_BYTES && encodeBase64url(bytes) === value
}

/** `aqta-att-` and the first 16 hexadecimal digits of the SHA-256 of the raw key. Throws TypeError for no base64url. */
export function keyIdOf(publicKey: string): string {
  const bytes = decodeBase64url(publicKey)
  if (bytes === null) throw new TypeError('not base64url')
  return `aqta-att-${bytesToHex(sha256(bytes)).slice(0, 16)}`
}
