// A text as the rules read it: folded to ASCII, in lower case, its words parted by one blank. Each character is looked at once,
// which is what nearly all of a scan costs: hence one long loop.
import { foldCodePoint } from '../../platform/ascii-fold.ts'
import { shapeOf, type Keywords } from './keywords.ts'

export type Reading = {
  /** As sent. */
  text: string
  /** Words with a blank before and after each; ` . ` ends a sentence, ` : ` stands for a colon. Apostrophes are left out. */
  words: string
  /** Where in `words` a phrase may begin, and a bit for each set of phrases that it may be one of. */
  starts: readonly { at: number; phrases: number }[]
  /** How many characters the longest word has. */
  longestWord: number
  /** Whether it has characters that show as nothing or change how others are shown. */
  hasInvisible: boolean
}

const LOWER_A = 0x61
const BLANK = 0x20
const STOP = 0x2e
const COLON = 0x3a
const NEWLINE = 0x0a
const SLASH = 0x2f
/** Tag characters, and selectors beyond the sixteen of old. */
const TAGS = 0xe0000

const [OTHER, LETTER, FIGURE, IGNORED] = [0, 1, 2, 3]
const CLASSES = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/i.test(character)) return LETTER
  if (/\d/.test(character)) return FIGURE
  // A combining mark is folded to the first; apostrophes stand within words.
  return code === 0 || character === "'" || character === '`' ? IGNORED : OTHER
})

const SENTENCE_ENDS = '.!?;'

const LEAST_KEYWORD = 2
const MOST_FIGURED = 24
/** Figures that stand for letters: 1gn0re. */
const LETTER_OF_FIGURE: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

export function readText(text: string, keywords: Keywords): Reading {
  let out = new Uint8Array(text.length * 2 + 64)
  let length = 0
  let hasInvisible = false
  let longestWord = 0
  const starts: { at: number; phrases: number }[] = []
  let wordStart = 0
  /** Of `i g n o r e`, where its last letter starts; else where the word does. */
  let partStart = 0
  let inWord = false
  let letters = 0
  let hasFigures = false
  /** What stood since the last word. */
  let separators = 0
  let newlines = 0
  let endsSentence = false
  let hasColon = false
  let hasSlash = false

  const closeWord = (): void => {
    const size = length - wordStart
    if (size > longestWord) longestWord = size
    if (size < LEAST_KEYWORD) return
    if (hasFigures && !readFigures(size)) return
    const shape = {
      first: (out[wordStart] ?? 0) - LOWER_A,
      last: (out[length - 1] ?? 0) - LOWER_A,
      letters,
      length: size,
    }
    const keyword = keywords.find(shape)
    if (keyword === null) return
    if (keyword.phrases !== 0) starts.push({ at: wordStart, phrases: keyword.phrases })
    writeWord(keyword.word)
  }

  const writeWord = (word: string): void => {
    length = wordStart
    for (let at = 0; at < word.length; at += 1) out[length++] = word.charCodeAt(at)
  }

  /**
   * Whether letters come out. Figures among letters are read as letters, those at the end of a longer word (rot13) only where
   * a keyword comes out.
   */
  const readFigures = (size: number): boolean => {
    if (size > MOST_FIGURED || letters === 0) return false
    const word = new TextDecoder().decode(out.subarray(wordStart, length))
    const read = word.replace(/[013457]/g, (figure) => LETTER_OF_FIGURE[figure] ?? figure)
    if (!/^[a-z]+$/.test(read)) return false
    const shape = shapeOf(read)
    if (size > 3 && !/\d[a-z]/.test(word) && keywords.find(shape)?.word !== read) return false
    ;({ letters } = shape)
    writeWord(read)
    return true
  }

  const openWord = (next: number): void => {
    const isSpelledOut = separators === 1 && length - partStart === 1 && length > 1 && !isOfWord(next)
    if (isSpelledOut) partStart = length
    else {
      closeWord()
      // Room for the longest keyword, too, which may be longer than what stands for it.
      if (length + 64 > out.length) out = grow(out)
      out[length++] = BLANK
      // Within an address, a full stop, a colon and a question mark part words and no sentences.
      const isEnd = !hasSlash && ((endsSentence && separators > 1) || newlines > 1)
      if (isEnd || (hasColon && !hasSlash)) {
        out[length++] = isEnd ? STOP : COLON
        out[length++] = BLANK
      }
      wordStart = partStart = length
      letters = 0
      hasFigures = false
    }
    separators = newlines = 0
    endsSentence = hasColon = hasSlash = false
  }

  /** `next` tells whether a letter stands alone. */
  const take = (code: number, next: number): void => {
    const kind = CLASSES[code]
    if (kind === LETTER || kind === FIGURE) {
      if (!inWord) openWord(next)
      inWord = true
      if (kind === FIGURE) hasFigures = true
      else letters |= 1 << ((code | 0x20) - LOWER_A)
      if (length === out.length) out = grow(out)
      out[length++] = kind === FIGURE ? code : code | 0x20
      return
    }
    if (kind === IGNORED && (inWord || code === 0)) return
    inWord = false
    separators += 1
    if (code === NEWLINE) newlines += 1
    else if (code === SLASH) hasSlash = true
    else if (code === COLON) hasColon = true
    else if (code !== BLANK && SENTENCE_ENDS.includes(String.fromCharCode(code))) endsSentence = true
  }

  /** The rest of a word, as far as it is letters; where it ends. Most of a text goes this way. */
  const takeLetters = (from: number): number => {
    const bytes = out
    let to = length
    let seen = letters
    let index = from
    for (
      let code = text.charCodeAt(index);
      CLASSES[code] === LETTER && to < bytes.length;
      code = text.charCodeAt(index)
    ) {
      const lower = code | 0x20
      seen |= 1 << (lower - LOWER_A)
      bytes[to++] = lower
      index += 1
    }
    length = to
    letters = seen
    return index
  }

  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) {
      take(code, text.charCodeAt(index + 1))
      if (inWord) index = takeLetters(index + 1) - 1
      continue
    }
    const codePoint = text.codePointAt(index) ?? code
    if (codePoint > 0xffff) index += 1
    const folded = foldCodePoint(codePoint)
    hasInvisible ||= folded === '' || isSelector(codePoint) || codePoint >= TAGS
    for (let at = 0; at < folded.length; at += 1) take(folded.charCodeAt(at), text.charCodeAt(index + 1))
  }
  closeWord()
  out[length++] = BLANK
  return { text, words: new TextDecoder().decode(out.subarray(0, length)), starts, longestWord, hasInvisible }
}

/** Variation selectors, which choose how the character before them is drawn. */
const isSelector = (codePoint: number): boolean => codePoint >= 0xfe00 && codePoint <= 0xfe0f

const isOfWord = (code: number): boolean => CLASSES[code] === LETTER || CLASSES[code] === FIGURE

function grow(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(bytes.length * 2)
  grown.set(bytes)
  return grown
}
