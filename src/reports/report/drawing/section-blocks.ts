// Draws a report's numbered sections and the blocks that they are made of (paragraphs, lists, tables, charts, boxes). Also draws
// the table of contents.
import { widthOf } from '../../pdf/fonts/typeface.ts'
import { breakLines } from '../../pdf/layout/break-lines.ts'
import {
  baselineOf,
  drawLines,
  runsOf,
  type Content,
  type TextFlow,
  type TextStyle,
} from '../../pdf/layout/text-flow.ts'
import { drawTable, type Column, type Table } from '../../pdf/layout/draw-table.ts'
import type { Page } from '../../pdf/pdf-page.ts'
import type { PagePosition } from '../../pdf/pdf-document.ts'
import type { Colour } from '../../pdf/pdf-file.ts'
import type { Element } from '../../pdf/structure-tree.ts'
import type { Control } from '../report.schema.ts'
import { drawChart, type Chart } from './draw-chart.ts'
import { drawVerdictChips } from './verdict-chips.ts'
import {
  BODY,
  FRAME,
  GAP,
  GREY_GROUND,
  MUTED,
  RULE,
  SECTION,
  SECTION_GAP,
  SMALL,
  SUBSECTION,
  TABLE,
} from './report-styles.ts'

/**
 * `gap`: the space above. `part`: the heading of a part. `code`: text that a reader copies unchanged. `fields`: rows of lines to
 * write on. `verdicts`: every control with its verdict, in groups.
 */
export type Block =
  | { paragraph: Content; style?: TextStyle; gap?: number }
  | { list: readonly Content[]; gap?: number }
  | { table: Table; gap?: number }
  | { chart: Chart; gap: number }
  | { part: string; follows?: number }
  | { code: string }
  | { fields: readonly (readonly string[])[] }
  | { verdicts: readonly Control[] }

/** `follows`: the heading begins a new page if less than this height remains below it. */
export type Section = { title: string; follows?: number; isOnNewPage?: boolean; blocks: readonly Block[] }

export const column = (head: string, share: number): Column => ({ head, share })

export const numericColumn = (head: string, share: number): Column => ({ head, share, align: 'right' })

const HEIGHT_BELOW_HEADING = 96

/** Returns the position of the heading. */
export function drawSection(flow: TextFlow, number: number, section: Section): PagePosition {
  const { title, follows = HEIGHT_BELOW_HEADING, isOnNewPage = false, blocks } = section
  if (isOnNewPage) flow.newPage()
  flow.space(SECTION_GAP)
  const place = flow.heading('H2', `${number} ${title}`, SECTION, { follows, bookmark: 1 })
  flow.space(6)
  for (const block of blocks) drawBlock(flow, block)
  return place
}

function drawBlock(flow: TextFlow, block: Block): void {
  if ('paragraph' in block) {
    if (block.gap !== undefined) flow.space(block.gap)
    flow.paragraph(block.paragraph, block.style ?? BODY)
  } else if ('list' in block) {
    if (block.gap !== undefined) flow.space(block.gap)
    flow.list(block.list, BODY)
  } else if ('table' in block) {
    flow.space(block.gap ?? GAP)
    drawTable(flow, block.table, TABLE)
  } else if ('chart' in block) {
    flow.space(block.gap)
    drawChart(flow, block.chart)
  } else if ('part' in block) {
    flow.space(GAP + 4)
    flow.heading('H3', block.part, SUBSECTION, { follows: block.follows ?? HEIGHT_BELOW_HEADING, bookmark: 2 })
    flow.space(4)
  } else if ('code' in block) {
    flow.space(6)
    drawBox(flow, block.code, { style: SMALL, ground: GREY_GROUND, padding: { x: 10, y: 6 } })
    flow.y += GAP
  } else if ('verdicts' in block) {
    flow.space(GAP)
    drawVerdictChips(flow, block.verdicts)
  } else {
    drawFields(flow, block.fields)
  }
}

type BoxStyle = { style: TextStyle; ground: Colour; padding: { x: number; y: number } }

export function drawBox(flow: TextFlow, text: string, { style, ground, padding }: BoxStyle): void {
  const lines = breakLines(runsOf(text, style), FRAME.width - 2 * padding.x)
  const height = lines.length * style.leading + 2 * padding.y
  flow.need(height)
  const { page, y } = flow
  page.artifact('Layout', () => page.rectangle({ x: FRAME.left, y, width: FRAME.width, height }, ground))
  page.mark(flow.add('P'), () => drawLines(page, lines, style, { left: FRAME.left + padding.x, top: y + padding.y }))
  flow.y += height
}

const FIELD_HEIGHT = 40
const FIELD_GAP = 24

function drawFields(flow: TextFlow, rows: readonly (readonly string[])[]): void {
  for (const names of rows) {
    const width = (FRAME.width - (names.length - 1) * FIELD_GAP) / names.length
    flow.y += FIELD_HEIGHT
    const { page, y } = flow
    for (const [index, name] of names.entries()) {
      const x = FRAME.left + index * (width + FIELD_GAP)
      page.artifact('Layout', () => page.rule({ x, y: y - 12, width }, MUTED, 0.7))
      page.mark(flow.add('P'), () => page.text([x, y - 1], { ...SMALL, colour: MUTED }, name))
    }
  }
}

export type ContentsEntry = { title: string; place: PagePosition }

const MOST_ENTRIES = 12
const ENTRY_HEIGHT = 21

/** Reserves space for the contents, whose page numbers are known only after all sections are drawn. */
export function reserveContents(flow: TextFlow): (entries: readonly ContentsEntry[]) => void {
  flow.heading('H2', 'Contents', SECTION, { follows: 0, bookmark: 1 })
  flow.space(6)
  const { page, y: top } = flow
  const list = flow.add('TOC')
  flow.y += MOST_ENTRIES * ENTRY_HEIGHT + SECTION_GAP
  return (entries) => {
    if (entries.length > MOST_ENTRIES) throw new Error('the contents have no space for all sections')
    for (const [index, entry] of entries.entries()) {
      drawEntry(flow, { page, list, top: top + index * ENTRY_HEIGHT }, index + 1, entry)
    }
  }
}

function drawEntry(
  flow: TextFlow,
  { page, list, top }: { page: Page; list: Element; top: number },
  number: number,
  { title, place }: ContentsEntry,
): void {
  const baseline = top + 2 + baselineOf(BODY)
  const right = FRAME.left + FRAME.width
  const pageNumber = String(place.page.index + 1)
  const link = flow.add('Link', flow.add('Reference', flow.add('TOCI', list)))
  page.mark(link, () => {
    page.text([FRAME.left, baseline], { ...BODY, colour: MUTED }, `${number} `)
    page.text([FRAME.left + 22, baseline], BODY, `${title} `)
    page.text([right - widthOf(BODY.face, BODY.size, pageNumber), baseline], BODY, pageNumber)
  })
  const box = { x: FRAME.left, y: top, width: FRAME.width, height: ENTRY_HEIGHT - 1 }
  page.artifact('Layout', () => page.rule({ ...box, y: top + box.height }, RULE, 0.5))
  flow.pdf.link({ box, from: page, to: place, targetText: `${title}, page ${pageNumber}`, element: link })
}
