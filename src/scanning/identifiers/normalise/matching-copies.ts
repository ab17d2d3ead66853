// The readings of a letter that are searched: folded, with references decoded, turned round, letters and words as digits.
import { foldText, foldUnits } from './character-fold.ts'
import { decodeReferences } from './character-references.ts'
import { readLettersAsDigits } from './digit-letters.ts'
import type { MatchingCopy } from './matching-copy.ts'
import { readNumberWords } from './number-words.ts'
import { turnReversedRuns } from './reversed-runs.ts'
import { sourceUnits } from './source-units.ts'

/** Needs folding: anything but printable ASCII and line ends, and blanks in a row, save the two line ends of a paragraph. */
const NEEDS_FOLDING = /[^\n -~]| {2}| \n|\n |\n{3}/
const MAY_HOLD_REFERENCES = /&#(?:\d|x[0-9a-f])|&[a-z]{2,8};|%[0-9a-f]{2}|\\u(?:\{|[0-9a-f]{4})|\\x[0-9a-f]{2}/i

/** At least one copy; each further one reads some characters differently. */
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

/** The first of the copies, in which nothing is read but single characters. */
export const foldedCopy = (text: string): MatchingCopy => (NEEDS_FOLDING.test(text) ? foldText(text) : { text })

function foldedCopies(text: string): MatchingCopy[] {
  const mayHoldReferences = MAY_HOLD_REFERENCES.test(text)
  const mayBeReversed = text.includes('\u202e')
  const copies = [foldedCopy(text)]
  if (!mayHoldReferences && !mayBeReversed) return copies
  const units = sourceUnits(text)
  const decoded = mayHoldReferences ? decodeReferences(text, units) : undefined
  if (decoded !== undefined) copies.push(foldUnits(decoded))
  const turned = turnReversedRuns(decoded ?? units)
  if (turned !== undefined) copies.push(foldUnits(turned))
  return copies
}
