// The two faces of a document. They are subset and deflated beforehand (scripts/pdf/cut_fonts.py), so no font is parsed here.
import file from './countersign-sans.json' with { type: 'json' }

export type FaceName = 'regular' | 'bold'

type Face = {
  readonly name: string
  readonly weight: number
  readonly ascent: number
  readonly descent: number
  readonly capHeight: number
  readonly box: string
  /** The font program, deflated, and its length when inflated. */
  readonly program: Uint8Array
  readonly length: number
  /** Glyphs by code point. */
  readonly glyphs: ReadonlyMap<number, number>
  /** Widths by glyph, in thousandths of the size. */
  readonly widths: readonly number[]
}

/** A box, drawn for every character that no face has. The original text stands beside it for readers. */
const MISSING = 0x25a1

const unpacked = new Map<FaceName, Face>()

/** Inflates the face on first use, so that a Worker that draws nothing pays nothing. */
export function face(name: FaceName): Face {
  const known = unpacked.get(name)
  if (known !== undefined) return known
  const { characters, glyphs, widths, deflated, ...rest } = file[name]
  const numbers = glyphs.split(' ').map(Number)
  const points = Array.from(characters, (character) => character.codePointAt(0) ?? 0)
  const made: Face = {
    ...rest,
    glyphs: new Map(points.map((point, index) => [point, numbers[index] ?? 0])),
    widths: widths.split(' ').map(Number),
    // The Node that draws samples lacks `Uint8Array.fromBase64`.
    program: Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0)),
  }
  unpacked.set(name, made)
  return made
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
// oxlint-disable-next-line no-control-regex -- they are what it is about
const SPACES = /[\u0000-\u0020\u007f-\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g

/** Normalises a text for drawing: composed, without invisible characters, with single spaces for blanks and line breaks. */
export const settable = (text: string): string =>
  text.toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ')

type Segment = { text: string; isSettable: boolean }

/** Splits a text into runs of characters that the faces have and runs that they lack. */
export function segmentsOf(text: string): Segment[] {
  const { glyphs } = face('regular')
  const segments: Segment[] = []
  for (const character of text) {
    const isSettable = glyphs.has(character.codePointAt(0) ?? 0)
    const last = segments.at(-1)
    if (last?.isSettable === isSettable) last.text += character
    else segments.push({ text: character, isSettable })
  }
  return segments
}

/** The code point to draw: the character itself, or the box. Both faces have the same characters. */
export function shownPoint(name: FaceName, character: string): number {
  const point = character.codePointAt(0) ?? 0
  return face(name).glyphs.has(point) ? point : MISSING
}

/** Returns points. */
export function widthOf(name: FaceName, size: number, text: string): number {
  const { glyphs, widths } = face(name)
  const missing = glyphs.get(MISSING) ?? 0
  let width = 0
  for (const character of text) width += widths[glyphs.get(character.codePointAt(0) ?? 0) ?? missing] ?? 0
  return (width * size) / 1000
}
