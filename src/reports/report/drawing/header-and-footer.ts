// The header and footer of every page: the organisation, the page number, and a mark for invented data.
import { settable, widthOf } from '../../pdf/fonts/typeface.ts'
import { PAGE_HEIGHT, PAGE_WIDTH, type Page, type Type } from '../../pdf/page.ts'
import type { PdfDocument } from '../../pdf/pdf-document.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { ACCENT, AMBER, AMBER_GROUND, FRAME, NOTE, RULE } from './styles.ts'
import { period } from './formats.ts'

const RIGHT = FRAME.left + FRAME.width
const HEADER = 46
const FOOTER = PAGE_HEIGHT - 34
const DEMO_HEIGHT = 20
const DEMO: Type = { face: 'bold', size: 8.5, colour: AMBER }
const DEMO_TEXT = 'Invented data: this is a demonstration. No person is behind any call of this report.'

export function drawHeadersAndFooters(pdf: PdfDocument, report: ComplianceReport): void {
  const name = settable(report.organisation.name)
  const days = period(report)
  const room = FRAME.width - widthOf(NOTE.face, NOTE.size, days) - 24
  const title = shortened(`Compliance report · ${name}`, room)
  for (const page of pdf.pages) {
    page.artifact('Pagination', () => {
      if (report.demo) drawDemo(page)
      else if (page.index === 0) page.rectangle({ x: 0, y: 0, width: PAGE_WIDTH, height: 8 }, ACCENT)
      if (page.index > 0) {
        page.text([FRAME.left, HEADER], NOTE, title)
        endAt(page, HEADER, days)
        rule(page, HEADER + 8)
      }
      rule(page, FOOTER - 14)
      page.text([FRAME.left, FOOTER], NOTE, report.id)
      endAt(page, FOOTER, `Page ${page.index + 1} of ${pdf.pages.length}`)
    })
  }
}

function drawDemo(page: Page): void {
  page.rectangle({ x: 0, y: 0, width: PAGE_WIDTH, height: DEMO_HEIGHT }, AMBER_GROUND)
  const width = widthOf(DEMO.face, DEMO.size, DEMO_TEXT)
  page.text([(PAGE_WIDTH - width) / 2, 13], DEMO, DEMO_TEXT)
}

function endAt(page: Page, y: number, text: string): void {
  page.text([RIGHT - widthOf(NOTE.face, NOTE.size, text), y], NOTE, text)
}

function rule(page: Page, y: number): void {
  page.line(
    [
      [FRAME.left, y],
      [RIGHT, y],
    ],
    RULE,
    0.5,
  )
}

function shortened(text: string, width: number): string {
  if (widthOf(NOTE.face, NOTE.size, text) <= width) return text
  const characters = Array.from(text)
  while (widthOf(NOTE.face, NOTE.size, `${characters.join('')}…`) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}
