// Codes of authenticator apps: the values of RFC 6238 and RFC 4226, and 20 that pyotp and oathtool agree on.
import { describe, expect, it } from 'vitest'
import { base32, hotp, otpauthUrl, SECRET_BYTES, stepOf } from '../../../../src/accounts/second-factor/totp.ts'
import vectors from '../../../fixtures/second-factor/totp.json'

const SECRET = new TextEncoder().encode('12345678901234567890')

const step = (seconds: number) => Math.floor(seconds / 30)

it.each(vectors.rfc4226.map((code, counter) => ({ code, counter })))('counter $counter: $code', ({ code, counter }) => {
  expect(hotp(SECRET, counter)).toBe(code)
})

it.each(vectors.rfc6238)('at $at s: the last digits of $code', ({ at, code }) => {
  expect(stepOf(SECRET, code.slice(-6), at * 1000)).toBe(step(at))
})

it.each(vectors.agreed)('$secret at $at s: $code', (vector) => {
  const secret = fromBase32(vector.secret)
  expect(secret).toHaveLength(SECRET_BYTES)
  expect(base32(secret)).toBe(vector.secret)
  expect(stepOf(secret, vector.code, vector.at * 1000)).toBe(vector.step)
})

function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  )
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

describe('a code', () => {
  const NOW = 1_700_000_000_000
  const now = step(NOW / 1000)

  it.each([
    [-2, null],
    [-1, now - 1],
    [0, now],
    [1, now + 1],
    [2, null],
  ])('of the step %i from now belongs to %s', (distance, expected) => {
    expect(stepOf(SECRET, hotp(SECRET, now + distance), NOW)).toBe(expected)
  })

  it.each([
    ['no digits', ''],
    ['five digits', hotp(SECRET, now).slice(1)],
    ['seven digits', `${hotp(SECRET, now)}0`],
    ['other digits', '٠١٢٣٤٥'],
    ['a line after it', `${hotp(SECRET, now)}\n`],
  ])('with %s belongs to none', (_, code) => {
    expect(stepOf(SECRET, code, NOW)).toBeNull()
  })
})

it.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('RFC 4648, base32 of %j without padding', (text, expected) => {
  expect(base32(new TextEncoder().encode(text))).toBe(expected)
})

it('the address of a QR code has every name encoded', () => {
  expect(otpauthUrl({ issuer: 'Countersign', account: 'a+b@hospital.example', secret: SECRET })).toBe(
    'otpauth://totp/Countersign:a%2Bb%40hospital.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Countersign&algorithm=SHA1&digits=6&period=30',
  )
})
