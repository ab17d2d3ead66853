// How the scan for identifiers is measured: on letters that say what they hold, and by what is found where.
import { describe, expect, it } from 'vitest'
import { inventLetters, joinPieces } from '../../scripts/eval/invented-letters.ts'
import { measureShapes, readProjectCorpora, reportShapes } from '../../scripts/eval/pii.ts'
import { findShapes } from '../../src/scanning/identifiers/find-shapes.ts'
import { IDENTIFIER_SHAPES } from '../../src/scanning/identifiers/shapes/identifiers.ts'
import { SHAPES } from '../../src/scanning/identifiers/shapes/index.ts'

const all = (): boolean => true

describe('a labelled text', () => {
  it('says where its values stand, in code points', () => {
    expect(joinPieces(['🩺 at ', { shape: 'eircode', value: 'D02 X285' }, '.'])).toEqual({
      text: '🩺 at D02 X285.',
      spans: [{ shape: 'eircode', start: 5, end: 13 }],
    })
  })

  it('is the same for the same seed, and there are some of every shape', () => {
    const letters = inventLetters(300, 3)
    expect(letters).toEqual(inventLetters(300, 3))
    expect(letters).not.toEqual(inventLetters(300, 4))
    const held = new Set(letters.flatMap(({ spans }) => spans.map(({ shape }) => shape)))
    expect(SHAPES.filter((shape) => !held.has(shape))).toEqual([])
    const corpora = new Set(readProjectCorpora().flatMap(({ spans }) => spans.map(({ shape }) => shape)))
    expect([...corpora]).toEqual([...IDENTIFIER_SHAPES])
  })
})

describe('the measure', () => {
  const texts = [
    {
      text: 'a'.repeat(40),
      spans: [{ shape: 'iban', start: 0, end: 5 } as const, { shape: 'date', start: 9, end: 12 } as const],
    },
    { text: 'b'.repeat(40), spans: [] },
  ]
  const found = [
    [{ shape: 'iban', start: 4, end: 8 } as const, { shape: 'eircode', start: 10, end: 11 } as const],
    [{ shape: 'iban', start: 1, end: 2 } as const],
  ]

  it('tells what was found under its name, under another, and where nothing is', () => {
    const [iban, date] = measureShapes(texts, found, ['iban', 'date'])
    expect([iban?.recall.share, iban?.precision.share, iban?.anyName.share]).toEqual([1, 0.5, 1])
    expect([date?.recall.share, date?.precision.share, date?.anyName.share]).toEqual([0, null, 1])
  })

  it('is shown with its interval, of how many', () => {
    const measures = measureShapes(texts, found, ['iban'])
    expect(reportShapes(measures)).toContain('| `iban` | 50.0% (1/2; 9.5–90.5) | 100.0% (1/1; 20.7–100.0) |')
  })
})

describe('letters that were held out', () => {
  it('keep next to nothing of any shape to themselves', () => {
    const texts = inventLetters(300, 5)
    const found = texts.map(({ text }) => findShapes(text, all))
    for (const { shape, anyName } of measureShapes(texts, found, SHAPES)) {
      expect(anyName.share, shape).toBeGreaterThan(0.95)
    }
  })
})
