// Signatures of messages, against the vector of Standard Webhooks' own libraries.
import { expect, it } from 'vitest'
import { formatSecret, signatureHeaders, deriveSecret, newSeed } from '../../../src/notifications/webhook-signature.ts'

const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  sentAt: 1_614_265_330_000,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const key = Uint8Array.fromBase64(VECTOR.secret.slice('whsec_'.length))

it('signs as the vector does', () => {
  expect(signatureHeaders(VECTOR, [key])).toEqual({
    'webhook-id': VECTOR.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': VECTOR.signature,
  })
  expect(formatSecret(key)).toBe(VECTOR.secret)
})

it('signs by each of two secrets, the newer first', () => {
  const newer = new Uint8Array(32).fill(7)
  const [first, second, ...more] = signatureHeaders(VECTOR, [newer, key])['webhook-signature'].split(' ')
  expect([first, second, more.length]).toEqual([
    signatureHeaders(VECTOR, [newer])['webhook-signature'],
    VECTOR.signature,
    0,
  ])
})

it('tells whole seconds, of the attempt', () => {
  expect(signatureHeaders({ ...VECTOR, sentAt: 1_999 }, [key])['webhook-timestamp']).toBe('1')
})

const pepper = (version: string, byte: number) => ({ version, bytes: new Uint8Array(32).fill(byte) })

it('derives a secret of 32 bytes from the pepper that the seed names, and from nothing else', () => {
  const peppers = [pepper('b', 2), pepper('a', 1)] as const
  const seed = newSeed(peppers[1])
  const secret = deriveSecret(peppers, seed)
  expect(secret?.length).toBe(32)
  expect(deriveSecret([peppers[1]], seed)).toEqual(secret)
  expect(deriveSecret([pepper('a', 3)], seed)).not.toEqual(secret)
  expect(deriveSecret(peppers, newSeed(peppers[1]))).not.toEqual(secret)
  expect(deriveSecret([peppers[0]], seed)).toBeNull()
})
