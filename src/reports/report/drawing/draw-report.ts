// Draws the compliance report as a PDF, from its JSON and from nothing else: the same report gives the same bytes.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalBytes } from '../../../evidence/records/canonical-json.ts'
import { drawableText, widthOf, type FontPrograms } from '../../pdf/fonts/typeface.ts'
import { TextFlow } from '../../pdf/layout/text-flow.ts'
import { PAGE_HEIGHT, PAGE_WIDTH, type Page, type Type } from '../../pdf/pdf-page.ts'
import { PdfDocument } from '../../pdf/pdf-document.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { drawSection, reserveContents } from './section-blocks.ts'
import { controlsSection, evidenceSection } from './controls-section.ts'
import { drawCover } from './cover.ts'
import { moment, period } from './report-formats.ts'
import { biasSection } from './bias-section.ts'
import {
  approvalsSection,
  coverageSection,
  checkSection,
  HOW_TO_READ,
  lawSection,
  limitsSection,
  retentionSection,
  signatureSection,
} from './closing-sections.ts'
import { ACCENT, AMBER, AMBER_GROUND, BODY, FRAME, NOTE, RULE, SECTION } from './report-styles.ts'
import { usageSection } from './usage-section.ts'

export function drawReport(report: ComplianceReport, programs: FontPrograms): Uint8Array {
  const hash = bytesToHex(sha256(canonicalBytes(report)))
  const invented = report.demo ? ' (invented data)' : ''
  const pdf = new PdfDocument({
    title: `Compliance report: ${report.organisation.name}, ${period(report)}${invented}`,
    subject: `Report ${report.id}, SHA-256 ${hash}`,
    author: report.organisation.name,
    createdAt: report.created_at,
    language: 'en-IE',
  })
  const flow = new TextFlow(pdf, FRAME)
  drawCover(flow, report)
  flow.newPage()
  const drawContents = reserveContents(flow)
  flow.heading('H2', 'How to read this report', SECTION, { follows: 60, bookmark: 1 })
  flow.space(6)
  flow.list(HOW_TO_READ, BODY)
  const sections = [
    controlsSection(report),
    evidenceSection(report),
    usageSection(report),
    biasSection(report),
    approvalsSection(report),
    retentionSection(report),
    ...coverageSection(report),
    lawSection(report),
    limitsSection(report),
    signatureSection(report),
    checkSection(report, hash),
  ]
  drawContents(
    sections.map((section, index) => ({ title: section.title, place: drawSection(flow, index + 1, section) })),
  )
  drawHeadersAndFooters(pdf, report)
  return pdf.finish(programs)
}

const RIGHT = FRAME.left + FRAME.width
const HEADER = 46
const FOOTER = PAGE_HEIGHT - 34
const DEMO_HEIGHT = 20
const DEMO: Type = { face: 'bold', size: 8.5, colour: AMBER }
const DEMO_TEXT = 'Invented data: this is a demonstration. No person is behind any call of this report.'

/** Draws the header and footer of every page: the organisation, the page number, and a mark for invented data. */
function drawHeadersAndFooters(pdf: PdfDocument, report: ComplianceReport): void {
  const name = drawableText(report.organisation.name)
  const days = period(report)
  const width = FRAME.width - widthOf(NOTE.face, NOTE.size, days) - 24
  const title = shortened(`Compliance report · ${name}`, width)
  for (const page of pdf.pages) {
    page.artifact('Pagination', () => {
      if (report.demo) drawDemo(page)
      else if (page.index === 0) page.rectangle({ x: 0, y: 0, width: PAGE_WIDTH, height: 8 }, ACCENT)
      if (page.index > 0) {
        page.text([FRAME.left, HEADER], NOTE, title)
        endAt(page, HEADER, days)
        page.rule({ x: FRAME.left, width: FRAME.width, y: HEADER + 8 }, RULE, 0.5)
      }
      page.rule({ x: FRAME.left, width: FRAME.width, y: FOOTER - 14 }, RULE, 0.5)
      page.text([FRAME.left, FOOTER], NOTE, `Made on ${moment(report.created_at)}`)
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

function shortened(text: string, width: number): string {
  if (widthOf(NOTE.face, NOTE.size, text) <= width) return text
  const characters = Array.from(text)
  while (widthOf(NOTE.face, NOTE.size, `${characters.join('')}…`) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}
