import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase62, encodeBase62, randomBase62 } from '../../../src/platform/bytes.ts'

it('decodes what it encodes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(decodeBase62(encodeBase62(bytes, 22), 16)).toEqual(bytes)
    }),
  )
})

it('refuses text that says more than the bytes can hold, and characters outside the alphabet', () => {
  expect(decodeBase62('z'.repeat(22), 16)).toBeNull()
  expect(decodeBase62(`${'0'.repeat(21)}-`, 16)).toBeNull()
})

it('throws when the bytes need more characters', () => {
  expect(() => encodeBase62(new Uint8Array(16).fill(255), 21)).toThrow(RangeError)
})

it('draws from the whole alphabet', () => {
  expect(new Set(randomBase62(20_000)).size).toBe(62)
})
