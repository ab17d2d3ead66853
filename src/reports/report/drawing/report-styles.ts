// The look of a report: one frame, the fonts of the pages, few colours. No colour says anything that words do not.
import type { Frame, TextStyle } from '../../pdf/layout/text-flow.ts'
import type { TableStyle } from '../../pdf/layout/draw-table.ts'
import { PAGE_HEIGHT, PAGE_WIDTH } from '../../pdf/pdf-page.ts'
import { parseColour } from '../../pdf/pdf-file.ts'

export const INK = parseColour('#1c2430')
export const MUTED = parseColour('#566070')
export const ACCENT = parseColour('#123f5a')
export const RULE = parseColour('#d4dae1')
export const GROUND = parseColour('#eef2f5')
export const GREEN = parseColour('#1b6b43')
export const GREEN_GROUND = parseColour('#e3f1e9')
export const RED = parseColour('#a3231b')
export const RED_GROUND = parseColour('#fbe7e5')
export const AMBER = parseColour('#7a4d00')
export const AMBER_GROUND = parseColour('#fdf0d5')
export const GREY_GROUND = parseColour('#e9ecf0')

const MARGIN = 56

export const FRAME: Frame = { left: MARGIN, top: 76, width: PAGE_WIDTH - 2 * MARGIN, bottom: PAGE_HEIGHT - 64 }

const style = (size: number, leading: number, face: TextStyle['face'] = 'regular', ink = INK): TextStyle => ({
  face,
  size,
  leading,
  colour: ink,
})

export const TITLE = style(30, 36, 'heading', ACCENT)
export const ORGANISATION = style(18, 24)
/** The headings of the first page. */
export const COVER_HEADING = style(13, 18, 'heading', ACCENT)
export const SECTION = style(17, 23, 'heading', ACCENT)
export const SUBSECTION = style(11.5, 16, 'bold')
export const BODY = style(9.75, 14)
export const STRONG = style(9.75, 14, 'bold')
export const SMALL = style(8.25, 11.5)
export const SMALL_STRONG = style(8.25, 11.5, 'bold')
export const NOTE = style(8.25, 11.5, 'regular', MUTED)

export const TABLE: TableStyle = {
  head: style(8.25, 11.5, 'bold', ACCENT),
  body: SMALL,
  total: SMALL_STRONG,
  caption: style(8.75, 13, 'bold'),
  padding: { x: 5, y: 3.5 },
  headGround: GROUND,
  rule: RULE,
}

/** The space between blocks. */
export const GAP = 10
/** The space before a section that does not begin a page. */
export const SECTION_GAP = 26
