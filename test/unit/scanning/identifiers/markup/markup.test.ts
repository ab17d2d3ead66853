// A text with markup gets the same answer as what a person reads in it.
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../../scripts/seeded-random.ts'
import { findIdentifiers } from '../../../../../src/scanning/identifiers/find-identifiers.ts'
import { findShapes } from '../../../../../src/scanning/identifiers/find-shapes.ts'
import { IDENTIFIER_SHAPES } from '../../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { runs } from '../../../../support/runs.ts'
import cases from '../../../../fixtures/guard/markup.json'
import { DOCUMENTS } from './documents.ts'
import { chooseLetter } from './letters.ts'
import { RENDERERS, SPLITTING, type Renderer } from './renderers.ts'

type Found = { shape: string; start: number; end: number }

const inPrompt = (text: string): Found[] =>
  findShapes(text, () => true).map(({ shape, start, end }) => ({ shape, start, end }))

describe('written cases', () => {
  const isPassing = ({ expected }: (typeof cases)[number]): boolean => expected.length === 0

  it('have every identifier many times, and many texts that must pass', () => {
    const found = cases.flatMap(({ expected }) => expected.map(({ shape }) => shape))
    for (const shape of IDENTIFIER_SHAPES)
      expect(found.filter((each) => each === shape).length, shape).toBeGreaterThan(15)
    expect(cases.filter(isPassing).length).toBeGreaterThan(90)
  })

  it.for(cases)('$text', ({ text, expected, by }) => {
    expect(by === 'pii_scan' ? inPrompt(text) : findIdentifiers(text)).toEqual(expected)
  })
})

const LETTERS = runs(150)

/** Returns a letter, what is found in it, and what is found in a rendering, in offsets of the rendering. */
function* renderedLetters(render: Renderer, seed: number) {
  const random = createRandom(seed)
  for (let count = 0; count < LETTERS; count += 1) {
    const plain = chooseLetter(random)
    const rendered = render(plain, random)
    const expected = inPrompt(plain).map(({ shape, start, end }) => ({
      shape,
      start: rendered.starts[start] ?? -1,
      end: rendered.ends[end - 1] ?? -1,
    }))
    yield { text: rendered.text, expected, found: inPrompt(rendered.text) }
  }
}

describe.each(Object.entries(RENDERERS))('%s', (_, render) => {
  it('hides nothing and adds nothing', () => {
    for (const { text, expected, found } of renderedLetters(render, 20_261))
      expect({ text, found }).toEqual({ text, found: expected })
  })
})

describe.each(Object.entries(SPLITTING))('%s', (_, render) => {
  it('hides nothing', () => {
    const missed = [...renderedLetters(render, 20_262)].filter(
      ({ expected, found }) => expected.length > 0 && found.length === 0,
    )
    expect(missed).toEqual([])
  })
})

/** Documents as programs write them, with style sheets, identifiers of revisions and pictures, which hold long numbers. */
describe.each(Object.entries(DOCUMENTS))('a document of %s', (_, write) => {
  const LETTER = 'Thank you for seeing this man with chest pain for 3/52. BP 142/88.'

  it('passes', () => {
    expect(inPrompt(write(LETTER))).toEqual([])
  })

  it.each(['His MRN is 778812.', 'DOB 07/02/61', 'Tel 086 555 0199'])('with %j is refused for that alone', (line) => {
    const [plain, found] = [inPrompt(line), inPrompt(write(`${LETTER} ${line}`))]
    expect(found.map(({ shape }) => shape)).toEqual(plain.map(({ shape }) => shape))
  })
})
