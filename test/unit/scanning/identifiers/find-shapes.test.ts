// A text of any length is looked through in stretches, and it makes no difference where they meet.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANCHOR, findShapes, findShapesInSteps } from '../../../../src/scanning/identifiers/find-shapes.ts'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import type { Shape } from '../../../../src/scanning/identifiers/shapes/index.ts'
import { runInSlices, SLICE_CHARACTERS } from '../../../../src/platform/computation-steps.ts'
import { CLINICAL_TEXTS, markedTexts } from './corpus.ts'
import { disguise } from './disguises.ts'
import { IDENTIFIERS } from './generators.ts'

const all = (): boolean => true

const isIdentifier = (shape: Shape): boolean => IDENTIFIER_SHAPES.some((known) => known === shape)

/** The same as in a letter, which is searched from its beginning to its end. */
function expectAsInLetter(text: string): void {
  const characters = Array.from(text)
  const expected = findIdentifiers(text).map(({ start, end, shape }) => ({
    shape,
    written: characters.slice(start, end).join(''),
  }))
  const found = findShapes(text, all).map(({ start, end, shape }) => ({ shape, written: text.slice(start, end) }))
  expect(found.filter(({ shape }) => isIdentifier(shape))).toEqual(expected)
}

const planted = fc.constantFrom(...IDENTIFIER_SHAPES).chain((shape) => IDENTIFIERS[shape])

const WITHOUT_FIGURES = [
  'eircode V94 TTTT',
  'zip code: SWIA IAA',
  'mary (at) bt (dot) health',
  'DOB nineteen seventy',
  'the third of March nineteen seventy',
  'tel oh eight seven one two three four five six seven',
]

