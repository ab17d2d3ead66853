import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byteLength } from '../../../src/providers/text.ts'

it('counts the bytes that are sent of a text, half a surrogate pair’s replacement included', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0xd7ff, max: 0xe000 }),
    fc.constant(0x61),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      const text = String.fromCharCode(...units)
      expect(byteLength(text)).toBe(new TextEncoder().encode(text).byteLength)
    }),
  )
})
