// Draws headings, paragraphs and lists under each other, over as many pages as they need.
import { drawableText } from '../fonts/typeface.ts'
import type { Bookmark, PdfDocument, PagePosition } from '../pdf-document.ts'
import type { Page, Type } from '../pdf-page.ts'
import type { Element, Tag } from '../structure-tree.ts'
import { breakLines, type Line, type TextRun } from './break-lines.ts'

export type Frame = { left: number; top: number; width: number; bottom: number }
/** `leading`: the distance between baselines. */
export type TextStyle = Type & { leading: number }
export type Content = string | readonly TextRun[]

/** The fewest lines of a paragraph on one page, because a single line reads badly. */
const FEWEST_LINES = 2

export class TextFlow {
  readonly pdf: PdfDocument
  readonly frame: Frame
  #page: Page
  y: number

  constructor(pdf: PdfDocument, frame: Frame) {
    this.pdf = pdf
    this.frame = frame
    this.#page = pdf.addPage()
    this.y = frame.top
  }

  get page(): Page {
    return this.#page
  }

  get heightLeft(): number {
    return this.frame.bottom - this.y
  }

  get isAtTop(): boolean {
    return this.y === this.frame.top
  }

  get height(): number {
    return this.frame.bottom - this.frame.top
  }

  newPage(): void {
    this.#page = this.pdf.addPage()
    this.y = this.frame.top
  }

  /** Begins a new page if less height than this is left, unless the page is empty. */
  need(height: number): void {
    if (this.heightLeft < height && !this.isAtTop) this.newPage()
  }

  /** Adds space, except at the top of a page. */
  space(height: number): void {
    if (!this.isAtTop) this.y = Math.min(this.y + height, this.frame.bottom)
  }

  add(tag: Tag, parent: Element = this.pdf.structure.document, entries = ''): Element {
    return this.pdf.structure.add(tag, parent, entries)
  }

  /** Draws a heading. `follows`: the height that must be left below it. */
  heading(
    tag: 'H1' | 'H2' | 'H3',
    text: string,
    style: TextStyle,
    { follows, bookmark }: { follows: number; bookmark?: Bookmark['level'] },
  ): PagePosition {
    const lines = breakLines(runsOf(text, style), this.frame.width)
    this.need(lines.length * style.leading + follows)
    const place = { page: this.#page, y: this.y }
    if (bookmark !== undefined) this.pdf.bookmarks.push({ ...place, title: drawableText(text), level: bookmark })
    const element = this.add(tag)
    this.#page.mark(element, () => this.lines(lines, style, this.frame.left))
    return place
  }

  /** Draws a paragraph. `element`: the owner of the text; a new paragraph of the document by default. */
  paragraph(
    content: Content,
    style: TextStyle,
    { indent = 0, element }: { indent?: number; element?: Element } = {},
  ): void {
    const owner = element ?? this.add('P')
    let lines = breakLines(runsOf(content, style), this.frame.width - indent)
    while (lines.length > 0) {
      const count = this.#linesThatFit(lines.length, style)
      if (count === 0) {
        this.newPage()
        continue
      }
      const some = lines.slice(0, count)
      this.#page.mark(owner, () => this.lines(some, style, this.frame.left + indent))
      lines = lines.slice(count)
      if (lines.length > 0) this.newPage()
    }
  }

  list(items: readonly Content[], style: TextStyle, { gap = 3, indent = 14 } = {}): void {
    const list = this.add('L')
    for (const [index, item] of items.entries()) {
      if (index > 0) this.space(gap)
      this.need(style.leading * FEWEST_LINES)
      const entry = this.add('LI', list)
      const label = this.add('Lbl', entry)
      const baseline = this.y + baselineOf(style)
      this.#page.mark(label, () => this.#page.text([this.frame.left + 3, baseline], style, '• '))
      this.paragraph(item, style, { indent, element: this.add('LBody', entry) })
    }
  }

  /** Draws lines from the current position down. Call it inside `page.mark`. */
  lines(lines: readonly Line[], style: TextStyle, left: number): void {
    drawLines(this.#page, lines, style, { left, top: this.y })
    this.y += lines.length * style.leading
  }

  #linesThatFit(count: number, { leading }: TextStyle): number {
    const fitting = Math.floor((this.heightLeft + 0.01) / leading)
    if (fitting >= count) return count
    const left = count - fitting < FEWEST_LINES ? count - FEWEST_LINES : fitting
    if (left >= FEWEST_LINES) return left
    return this.isAtTop ? Math.max(1, fitting) : 0
  }
}

export const runsOf = (content: Content, type: Type): readonly TextRun[] =>
  typeof content === 'string' ? [{ text: content, type }] : content

export const baselineOf = ({ size, leading }: TextStyle): number => (leading + size * 0.68) / 2

export type Align = 'left' | 'right' | 'center'

export function drawLines(
  page: Page,
  lines: readonly Line[],
  style: TextStyle,
  { left, top, width = 0, align = 'left' }: { left: number; top: number; width?: number; align?: Align },
): void {
  for (const [index, line] of lines.entries()) {
    const spare = width - line.width
    const shift = align === 'right' ? spare : align === 'center' ? spare / 2 : 0
    const y = top + index * style.leading + baselineOf(style)
    for (const { x, type, text } of line.pieces) page.text([left + shift + x, y], type, text)
  }
}
