// Prepares a text for the injection rules: ASCII, lower case, one blank between words. One loop reads each character once,
// because the preparation is nearly all of a scan's cost.
import { foldCodePoint } from '../identifiers/normalise/character-fold.ts'
import type { Steps } from '../../platform/computation-steps.ts'

export type PreparedText = {
  /** The text as sent. */
  text: string
  /** Words with a blank before and after each. ` . ` ends a sentence, ` : ` is a colon. Apostrophes are removed. */
  words: string
  /** True if the text has characters that are invisible, or that change how others are shown. */
  hasInvisible: boolean
}

const BLANK = 0x20
const STOP = 0x2e
const COLON = 0x3a

/** Makes a letter lower-case, and does not change a digit. */
const LOWER_CASE_BIT = 0x20

const [WORD, WITHIN, SENTENCE_END, NEWLINE, COLONS, SLASH] = [1, 2, 4, 8, 16, 32]

/** The kind of each ASCII character. A combining mark is folded to character 0 and is within words. */
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z\d]/i.test(character)) return WORD
  if (code === 0 || character === "'" || character === '`') return WITHIN
  if ('.!?;'.includes(character)) return SENTENCE_END
  return { '\n': NEWLINE, ':': COLONS, '/': SLASH }[character] ?? 0
})

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The bytes that a step reads, and its cost. A byte here costs half as much as a character of dense digits. */
const [STEP, COST] = [4_096, 2_048]

export function* prepareText(text: string): Steps<PreparedText> {
  const { bytes, hasInvisible } = yield* toAscii(text)
  // At most, `a:` becomes ` a :`.
  const out = new Uint8Array(bytes.length * 2 + 4)
  let length = 0
  let [marks, separators, newlines] = [0, 1, 0]
  for (let index = 0; index < bytes.length; index += 1) {
    if (index % STEP === STEP - 1) yield COST
    const code = bytes[index] ?? 0
    const kind = KINDS[code] ?? 0
    if (kind === WORD) {
      if (separators > 0) {
        out[length++] = BLANK
        const separator = separatorOf(marks, separators, newlines)
        if (length > 1 && separator !== BLANK) {
          out[length++] = separator
          out[length++] = BLANK
        }
        ;[marks, separators, newlines] = [0, 0, 0]
      }
      out[length++] = code | LOWER_CASE_BIT
    } else if (kind !== WITHIN || separators > 0) {
      // A mark alone is no separator: accents come after their letter.
      separators += 1
      if (kind === NEWLINE) newlines += 1
      marks |= kind
    }
  }
  out[length++] = BLANK
  return { text, words: decoder.decode(out.subarray(0, length)), hasInvisible }
}

/** Returns what separates two words. In a URL, a full stop, a colon and a question mark end no sentence. */
function separatorOf(marks: number, separators: number, newlines: number): number {
  if ((marks & SLASH) !== 0) return BLANK
  if (newlines > 1 || ((marks & SENTENCE_END) !== 0 && separators > 1)) return STOP
  return (marks & COLONS) !== 0 ? COLON : BLANK
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
