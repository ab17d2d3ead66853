// Long prose without figures is not searched, and that loses nothing: what is found with the whole text searched is found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findShapes } from '../../../src/identifiers/find-shapes.ts'
import { IDENTIFIER_SHAPES } from '../../../src/identifiers/identifiers.ts'
import { whereToLook } from '../../../src/identifiers/where-to-look.ts'
import { runs } from '../../support/runs.ts'
import { CLINICAL_TEXTS, markedTexts } from './corpus.ts'
import { DISGUISES } from './disguises.ts'
import { IDENTIFIERS } from './generators.ts'

const all = (): boolean => true
const everywhere = (text: string) => findShapes(text, all, [{ from: 0, to: text.length }])

const PROSE = 'A letter that nobody wrote about a knee that nobody has, and which goes on for a while, as letters do. '

/** Longer than what is looked at around a spark, so that what stands in it is not found by a neighbour’s. */
const filler = fc.integer({ min: 0, max: 30 }).map((times) => PROSE.repeat(times))

describe('prose', () => {
  it('without a figure is looked at nowhere', () => {
    expect(whereToLook(PROSE.repeat(300))).toEqual([])
  })

  it('is looked at around its figures alone', () => {
    const text = `${PROSE.repeat(100)}Ring 087 123 4567.${PROSE.repeat(100)}`
    const [range, ...others] = whereToLook(text)
    expect(others).toEqual([])
    expect((range?.to ?? 0) - (range?.from ?? 0)).toBeLessThan(500)
    expect(findShapes(text, all).map(({ shape }) => shape)).toEqual(['phone_number'])
  })

  it.each(['\u202e', '\u200b', '½', '٣', '\u{1d7d8}'])('with %j in it is looked at whole', (unusual) => {
    const text = `${PROSE}${unusual}`
    expect(whereToLook(text)).toEqual([{ from: 0, to: text.length }])
  })
})

describe('what is found', () => {
  it.each(DISGUISES)('is the same as with the whole text searched: disguised as $name', ({ apply }) => {
    const planted = fc.constantFrom(...IDENTIFIER_SHAPES).chain((shape) => IDENTIFIERS[shape])
    fc.assert(
      fc.property(filler, planted, filler, (before, identifier, after) => {
        const text = `${before}${apply(identifier)}, ${after}`
        expect(findShapes(text, all)).toEqual(everywhere(text))
      }),
      { numRuns: runs(40), seed: 7 },
    )
  })

  it('is the same in every text of the corpora', () => {
    const texts = [...CLINICAL_TEXTS, ...IDENTIFIER_SHAPES.flatMap(markedTexts).map(({ text }) => text)]
    for (const text of texts) expect(findShapes(text, all)).toEqual(everywhere(text))
    const letter = texts.join(` ${PROSE.repeat(8)}`)
    expect(findShapes(letter, all)).toEqual(everywhere(letter))
  })
})
