// A reading: what a person reads in a text with markup, and the way back to the text as sent. All offsets are UTF-16 units.
import type { Steps } from '../../../platform/computation-steps.ts'

/** How a segment of a reading came about: copied, one written character decoded, or set in place of markup. */
export const COPIED = 0
export const DECODED = 1
export const SET = 2

/** The characters of the bytes 80 to FF in Windows-1252. */
export const WINDOWS_1252: readonly string[] = Array.from(
  new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, byte) => byte + 128)),
)

/** A range [start, end) of a text. */
export type Range = { readonly start: number; readonly end: number }

/** A list of integers in 4 bytes each: a hostile text of a megabyte has hundreds of thousands. */
class Integers {
  #values = new Int32Array(64)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const values = new Int32Array(this.length * 2)
      values.set(this.#values)
      this.#values = values
    }
    this.#values[this.length] = value
    this.length += 1
  }

  at(index: number): number {
    return this.#values[index] ?? 0
  }

  setLast(value: number): void {
    this.#values[this.length - 1] = value
  }
}

/** Ranges in order of start. */
export class Ranges {
  readonly #starts = new Integers()
  readonly #ends = new Integers()

  get length(): number {
    return this.#starts.length
  }

  /** Adds a range. One that overlaps the last continues it. */
  push(start: number, end: number): void {
    if (this.length > 0 && start < this.#ends.at(this.length - 1)) {
      this.#ends.setLast(Math.max(end, this.#ends.at(this.length - 1)))
      return
    }
    this.#starts.push(start)
    this.#ends.push(end)
  }

  forEach(each: (start: number, end: number) => void): void {
    for (let index = 0; index < this.length; index += 1) each(this.#starts.at(index), this.#ends.at(index))
  }

  firstBehind(offset: number): Range | undefined {
    let [low, high] = [0, this.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ends.at(middle) <= offset) low = middle + 1
      else high = middle
    }
    return low < this.length ? { start: this.#starts.at(low), end: this.#ends.at(low) } : undefined
  }
}

/** Which findings of a reading count: all, those that touch one of the ranges, or those that lie within one. */
export type Counted = 'all' | { readonly ranges: Ranges; readonly by: 'touching' | 'within' }

export class Reading {
  readonly text: string
  readonly counted: Counted
  readonly #segments: Segments
  #hint = 0

  private constructor(text: string, segments: Segments, counted: Counted) {
    this.text = text
    this.counted = counted
    this.#segments = segments
  }

  static *of(segments: Segments, counted: Counted = 'all'): Steps<Reading> {
    return new Reading(yield* segments.text(), segments, counted)
  }

  counts({ start, end }: Range): boolean {
    if (this.counted === 'all') return true
    const range = this.counted.ranges.firstBehind(start)
    if (range === undefined) return false
    return this.counted.by === 'within' ? range.start <= start && end <= range.end : range.start < end
  }

