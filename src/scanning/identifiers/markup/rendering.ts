// Collects what a person reads in a text with markup. The readers of HTML and RTF feed it.
import type { Steps } from '../../../platform/computation-steps.ts'
import { around, COPIED, DECODED, Insertions, Ranges, Reading, Segments, SET, type Range } from './reading.ts'

/** How much of a text is read in one step. */
export const CHARACTERS_PER_STEP = 8_192

/** The effect of a piece of markup on the text around it. */
export const NOTHING = 0
/** Like nothing, but never parts two words: subscript and superscript. */
export const TIED = 1
export const CELL = 2
/** The edge of a block. Two edges are one line end. */
export const LINE = 3
export const PARAGRAPH = 4
/** A line end. Two make an empty line. */
export const BREAK = 5

/** Only markup with one of these is searched as it is written: the shortest value has four digits, or is spelled. */
const MAY_HOLD_VALUE =
  /\d[^]{0,6}\d|@|&(?:commat|#)|(?<![a-z])(?:dot|double|zero|nought|oh|one|two|three|four|five|six|seven|eight|nine)(?![a-z])/i

const SHORTEST_HIDDEN = 8

/** Bookmarks of word processors, unique identifiers, pictures of mail, places of scanned words, rewritten links. */
const NAME_OF_PROGRAM =
  /_(?:Toc|Ref|Hlk|MON_|x0000_[a-z])\d{2,12}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|cid:[^\s"'<>]{1,120}|bbox \d+(?: \d+){3}|%7C\d{12,20}%7C/gi

export class Rendering {
  readonly #source: string
  readonly #visible: Segments
  readonly #hidden = new Ranges()
  /** The words in attributes and names of elements, and blanks where markup alone may part two words. */
  readonly inside: Insertions
  /** The markup and blanks since the last visible character. */
  #from = -1
  #blanks: Range[] = []
  #cell = false
  #edge = false
  #breaks = 0
  #paragraph = false
  #hasMarkup = false
  #isTied = false
  /** True after the end of an element, and if the beginning of another follows it. */
  #hasEnd = false
  #isBetween = false
  #last = 0
  hasMarkup = false
  /** True where a line end is a blank. */
  collapses = false

  constructor(source: string) {
    this.#source = source
    this.#visible = new Segments(source)
    this.inside = new Insertions(this.#visible)
  }

  /** Adds text as it is written. */
  text(from: number, to: number): void {
    let rest = from
    for (let line = this.#lineEnd(rest, to); line !== -1; line = this.#lineEnd(rest, to)) {
      let start = line
      while (start > rest && isBlank(this.#source.charCodeAt(start - 1))) start -= 1
      let end = line + 1
      while (end < to && isBlank(this.#source.charCodeAt(end))) end += 1
      this.#text(rest, start)
      this.#blank(start, end)
      rest = end
    }
    this.#text(rest, to)
  }

  /** Returns the next line end that is a blank, or -1. */
  #lineEnd(from: number, to: number): number {
    if (!this.collapses) return -1
    for (let at = from; at < to; at += 1) if (this.#source.charCodeAt(at) === 0x0a) return at
    return -1
  }

  #text(from: number, to: number): void {
    if (from >= to) return
    let start = from
    while (start < to && isBlank(this.#source.charCodeAt(start))) start += 1
    if (start > from) this.#blank(from, start)
    if (start === to) return
    let end = to
    while (isBlank(this.#source.charCodeAt(end - 1))) end -= 1
    this.#flush(this.#source.charCodeAt(start), start)
    this.#visible.copy(start, end)
    this.#last = this.#source.charCodeAt(end - 1)
    if (end < to) this.#blank(end, to)
  }

  /** Adds a character that [from, to) stands for. */
  character(character: string, from: number, to: number): void {
    this.hasMarkup = true
    if (character === '') return
    this.#flush(character.charCodeAt(0), from)
    this.#visible.put(DECODED, character, from, to)
    this.#last = character.charCodeAt(character.length - 1)
  }

  tag(effect: number, from: number, isEnd: boolean): void {
    if (isEnd) this.#hasEnd = true
    else if (this.#hasEnd) this.#isBetween = true
    this.markup(effect, from)
  }

  /** Adds other markup. */
  markup(effect: number, from: number): void {
    this.hasMarkup = true
    if (this.#from === -1) this.#from = from
    this.#hasMarkup = true
    if (effect === TIED) this.#isTied = true
    else if (effect === CELL) this.#cell = true
    else if (effect === LINE) this.#edge = true
    else if (effect === BREAK) this.#breaks += 1
    else if (effect === PARAGRAPH) this.#paragraph = true
  }

  /** Adds a part of the markup that is searched as it is written. */
  hide(from: number, to: number): void {
    if (to - from < SHORTEST_HIDDEN) return
    const written = this.#source.slice(from, to)
    if (!MAY_HOLD_VALUE.test(written)) return
    let start = 0
    for (const { 0: name, index } of written.matchAll(NAME_OF_PROGRAM)) {
      if (index - start >= SHORTEST_HIDDEN) this.#hidden.push(from + start, from + index)
      start = index + name.length
    }
    if (written.length - start >= SHORTEST_HIDDEN) this.#hidden.push(from + start, to)
  }

  /** Returns the readings, or none if the text has no markup. The first has all that is visible. */
  *finish(): Steps<Reading[]> {
    this.#flush(0, this.#source.length)
    if (!this.hasMarkup) return []
    return [
      yield* Reading.of(this.#visible),
      ...(yield* this.inside.finish()),
      ...(yield* around(this.#source, this.#hidden)),
    ]
  }

  /** Returns one reading, in which only findings at markup count. */
  *finishUnsure(): Steps<Reading[]> {
    this.#flush(0, this.#source.length)
    if (!this.hasMarkup) return []
    const ranges = new Ranges()
    let at = 0
    let end = 0
    this.#visible.forEachIn(0, this.#visible.length, (kind, from, to, _, first, last) => {
      if (kind !== COPIED || from > end) ranges.push(Math.max(0, at - 1), at + (kind === COPIED ? 1 : last - first + 1))
      at += last - first
      end = to
    })
    return [yield* Reading.of(this.#visible, { ranges, by: 'touching' })]
  }

  #blank(from: number, to: number): void {
    if (this.#from === -1) this.#from = from
    this.#blanks.push({ start: from, end: to })
  }

  #copyBlanks(): void {
    for (const { start, end } of this.#blanks) {
      if (this.#lineEnd(start, end) === -1) this.#visible.copy(start, end)
      else this.#visible.put(DECODED, ' ', start, end)
    }
  }

  /** Ends a run of markup and blanks before the character `next`, which begins at `to`. */
  #flush(next: number, to: number): void {
    if (this.#from === -1) return
    const isLine = this.#edge || this.#breaks === 1
    const written = this.#paragraph || this.#breaks > 1 ? '\n\n' : isLine ? '\n' : this.#cell ? ' ' : ''
    if (written !== '') this.#visible.put(SET, written, this.#from, to)
    else if (this.#blanks.length > 0) this.#copyBlanks()
    else if (this.#hasMarkup && !this.#isTied) {
      const reach = this.#reachOfBlank(next, to)
      if (reach !== null) {
        this.inside.begin()
        this.inside.put(SET, ' ', this.#from, to)
        this.inside.end(reach)
      }
    }
    this.#from = -1
    this.#blanks = []
    this.#cell = false
    this.#edge = false
    this.#breaks = 0
    this.#paragraph = false
    this.#hasMarkup = false
    this.#isTied = false
    this.#hasEnd = false
    this.#isBetween = false
  }

  /**
   * Markup without a blank may also part two words, as in `<span>Smith</span><span>MRN 123456</span>`. Returns how far behind the
   * markup a finding of that reading counts; null if it parts nothing.
   */
  #reachOfBlank(next: number, to: number): number | null {
    const [last, first] = [this.#last, next]
    if (!isWordCharacter(last) || !isWordCharacter(first)) return null
    if (isDigit(last) && isDigit(first)) {
      if (!this.#isBetween) return null
      const before = this.#source.slice(Math.max(0, this.#from - 16), this.#from)
      return /^\d{1,9}[ ./-]\d/.test(this.#source.slice(to, to + 16)) || /\d[ ./-]\d{1,9}$/.test(before) ? 1 : null
    }
    if (isDigit(last) || isDigit(first)) return 1
    const isNewWord = isUpper(first) && !isUpper(last)
    return isNewWord || LABEL_HERE.test(this.#source.slice(to, to + 12)) ? LABEL_REACH : null
  }
}

const LABEL_HERE =
  /^(?:m\.?r\.?n|h\.?r\.?n|tel|ph|mob|fax|nok|d\.?o\.?b|born|date|birth|nhs|chi|h&c|hcn|pps|rsi|eir|post|zip|chart|hosp|patient|record|case|file|no\.|number|id)/i
const LABEL_REACH = 48

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Returns true for letters and digits; every character outside ASCII counts as one. */
function isWordCharacter(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a) || code > 0x7f
}
