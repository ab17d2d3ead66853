// Prepares a text for the injection rules: ASCII, lower case, one blank between words. One long loop reads each character
// once, because the preparation is nearly all of a scan's cost.
import { foldCodePoint } from '../identifiers/normalise/character-fold.ts'
import type { Steps } from '../../platform/computation-steps.ts'
import { letterBit, lettersOf, type Keywords } from './keywords.ts'

export type PreparedText<T = unknown> = {
  /** The text as sent. */
  text: string
  /** Words with a blank before and after each. ` . ` ends a sentence, ` : ` is a colon. Apostrophes are removed. */
  words: string
  /** The keywords in `words` with which phrases begin, and their positions. */
  starts: readonly Start<T>[]
  /** The length of the longest word, in characters. */
  longestWord: number
  /** True if the text has characters that are invisible, or that change how others are shown. */
  hasInvisible: boolean
}

type Start<T> = { at: number; begins: readonly T[] }

const BLANK = 0x20
const STOP = 0x2e
const COLON = 0x3a

const [WITHIN, SENTENCE_END, NEWLINE, COLONS, SLASH] = [1, 2, 4, 8, 16]

/** Which characters may separate words. A combining mark is folded to character 0. Apostrophes are within words. */
const MARKS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code === 0 || character === "'" || character === '`') return WITHIN
  if ('.!?;'.includes(character)) return SENTENCE_END
  return { '\n': NEWLINE, ':': COLONS, '/': SLASH }[character] ?? 0
})

/** The bit of a digit, besides those of the letters. */
const DIGIT = 1 << 26

/** Makes a letter lower-case, and does not change a digit. */
const LOWER_CASE_BIT = 0x20

/** The bit that each ASCII character of a word sets; 0 for a character that is no part of a word. */
const BITS = Int32Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\d/.test(character)) return DIGIT
  return /[a-z]/i.test(character) ? letterBit(code | LOWER_CASE_BIT) : 0
})

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The bytes that a step reads, and its cost. A byte here costs half as much as a character of dense digits. */
const [STEP, COST] = [4_096, 2_048]

export function* prepareText<T>(text: string, keywords: Keywords<T>): Steps<PreparedText<T>> {
  const { bytes, hasInvisible } = yield* toAscii(text)
  const end = bytes.length
  // At most, `a:` becomes ` a :`. A keyword is at most two characters longer than the word that it replaces.
  const out = new Uint8Array(end * 2 + 4)
  let length = 0
  let longestWord = 0
  const starts: Start<T>[] = []
  /** The word read last. Its end is known only with the next word, since `i g n o r e` is one word. */
  let wordStart = 0
  let partLength = 0
  let letters = 0
  let stepTo = STEP

  for (let index = 0; ;) {
    let separators = 0
    let newlines = 0
    let marks = 0
    // Nearly always a blank alone.
    if (bytes[index] === BLANK && isOfWord(bytes[index + 1])) {
      separators = 1
      index += 1
    }
    for (; index < end && BITS[bytes[index] ?? 0] === 0; index += 1) {
      if (index >= stepTo) {
        yield COST
        stepTo += STEP
      }
      const mark = MARKS[bytes[index] ?? 0] ?? 0
      // A mark alone is no separator: accents come after their letter.
      if (mark !== WITHIN || separators > 0) separators += 1
      if (mark === NEWLINE) newlines += 1
      marks |= mark
    }
    const isSpelledOut = partLength === 1 && separators === 1 && index < end && !isOfWord(bytes[index + 1])
    if (!isSpelledOut) {
      const size = length - wordStart
      if (size > longestWord) longestWord = size
      if (size > 1) {
        // A word of digits without a letter stays as it is.
        if (letters === DIGIT) letters = 0
        else if ((letters & DIGIT) !== 0) letters = replaceDigits(out, wordStart, length, keywords)
        const found = keywords.find(out, wordStart, length, letters)
        if (found !== null) {
          if (found.begins.length > 0) starts.push({ at: wordStart, begins: found.begins })
          length = write(out, wordStart, found.word)
        }
      }
      out[length++] = BLANK
      if (index === end) break
      const separator = separatorOf(marks, separators, newlines)
      if (separator !== BLANK) {
        out[length++] = separator
        out[length++] = BLANK
      }
      wordStart = length
      letters = 0
    }
    const partStart = length
    for (; index < end; index += 1) {
      if (index >= stepTo) {
        yield COST
        stepTo += STEP
      }
      const code = bytes[index] ?? 0
      const bit = BITS[code] ?? 0
      if (bit === 0) {
        if (MARKS[code] !== WITHIN) break
        continue
      }
      out[length++] = code | LOWER_CASE_BIT
      letters |= bit
    }
    partLength = length - partStart
  }
  return { text, words: decoder.decode(out.subarray(0, length)), starts, longestWord, hasInvisible }
}