  originalRange(start: number, end: number): Range {
    const segments = this.#segments
    const first = (this.#hint = segments.indexAt(start, this.#hint))
    const last = (this.#hint = segments.indexAt(end - 1, this.#hint))
    return { start: segments.sourceStart(first, start), end: segments.sourceEnd(last, end) }
  }

  /** Returns the parts of the source that [start, end) was read from, without the markup between them. */
  pieces(start: number, end: number): Range[] {
    const pieces: { start: number; end: number }[] = []
    const addPiece = (kind: number, from: number, to: number): void => {
      const last = pieces.at(-1)
      if (kind === SET || from >= to) return
      if (last?.end === from) last.end = to
      else pieces.push({ start: from, end: to })
    }
    this.#hint = this.#segments.forEachIn(start, end, addPiece, this.#hint)
    return pieces
  }
}

/** The segments that a reading is made of, in order: where each begins in it, what of the source it was read from, and how. */
export class Segments {
  readonly source: string
  readonly #at = new Integers()
  readonly #from = new Integers()
  readonly #to = new Integers()
  readonly #kind = new Integers()
  /** The texts of the segments that are not copied. */
  readonly #texts: string[] = []
  /** The index in #texts. */
  readonly #textOf = new Integers()
  length = 0

  constructor(source: string) {
    this.source = source
  }

  /** Copies [from, to) of the source. */
  copy(from: number, to: number): void {
    if (from >= to) return
    const last = this.#at.length - 1
    // A copied run that continues the one before is one segment.
    if (last >= 0 && this.#kind.at(last) === COPIED && this.#to.at(last) === from) this.#to.setLast(to)
    else this.#add(COPIED, from, to, -1)
    this.length += to - from
  }

  /** Adds `text`, read from [from, to) of the source: a decoded character, or what stands for markup. */
  put(kind: number, text: string, from: number, to: number): void {
    if (text === '') return
    this.#add(kind, from, to, this.#texts.length)
    this.#texts.push(text)
    this.length += text.length
  }

  /** Copies [start, end) of other segments of the same source. */
  copyOf(others: Segments, start: number, end: number): void {
    if (start >= end) return
    others.forEachIn(start, end, (kind, from, to, index, first, last) => {
      if (kind === COPIED) this.copy(from, to)
      else this.put(kind, others.#textAt(index).slice(first, last), from, to)
    })
  }

  *text(): Steps<string> {
    const texts: string[] = []
    for (let from = 0; from < this.#at.length; from += SEGMENTS_PER_STEP) {
      const parts: string[] = []
      for (let index = from; index < Math.min(from + SEGMENTS_PER_STEP, this.#at.length); index += 1) {
        const isCopied = this.#kind.at(index) === COPIED
        parts.push(isCopied ? this.source.slice(this.#from.at(index), this.#to.at(index)) : this.#textAt(index))
      }
      texts.push(parts.join(''))
      yield COST * parts.length
    }
    return texts.join('')
  }

  /**
   * Calls `each` for the segments in [start, end). `first` and `last` are the part of the segment that is in it.
   * @param hint the segment where the search for `start` begins
   * @returns the last segment
   */
  forEachIn(
    start: number,
    end: number,
    each: (kind: number, from: number, to: number, index: number, first: number, last: number) => void,
    hint = this.#at.length - 1,
  ): number {
    let index = this.indexAt(start, hint)
    for (; index < this.#at.length; index += 1) {
      const begin = this.#at.at(index)
      if (begin >= end) break
      const [first, last] = [Math.max(start, begin) - begin, Math.min(end, this.#endAt(index)) - begin]
      if (first >= last) continue
      const kind = this.#kind.at(index)
      const from = this.#from.at(index)
      if (kind === COPIED) each(kind, from + first, from + last, index, first, last)
      else each(kind, from, this.#to.at(index), index, first, last)
    }
    return index - 1
  }

  /** Returns the segment that `offset` is in. Most are near the one of the search before. */
  indexAt(offset: number, hint: number): number {
    for (let index = Math.max(0, hint); index >= hint - NEAR_SEGMENTS && index >= 0; index -= 1) {
      if (this.#at.at(index) <= offset) {
        if (offset < this.#endAt(index) || index === this.#at.length - 1) return index
        break
      }
    }
    let [low, high] = [0, this.#at.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#at.at(middle) <= offset) low = middle
      else high = middle
    }
    return low
  }

  sourceStart(index: number, offset: number): number {
    const from = this.#from.at(index)
    return this.#kind.at(index) === COPIED ? from + offset - this.#at.at(index) : from
  }

  sourceEnd(index: number, offset: number): number {
    return this.#kind.at(index) === COPIED ? this.#from.at(index) + offset - this.#at.at(index) : this.#to.at(index)
  }

  #endAt(index: number): number {
    return index + 1 < this.#at.length ? this.#at.at(index + 1) : this.length
  }

  #textAt(index: number): string {
    return this.#texts[this.#textOf.at(index)] ?? ''
  }

  #add(kind: number, from: number, to: number, text: number): void {
    this.#at.push(this.length)
    this.#from.push(from)
    this.#to.push(to)
    this.#kind.push(kind)
    this.#textOf.push(text)
  }
}

const NEAR_SEGMENTS = 16

/** The segments or ranges of one step, and the cost of one in characters. */
const SEGMENTS_PER_STEP = 512
const COST = 4

/** Longer than a label with its value. */
const NEAR = 160

/** Two line ends separate what does not belong together. */
const APART = '\n\n'

/** Collects the parts of a reading around places, with words inserted there, while that reading is being made. */
export class Insertions {
  readonly #visible: Segments
  readonly #around: Segments
  readonly #counted = new Ranges()
  /** How far the reading has been copied, and how far it is to be. */
  #cursor = 0
  #tail = 0
  #start = 0

  /** @param visible the reading, in the making */
  constructor(visible: Segments) {
    this.#visible = visible
    this.#around = new Segments(visible.source)
  }

  /** Begins an insertion at the end of the reading. */
  begin(): void {
    const at = this.#visible.length
    if (at - NEAR <= this.#tail) this.#around.copyOf(this.#visible, this.#cursor, at)
    else {
      this.#around.copyOf(this.#visible, this.#cursor, this.#tail)
      this.#around.put(SET, APART, 0, 0)
      this.#around.copyOf(this.#visible, at - NEAR, at)
    }
    this.#start = this.#around.length
    this.#cursor = at
    this.#tail = at + NEAR
  }

  put(kind: number, text: string, from: number, to: number): void {
    if (kind === COPIED) this.#around.copy(from, to)
    else this.#around.put(kind, text, from, to)
  }

  /** @param reach how far behind the insertion a finding counts. What ends right before it counts too. */
  end(reach: number): void {
    this.#counted.push(Math.max(0, this.#start - 1), this.#around.length + reach)
  }

  *finish(): Steps<Reading[]> {
    if (this.#counted.length === 0) return []
    this.#around.copyOf(this.#visible, this.#cursor, Math.min(this.#visible.length, this.#tail))
    return [yield* Reading.of(this.#around, { ranges: this.#counted, by: 'touching' })]
  }
}

/** Returns the parts of `source` around `ranges`, as they are written. Findings within a range count. */
export function* around(source: string, ranges: Ranges): Steps<Reading[]> {
  if (ranges.length === 0) return []
  const segments = new Segments(source)
  const counted = new Ranges()
  let to = 0
  ranges.forEach((start, end) => {
    const from = Math.max(to, start - NEAR)
    if (from > to) segments.put(SET, APART, from, from)
    const until = Math.max(to, Math.min(source.length, end + NEAR))
    const shift = segments.length - from
    segments.copy(from, until)
    counted.push(start + shift, end + shift)
    to = until
  })
  return [yield* Reading.of(segments, { ranges: counted, by: 'within' })]
}
