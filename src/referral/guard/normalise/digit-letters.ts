// A second reading of a copy: letters typed for digits (O for 0, l and I for 1, S for 5, B for 8, Z for 2) become digits.
import type { MatchingCopy } from './matching-copy.ts'
import { withReadings } from './second-readings.ts'
import type { Reading } from './second-readings.ts'

/** A word made of digits and digit-like letters, both present; up to two more letters may end it, as in a PPS number. */
const MIXED_WORD =
  /(?<![A-Za-z0-9|])(?:\d+[OoQIil|SsBZz]|[OoQIil|SsBZz]+\d)[\dOoQIil|SsBZz]*[A-Za-z]{0,2}(?![A-Za-z0-9|])/g

/** What those words are in a letter: B12, S1, I21, O2, 10s, 5l. A second reading of them would invent numbers. */
const CLINICAL_WORD = /^(?:[BSZI]\d{1,2}|O2|\d{1,3}[sliIoLB]|\d{1,3}[A-Za-z]{2})$/

const PPS_WORD = /^[\dOoQIil|SsBZz]{7}[A-Wa-w][A-Za-z]?$/

/** The copy with such words read as numbers, or undefined when it has none. */
export function readLettersAsDigits(copy: MatchingCopy): MatchingCopy | undefined {
  const readings: Reading[] = []
  for (const match of copy.text.matchAll(MIXED_WORD)) {
    const [word] = match
    if (CLINICAL_WORD.test(word)) continue
    const digits = PPS_WORD.test(word) ? 7 : word.length
    const text = foldDigitLetters(word.slice(0, digits)) + word.slice(digits)
    if (text !== word) readings.push({ start: match.index, end: match.index + word.length, text })
  }
  return readings.length === 0 ? undefined : withReadings(copy, readings)
}

/** `letters` with each digit-like letter as its digit. */
export function foldDigitLetters(letters: string): string {
  return letters
    .replace(/[OoQ]/g, '0')
    .replace(/[Iil|]/g, '1')
    .replace(/[Ss]/g, '5')
    .replace(/B/g, '8')
    .replace(/[Zz]/g, '2')
}
