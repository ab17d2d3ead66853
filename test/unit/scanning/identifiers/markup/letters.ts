// Letters made of the written corpus, to be rendered.
import type { Random } from '../../../../../scripts/seeded-random.ts'
import { IDENTIFIER_SHAPES } from '../../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { CLINICAL_TEXTS, markedTexts } from '../corpus.ts'

/** Lines that hold no markup, and nothing that a rendering turns into markup or undoes. */
const LINES = [
  ...CLINICAL_TEXTS,
  ...IDENTIFIER_SHAPES.flatMap((shape) => markedTexts(shape).map(({ text }) => text)),
].filter((text) => !/[\u202e<\\=*`~]|__|&#?\w/.test(text))

export const chooseLetter = (random: Random): string =>
  Array.from({ length: random.between(1, 6) }, () => random.choose(LINES)).join(random.choose(['\n', '\n\n']))
