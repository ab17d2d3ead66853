// Embeds faces in a file: the program, the widths of its glyphs, and their characters.
import type { PdfFile, Ref } from '../pdf-file.ts'
import { face, shownPoint, type FaceName } from './typeface.ts'

/** The names of the faces in page content. */
export const FONT_NAMES: Readonly<Record<FaceName, string>> = { regular: 'F1', bold: 'F2' }

const FACES: readonly FaceName[] = ['regular', 'bold']

/** Records which glyphs a file shows. */
export class UsedGlyphs {
  readonly #used: Record<FaceName, Map<number, number>> = { regular: new Map(), bold: new Map() }

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

  /** Returns the dictionary of a page's fonts. */
  embed(file: PdfFile): string {
    const entries = FACES.map((name) => `/${FONT_NAMES[name]} ${embedFace(file, name, this.#used[name])} 0 R`)
    return `<<${entries.join('')}>>`
  }
}

function embedFace(file: PdfFile, name: FaceName, used: ReadonlyMap<number, number>): Ref {
  const { name: fontName, weight, ascent, descent, capHeight, box, length, program, widths } = face(name)
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
