// Makes a copy of a text in which letters typed for digits are digits: O is 0, l and I are 1, S 5, B 8, Z 2.
import { withReplacements, type MatchingCopy, type Replacement } from './matching-copy.ts'

/** A text without such a letter needs no second copy. */
const DIGIT_LETTER = /[OoQIil|SsBZz]/
/** A digit next to a letter like a digit, which marks a word that may be a number. */
const MIXED = /\d[OoQIil|SsBZz]|[OoQIil|SsBZz]\d/g
/** A whole word of digits and digit-like letters. Up to two more letters may end it, as in a PPS number. */
const MIXED_WORD = /^[\dOoQIil|SsBZz]{2,24}[A-Za-z]{0,2}$/
/** A group of letters only, between numbers: the OOO of 444 OOO 0932. */
const LETTER_GROUP = /[OoIl]{2,4}(?=[ .-][\dOoIl])(?<=[\dOoIl][ .-][OoIl]{2,4})/g
/** A date whose parts may all contain such letters: I3-I2-I964. */
const DATE =
  /(?<![A-Za-z0-9|])[\dOoQIil|SsBZz]{1,2}([/.-])[\dOoQIil|SsBZz]{1,2}\1(?:[\dOoQIil|SsBZz]{4}|(?<=\/)\d\d)(?![A-Za-z0-9])/g
const BRACKETED = /(?<=\d[ \n]?\()[Oo](?=\) ?\d)/g

/**
 * Words that are vitamins, vertebrae or heart sounds in a letter: B12, S1, I21, O2. Reading them as digits would invent numbers.
 */
const CLINICAL_WORD = /^(?:B(?:[1-9]|1[0-2])|S[1-5]|I\d\d?|Z\d\d?|O2)$/
/** A vertebra in lower-case text, next to other vertebrae: l1-l2-l3. */
const LUMBAR = /^l[1-5]$/
/** An amount if it is alone (10s, 5l, 80B). Part of a number if digits are next to it (48l 884 2257). */
const AMOUNT = /^(?:\d{1,3}[A-Za-z]{1,2}|[SZ]\d\d?)$/
const DIGITS_BEFORE = /[\dOoIl][ ./-]$/
/** An amount of international units, whose I is no 1: 800IU, 100000iu. Six other figures may be those of a PPS number. */
const INTERNATIONAL_UNITS = /^(?:\d{1,5}|\d{4}00)iu$/i
const RANGE_BEFORE = /\d ?[-/] ?$/
const DIGITS_AFTER = /^[ ./-][\dOoIl]/

const PPS_WORD = /^[\dOoQIil|SsBZz]{7}[A-Wa-w][A-Za-z]?$/

/** Returns the copy with words of digits and digit-like letters read as numbers; undefined if that changes nothing. */
export function readLettersAsDigits(copy: MatchingCopy): MatchingCopy | undefined {
  const { text } = copy
  if (!DIGIT_LETTER.test(text)) return undefined
  const replacements: Replacement[] = []
  let end = 0
  for (const match of text.matchAll(MIXED)) {
    if (match.index < end) continue
    const start = wordStart(text, match.index)
    end = wordEnd(text, match.index + 2)
    const replacement = readWord(text, start, end)
    if (replacement !== undefined) replacements.push({ start, end, text: replacement })
  }
  for (const pattern of [LETTER_GROUP, DATE, BRACKETED]) {
    for (const { 0: letters, index } of text.matchAll(pattern)) {
      const replacement = foldDigitLetters(letters)
      const isNew = replacement !== letters && (pattern !== DATE || /\d/.test(letters))
      if (isNew) replacements.push({ start: index, end: index + letters.length, text: replacement })
    }
  }
  if (replacements.length === 0) return undefined
  return withReplacements(
    copy,
    replacements.toSorted((a, b) => a.start - b.start || b.end - a.end),
  )
}

function readWord(text: string, start: number, end: number): string | undefined {
  const word = text.slice(start, end)
  // Bars between empty fields are no figures.
  if (!MIXED_WORD.test(word) || word.includes('|||')) return undefined
  if (word.length <= 3 && CLINICAL_WORD.test(word) && !isBetweenSlashes(text, start, end)) return undefined
  if (word.length === 2 && LUMBAR.test(word) && isAmongLumbar(text, start, end)) return undefined
  if (word.length <= 5 && AMOUNT.test(word) && !isAmongFigures(text, start, end)) return undefined
  if (/iu$/i.test(word) && isInternationalUnits(text, start, end)) return undefined
  const digits = word.length > 7 && PPS_WORD.test(word) ? 7 : word.length
  const replacement = foldDigitLetters(word.slice(0, digits)) + word.slice(digits)
  return replacement === word ? undefined : replacement
}

/** Returns true for 800IU, the 152348IU of 76174-152348IU, and 152348IU/L. */
function isInternationalUnits(text: string, start: number, end: number): boolean {
  const isRangeOrRate = RANGE_BEFORE.test(text.slice(Math.max(0, start - 4), start)) || text.charAt(end) === '/'
  return (isRangeOrRate ? /^\d{1,6}iu$/i : INTERNATIONAL_UNITS).test(text.slice(start, end))
}

/** Longer words are never numbers. */
const WORD_MAX = 26

function wordStart(text: string, index: number): number {
  let start = index
  while (start > 0 && index - start < WORD_MAX && isWordCharacter(text.charCodeAt(start - 1))) start -= 1
  return start
}

function wordEnd(text: string, index: number): number {
  let end = index
  while (end < text.length && end - index < WORD_MAX && isWordCharacter(text.charCodeAt(end))) end += 1
  return end
}

/** Returns true for a digit, a letter or a bar. */
function isWordCharacter(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a) || code === 0x7c
}

/** Returns true for a word between slashes, such as the month O2 of O1/O2/2023. */
function isBetweenSlashes(text: string, start: number, end: number): boolean {
  return /[\dOoIl]\/$/.test(text.slice(Math.max(0, start - 2), start)) && /^\/[\dOoIl]/.test(text.slice(end, end + 2))
}

function isAmongLumbar(text: string, start: number, end: number): boolean {
  return /l[1-5][-/]$/.test(text.slice(Math.max(0, start - 3), start)) || /^[-/]l[1-5]/.test(text.slice(end, end + 3))
}

const isAmongFigures = (text: string, start: number, end: number): boolean =>
  DIGITS_BEFORE.test(text.slice(Math.max(0, start - 2), start)) || DIGITS_AFTER.test(text.slice(end, end + 2))

const DIGIT_OF = new Map(
  ['O0', 'o0', 'Q0', 'I1', 'i1', 'l1', '|1', 'S5', 's5', 'B8', 'Z2', 'z2'].map(([letter = '', digit = '']) => [
    letter,
    digit,
  ]),
)

export function foldDigitLetters(letters: string): string {
  let digits = ''
  for (const letter of letters) digits += DIGIT_OF.get(letter) ?? letter
  return digits
}
