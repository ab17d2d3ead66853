// Encodes bytes as text and decodes them: base64url without padding (RFC 4648, section 5) for keys and signatures; padded base64
// (section 4) for signed notes and the entries of exports.

/** Bytes per `fromCharCode` call: each byte is an argument, and a model's reasoning can be a megabyte. */
const CHUNK_BYTES = 4_096

/** @see https://www.rfc-editor.org/rfc/rfc4648#section-5 */
export const encodeBase64url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/**
 * Returns null for padding, `+`, `/` and anything else that is not base64url. The unused bits of the last character may vary,
 * as public verifiers allow: one signature has 16 spellings.
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-5
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  return bytesOf(text.replaceAll('-', '+').replaceAll('_', '/'))
}

/** @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))
  return btoa(binary)
}

/** Enough for 32 KiB: no key and no signature of a note is nearly as long. */
const MOST_CHARACTERS = (32_768 / 3) * 4 + 4

/**
 * Returns null for a longer text, and for any text that `encodeBase64` would not write: each value has one spelling.
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-4
 */
export function decodeBase64(text: string, mostCharacters = MOST_CHARACTERS): Uint8Array<ArrayBuffer> | null {
  if (text.length > mostCharacters || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  // Only the last four characters can have unused bits.
  const end = text.slice(-4)
  return btoa(atob(end)) === end ? bytesOf(text) : null
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
