// A text as the rules read it: folded to ASCII, in lower case, its words parted by one blank. Each character is looked at once,
// which is what nearly all of a scan costs: hence one long loop.
import { foldCodePoint } from '../identifiers/normalise/character-fold.ts'
import type { Steps } from '../../platform/steps.ts'
import { letterBit, lettersOf, type Keywords } from './keywords.ts'

export type Reading<T = unknown> = {
  /** As sent. */
  text: string
  /** Words with a blank before and after each; ` . ` ends a sentence, ` : ` stands for a colon. Apostrophes are left out. */
  words: string
  /** The keywords in `words`, with their positions. */
  starts: readonly Start<T>[]
  /** How many characters the longest word has. */
  longestWord: number
  /** True if it has characters that show as nothing or change how others are shown. */
  hasInvisible: boolean
}

type Start<T> = { at: number; begins: readonly T[] }

const BLANK = 0x20
const STOP = 0x2e
const COLON = 0x3a

const [WITHIN, SENTENCE_END, NEWLINE, COLONS, SLASH] = [1, 2, 4, 8, 16]

/**
 * Characters that may part words. A combining mark is folded to the first character of all, and apostrophes stand within
 * words.
 */
const MARKS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code === 0 || character === "'" || character === '`') return WITHIN
  if ('.!?;'.includes(character)) return SENTENCE_END
  return { '\n': NEWLINE, ':': COLONS, '/': SLASH }[character] ?? 0
})

/** Stands beside the bits of letters where a word has a figure. */
const FIGURE = 1 << 26

/** Makes a letter small, and leaves a figure as it is. */
const SMALL = 0x20

/** The bit that each ASCII character of a word sets; 0 for a character that is no part of a word. */
const BITS = Int32Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\d/.test(character)) return FIGURE
  return /[a-z]/i.test(character) ? letterBit(code | SMALL) : 0
})

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes that are read in a step, and what that costs: less than as many dense figures cost. */
const [STEP, COST] = [4_096, 2_048]

export function* readText<T>(text: string, keywords: Keywords<T>): Steps<Reading<T>> {
  const { bytes, hasInvisible } = yield* toAscii(text)
  const end = bytes.length
  // At most, `a:` becomes ` a :`; a keyword is no more than two characters longer than what stands for it.
  const out = new Uint8Array(end * 2 + 4)
  let length = 0
  let longestWord = 0
  const starts: Start<T>[] = []
  /** The word read last: what ends it is seen with the next one, since `i g n o r e` is one word. */
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
        // Without a letter among its figures a word stays as it is.
        if (letters === FIGURE) letters = 0
        else if ((letters & FIGURE) !== 0) letters = readFigures(out, wordStart, length, keywords)
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
      out[length++] = code | SMALL
      letters |= bit
    }
    partLength = length - partStart
  }
  return { text, words: decoder.decode(out.subarray(0, length)), starts, longestWord, hasInvisible }
}

const isOfWord = (code: number | undefined): boolean => code !== undefined && BITS[code] !== 0

/** Within an address, a full stop, a colon and a question mark part words and no sentences. */
function separatorOf(marks: number, separators: number, newlines: number): number {
  if ((marks & SLASH) !== 0) return BLANK
  if (newlines > 1 || ((marks & SENTENCE_END) !== 0 && separators > 1)) return STOP
  return (marks & COLONS) !== 0 ? COLON : BLANK
}

/** No keyword is longer, with what may be doubled in it. */
const LONGEST = 24
/** Figures that stand for letters: 1gn0re. */
const LETTER_OF_FIGURE: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

/**
 * Puts letters in the place of figures among them, and says which letters the word then has: none where it stays as it is. Figures at
 * the end of a longer word (rot13) are read as letters only where a keyword comes out.
 */
function readFigures<T>(out: Uint8Array, start: number, end: number, keywords: Keywords<T>): number {
  if (end - start > LONGEST) return 0
  const written = decoder.decode(out.subarray(start, end))
  const word = written.replace(/[013457]/g, (figure) => LETTER_OF_FIGURE[figure] ?? figure)
  if (!/[a-z]/.test(written) || !/^[a-z]+$/.test(word)) return 0
  const letters = lettersOf(word)
  write(out, start, word)
  if (word.length <= 3 || /\d[a-z]/.test(written) || keywords.find(out, start, end, letters)?.word === word)
    return letters
  write(out, start, written)
  return 0
}

/** The end offset. */
function write(out: Uint8Array, at: number, word: string): number {
  for (let index = 0; index < word.length; index += 1) out[at + index] = word.charCodeAt(index)
  return at + word.length
}

/** Tag characters, and selectors beyond the sixteen of old. */
const TAGS = 0xe0000

/** It parts no pair. Few at a time, since a character that is not remembered costs some microseconds. */
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

/** Variation selectors, which choose how the character before them is drawn. */
const isSelector = (codePoint: number): boolean => codePoint >= 0xfe00 && codePoint <= 0xfe0f
