// How a message is signed: HMAC-SHA-256, as Standard Webhooks 1.0.0 has it.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

const PREFIX = 'whsec_'

/** The form in which a secret is shown. */
export const formatSecret = (secret: Uint8Array): string => `${PREFIX}${secret.toBase64()}`

export type SignedMessage = { id: string; body: string; sentAt: number }

/** The headers of a message: a signature by each of the secrets, of which a receiver needs to know one. */
export function signatureHeaders({ id, body, sentAt }: SignedMessage, secrets: readonly Uint8Array[]) {
  const timestamp = String(Math.floor(sentAt / 1000))
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(sha256, secret, content).toBase64()}`).join(' '),
  }
}
