// Searches a text that arrives in pieces, such as a streamed answer, and tells how much of it is decided: that part can be sent.
// Where it searches depends on the text alone, never on the pieces, so a text has the same findings whole and in any pieces.
import type { Steps } from '../../platform/computation-steps.ts'
import { HL7_SEGMENT } from '../identifiers/markup/hl7.ts'
import { foldCodePoint } from '../identifiers/normalise/character-fold.ts'
import { foldedCopy } from '../identifiers/normalise/make-matching-copies.ts'
import { NUMBER_WORDS } from '../identifiers/normalise/number-words.ts'
import { MONTH_WORD } from '../identifiers/shapes/named-month-date.ts'
import { startOfOpenToken } from '../identifiers/shapes/service-token.ts'
import { findInText, type FoundValue, type IsWanted } from '../redaction/find-redactable-values.ts'

/** Decided text that is searched again with what follows: the longest label or surroundings that a finder reads. */
const CONTEXT = 192
/** A line with marks of Markdown is searched from its beginning, at most so much earlier: which marks are pairs is decided there. */
const LINE_CONTEXT = 1_024
/** How much text is kept before the decided end is moved to `passed`. */
const KEPT = 4_096

/** Undecided text of this length is searched without waiting for plain words. */
const LONG_RUN = 2_048
/** At the end of a long run so much stays undecided: longer than any value but a token. */
const TAIL = 512
/** No value is longer: the finder of tokens reads no further. */
const MOST_HELD = 24_576
/** A run of this length is not searched again before it has grown by a quarter. */
const OFTEN_SEARCHED = 512

/** So many blanks or invisible characters in a row are no gap that people write: what they part may be one value. */
const MOST_BLANKS = 64

/** The number of characters that are read in one step. */
const READ_PER_STEP = 4_096

/** A longer word may be a token. A shorter one is neither plain nor part of a value. */
const LONGEST_PLAIN = 24
const LEAST_PLAIN = 4
/** So many letters of a script without blanks are one plain word. */
const UNSPACED_WORD = 8
/** A quoted name before an at sign may have blanks. */
const MOST_QUOTED = 66

/** Words that can be in a value, and labels after which letters may stand for all digits. */
const IN_VALUES = new RegExp(`^(?:${NUMBER_WORDS.join('|')}|${MONTH_WORD}|at|dot|private)$|code|zip`, 'i')

