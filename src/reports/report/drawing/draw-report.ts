// The report as a PDF, drawn from its JSON and from nothing else: the same report gives the same bytes.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalBytes } from '../../../evidence/records/canonical-json.ts'
import { Flow } from '../../pdf/layout/flow.ts'
import { PdfDocument } from '../../pdf/pdf-document.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { drawCheck } from './check-section.ts'
import { drawControls } from './controls-section.ts'
import { drawCover } from './cover.ts'
import { drawEvidence } from './evidence-section.ts'
import { drawHeadersAndFooters } from './header-and-footer.ts'
import { drawParity } from './parity-section.ts'
import { Sections, Contents } from './sections.ts'
import { FRAME } from './styles.ts'
import { drawEveryDay, drawUsage } from './usage-section.ts'
import { period } from './formats.ts'
import { drawApprovals, drawLaw, drawReading, drawRetention, drawSignature } from './short-sections.ts'

export function drawReport(report: ComplianceReport): Uint8Array {
  const hash = bytesToHex(sha256(canonicalBytes(report)))
  const invented = report.demo ? ' (invented data)' : ''
  const pdf = new PdfDocument({
    title: `Compliance report: ${report.organisation.name}, ${period(report)}${invented}`,
    subject: `Report ${report.id}, SHA-256 ${hash}`,
    author: report.organisation.name,
    createdAt: report.created_at,
    language: 'en-IE',
  })
  const flow = new Flow(pdf, FRAME)
  drawCover(flow, report)
  flow.newPage()
  const contents = new Contents(flow)
  drawReading(flow)
  const sections = new Sections(flow, contents)
  drawControls(flow, sections, report)
  drawEvidence(flow, sections, report)
  drawUsage(flow, sections, report)
  drawParity(flow, sections, report)
  drawApprovals(flow, sections, report)
  drawRetention(flow, sections, report)
  drawLaw(flow, sections, report)
  drawSignature(flow, sections, report)
  drawCheck(flow, sections, { report, hash })
  drawEveryDay(flow, sections, report)
  contents.draw()
  drawHeadersAndFooters(pdf, report)
  return pdf.finish()
}
