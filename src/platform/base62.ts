// Base62 of fixed lengths: digits, then upper-case, then lower-case letters. Used where a text must be safe in a header,
// a shell and a double-click.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Big-endian bytes as exactly `length` characters. Throws when they do not fit. */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(value % 62n)) + text
    value /= 62n
  }
  if (value > 0n) throw new RangeError('the bytes do not fit')
  return text
}

/** The bytes behind `text`, or null when it is not base62 or says more than `byteLength` bytes can hold. */
export function decodeBase62(text: string, byteLength: number): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array(byteLength)
  for (let at = 0; at < text.length; at++) {
    let carry = ALPHABET.indexOf(text.charAt(at))
    if (carry < 0) return null
    for (let i = byteLength - 1; i >= 0; i--) {
      carry += (bytes[i] ?? 0) * 62
      bytes[i] = carry & 0xff
      carry >>= 8
    }
    if (carry > 0) return null
  }
  return bytes
}

/** Uniform random characters: bytes of 248 and over are thrown away, since 248 = 4 × 62. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62)
    }
  }
  return text
}