/** A word with marks around it, as it is folded; \x7f is a letter of another script. */
const WORD = /^["'(*[>|~`]*([a-z\x7f]+(?:-[a-z\x7f]+)*)(?:'[a-z]{1,2})?[,;:!?)\]"'*|~`.>]*$/i
/** May be a group of a token: "AKIA IOSF ODNN 7EXA MPLE". */
const MAY_BE_GROUP = /^.+[A-Z-]/
/** Marks that no value has between blanks, or has only beside digits. */
const MARKS = /^[-"'()*[\]>|~`,;:!?#\x7f]*$/
/** May begin a quoted name, also as an escape. */
const QUOTE = /"|&(?:#|[a-z]{2,8};)|%[0-9a-f]{2}/i
/** A mark of Markdown whose other mark may follow. */
const OPEN_MARK = /(?:\*{1,3}|_{2,3}|~~|`{1,3})(?=[^\s*_~`])[^\n*_~`]{0,60}$/
const LONGEST_OPEN_MARK = 64
const MARKDOWN = /[*_~`]/

/**
 * Matches all that a reader of markup may begin with (scanning/identifiers/markup), and what turns the order of characters: the
 * whole text decides how it is read. A result such as "HR=72" is no escape of mail unless another escape is next to it.
 */
const MARKUP =
  /[\\\u202e]|(?:<|&lt;)(?:[?!]|\\?\/[a-z]|(?!(?:at|dot)>)[a-z][a-z0-9]*(?:[:._-][\w.-]+)?(?:[/>]|$))|=(?:2[0-9a-f]|3[a-f]|40|5[b-f]|60|7[b-f]|0[9ad]|a0|[0-9a-f]{2}=)|quoted-printable/i
const LINE_END = /[\n\r\u2028\u2029]/

export type AnswerWindow = {
  /** Takes a piece. Read `decided` and `findings` afterwards. */
  push(piece: string): Steps<void>
  /** Decides the rest. */
  end(): Steps<void>
  /** The beginning of the undecided text, in UTF-16 units of the whole text. Nothing before it can become part of a finding. */
  readonly decided: number
  /** The findings in the decided text, in order of start, offsets in the whole text. */
  readonly findings: readonly FoundValue[]
}

export const createAnswerWindow = (isWanted: IsWanted): AnswerWindow => new Window(isWanted)

class Window implements AnswerWindow {
  readonly #isWanted: IsWanted
  readonly findings: FoundValue[] = []
  decided = 0
  /** The text before `#text`, which begins at `#base`. Markup shows late that the whole text is to be searched. */
  #passed = ''
  #text = ''
  #base = 0
  #at = 0
  /** The beginning of the current run of characters without a blank, or -1. */
  #chunk = -1
  /** True if the chunk has letters of ASCII only. */
  #isWord = true
  #endsWithEquals = false
  /** The beginning of the latest plain word; -1 if what may be in a value came after it. */
  #plain = -1
  /** True if the undecided text has what may be in a value. */
  #mayHoldValue = false
  #quote = -1
  #unspaced = 0
  #unspacedFrom = 0
  #blanks = 0
  /** The length of undecided text at which a long run is searched. */
  #longAt = LONG_RUN
  /** The length of undecided text from which two plain words are looked at again. */
  #againAt = 0
  /** True after the first markup: the rest waits for the end. */
  #isHeld = false

  constructor(isWanted: IsWanted) {
    this.#isWanted = isWanted
  }

  *push(piece: string): Steps<void> {
    this.#text += piece
    const end = this.#base + this.#text.length
    let stepTo = this.#at + READ_PER_STEP
    while (this.#at < end && !this.#isHeld) {
      const code = this.#text.charCodeAt(this.#at - this.#base)
      // The other half of the character is in the next piece.
      if (isHighSurrogate(code) && this.#at + 1 === end) return
      const lower = code | 0x20
      if (lower >= 0x61 && lower <= 0x7a) {
        this.#blanks = 0
        if (this.#chunk === -1) this.#chunk = this.#at
        this.#at += 1
      } else yield* this.#readOther(code)
      if (this.#at - this.decided >= this.#longAt) yield* this.#closeLong()
      if (this.#at < stepTo) continue
      yield READ_PER_STEP
      stepTo = this.#at + READ_PER_STEP
    }
  }

  *end(): Steps<void> {
    const end = this.#base + this.#text.length
    if (this.#isHeld || (this.#chunk !== -1 && this.#hasMarkup())) {
      const found = yield* findInText(this.#passed + this.#text, this.#isWanted)
      this.#take(found, 0, end)
    } else if (this.#mayHoldValue || this.#chunk !== -1) {
      const from = this.#contextStart()
      this.#take(yield* this.#search(from, end), from, end)
    }
    this.decided = end
  }

  /** Reads a character that is no letter of ASCII. */
  *#readOther(code: number): Steps<void> {
    const codePoint = code < 0x80 ? code : (this.#text.codePointAt(this.#at - this.#base) ?? code)
    const next = this.#at + (codePoint > 0xffff ? 2 : 1)
    this.#blanks = isGap(codePoint) ? this.#blanks + 1 : 0
    if (this.#blanks > MOST_BLANKS) this.#isHeld = true
    const isUnspaced = isOfUnspacedScript(codePoint)
    if (!isUnspaced && !isBlank(codePoint)) {
      if (this.#chunk === -1) this.#chunk = this.#at
      this.#isWord = false
      this.#at = next
      return
    }
    if (this.#chunk !== -1) yield* this.#readChunk(this.#chunk, isUnspaced)
    if (codePoint === 0x0a) {
      this.#quote = -1
      if (this.#endsWithEquals) this.#isHeld = true
    }
    this.#at = next
    if (!isUnspaced) return
    this.#endsWithEquals = false
    if (this.#unspaced === 0) this.#unspacedFrom = next - (codePoint > 0xffff ? 2 : 1)
    this.#unspaced += 1
    if (this.#unspaced < UNSPACED_WORD) return
    this.#unspaced = 0
    yield* this.#readPlain(this.#unspacedFrom, next)
  }

  /** Reads the chunk before the current character. @param isBesideUnspaced if that is a letter of a script without blanks */
  *#readChunk(start: number, isBesideUnspaced: boolean): Steps<void> {
    const isWord = this.#isWord
    const isLong = this.#at - start > LONGEST_CHUNK
    if (!isWord && this.#hasMarkup()) {
      this.#isHeld = true
      return
    }
    this.#chunk = -1
    this.#isWord = true
    const written = isLong ? '' : this.#text.slice(start - this.#base, this.#at - this.#base)
    this.#endsWithEquals = !isWord && this.#text.charAt(this.#at - this.#base - 1) === '='
    const folded = isWord ? written : foldedCopy(written).text
    if (!isWord && (isLong || QUOTE.test(folded))) this.#quote = this.#at
    const word = isLong ? undefined : isWord ? folded : WORD.exec(folded)?.[1]
    if (word !== undefined && MAY_BE_GROUP.test(word)) this.#mayHoldValue = true
    if (word === undefined || word.length > LONGEST_PLAIN || IN_VALUES.test(word)) {
      const isMarks = word === undefined && !isLong && (MARKS.test(folded) || (isBesideUnspaced && isMark(folded)))
      if (isMarks) return
      this.#plain = -1
      this.#unspaced = 0
      this.#mayHoldValue = true
    } else if (word.length >= LEAST_PLAIN) yield* this.#readPlain(start, this.#at + 1)
  }

  /** Two plain words close the run before the second, which may still be the name before an at sign. */
  *#readPlain(start: number, until: number): Steps<void> {
    this.#unspaced = 0
    const isSecond = this.#plain !== -1
    this.#plain = start
    const isQuoted = this.#quote !== -1 && until - this.#quote <= MOST_QUOTED
    if (isSecond && !isQuoted && start > this.decided && until - this.decided >= this.#againAt)
      yield* this.#close(start, until)
  }

  *#close(cut: number, until: number): Steps<void> {
    if (this.#mayHoldValue) {
      const from = this.#contextStart()
      const isOpen = OPEN_MARK.test(this.#slice(Math.max(from, until - LONGEST_OPEN_MARK), until))
      const found =
        isOpen || startOfOpenToken(this.#slice(from, until)) !== -1 ? undefined : yield* this.#search(from, until)
      if (found === undefined || found.some(({ end }) => from + end > cut)) {
        const held = until - this.decided
        if (held >= OFTEN_SEARCHED) this.#againAt = held * 1.25
        return
      }
      this.#take(found, from, cut)
    }
    this.#mayHoldValue = false
    this.#decide(cut)
  }

  /** Decides what can be decided of a run without two plain words. */
  *#closeLong(): Steps<void> {
    const until = this.#at
    const held = until - this.decided
    const unbroken = this.#chunk === -1 ? until : this.#chunk
    if (this.#chunk !== -1 && this.#hasMarkup()) {
      this.#isHeld = true
      return
    }
    if (unbroken <= this.decided && held < MOST_HELD) {
      this.#longAt = MOST_HELD
      return
    }
    const from = this.#contextStart()
    const found = this.#mayHoldValue || this.#chunk !== -1 ? yield* this.#search(from, until) : []
    const open = startOfOpenToken(this.#slice(from, until))
    // A token has no blanks, and is one only as a whole.
    let cut = Math.min(until - TAIL, unbroken, open === -1 ? until : from + open)
    for (const { start, end } of found.toReversed()) if (from + end > cut) cut = Math.min(cut, from + start)
    if (cut <= this.decided && held >= MOST_HELD) cut = until
    if (cut > this.decided) {
      this.#take(found, from, cut)
      this.#decide(cut)
    } else this.#longAt = Math.min(MOST_HELD, held * 2)
  }

  *#search(from: number, until: number): Steps<FoundValue[]> {
    return yield* findInText(this.#slice(from, until), this.#isWanted)
  }

  /** Adds what ends after the decided text and begins before `to`. Its part in the decided text has been sent. */
  #take(found: readonly FoundValue[], from: number, to: number): void {
    for (const { shape, value, quoted, pieces, ...range } of found) {
      const [start, end] = [range.start + from, range.end + from]
      if (end <= this.decided || start >= to) continue
      if (start < this.decided) {
        this.findings.push({ shape, start: this.decided, end, value: value.slice(start - end), quoted })
        continue
      }
      const moved = pieces?.map((piece) => ({ start: piece.start + from, end: piece.end + from }))
      this.findings.push({ shape, start, end, value, quoted, ...(moved && { pieces: moved }) })
    }
  }

  #decide(cut: number): void {
    this.decided = cut
    this.#longAt = LONG_RUN
    this.#againAt = 0
    const keep = Math.max(this.#base, cut - CONTEXT - LINE_CONTEXT)
    if (keep - this.#base < KEPT) return
    this.#passed += this.#text.slice(0, keep - this.#base)
    this.#text = this.#text.slice(keep - this.#base)
    this.#base = keep
  }

  #contextStart(): number {
    const from = Math.max(this.#base, this.decided - CONTEXT)
    const before = this.#slice(Math.max(this.#base, from - LINE_CONTEXT), from)
    const line = before.slice(before.lastIndexOf('\n') + 1)
    return MARKDOWN.test(line) ? from - line.length : from
  }

  /** Returns true if the chunk before the current character has markup. */
  #hasMarkup(): boolean {
    const written = this.#slice(Math.max(this.#base, this.#chunk), this.#at)
    if (MARKUP.test(written)) return true
    return HL7_SEGMENT.test(written) && (this.#chunk === 0 || LINE_END.test(this.#slice(this.#chunk - 1, this.#chunk)))
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base)
  }
}

/** The longest plain word with marks around it. */
const LONGEST_CHUNK = 48

const isMark = (folded: string): boolean => /^[^a-z0-9@&%=]*$/i.test(folded)

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

const FOLDS_TO_BLANK = /^[ \n]$/

const isBlank = (codePoint: number): boolean =>
  codePoint < 0x80
    ? codePoint === 0x20 || (codePoint >= 0x09 && codePoint <= 0x0d)
    : FOLDS_TO_BLANK.test(foldCodePoint(codePoint))

const FOLDS_TO_GAP = /^[ \n\0]*$/

/** Returns true for a blank, and for what nobody sees. */
const isGap = (codePoint: number): boolean =>
  codePoint < 0x80 ? isBlank(codePoint) : FOLDS_TO_GAP.test(foldCodePoint(codePoint))

/** Returns true for letters of East Asia, of Thai and its neighbours, and symbols: no value has them. */
function isOfUnspacedScript(codePoint: number): boolean {
  const mayBe =
    codePoint >= 0x2e80 || (codePoint >= 0x0e00 && codePoint < 0x1100) || (codePoint >= 0x1780 && codePoint < 0x1800)
  return mayBe && foldCodePoint(codePoint) === '\x7f'
}
