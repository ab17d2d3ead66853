// How long a text is on the wire.

const encoder = new TextEncoder()

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return false
  }
  return true
}

/** In UTF-8. */
export const byteLength = (text: string): number => (isAscii(text) ? text.length : encoder.encode(text).byteLength)
