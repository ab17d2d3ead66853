// A document with one of everything that the writer writes.
import { FONT_PROGRAMS } from '../../../scripts/pdf/font-programs.ts'
import { TextFlow, type TextStyle } from '../../../src/reports/pdf/layout/text-flow.ts'
import { drawTable, type Table, type TableStyle } from '../../../src/reports/pdf/layout/draw-table.ts'
import { PdfDocument } from '../../../src/reports/pdf/pdf-document.ts'
import { parseColour } from '../../../src/reports/pdf/pdf-file.ts'

export const INK = parseColour('#101820')
export const STYLE: TextStyle = { face: 'regular', size: 10, leading: 14, colour: INK }
export const BOLD: TextStyle = { ...STYLE, face: 'bold' }
export const FRAME = { left: 50, top: 60, width: 495, bottom: 780 }

export const TABLE_STYLE: TableStyle = {
  head: BOLD,
  body: STYLE,
  total: BOLD,
  caption: BOLD,
  padding: { x: 4, y: 3 },
  headGround: parseColour('#eeeeee'),
  rule: parseColour('#cccccc'),
}

export const METADATA = {
  title: 'Tuairisc <1> & (2) \\',
  subject: 'An ċéad ċeann',
  author: 'Ḃríd Ní Ṁurċú',
  createdAt: '2026-11-21T09:30:00.000Z',
  language: 'ga',
}

export const openFlow = (): { pdf: PdfDocument; flow: TextFlow } => {
  const pdf = new PdfDocument(METADATA)
  return { pdf, flow: new TextFlow(pdf, FRAME) }
}

export const rowsOf = (count: number): Table => ({
  caption: 'Rows',
  hasRowHeads: true,
  columns: [
    { head: 'Number', share: 1 },
    { head: 'Square', share: 1, align: 'right' },
  ],
  rows: Array.from({ length: count }, (_, index) => [`row ${index}`, String(index * index)]),
})

export const IRISH = 'Ċuir an Ṫaoiseaċ fáilte roiṁ ḟear an tiġe: €5 ≤ €10 → ✓'
export const GREEK_AND_CYRILLIC = 'Νοσοκομείο Ελλάς · Болница Ґ'
export const NO_FACE_HAS = 'Spital 病院 Sud'

export function sampleDocument(): Uint8Array {
  const { pdf, flow } = openFlow()
  flow.heading('H1', 'Tuairisc', BOLD, { follows: 0, bookmark: 1 })
  flow.paragraph(IRISH, STYLE)
  flow.paragraph(GREEK_AND_CYRILLIC, BOLD)
  flow.paragraph(NO_FACE_HAS, STYLE)
  const place = flow.heading('H2', 'Liosta', BOLD, { follows: 30, bookmark: 2 })
  flow.list(['a haon', 'a dó'], STYLE)
  const { page } = flow
  const link = flow.add('Link', flow.add('P'))
  page.mark(link, () => page.text([50, 700], STYLE, 'Go dtí an liosta'))
  pdf.link({
    box: { x: 50, y: 690, width: 100, height: 14 },
    from: page,
    to: place,
    targetText: 'Liosta, 1',
    element: link,
  })
  const figure = flow.add(
    'Figure',
    pdf.structure.document,
    '/Alt<FEFF0041>/A<</O/Layout/Placement/Block/BBox[0 0 9 9]>>',
  )
  page.mark(figure, () => {
    page.rectangle({ x: 50, y: 500, width: 20, height: 30 }, INK)
    page.line([[50, 530], [90, 510]], INK, 1) // prettier-ignore
    page.area([[50, 530], [90, 510], [90, 530]], INK) // prettier-ignore
  })
  drawTable(flow, rowsOf(90), TABLE_STYLE)
  return pdf.finish(FONT_PROGRAMS)
}

/** Hash of the document above, in every runtime. It changes whenever the writer's output changes. */
export const SAMPLE_SHA256 = 'aa2cd8a9651ebeb39e8f6ea7e60d32bab50a12f1eaed373cd19f90e9d78834d2'
