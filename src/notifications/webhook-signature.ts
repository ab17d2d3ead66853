// Signs webhook messages with HMAC-SHA-256, as in Standard Webhooks 1.0.0, and makes the secrets. A secret is stored nowhere:
// it is derived from a pepper of the Worker and random bytes in the organisation's database. So a reader of the database alone
// cannot sign.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Pepper } from '../platform/config.ts'

const PREFIX = 'whsec_'

/**
 * Returns a secret in the form in which it is shown.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const formatSecret = (secret: Uint8Array): string => `${PREFIX}${secret.toBase64()}`

export type SignedMessage = { id: string; body: string; sentAt: number }

/**
 * Returns the headers of a message, with one signature per secret. A receiver needs to know one of the secrets.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders({ id, body, sentAt }: SignedMessage, secrets: readonly Uint8Array[]) {
  const timestamp = String(Math.floor(sentAt / 1000))
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(sha256, secret, content).toBase64()}`).join(' '),
  }
}

const SALT_BYTES = 16

/** The inputs that a secret is derived from, beside the pepper itself. */
export type SecretSeed = {
  readonly pepper: string
  readonly salt: Uint8Array
}

export const newSeed = ({ version }: Pepper): SecretSeed => ({
  pepper: version,
  salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
})

/** Returns the seed's secret; null if the Worker no longer has the seed's pepper. */
export function deriveSecret(peppers: readonly Pepper[], { pepper, salt }: SecretSeed): Uint8Array | null {
  const found = peppers.find(({ version }) => version === pepper)
  if (found === undefined) return null
  const name = new TextEncoder().encode('countersign webhook secret\0')
  return hmac(sha256, found.bytes, concatBytes(name, salt))
}
