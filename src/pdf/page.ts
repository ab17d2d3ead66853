// One page: what is drawn on it, each part of which is an element's or an artifact's. Lengths are points, `y` grows downwards.
import { FONT_NAMES, type UsedGlyphs } from './fonts/embed-fonts.ts'
import { hasEveryGlyph, type FaceName } from './fonts/typeface.ts'
import type { Ref } from './pdf-file.ts'
import type { Element, Structure } from './structure.ts'
import { number, numbers, text as textString, type Colour } from './syntax.ts'

/** A4. */
export const PAGE_WIDTH = 595.28
export const PAGE_HEIGHT = 841.89

export type Point = readonly [x: number, y: number]
export type Box = { x: number; y: number; width: number; height: number }
export type Type = { face: FaceName; size: number; colour: Colour }

/** `Pagination`: what belongs to the page, not to the text, such as its number. `Layout`: rules and grounds. */
export type ArtifactKind = 'Pagination' | 'Layout'

export class Page {
  readonly ref: Ref
  readonly index: number
  readonly #structure: Structure
  readonly #glyphs: UsedGlyphs
  #content = ''
  #isMarked = false

  constructor(place: { ref: Ref; index: number }, structure: Structure, glyphs: UsedGlyphs) {
    this.ref = place.ref
    this.index = place.index
    this.#structure = structure
    this.#glyphs = glyphs
  }

  get content(): string {
    return this.#content
  }

  /** What `draw` draws is content of the element. */
  mark(element: Element, draw: () => void): void {
    const mark = this.#structure.mark(element, this.ref, this.index)
    this.#within(`/${element.tag}<</MCID ${mark}>>BDC`, draw)
  }

  /** What `draw` draws is there for the eye alone. */
  artifact(kind: ArtifactKind, draw: () => void): void {
    this.#within(`/Artifact<</Type/${kind}>>BDC`, draw)
  }

  /** `y`: of the line that letters stand on. The text is one that `settable` made. */
  text([x, y]: Point, { face, size, colour }: Type, text: string): void {
    const shown = `BT/${FONT_NAMES[face]} ${number(size)} Tf ${fill(colour)} ${this.#at(x, y)} Td ${this.#glyphs.show(face, text)}Tj ET`
    // What is set is a box for each missing character, and what is read out and copied is the text.
    this.#put(hasEveryGlyph(text) ? shown : `/Span<</ActualText ${textString(text)}>>BDC ${shown} EMC`)
  }

  rectangle({ x, y, width, height }: Box, colour: Colour): void {
    this.#put(`${fill(colour)} ${this.#at(x, y + height)} ${numbers(width, height)} re f`)
  }

  frame({ x, y, width, height }: Box, colour: Colour, thickness: number): void {
    this.#put(`${stroke(colour, thickness)} ${this.#at(x, y + height)} ${numbers(width, height)} re S`)
  }

  line(points: readonly Point[], colour: Colour, thickness: number): void {
    this.#put(`${stroke(colour, thickness)} ${this.#path(points)} S`)
  }

  area(points: readonly Point[], colour: Colour): void {
    this.#put(`${fill(colour)} ${this.#path(points)} h f`)
  }

  #path(points: readonly Point[]): string {
    return points.map(([x, y], index) => `${this.#at(x, y)} ${index === 0 ? 'm' : 'l'}`).join(' ')
  }

  #at(x: number, y: number): string {
    return numbers(x, PAGE_HEIGHT - y)
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
const fill = (colour: Colour): string => `${shade(colour)} rg`
const stroke = (colour: Colour, thickness: number): string => `${shade(colour)} RG ${number(thickness)} w`
