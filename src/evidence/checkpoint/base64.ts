// Base64 as notes have it (RFC 4648, section 4): with padding, and one spelling only for the same bytes.

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
