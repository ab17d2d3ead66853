// base64url without padding (RFC 4648, section 5) for keys and signatures; padded base64 (section 4) for signed notes.

/** Bytes per `fromCharCode` call: each byte is an argument, and an answer's reasoning can be a megabyte. */
const AT_ONCE = 4_096

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE) binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Null for padding, `+`, `/` and anything else that is not base64url. The unused bits of the last character may vary,
 * as public verifiers allow: one signature has 16 spellings.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** For at most some KiB: a hash, a key, a signature, a time-stamp token. */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Null for any text that `encodeBase64` would not write, so each value has one spelling. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length > MOST_CHARACTERS || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return encodeBase64(bytes) === text ? bytes : null
}

/** For 32 KiB: no token is longer. The longest known signature has 2,432 bytes. */
const MOST_CHARACTERS = (32_768 / 3) * 4 + 4
