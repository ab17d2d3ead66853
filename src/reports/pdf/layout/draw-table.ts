// Draws tables that break between rows. The head is repeated on each page as decoration, and no row is alone on a page.
import type { Page } from '../pdf-page.ts'
import type { Element } from '../structure-tree.ts'
import { breakLines, type Line } from './break-lines.ts'
import { drawLines, runsOf, type Align, type Content, type TextFlow, type TextStyle } from './text-flow.ts'
import type { Colour } from '../pdf-file.ts'

/** `share`: the column's part of the width, relative to the other columns. */
export type Column = { head: string; share: number; align?: Align }

export type TableStyle = {
  head: TextStyle
  body: TextStyle
  /** The style of the row with the sums. */
  total: TextStyle
  caption: TextStyle
  padding: { x: number; y: number }
  headGround: Colour
  rule: Colour
}

export type Table = {
  columns: readonly Column[]
  rows: readonly (readonly Content[])[]
  caption?: string
  hasRowHeads?: boolean
  /** False to hide the heads of the columns. */
  hasHead?: boolean
  /** True if the last row has the sums. */
  hasTotal?: boolean
}

/** A table that takes a smaller part of a page is not broken. */
const SMALL = 0.27
/** A row that takes a larger part of a page may be broken. */
const UNBROKEN_ROW_SHARE = 0.35
/** The fewest lines of a broken row before the end of a page. */
const FEWEST_LINES = 4

type LaidOutCell = { lines: readonly Line[]; align: Align; left: number; width: number }
type LaidOutRow = { cells: LaidOutCell[]; height: number }

export function drawTable(flow: TextFlow, table: Table, style: TableStyle): void {
  const { columns, rows, caption, hasRowHeads = false, hasHead = true, hasTotal = false } = table
  const lefts = columnPositions(columns, flow)
  const set = (contents: readonly Content[], text: TextStyle): LaidOutRow =>
    layOutRow(contents, columns, lefts, text, style)
  const head = hasHead
    ? set(
        columns.map((column) => column.head),
        style.head,
      )
    : null
  const body = rows.map((cells, index) => set(cells, hasTotal && index === rows.length - 1 ? style.total : style.body))
  const element = flow.add('Table')
  const whole = body.reduce((sum, { height }) => sum + height, head?.height ?? 0)
  const start = whole <= flow.height * SMALL ? whole : heightOfStart(head, body)
  if (caption !== undefined)
    drawCaption(flow, element, caption, style, Math.min(start, flow.height * UNBROKEN_ROW_SHARE))
  flow.need(Math.min(start, flow.height * UNBROKEN_ROW_SHARE))
  if (head !== null) drawHead(flow, element, head, style)
  const owner = flow.add('TBody', element)
  for (const [index, row] of body.entries()) {
    // The last two rows stay together.
    const together = index === body.length - 2 ? row.height + (body.at(-1)?.height ?? 0) : row.height
    const needed = together <= flow.height * UNBROKEN_ROW_SHARE ? together : FEWEST_LINES * style.body.leading
    if (flow.heightLeft < needed) continueOnPage(flow, head, style)
    drawRow(flow, { owner, row, head, style, hasRowHeads })
    const isTotal = hasTotal && index === body.length - 2
    drawRule(flow, isTotal ? style.head.colour : style.rule, isTotal ? 0.9 : 0.5)
  }
}

/** Returns the height that must stay together: the head and two rows. */
const heightOfStart = (head: LaidOutRow | null, [first, second]: readonly LaidOutRow[]): number =>
  (head?.height ?? 0) + (first?.height ?? 0) + (second?.height ?? 0)

function columnPositions(columns: readonly Column[], { frame }: TextFlow): { left: number; width: number }[] {
  const whole = columns.reduce((sum, { share }) => sum + share, 0)
  let left = frame.left
  return columns.map(({ share }) => {
    const width = (frame.width * share) / whole
    left += width
    return { left: left - width, width }
  })
}

