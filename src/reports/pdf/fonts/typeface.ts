// The faces of a PDF: text, regular and bold, and headings. Prepares texts for drawing, measures their widths, and embeds the faces in a
// file. All are subset and deflated beforehand (scripts/pdf/cut_fonts.py), so no font is parsed here. Their programs are
// files of the build, because they are a tenth of the Worker and only a report needs them.
import faces from './faces.json' with { type: 'json' }
import { fetchBuiltFile, type BuiltFiles } from '../../../platform/built-file.ts'
import type { PdfFile, Ref } from '../pdf-file.ts'

/** `heading` has only the characters of our own words. */
export const FACE_NAMES = ['regular', 'bold', 'heading'] as const
export type FaceName = (typeof FACE_NAMES)[number]

/** The deflated font program of each face. */
export type FontPrograms = Readonly<Record<FaceName, Uint8Array>>

export const PROGRAM_PATHS: Readonly<Record<FaceName, string>> = {
  regular: '/fonts/countersign-sans-regular.zlib',
  bold: '/fonts/countersign-sans-bold.zlib',
  heading: '/fonts/countersign-serif-heading.zlib',
}

export async function loadFontPrograms(files: BuiltFiles): Promise<FontPrograms> {
  const load = async (name: FaceName): Promise<Uint8Array> => (await fetchBuiltFile(files, PROGRAM_PATHS[name])).bytes()
  const [regular, bold, heading] = await Promise.all([load('regular'), load('bold'), load('heading')])
  return { regular, bold, heading }
}

type Face = {
  readonly name: string
  readonly weight: number
  readonly ascent: number
  readonly descent: number
  readonly capHeight: number
  readonly box: string
  readonly length: number
  /** Glyphs by code point. */
  readonly glyphs: ReadonlyMap<number, number>
  /** Widths by glyph, in thousandths of the size. */
  readonly widths: readonly number[]
}

/** A box, drawn for every character that no font has. Screen readers and copying get the original character. */
const MISSING = 0x25a1

const unpacked = new Map<FaceName, Face>()

/** Reads the face on first use, so that a Worker that draws nothing pays nothing. */
export function face(name: FaceName): Face {
  const known = unpacked.get(name)
  if (known !== undefined) return known
  const { characters, glyphs, widths, ...rest } = faces[name]
  const numbers = glyphs.split(' ').map(Number)
  const points = Array.from(characters, (character) => character.codePointAt(0) ?? 0)
  const made: Face = {
    ...rest,
    glyphs: new Map(points.map((point, index) => [point, numbers[index] ?? 0])),
    widths: widths.split(' ').map(Number),
  }
  unpacked.set(name, made)
  return made
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
// oxlint-disable-next-line no-control-regex -- control characters are replaced by a space
const SPACES = /[\u0000-\u0020\u007f-\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g

/** Normalises a text for drawing: composed, without invisible characters, with single spaces for blanks and line breaks. */
export const drawableText = (text: string): string =>
  text.toWellFormed().normalize('NFC').replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ')

type Segment = { text: string; hasGlyphs: boolean }

/** Splits a text into runs of characters that the fonts have and runs that they do not have. */
export function segmentsOf(text: string): Segment[] {
  const { glyphs } = face('regular')
  const segments: Segment[] = []
  for (const character of text) {
    const hasGlyphs = glyphs.has(character.codePointAt(0) ?? 0)
    const last = segments.at(-1)
    if (last?.hasGlyphs === hasGlyphs) last.text += character
    else segments.push({ text: character, hasGlyphs })
  }
  return segments
}

/** Returns the code point to draw: the character itself, or the box. */
function shownPoint(name: FaceName, character: string): number {
  const point = character.codePointAt(0) ?? 0
  return face(name).glyphs.has(point) ? point : MISSING
}

/** Returns the width in points. */
export function widthOf(name: FaceName, size: number, text: string): number {
  const { glyphs, widths } = face(name)
  const missing = glyphs.get(MISSING) ?? 0
  let width = 0
  for (const character of text) width += widths[glyphs.get(character.codePointAt(0) ?? 0) ?? missing] ?? 0
  return (width * size) / 1000
}

export const FONT_NAMES: Readonly<Record<FaceName, string>> = { regular: 'F1', bold: 'F2', heading: 'F3' }

/**
 * Records which glyphs a file shows.
 * @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (9.6 to 9.10)
 */
export class UsedGlyphs {
  readonly #used: Record<FaceName, Map<number, number>> = { regular: new Map(), bold: new Map(), heading: new Map() }

  /** Returns the text as page content, in hexadecimal. */
  show(name: FaceName, text: string): string {
    const { glyphs } = face(name)
    const used = this.#used[name]
    let hex = ''
    for (const character of text) {
      const point = shownPoint(name, character)
      const glyph = glyphs.get(point) ?? 0
      used.set(glyph, point)
      hex += hexOf(glyph)
    }
    return `<${hex}>`
  }

  /** Returns the dictionary of the fonts that are shown. */
  embed(file: PdfFile, programs: FontPrograms): string {
    const entries = FACE_NAMES.filter((name) => this.#used[name].size > 0).map((name) => {
      const font = embedFace(file, name, this.#used[name], programs[name])
      return `/${FONT_NAMES[name]} ${font} 0 R`
    })
    return `<<${entries.join('')}>>`
  }
}

function embedFace(file: PdfFile, name: FaceName, used: ReadonlyMap<number, number>, program: Uint8Array): Ref {
  const { name: fontName, weight, ascent, descent, capHeight, box, length, widths } = face(name)
  const base = `CSGNSN+${fontName}`
  const glyphs = [...used].toSorted(([first], [second]) => first - second)
  const stream = file.addStream(`/Filter/FlateDecode/Length1 ${length}`, program)
  const descriptor = file.add(
    `<</Type/FontDescriptor/FontName/${base}/Flags 4/FontBBox[${box}]/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}`,
    `/CapHeight ${capHeight}/StemV ${weight / 5}/FontFile2 ${stream} 0 R>>`,
  )
  const descendant = file.add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${base}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>`,
    `/FontDescriptor ${descriptor} 0 R/CIDToGIDMap/Identity`,
    `/W[${glyphs.map(([glyph]) => `${glyph}[${widths[glyph] ?? 0}]`).join('')}]>>`,
  )
  const toUnicode = file.addStream('', characterMap(glyphs))
  return file.add(
    `<</Type/Font/Subtype/Type0/BaseFont/${base}/Encoding/Identity-H`,
    `/DescendantFonts[${descendant} 0 R]/ToUnicode ${toUnicode} 0 R>>`,
  )
}

/** A character map takes at most a hundred characters per block. */
const AT_ONCE = 100

function characterMap(glyphs: readonly (readonly [glyph: number, point: number])[]): string {
  let maps = ''
  for (let from = 0; from < glyphs.length; from += AT_ONCE) {
    const some = glyphs.slice(from, from + AT_ONCE)
    const lines = some.map(([glyph, point]) => `<${hexOf(glyph)}><${hexOf(point)}>\n`)
    maps += `${some.length} beginbfchar\n${lines.join('')}endbfchar\n`
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <</Registry(Adobe)/Ordering(UCS)/Supplement 0>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><FFFF>
endcodespacerange
${maps}endcmap
CMapName currentdict /CMap defineresource pop
end
end`
}

const hexOf = (value: number): string => value.toString(16).padStart(4, '0')
