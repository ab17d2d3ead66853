// Hashes with the runtime's own SHA-256. The hash is synchronous, as a turn of an organisation's object requires, and many times
// faster than one in JavaScript. Code that also runs in a browser uses the one of @noble/hashes.
// A missing name of a namespace ends no program: a Node without `hash` can still say that it is too old (countersign-verify).
import * as crypto from 'node:crypto'

/** Hashes bytes, or a text as UTF-8. */
export const sha256 = (data: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(crypto.hash('sha256', data, 'buffer'))

/** Returns the hash as lower-case hex. */
export const sha256Hex = (data: Uint8Array | string): string => crypto.hash('sha256', data)

/** Hashes data piece by piece. Call `digestHex` once, at the end. */
export type Hashing = { update: (data: Uint8Array | string) => void; digestHex: () => string }

export function beginSha256(): Hashing {
  const begun = crypto.createHash('sha256')
  return {
    update(data) {
      begun.update(data)
    },
    digestHex: () => begun.digest('hex'),
  }
}

/** Both functions, for code that gets its hash functions from its caller. */
export const hashFunctions = { sha256, beginSha256 }
