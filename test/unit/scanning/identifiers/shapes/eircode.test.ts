// Every routing key with every kind of last four characters that looks like something of a letter.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../../src/scanning/identifiers/find-identifiers.ts'
import { ROUTING_KEYS } from '../../../../../src/scanning/identifiers/shapes/eircode.ts'

const KEYS = [...ROUTING_KEYS]
const FRAMES = ['_', 'lives at _, alone', 'Dublin 2, _', 'Please send transport to _ today']
const LIKE_CLINICAL = (
  'V7V8 V1V2 H4N3 H1N1 H5N1 T3N2 T0N0 C5C6 T8T9 24HR 12YR 10ED 15TH 22ND 23RD 12PT 10FR 1DAY 2CAP 3WKS 123X 400D 100H X2PT X10X'.split(
    ' ',
  ) as readonly string[]
).filter((four) => /^[\dACDEFHKNPRTVWXY]{4}$/.test(four))

const isFound = (written: string, frame: string): boolean =>
  findIdentifiers(frame.replace('_', written)).some(({ shape }) => shape === 'eircode')

it('are 139 keys', () => {
  expect(KEYS).toHaveLength(139)
})

describe('an Eircode', () => {
  it.each(LIKE_CLINICAL)('of any key is found with %s', (four) => {
    // C15 is a cancer as well, and T3N2 its stage.
    const keys = KEYS.filter((key) => key !== 'C15' || !/^T\dN\d$/.test(four))
    const missed = keys.flatMap((key) =>
      ['', ' ', '-'].flatMap((gap) =>
        FRAMES.filter((frame) => !isFound(`${key}${gap}${four}`, frame)).map((frame) => `${key}${gap}${four} ${frame}`),
      ),
    )
    expect(missed).toEqual([])
  })

  it('is found with any four that hold a figure and a letter', () => {
    const character = fc.constantFrom(...Array.from('ACDEFHKNPRTVWXY0123456789'))
    const four = fc
      .array(character, { minLength: 4, maxLength: 4 })
      .map((each) => each.join(''))
      .filter((each) => /\d/.test(each) && /[A-Z]/.test(each))
    fc.assert(
      fc.property(
        fc.constantFrom(...KEYS),
        fc.constantFrom('', ' ', '-', '/', ','),
        four,
        fc.constantFrom(...FRAMES),
        (key, gap, last, frame) => {
          fc.pre(key !== 'C15' || !/^T\dN\d$/.test(last))
          expect(isFound(`${key}${gap}${last}`, frame)).toBe(true)
        },
      ),
      { numRuns: 3000, seed: 1_515 },
    )
  })

  it.each(['Navan, C15 T3N1', '4 Main Street, C15 T2N0', 'Co. Meath C15 T1N1', 'Eircode C15 T3N1'])(
    'is one in an address: %s',
    (text) => {
      expect(findIdentifiers(text)).toHaveLength(1)
    },
  )

  it.each([
    'C15 T3N1 M0 adenocarcinoma',
    'D14 H1N1 swab positive',
    'influenza, D10 H3N2',
    'ECG: T12 V1V2 ST elevation',
    'MRI T12 C5C6 disc prolapse',
    'R51 24hr',
    'T12 10yr',
    'PAIN AT T12 24HR AGO',
    'T12 2023',
    'T12 were',
    'D10 x250 ml',
    'R51,K590,N390',
  ])('is none in "%s"', (text) => {
    expect(findIdentifiers(text)).toEqual([])
  })
})