const isOfWord = (code: number | undefined): boolean => code !== undefined && BITS[code] !== 0

/** Returns what separates two words. In a URL, a full stop, a colon and a question mark end no sentence. */
function separatorOf(marks: number, separators: number, newlines: number): number {
  if ((marks & SLASH) !== 0) return BLANK
  if (newlines > 1 || ((marks & SENTENCE_END) !== 0 && separators > 1)) return STOP
  return (marks & COLONS) !== 0 ? COLON : BLANK
}

/** No keyword is longer, doubled letters included. */
const LONGEST = 24
/** Digits that are typed for letters: 1gn0re. */
const LETTER_OF_DIGIT: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

/**
 * Replaces digits among letters by letters. Returns the word's letters, or 0 if the word stays as it is. Digits at the end of a
 * longer word (rot13) are read as letters only if a keyword results.
 */
function replaceDigits<T>(out: Uint8Array, start: number, end: number, keywords: Keywords<T>): number {
  if (end - start > LONGEST) return 0
  const written = decoder.decode(out.subarray(start, end))
  const word = written.replace(/[013457]/g, (digit) => LETTER_OF_DIGIT[digit] ?? digit)
  if (!/[a-z]/.test(written) || !/^[a-z]+$/.test(word)) return 0
  const letters = lettersOf(word)
  write(out, start, word)
  if (word.length <= 3 || /\d[a-z]/.test(written) || keywords.find(out, start, end, letters)?.word === word)
    return letters
  write(out, start, written)
  return 0
}

/** Returns the end offset. */
function write(out: Uint8Array, at: number, word: string): number {
  for (let index = 0; index < word.length; index += 1) out[at + index] = word.charCodeAt(index)
  return at + word.length
}

/** Tag characters, and the variation selectors above them. */
const TAGS = 0xe0000

/** Never splits a surrogate pair. Few at a time, since folding a character for the first time takes some microseconds. */
const FOLDED_AT_ONCE = /[^]{1,1024}/gu

function* toAscii(text: string): Steps<{ bytes: Uint8Array; hasInvisible: boolean }> {
  const encoded = encoder.encode(text)
  yield text.length / 256
  // Only ASCII has as many bytes as characters.
  if (encoded.length === text.length) return { bytes: encoded, hasInvisible: false }
  let hasInvisible = false
  let ascii = ''
  for (const [stretch] of text.matchAll(FOLDED_AT_ONCE)) {
    let folds = 0
    ascii += stretch.replace(/[^\0-\x7f]/gu, (character) => {
      folds += 1
      const codePoint = character.codePointAt(0) ?? 0
      const folded = foldCodePoint(codePoint)
      hasInvisible ||= folded === '' || isSelector(codePoint) || codePoint >= TAGS
      return folded
    })
    yield stretch.length / 8 + 2 * folds
  }
  return { bytes: encoder.encode(ascii), hasInvisible }
}

/** Returns true for the sixteen variation selectors that choose how the character before them is drawn. */
const isSelector = (codePoint: number): boolean => codePoint >= 0xfe00 && codePoint <= 0xfe0f