describe('a text', () => {
  it('holds the same identifiers as a letter does, in UTF-16 units', () => {
    const part = fc.oneof(planted, fc.string({ unit: 'grapheme', maxLength: 12 }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => expectAsInLetter(parts.join(' '))),
      { numRuns: 500, seed: 20 },
    )
  })

  it('of much prose around a few holds the same, disguised or not', () => {
    const prose = CLINICAL_TEXTS.filter((text) => !/\d/.test(text)).join('\n')
    const stretch = fc
      .tuple(fc.nat(prose.length - 1_000), fc.integer({ min: 0, max: 1_000 }))
      .map(([from, length]) => prose.slice(from, from + length))
    const disguised = fc.tuple(planted, disguise).map(([identifier, { apply }]) => apply(identifier))
    fc.assert(
      fc.property(fc.array(fc.tuple(stretch, fc.oneof(planted, disguised)), { maxLength: 4 }), stretch, (parts, last) =>
        expectAsInLetter([...parts.flat(), last].join(' ')),
      ),
      { numRuns: 500, seed: 21 },
    )
  })

  it('of the corpora holds the same, alone and all of them together', () => {
    const texts = [...CLINICAL_TEXTS, ...IDENTIFIER_SHAPES.flatMap(markedTexts).map(({ text }) => text)]
    for (const text of texts) expectAsInLetter(text)
    expectAsInLetter(texts.join(` ${'A letter that nobody wrote, about a knee that nobody has. '.repeat(8)}`))
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

  it('is searched from its first character, which may be half of a pair', () => {
    for (const half of ['\ud800', '\udc00', '\udc00\udc00', '\ud800\ud800']) {
      for (const length of [0, 8_190, 8_191, 8_192, 8_193, 8_703, 8_704, 8_705]) {
        const text = `${half}${'x'.repeat(length)} 943 476 5919 ${half}`
        expect(findShapes(text, all)).toEqual([
          { shape: 'nhs_number', start: half.length + length + 1, end: half.length + length + 13 },
        ])
      }
    }
  })

  /** Digits of no value stand near a border of stretches or nowhere; the labels that need no figure are among the values. */
  it('holds a value at any place as a short one does, disguised or not', () => {
    const fillers = [
      'about a knee that nobody has, without any figure. ',
      'Pain 7/10 for 3/52, BP 142/88, Hb 9.8. ',
      'a 12, b 34; ',
    ]
    const written = fc.oneof(
      fc.tuple(planted, disguise).map(([identifier, { apply }]) => apply(identifier)),
      fc.constantFrom(...WITHOUT_FIGURES, 'IE29 AIBK 9311 5212 3456 78', '4,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1'),
    )
    const where = fc.oneof(fc.integer({ min: 7_592, max: 8_792 }), fc.integer({ min: 0, max: 20_000 }))
    fc.assert(
      fc.property(written, where, fc.constantFrom(...fillers), (value, at, filler) => {
        const before = filler.repeat(Math.ceil(at / filler.length)).slice(0, at)
        const shapesAfter = (start: string, end: string): string[] =>
          findShapes(`${start}. ${value}. ${end}`, all)
            .filter((found) => found.end > start.length + 2 && found.start < start.length + 2 + value.length)
            .map((found) => `${found.shape} ${found.start - start.length} ${found.end - start.length}`)
        expect(shapesAfter(before, filler.repeat(200))).toEqual(shapesAfter(before.slice(-40), filler))
      }),
      { numRuns: 300, seed: 24 },
    )
  })

  it('holds a token that is longer than a stretch', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(300)}-----END PRIVATE KEY-----`
    const text = `${'word '.repeat(3_000)}${key} and more`
    expect(findShapes(text, all)).toEqual([{ shape: 'private_key', start: 15_000, end: 15_000 + key.length }])
  })
})

describe('a search in steps', () => {
  /** Values of all shapes, those of figures in long rows too, in text of all kinds around the places where stretches meet. */
  const filler = fc.constantFrom('word ', '1 ', '1234567 ', '087 123 4567, ', '🩺1 ', '4111 1111 1111 1111 ', 'l0O1 ')
  const text = fc
    .tuple(filler, fc.array(planted, { minLength: 1, maxLength: 4 }), fc.integer({ min: -40, max: 8 }))
    .map(([unit, values, shift]) => {
      const before = unit.repeat(Math.ceil(8_192 / unit.length)).slice(0, 8_192 + shift)
      return `${before} ${values.join(' ')} ${unit.repeat(2_000)}`
    })

  it('finds the same however often it is interrupted, and does a bounded part of the work a step', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 40_000 }), async (given, slice) => {
        const whole = findShapes(given, all)
        expect(await runInSlices(findShapesInSteps(given, all), async () => Promise.resolve(), slice)).toEqual(whole)
        for (const step of findShapesInSteps(given, all)) expect(step).toBeLessThanOrEqual(SLICE_CHARACTERS)
      }),
      { numRuns: 40, seed: 22 },
    )
  })

  it('counts about as much work as there is text, or more where that is read in several ways', () => {
    for (const unit of ['word ', '1234567 ', '087 123 4567, ']) {
      const given = unit.repeat(Math.ceil(100_000 / unit.length))
      const steps = [...findShapesInSteps(given, all)]
      expect(steps.length).toBeGreaterThanOrEqual(given.length / 8_192)
      if (/\d/.test(unit)) expect(steps.reduce((sum, work) => sum + work, 0)).toBeGreaterThan(given.length / 4)
    }
  })
})

describe.each(IDENTIFIER_SHAPES)('%s', (shape) => {
  it('has in each value what a long text is searched near', () => {
    fc.assert(
      fc.property(IDENTIFIERS[shape], (value) => value.search(ANCHOR) !== -1),
      { numRuns: 200, seed: 23 },
    )
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
  it.each([
    'eyJ.eyJ',
    '.eyJaaaaaaaaaaaaaaaaaaaa',
    ' sk-a',
    '-----BEGIN PRIVATE KEY-----*',
    '4111 ',
    'xoxb-1',
    's k - ',
    'sk-ab cd ',
    'I E 2 9 ',
    '4,1,',
    '_sk-a',
    '-ghp_a',
    '_eyJa',
    '4111_',
  ])('of %j is looked through', (unit) => {
    const text = unit.repeat(Math.ceil(1_048_576 / unit.length)).slice(0, 1_048_576)
    expect(findShapes(text, all).length).toBeLessThanOrEqual(text.length)
  })
})
