// Searches for the referral letters that take the identifier guard longest to scan. Each candidate repeats one or two characters,
// or a few pieces of identifiers, to full length.
import { matchingCopies } from '../../../src/scanning/identifiers/normalise/make-matching-copies.ts'

/** Pieces of identifiers, of their labels and of the words beside them. Blanks separate the pieces; `_` stands for a blank. */
const PIECES =
  '1 0 12 087 19 2020 1234567 267036007 / - . , : ; ( ) + & @ % # | " \' \\ _ = ~ a A o O l I S B x T12 D02 PPS NHS CHI tel MRN chart DOB born Jan ' +
  'march May Monday on seen no. the of at dot insulin section SNOMED one twenty first double ½ ﷺ é \u{301} \u{200b} &#49; &nbsp; ' +
  "%41 \\u0031 \u{202e} \n < > <b> </b> <br> <td> <mrn> <a_title=1> <!-- --> &lt; {\\rtf1 \\b \\par \\'31 \\.br\\ =C3=A9 =3D =\n1 ** `"
const PAIRED = 50
const MIXTURES = 4_000
const FINALISTS = 30

export type CostlyLetter = { unit: string; ms: number }

/** Returns the costliest letters of `length` code points, costliest first. `cost` returns the milliseconds of one scan. */
export function findCostlyLetters(length: number, cost: (letter: string) => number): CostlyLetter[] {
  const measure = (unit: string, rounds: number): CostlyLetter => {
    const letter = repeated(unit, length)
    return { unit, ms: Math.min(...Array.from({ length: rounds }, () => cost(letter))) }
  }
  const costliest = (units: string[], count: number): string[] =>
    units
      .map((unit) => measure(unit, 2))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, count)
      .map(({ unit }) => unit)

  const characters = charactersReadDifferently()
  const ascii = characters.filter((character) => character < '\x7f')
  const paired = new Set([...ascii, ...costliest(characters, PAIRED)])
  const pairs = [...paired].flatMap((first) => [...paired].map((second) => first + second))
  const candidates = [
    ...costliest(characters, FINALISTS),
    ...costliest(pairs, FINALISTS),
    ...costliest(mixtures(), FINALISTS),
  ]
  return [...new Set(candidates)].map((unit) => measure(unit, 10)).toSorted((a, b) => b.ms - a.ms)
}

/** Returns one character for each way in which the guard normalises characters, from all 1,114,112 code points. */
function charactersReadDifferently(): string[] {
  const byReading = new Map<string, string>()
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue
    const character = String.fromCodePoint(codePoint)
    const reading = matchingCopies(`${character}x${character}`)
      .map(({ text }) => text)
      .join('\n')
    if (!byReading.has(reading)) byReading.set(reading, character)
  }
  return [...byReading.values()]
}

/** Returns random sequences of two to five pieces, by a fixed generator (Numerical Recipes' constants). */
function mixtures(): string[] {
  const pieces = PIECES.split(' ').map((piece) => (piece === '_' ? ' ' : piece))
  let state = 943_476
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: MIXTURES }, () =>
    Array.from({ length: 2 + draw(4) }, () => pieces[draw(pieces.length)] ?? '').join(''),
  )
}

function repeated(unit: string, length: number): string {
  return Array.from(unit.repeat(Math.ceil(length / Array.from(unit).length)))
    .slice(0, length)
    .join('')
}
