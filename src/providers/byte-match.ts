// Whether some bytes stand at a place in others.

export function standsAt(part: Uint8Array, bytes: Uint8Array, at: number): boolean {
  if (at + part.length > bytes.length) return false
  for (let offset = 0; offset < part.length; offset++) {
    if (bytes[at + offset] !== part[offset]) return false
  }
  return true
}
