// Checks a message as Standard Webhooks has it, by Node's own cryptography: nothing of the service's signing is in here.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type SignedHeaders = { id: string; timestamp: string; signature: string }

export function isSignedBy(secret: string, { id, timestamp, signature }: SignedHeaders, body: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64')
    return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
