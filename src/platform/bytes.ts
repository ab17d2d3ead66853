// Helpers for byte arrays: join, decode, compare, compress, and convert to and from base62.

/** Joins the pieces into one array. A single piece is returned as it is. `size`: their bytes together. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array {
  if (pieces.length === 1 && pieces[0] !== undefined) return pieces[0]
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.byteLength
  }
  return bytes
}

/** Decodes UTF-8; null if it is none. Keeps a byte-order mark, which hashes and signatures cover. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Compares bytes. SECURITY: not for secrets, because its duration reveals the first difference. */
export const isSameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

export const gzip = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  pipeBytes(bytes, new CompressionStream('gzip'))

/**
 * Rejects if the bytes are not gzip (RFC 1952). Only for this service's own bytes: the result's size is not limited.
 * @see https://www.rfc-editor.org/rfc/rfc1952
 */
export const gunzip = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  pipeBytes(bytes, new DecompressionStream('gzip'))

const pipeBytes = async (
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())

/** The digits of base62, which is safe in a header, a shell and a double-click. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Writes big-endian bytes as exactly `length` characters. Throws RangeError if they do not fit. */
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

/** Returns the bytes of a base62 text, or null if it is not base62 or has more than `byteLength` bytes. */
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

/** Returns uniformly random characters. Bytes from 248 on are discarded, because 248 = 4 × 62. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62)
    }
  }
  return text
}
