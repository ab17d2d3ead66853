// The runtime's own SHA-256. It is synchronous, as a turn of an organisation's object must be, and many times faster there than
// one in JavaScript. What runs in a browser as well takes noble's.
import { createHash } from 'node:crypto'

/** Of a text: of its UTF-8. */
export const sha256 = (data: Uint8Array | string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(data).digest())

/** In lower case. */
export const sha256Hex = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')

/** Of what is told piece by piece; `digestHex` once, at the end. */
export type Hashing = { update: (data: Uint8Array | string) => void; digestHex: () => string }

export function beginSha256(): Hashing {
  const hash = createHash('sha256')
  return {
    update(data) {
      hash.update(data)
    },
    digestHex: () => hash.digest('hex'),
  }
}
