// Generated identifiers in clinical sentences, through every disguise, are found; generated clinical writing passes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES, type IdentifierShape } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { CLINICAL_TEXTS } from './corpus.ts'
import { disguise, DISGUISES } from './disguises.ts'
import { CLINICAL_PHRASE, IDENTIFIERS } from './generators.ts'

/** 11 shapes of 2,000 cases, and 3,000 letters of generated clinical writing: 25,000 cases a run. */
const CASES_PER_SHAPE = 2000
const CLINICAL_CASES = 3000
/** One seed, so that a run today and a run tomorrow try the same cases; change it to try others. */
const SEED = 943_476

const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['', ', who has had a cough for 3/52.'],
  ['Thank you for seeing her: ', ''],
  ['Known to your service as ', ', seen twice this year for IHD; BP 142/88.'],
  ['(', ')'],
  ['Please note "', '" on the old form.'],
  ['Plan as above.\n', '\nReview in 6/52.'],
]
const sentence = fc.constantFrom(...CLINICAL_TEXTS)
const frame = fc.oneof(
  fc.constantFrom(...FRAMES),
  fc.tuple(sentence, sentence).map(([before, after]) => [`${before}\n`, `\n${after}`] as const),
)

/** Made of figures and marks alone, so that letters can stand for its digits. */
const FIGURES: ReadonlySet<IdentifierShape> = new Set(['nhs_number', 'health_and_care_number'])

describe.each(IDENTIFIER_SHAPES)('a generated %s', (shape) => {
  it('is found in a sentence, whatever its disguise', () => {
    fc.assert(
      fc.property(
        IDENTIFIERS[shape],
        disguise,
        frame,
        (identifier, { apply, figuresOnly, nameMayDiffer }, [before, after]) => {
          fc.pre(figuresOnly === undefined || FIGURES.has(shape))
          const disguised = apply(identifier)
          const found = findIdentifiers(before + disguised + after)
          const start = Array.from(before).length
          const end = start + Array.from(disguised).length
          const inside = found.filter((each) => each.start < end && each.end > start).map((each) => each.shape)
          if (nameMayDiffer === undefined) expect(inside).toEqual([shape])
          else expect(inside).not.toEqual([])
          expect(found.filter((each) => each.end <= start || each.start >= end)).toEqual([])
        },
      ),
      { numRuns: CASES_PER_SHAPE, seed: SEED },
    )
  })
})

describe('the range of a generated identifier', () => {
  it.each(IDENTIFIER_SHAPES.filter((shape) => shape !== 'date_of_birth' && shape !== 'hospital_record_number'))(
    'is exactly the %s',
    (shape) => {
      fc.assert(
        fc.property(IDENTIFIERS[shape], fc.constantFrom(...FRAMES), (identifier, [before, after]) => {
          const start = Array.from(before).length
          const expected = [{ shape, start, end: start + identifier.length }]
          expect(findIdentifiers(before + identifier + after)).toEqual(expected)
        }),
      )
    },
  )

  it('counts code points, not UTF-16 units', () => {
    expect(findIdentifiers('🩺🩺 943 476 5919 🩺')).toEqual([{ shape: 'nhs_number', start: 3, end: 15 }])
  })
})

describe('generated clinical writing', () => {
  it('passes', () => {
    const letter = fc
      .array(fc.tuple(CLINICAL_PHRASE, fc.constantFrom(', ', '; ', '. ', '\n')), { minLength: 1, maxLength: 12 })
      .map((phrases) => phrases.flat().join(''))
    fc.assert(
      fc.property(letter, (text) => {
        expect(findIdentifiers(text)).toEqual([])
      }),
      { numRuns: CLINICAL_CASES, seed: SEED },
    )
  })
})

const LABELLED: readonly (readonly [label: string, value: string, shape: IdentifierShape])[] = [
  ['MRN', '778812', 'hospital_record_number'],
  ['Chart no', '778812', 'hospital_record_number'],
  ['Hospital number', '778812', 'hospital_record_number'],
  ['Patient ID', '778812', 'hospital_record_number'],
  ['LTI', '778812', 'hospital_record_number'],
  ['DOB', '12/03/1970', 'date_of_birth'],
  ['D.O.B.', '120370', 'date_of_birth'],
  ['Date of birth', '1970', 'date_of_birth'],
  ['Tel', '8091234', 'phone_number'],
  ['Phone', '809 1234', 'phone_number'],
  ['Mobile', '087 123 4567', 'phone_number'],
  ['NHS no', '943 476 591', 'nhs_number'],
  ['NHS number', '9434765919', 'nhs_number'],
  ['CHI', '0101701234', 'chi_number'],
  ['H&C', '3200000015', 'health_and_care_number'],
  ['PPSN', '1234567FA', 'pps_number'],
  ['PPS no', '123456T', 'pps_number'],
  ['Eircode', 'A65 1234', 'eircode'],
  ['Postcode', 'M1 1AA', 'uk_postcode'],
]
const RUNS = ['.', '_', '-', '=', '*', '~', ':', '|', '#', '. ', '_ ', '- '].flatMap((mark) =>
  [3, 6, 20, 40].map((times) => mark.repeat(times)),
)
const SEPARATORS = [
  ...RUNS.flatMap((run) => [run, ` ${run} `]),
  ...'-> --> => ==> -- :: :- := >> > ~ | || * ** ` " \' { [ ( / \\ ; # ^ & @ ! ? = + … → ⇒ ← ➡ ▶ « » ‹ › “ „ ‘ – — • · ¦ │ ═ ⋯'
    .split(' ')
    .map((mark) => ` ${mark} `),
  '\t',
  '\t\t',
  ':\t',
  ':\n',
  ':\n\n',
  '": "',
  '="',
  ': [',
  ': {"value": "',
  '", "value": "',
]

describe.each(LABELLED)('%s %s', (label, value, shape) => {
  it('is found whatever marks are between', () => {
    const missed = SEPARATORS.filter(
      (marks) => !findIdentifiers(`${label}${marks}${value}`).some((found) => found.shape === shape),
    )
    expect(missed).toEqual([])
  })
})

describe('any text', () => {
  it('gives ranges in order, apart from each other and inside the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom(...DISGUISES), (text, { apply }) => {
        const whole = `${text} 12/03/1970 ${apply('943 476 5919')}`
        let last = 0
        for (const { start, end } of findIdentifiers(whole)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          last = end
        }
        expect(last).toBeLessThanOrEqual(Array.from(whole).length)
      }),
    )
  })
})
