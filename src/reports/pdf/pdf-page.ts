// Draws text, lines and areas on one page of a PDF. Each drawing belongs to an element of the document's structure, or is an
// artifact (decoration). Lengths are points, and `y` grows downwards.
import { FONT_NAMES, type UsedGlyphs, segmentsOf, type FaceName } from './fonts/typeface.ts'
import { type Ref, formatNumber, formatNumbers, textString, type Colour } from './pdf-file.ts'
import type { Element, StructureTree } from './structure-tree.ts'

/** A4. */
export const PAGE_WIDTH = 595.28
export const PAGE_HEIGHT = 841.89

export type Point = readonly [x: number, y: number]
export type Box = { x: number; y: number; width: number; height: number }
export type Type = { face: FaceName; size: number; colour: Colour }

/** `Pagination` belongs to the page and not to the text, such as the page number. `Layout`: rules and backgrounds. */
export type ArtifactKind = 'Pagination' | 'Layout'

export class Page {
  readonly ref: Ref
  readonly index: number
  readonly #structure: StructureTree
  readonly #glyphs: UsedGlyphs
  #content = ''
  #isMarked = false
  #lastFont = ''
  #lastFill = ''

  constructor(place: { ref: Ref; index: number }, structure: StructureTree, glyphs: UsedGlyphs) {
    this.ref = place.ref
    this.index = place.index
    this.#structure = structure
    this.#glyphs = glyphs
  }

  get content(): string {
    return this.#content
  }

  /** Makes everything that `draw` draws content of the element. */
  mark(element: Element, draw: () => void): void {
    const mark = this.#structure.mark(element, this.ref, this.index)
    this.#within(`/${element.tag}<</MCID ${mark}>>BDC`, draw)
  }

  /** Makes everything that `draw` draws decoration, hidden from screen readers. */
  artifact(kind: ArtifactKind, draw: () => void): void {
    this.#within(`/Artifact<</Type/${kind}>>BDC`, draw)
  }

  /** Draws text. `y`: the baseline. The text must come from `drawableText`. */
  text([x, y]: Point, { face, size, colour }: Type, text: string): void {
    const shown = segmentsOf(text).map((segment) => {
      const glyphs = `${this.#glyphs.show(face, segment.text)}Tj`
      // A character that no font has is drawn as a box. Reading aloud and copying give the text.
      return segment.hasGlyphs ? glyphs : `/Span<</ActualText ${textString(segment.text)}>>BDC ${glyphs} EMC`
    })
    this.#put(`BT${this.#font(face, size)}${this.#fill(colour)} ${this.#at(x, y)} Td ${shown.join('')} ET`)
  }

  rectangle({ x, y, width, height }: Box, colour: Colour): void {
    this.#put(`${this.#fill(colour)} ${this.#at(x, y + height)} ${formatNumbers(width, height)} re f`)
  }

  line(points: readonly Point[], colour: Colour, thickness: number): void {
    this.#put(`${stroke(colour, thickness)} ${this.#path(points)} S`)
  }

  /** Draws a horizontal line. */
  rule({ x, y, width }: Omit<Box, 'height'>, colour: Colour, thickness: number): void {
    const ends: Point[] = [
      [x, y],
      [x + width, y],
    ]
    this.line(ends, colour, thickness)
  }

  area(points: readonly Point[], colour: Colour): void {
    this.#put(`${this.#fill(colour)} ${this.#path(points)} h f`)
  }

  /** Writes the font only if it changes. */
  #font(face: FaceName, size: number): string {
    const font = `/${FONT_NAMES[face]} ${formatNumber(size)} Tf`
    if (font === this.#lastFont) return ''
    this.#lastFont = font
    return font
  }

  #fill(colour: Colour): string {
    const operator = ` ${shade(colour)} rg`
    if (operator === this.#lastFill) return ''
    this.#lastFill = operator
    return operator
  }

  #path(points: readonly Point[]): string {
    return points.map(([x, y], index) => `${this.#at(x, y)} ${index === 0 ? 'm' : 'l'}`).join(' ')
  }

  #at(x: number, y: number): string {
    return formatNumbers(x, PAGE_HEIGHT - y)
  }

  #put(operators: string): void {
    if (!this.#isMarked) throw new Error('something is drawn that is neither an element’s nor an artifact')
    this.#content += `${operators}\n`
  }

  #within(begin: string, draw: () => void): void {
    if (this.#isMarked) throw new Error('an element’s content has a mark within it')
    this.#content += `${begin}\n`
    this.#isMarked = true
    draw()
    this.#isMarked = false
    this.#content += 'EMC\n'
  }
}

const shade = (colour: Colour): string => colour.map((part) => String(Math.round(part * 1000) / 1000)).join(' ')
const stroke = (colour: Colour, thickness: number): string => `${shade(colour)} RG ${formatNumber(thickness)} w`
