// The written corpus: every marked identifier is found exactly, and no clinical text is refused.
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { CLINICAL_TEXTS, markedTexts } from './corpus.ts'

describe('texts that must be refused', () => {
  describe.each(IDENTIFIER_SHAPES)('%s', (shape) => {
    const texts = markedTexts(shape)

    it('has at least 60 examples', () => {
      expect(texts.length).toBeGreaterThanOrEqual(60)
      expect(texts.filter(({ ranges }) => ranges.length === 0)).toEqual([])
    })

    it('finds exactly what is marked', () => {
      const read = texts.map(({ text }) => ({ text, found: findIdentifiers(text) }))
      expect(read).toEqual(
        texts.map(({ text, ranges }) => ({ text, found: ranges.map((range) => ({ shape, ...range })) })),
      )
    })

    it('finds the same at the end of a sentence, at its start and between two lines', () => {
      const missed = texts.filter(({ text }) => {
        const around = [
          `Thank you for seeing her: ${text}`,
          `${text} and no other change.`,
          `Stable.\n${text}\nPlan as above.`,
        ]
        return around.some((each) => !findIdentifiers(each).some((found) => found.shape === shape))
      })
      expect(missed.map(({ text }) => text)).toEqual([])
    })
  })
})

describe('clinical texts', () => {
  it('are at least 600', () => {
    expect(new Set(CLINICAL_TEXTS).size).toBeGreaterThanOrEqual(600)
  })

  it('pass', () => {
    expect(CLINICAL_TEXTS.filter((text) => findIdentifiers(text).length > 0)).toEqual([])
  })

  it('pass in small letters', () => {
    const refused = CLINICAL_TEXTS.filter((text) => findIdentifiers(text.toLowerCase()).length > 0)
    // "oct 5" is a day in October where no capitals tell the scan apart.
    expect(refused.filter((text) => !text.includes('OCT 5'))).toEqual([])
  })

  it('pass as one long letter, line after line', () => {
    const letters = Array.from({ length: Math.ceil(CLINICAL_TEXTS.length / 40) }, (_, index) =>
      CLINICAL_TEXTS.slice(index * 40, index * 40 + 40).join('\n'),
    )
    expect(letters.map((letter) => findIdentifiers(letter))).toEqual(letters.map(() => []))
  })
})
