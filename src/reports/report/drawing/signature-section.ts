// Room for the hand of the person who answers for the report.
import type { Flow } from '../../pdf/layout/flow.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, FRAME, MUTED, SMALL } from './styles.ts'

const ROW = 40
const FIELDS = [
  ['Name', 'Function'],
  ['Place and date', 'Signature'],
]

export function drawSignature(flow: Flow, sections: Sections, { organisation, demo }: ComplianceReport): void {
  sections.begin('Signature', { room: BODY.leading * 3 + FIELDS.length * ROW + 20 })
  flow.paragraph(
    `I have read this report of ${organisation.name}, with the list of what it cannot show${demo ? ', and know that its data is invented' : ''}.`,
    BODY,
  )
  const width = (FRAME.width - 24) / 2
  for (const names of FIELDS) {
    flow.y += ROW
    const { page, y } = flow
    for (const [index, name] of names.entries()) {
      const x = FRAME.left + index * (width + 24)
      const ends = [
        [x, y - 12],
        [x + width, y - 12],
      ] as const
      page.artifact('Layout', () => page.line(ends, MUTED, 0.7))
      page.mark(flow.add('P'), () => page.text([x, y - 1], { ...SMALL, colour: MUTED }, name))
    }
  }
}