function layOutRow(
  contents: readonly Content[],
  columns: readonly Column[],
  places: readonly { left: number; width: number }[],
  text: TextStyle,
  { padding }: TableStyle,
): LaidOutRow {
  const cells = columns.map(({ align = 'left' }, index): LaidOutCell => {
    const place = places[index] ?? { left: 0, width: 0 }
    const width = place.width - 2 * padding.x
    return { lines: breakLines(runsOf(contents[index] ?? '', text), width), align, left: place.left + padding.x, width }
  })
  const most = Math.max(1, ...cells.map(({ lines }) => lines.length))
  return { cells, height: most * text.leading + 2 * padding.y }
}

function drawCaption(flow: TextFlow, table: Element, caption: string, style: TableStyle, follows: number): void {
  const lines = breakLines(runsOf(caption, style.caption), flow.frame.width)
  flow.need(lines.length * style.caption.leading + 4 + follows)
  flow.page.mark(flow.add('Caption', table), () => flow.lines(lines, style.caption, flow.frame.left))
  flow.y += 4
}

function drawHead(flow: TextFlow, table: Element, head: LaidOutRow, style: TableStyle): void {
  drawHeadGround(flow, head, style)
  const row = flow.add('TR', flow.add('THead', table))
  for (const cell of head.cells) {
    const element = flow.add('TH', row, '/A<</O/Table/Scope/Column>>')
    flow.page.mark(element, () => drawCell(flow.page, cell, style.head, flow.y + style.padding.y))
  }
  flow.y += head.height
}

function drawHeadGround({ page, frame, y }: TextFlow, { height }: LaidOutRow, { headGround }: TableStyle): void {
  page.artifact('Layout', () => page.rectangle({ x: frame.left, y, width: frame.width, height }, headGround))
}

function continueOnPage(flow: TextFlow, head: LaidOutRow | null, style: TableStyle): void {
  flow.newPage()
  if (head === null) return
  drawHeadGround(flow, head, style)
  flow.page.artifact('Pagination', () => {
    for (const cell of head.cells) drawCell(flow.page, cell, style.head, flow.y + style.padding.y)
  })
  flow.y += head.height
}

type DrawnRow = { owner: Element; row: LaidOutRow; head: LaidOutRow | null; style: TableStyle; hasRowHeads: boolean }

/** Draws a row, and continues it on the next page if it does not fit. */
function drawRow(flow: TextFlow, { owner, row, head, style, hasRowHeads }: DrawnRow): void {
  const { leading } = style.body
  const element = flow.add('TR', owner)
  const cells = row.cells.map((_, index) =>
    index === 0 && hasRowHeads ? flow.add('TH', element, '/A<</O/Table/Scope/Row>>') : flow.add('TD', element),
  )
  const most = Math.max(1, ...row.cells.map(({ lines }) => lines.length))
  for (let from = 0; from < most;) {
    const fitting = Math.max(1, Math.floor((flow.heightLeft - 2 * style.padding.y + 0.01) / leading))
    const before = Math.min(most, from + fitting)
    for (const [index, cell] of row.cells.entries()) {
      const owned = cells[index]
      const lines = cell.lines.slice(from, before)
      if (owned === undefined || lines.length === 0) continue
      flow.page.mark(owned, () => drawCell(flow.page, { ...cell, lines }, style.body, flow.y + style.padding.y))
    }
    flow.y += (before - from) * leading + 2 * style.padding.y
    from = before
    if (from < most) continueOnPage(flow, head, style)
  }
}

function drawCell(page: Page, { lines, left, width, align }: LaidOutCell, style: TextStyle, top: number): void {
  drawLines(page, lines, style, { left, top, width, align })
}

function drawRule({ page, frame, y }: TextFlow, colour: Colour, thickness: number): void {
  page.artifact('Layout', () => page.rule({ x: frame.left, y, width: frame.width }, colour, thickness))
}
