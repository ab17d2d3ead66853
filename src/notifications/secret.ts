// The secret that an organisation's messages are signed with. It is stored nowhere: it is derived from a pepper of the Worker and
// random bytes in the organisation's database. So whoever reads the database alone can sign nothing.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Pepper } from '../platform/config.ts'

const SALT_BYTES = 16

/** What a secret is derived from, beside the pepper itself. */
export type SecretSeed = {
  /** The pepper's version. */
  readonly pepper: string
  readonly salt: Uint8Array
}

export const newSeed = ({ version }: Pepper): SecretSeed => ({
  pepper: version,
  salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
})

/** Null where the Worker does not have that pepper any more. */
export function deriveSecret(peppers: readonly Pepper[], { pepper, salt }: SecretSeed): Uint8Array | null {
  const found = peppers.find(({ version }) => version === pepper)
  if (found === undefined) return null
  const name = new TextEncoder().encode('countersign webhook secret\0')
  return hmac(sha256, found.bytes, concatBytes(name, salt))
}
