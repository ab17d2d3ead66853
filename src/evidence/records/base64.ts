// base64url without padding (RFC 4648, section 5): how keys and signatures are written.

/** Bytes given to one call at once, which has as many arguments: thoughts can be a million, and a list of them is large. */
const AT_ONCE = 4_096

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE) binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Null for padding, for `+` and `/`, and for anything else that is not base64url. The unused bits of the last character
 * may be anything, as they may for the format's public verifiers: one signature has 16 spellings.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** At most some KiB: a hash, a key, a signature, a time-stamp token. */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Null for anything that `encodeBase64` would not have written. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length > MOST_CHARACTERS || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return encodeBase64(bytes) === text ? bytes : null
}

/** Of 32 KiB: no token is longer. The longest signature there is a type for has 2,432 bytes. */
const MOST_CHARACTERS = (32_768 / 3) * 4 + 4
