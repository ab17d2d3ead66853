// A matching copy: a text folded to plain ASCII for the search, with a map back to offsets in the text as sent. Also splits a text
// into the code points that copies are made from.

/** `text` is ASCII. `starts` and `ends` map each of its characters to code points of the original. */
export type MatchingCopy = {
  readonly text: string
  /** Missing if the copy equals the original, character for character. */
  readonly origin?: { readonly starts: Int32Array; readonly ends: Int32Array }
  /** Set in a copy derived from another: 1 where characters were read differently. Only findings over those are new. */
  readonly altered?: Uint8Array
}

/** Returns the code-point offsets, in the original, of [start, end) in a copy. */
export function originalRange(copy: MatchingCopy, start: number, end: number): { start: number; end: number } {
  if (copy.origin === undefined) return { start, end }
  const { starts, ends } = copy.origin
  // In a reversed run the last character comes first in the original.
  return {
    start: Math.min(starts[start] ?? 0, starts[end - 1] ?? 0),
    end: Math.max(ends[start] ?? 0, ends[end - 1] ?? 0),
  }
}

const BLANK = 0x20
const LINE_END = 0x0a

/** Builds a copy character by character. A run of blanks becomes one blank, a run with line ends at most two line ends. */
export class CopyBuilder {
  #codes: Uint8Array
  #starts: Int32Array
  #ends: Int32Array
  #length = 0

  constructor(capacity: number) {
    this.#codes = new Uint8Array(capacity + 16)
    this.#starts = new Int32Array(capacity + 16)
    this.#ends = new Int32Array(capacity + 16)
  }

  get length(): number {
    return this.#length
  }

  /** Appends an ASCII `code` for the code points [start, end) of the original. */
  append(code: number, start: number, end: number): void {
    if ((code === BLANK || code === LINE_END) && this.#mergesBlank(code, end)) return
    if (this.#length === this.#codes.length) this.#grow()
    this.#codes[this.#length] = code
    this.#starts[this.#length] = start
    this.#ends[this.#length] = end
    this.#length += 1
  }

  /** Extends the range of the last character up to `end`. */
  extendLast(end: number): void {
    if (this.#length > 0) this.#ends[this.#length - 1] = end
  }

  build(): MatchingCopy {
    const text = new TextDecoder().decode(this.#codes.subarray(0, this.#length))
    const origin = { starts: this.#starts.subarray(0, this.#length), ends: this.#ends.subarray(0, this.#length) }
    return { text, origin }
  }

  #mergesBlank(code: number, end: number): boolean {
    const last = this.#length - 1
    const previous = this.#codes[last]
    if (last < 0 || (previous !== BLANK && previous !== LINE_END)) return false
    if (code === LINE_END && previous === LINE_END) return this.#codes[last - 1] === LINE_END
    if (code === LINE_END) this.#codes[last] = LINE_END
    this.#ends[last] = end
    return true
  }

  #grow(): void {
    const size = this.#codes.length * 2
    const grown = { codes: new Uint8Array(size), starts: new Int32Array(size), ends: new Int32Array(size) }
    grown.codes.set(this.#codes)
    grown.starts.set(this.#starts)
    grown.ends.set(this.#ends)
    this.#codes = grown.codes
    this.#starts = grown.starts
    this.#ends = grown.ends
  }
}

export type SourceUnits = { codePoints: number[]; starts: number[]; ends: number[] }

export function sourceUnits(text: string): SourceUnits {
  const units: SourceUnits = { codePoints: [], starts: [], ends: [] }
  let offset = 0
  for (const character of text) {
    units.codePoints.push(character.codePointAt(0) ?? 0)
    units.starts.push(offset)
    offset += 1
    units.ends.push(offset)
  }
  return units
}

/** The range [start, end) of a copy's text, and the ASCII that it is read as. */
export type Replacement = { start: number; end: number; text: string }

/** The characters copied on each side of a replacement. No shape with its label is longer. The first copy has the rest. */
const MARGIN = 96

/** Returns a copy of the text around `replacements`, which are in order of start, with each replacement inserted. */
export function withReplacements(copy: MatchingCopy, replacements: readonly Replacement[]): MatchingCopy {
  const { text, origin } = copy
  const builder = new CopyBuilder(Math.min(replacements.length * (MARGIN * 2 + 48), text.length))
  const stretches: (readonly [from: number, to: number])[] = []
  let position = 0
  const copyUntil = (from: number, limit: number): void => {
    if (from > position) {
      // Two line ends separate what does not belong together.
      builder.append(0x0a, from - 1, from - 1)
      builder.append(0x0a, from - 1, from - 1)
      position = from
    }
    for (; position < limit; position += 1) {
      const start = origin === undefined ? position : (origin.starts[position] ?? 0)
      const end = origin === undefined ? position + 1 : (origin.ends[position] ?? 0)
      builder.append(text.charCodeAt(position), start, end)
    }
  }
  replacements.forEach((replacement, index) => {
    if (replacement.start < position) return
    copyUntil(Math.max(position, replacement.start - MARGIN), replacement.start)
    const from = builder.length
    const first = origin === undefined ? replacement.start : (origin.starts[replacement.start] ?? 0)
    const last = origin === undefined ? replacement.end : (origin.ends[replacement.end - 1] ?? 0)
    for (let at = 0; at < replacement.text.length; at += 1) builder.append(replacement.text.charCodeAt(at), first, last)
    stretches.push([from, builder.length])
    position = replacement.end
    copyUntil(position, Math.min(text.length, replacement.end + MARGIN, replacements[index + 1]?.start ?? text.length))
  })
  const built = builder.build()
  const altered = new Uint8Array(built.text.length)
  for (const [from, to] of stretches) altered.fill(1, from, to)
  return { ...built, altered }
}

export const SURROGATE = /[\ud800-\udfff]/

/** Returns where each code point begins, and where the last ends, in UTF-16 units; null if the two counts are the same. */
export function unitsByCodePoint(text: string): Int32Array | null {
  if (!SURROGATE.test(text)) return null
  const units = new Int32Array(text.length + 1)
  let unit = 0
  let count = 0
  for (const character of text) {
    units[count] = unit
    unit += character.length
    count += 1
  }
  units[count] = unit
  return units
}
