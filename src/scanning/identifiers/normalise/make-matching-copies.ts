// Makes copies of a text to search for identifiers: folded to ASCII, escapes decoded, reversed runs restored, words as digits.
import { foldText, foldUnits } from './character-fold.ts'
import { decodeEscapes } from './decode-escapes.ts'
import { readLettersAsDigits } from './digit-letters.ts'
import { sourceUnits, type MatchingCopy, type SourceUnits } from './matching-copy.ts'
import { readNumberWords } from './number-words.ts'

/** Matches anything but printable ASCII and line ends, and blanks or line ends in a row, except two line ends. */
const NEEDS_FOLDING = /[^\n -~]| {2}| \n|\n |\n{3}/
const MAY_HOLD_ESCAPES = /&#(?:\d|x[0-9a-f])|&[a-z]{2,8};|%[0-9a-f]{2}|\\u(?:\{|[0-9a-f]{4})|\\x[0-9a-f]{2}/i

/** Returns at least one copy. Each further copy reads some characters differently. */
export function matchingCopies(text: string): MatchingCopy[] {
  const copies = foldedCopies(text)
  for (const copy of copies.slice()) {
    const letters = readLettersAsDigits(copy)
    if (letters !== undefined) copies.push(letters)
    const words = readNumberWords(copy)
    if (words !== undefined) copies.push(words)
  }
  return copies
}

/** Returns the first copy, in which only single characters are folded. */
export const foldedCopy = (text: string): MatchingCopy => (NEEDS_FOLDING.test(text) ? foldText(text) : { text })

function foldedCopies(text: string): MatchingCopy[] {
  const mayHoldEscapes = MAY_HOLD_ESCAPES.test(text)
  const mayBeReversed = text.includes('\u202e')
  const copies = [foldedCopy(text)]
  if (!mayHoldEscapes && !mayBeReversed) return copies
  const units = sourceUnits(text)
  const decoded = mayHoldEscapes ? decodeEscapes(text, units) : undefined
  if (decoded !== undefined) copies.push(foldUnits(decoded))
  const turned = turnReversedRuns(decoded ?? units)
  if (turned !== undefined) copies.push(foldUnits(turned))
  return copies
}

const OVERRIDE = 0x202e
const ENDS = new Set([0x202c, 0x2069, 0x202d, 0x0a, 0x2029])

/** Returns `units` with each right-to-left override run in reading order, or undefined if there is no override. */
function turnReversedRuns(units: SourceUnits): SourceUnits | undefined {
  if (!units.codePoints.includes(OVERRIDE)) return undefined
  const order: number[] = []
  let index = 0
  while (index < units.codePoints.length) {
    if (units.codePoints[index] !== OVERRIDE) {
      order.push(index)
      index += 1
      continue
    }
    let end = index + 1
    while (end < units.codePoints.length && !ENDS.has(units.codePoints[end] ?? 0)) end += 1
    for (let back = end - 1; back > index; back -= 1) order.push(back)
    index = end
  }
  const pick = (values: number[]): number[] => order.map((from) => values[from] ?? 0)
  return { codePoints: pick(units.codePoints), starts: pick(units.starts), ends: pick(units.ends) }
}
