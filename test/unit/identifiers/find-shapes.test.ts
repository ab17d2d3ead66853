// A text of any length is looked through in stretches, and it makes no difference where they meet.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findShapes } from '../../../src/identifiers/find-shapes.ts'
import { findIdentifiers, IDENTIFIER_SHAPES } from '../../../src/identifiers/identifiers.ts'
import type { Shape } from '../../../src/identifiers/identifier-shapes.ts'
import { IDENTIFIERS } from './generators.ts'

const all = (): boolean => true

describe('a short text', () => {
  it('holds the same identifiers as a letter does, in UTF-16 units', () => {
    const shape = fc.constantFrom(...IDENTIFIER_SHAPES)
    const planted = shape.chain((one) => IDENTIFIERS[one])
    fc.assert(
      fc.property(
        fc.array(fc.oneof(planted, fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 6 }),
        (parts) => {
          const text = parts.join(' ')
          const characters = Array.from(text)
          const expected = findIdentifiers(text).map(({ start, end, shape: one }) => ({
            shape: one,
            written: characters.slice(start, end).join(''),
          }))
          const isIdentifier = (one: Shape): boolean => IDENTIFIER_SHAPES.some((known) => known === one)
          const found = findShapes(text, all).map(({ start, end, shape: one }) => ({
            shape: one,
            written: text.slice(start, end),
          }))
          fc.pre(found.every((one) => isIdentifier(one.shape)))
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 500, seed: 20 },
    )
  })
})

describe('a long text', () => {
  it.each(['🩺 ', 'word ', 'é, '])('of %j holds a value wherever it stands, once', (filler) => {
    const value = '943 476 5919'
    for (let shift = 0; shift < 40; shift += 1) {
      const before = filler.repeat(Math.floor((8_180 + shift) / filler.length)) + 'x'.repeat(shift % filler.length)
      const text = `${before} ${value} ${filler.repeat(4_000)}${value}`
      const second = text.lastIndexOf(value)
      expect(findShapes(text, all)).toEqual([
        { shape: 'nhs_number', start: before.length + 1, end: before.length + 1 + value.length },
        { shape: 'nhs_number', start: second, end: second + value.length },
      ])
    }
  })

  it('holds a token that is longer than a stretch', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(300)}-----END PRIVATE KEY-----`
    const text = `${'word '.repeat(3_000)}${key} and more`
    expect(findShapes(text, all)).toEqual([{ shape: 'private_key', start: 15_000, end: 15_000 + key.length }])
  })
})

describe('what is not asked for', () => {
  it('is left out, and keeps its name all the same', () => {
    expect(findShapes('Ring 087 123 4567, card 4111 1111 1111 1111.', (shape) => shape !== 'phone_number')).toEqual([
      { shape: 'payment_card', start: 24, end: 43 },
    ])
    expect(findShapes('Ring 087 123 4567.', (shape) => shape === 'hospital_record_number')).toEqual([])
  })
})

describe('a name that a program gave', () => {
  it.each([
    'a1234567-89b0-4123-8456-789012345678',
    'B1234567-89B0-4123-8456-789012345678',
    'd41d8cd98f00b204e9800998ecf8427e',
    'f1234567890123456789012345678901234567890123456789012345678901ab',
  ])('is no number of a person: %s', (name) => {
    const text = `Question ${name}. Chart number 12345678, ${name}.`
    const found = findShapes(text, all).map(({ start, end }) => text.slice(start, end))
    expect(found).toEqual([expect.stringMatching(/12345678$/)])
  })

  it('is one where its form is another', () => {
    for (const other of ['a1234567-89b0-4123-8456-78901234567', '12345678901234567890123456789012']) {
      expect(findShapes(`Question ${other}.`, all)).not.toEqual([])
    }
  })
})

describe('a hostile text of 1 MiB', () => {
  it.each(['eyJ.eyJ', '.eyJaaaaaaaaaaaaaaaaaaaa', ' sk-a', '-----BEGIN PRIVATE KEY-----*', '4111 ', 'xoxb-1'])(
    'of %j is looked through',
    (unit) => {
      const text = unit.repeat(Math.ceil(1_048_576 / unit.length)).slice(0, 1_048_576)
      expect(findShapes(text, all).length).toBeLessThanOrEqual(text.length)
    },
  )
})
