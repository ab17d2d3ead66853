// The text of a file that came as data.

/** null where it is no UTF-8, or no base64. */
export function decodeText(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(base64))
  } catch {
    return null
  }
}
