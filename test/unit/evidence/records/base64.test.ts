// Our base64url against plain base64, byte by byte.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../../src/evidence/records/base64.ts'

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ minLength: 4_090, maxLength: 4_100 }),
  fc.uint8Array({ minLength: 8_190, maxLength: 8_200 }),
)

const ALPHABET: ReadonlyMap<string, string> = new Map([
  ['+', '-'],
  ['/', '_'],
  ['=', ''],
])

function writePlainly(given: Uint8Array): string {
  const binary = given.reduce((text, byte) => text + String.fromCharCode(byte), '')
  return btoa(binary).replaceAll(/[+/=]/g, (character) => ALPHABET.get(character) ?? '')
}

it('is written without a byte more or less, and read again, however long', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      const text = encodeBase64url(given)
      expect(text).toBe(writePlainly(given))
      expect(decodeBase64url(text)).toEqual(given)
    }),
    { numRuns: 30 },
  )
})

it.each(['YQ==', 'a', 'a+b_', 'a/b_', 'Ä', 'ab cd', 'ab\n'])('%j is none', (text) => {
  expect(decodeBase64url(text)).toBeNull()
})
