// Folds any character to the ASCII a reader would take it for: compatibility forms, digits of every script, blanks, marks.
import { lookAlike } from './look-alikes.ts'

/** Stands for a character with no ASCII reading: neither letter, digit, blank nor separator. */
const OTHER = '\x7f'

/** Stands for a combining mark: not read, but part of the character before it. */
export const MARK = '\x00'

/** Blank to the eye, but letters or symbols to Unicode: Hangul fillers, the Braille blank. */
const FILLERS = new Set([0x115f, 0x1160, 0x3164, 0xffa0, 0x2800])

const FRACTION_SLASH = '\u2044'
const UNIT_SLASH = '\u2215'

const folded = new Map<number, string>()
/** A letter seldom has more than a few dozen; the bound keeps a hostile stream of texts from filling memory. */
const FOLDED_MAX = 4096

/** The ASCII reading of one code point: one character, several, or none. */
export function foldCodePoint(codePoint: number): string {
  const known = folded.get(codePoint)
  if (known !== undefined) return known
  if (folded.size >= FOLDED_MAX) folded.clear()
  const fold = foldCharacter(codePoint)
  folded.set(codePoint, fold)
  return fold
}

function foldCharacter(codePoint: number): string {
  if (codePoint >= 0x20 && codePoint < 0x7f) return String.fromCharCode(codePoint)
  if (codePoint === 0x0a || codePoint === 0x0b || codePoint === 0x0c) return '\n'
  if (codePoint === 0x85 || codePoint === 0x2028 || codePoint === 0x2029) return '\n'
  // A carriage return comes with a line end, which swallows the blank.
  if (codePoint === 0x09 || codePoint === 0x0d) return ' '
  // Tag characters repeat ASCII at U+E0000 and show as nothing.
  if (codePoint >= 0xe0020 && codePoint <= 0xe007e) return String.fromCharCode(codePoint - 0xe0000)
  if (codePoint < 0xa0 || FILLERS.has(codePoint)) return ''
  const character = String.fromCodePoint(codePoint)
  const alike = lookAlike(character)
  if (alike !== undefined) return alike
  if (/\p{Z}/u.test(character)) return ' '
  if (/\p{M}/u.test(character)) return MARK
  if (/\p{Cf}/u.test(character)) return ''
  if (/\p{Nd}/u.test(character)) return String(decimalValue(codePoint))
  const decomposed = character.normalize('NFKD')
  if (decomposed !== character) return foldDecomposed(decomposed)
  if (/\p{Pd}/u.test(character)) return '-'
  return OTHER
}

/** A vulgar fraction stands apart from the number before it: 1½ is not 11/2. */
function foldDecomposed(decomposed: string): string {
  // A unit in one character, such as m/s2, and a ligature of another script are no part of an identifier, however long.
  if (decomposed.includes(UNIT_SLASH)) return OTHER
  let fold = decomposed.includes(FRACTION_SLASH) ? ' ' : ''
  for (const part of decomposed) fold += foldCodePoint(part.codePointAt(0) ?? 0)
  if (!fold.includes(OTHER)) return fold
  return /[!-~]/.test(fold) ? fold.replace(/\x7f{2,}/g, OTHER) : OTHER
}

/** Decimal digits come in runs of ten from zero to nine, some runs end to end. */
function decimalValue(codePoint: number): number {
  let zero = codePoint
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (codePoint - zero) % 10
}
