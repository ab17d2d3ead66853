// Instructions for checking the report without trusting the service: its hash, the signed head of the log, the keys.
import { drawLines, type Flow } from '../../pdf/layout/flow.ts'
import { breakLines } from '../../pdf/layout/break-lines.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, FRAME, GAP, GREY_GROUND, SMALL, TABLE } from './styles.ts'
import { count, moment, plural } from './formats.ts'

const COMMANDS = `sha256sum report.json
countersign-verify audit.jsonl --keys keys.json
countersign-verify head.json --keys keys.json`

export function drawCheck(
  flow: Flow,
  sections: Sections,
  { report, hash }: { report: ComplianceReport; hash: string },
): void {
  const { tree_head: head, public_keys: keys } = report
  const { details_days: days } = report.retention
  sections.begin('How to check this report', { room: 200 })
  flow.paragraph(
    'This document is drawn from the report’s JSON and from nothing else. The SHA-256 of the JSON’s canonical form (RFC 8785) is in an entry of the organisation’s log, written when the report was made:',
    BODY,
  )
  drawCode(flow, hash)
  flow.list(
    [
      `Ask the service for the JSON of report ${report.id}, keep it as report.json, hash it, and compare.`,
      `Export the audit log of the day on which the report was made as audit.jsonl, find the entry with that hash, and check that the log has it. The service keeps the report for ${plural(days, 'day', 'days')} from when it was made, and the entry no shorter; of the entry only its own hash stays after that, so keep both files if they are to prove something later. The keys, keys.json, are those that you have from a place you trust: not from here.`,
      'Keep the head below as head.json, check its signature, and compare it with what you keep of earlier ones.',
      'Have this document drawn again of the same report: the same version of the service gives the same bytes.',
    ],
    BODY,
  )
  drawCode(flow, COMMANDS)
  sections.part('The signed head of the log', { room: 190 })
  flow.paragraph(
    `When the report was made (${moment(head.timestamp)}), the log had ${count(head.tree_size)} entries. Whoever keeps this head can check against any later one that none of them was changed or left out.`,
    BODY,
  )
  drawCode(flow, headLines(head))
  sections.part('The keys that records are signed with', { room: 90 })
  drawTable(
    flow,
    {
      hasRowHeads: true,
      columns: [
        { head: 'Key', share: 26 },
        { head: 'Public key (Ed25519, base64url)', share: 46 },
        { head: 'State', share: 9 },
        { head: 'From', share: 12 },
        { head: 'Until', share: 12 },
      ],
      rows: keys.map(({ key_id: id, public_key: key, status, valid_from: from, valid_until: until }) => [
        id,
        key,
        status,
        from.slice(0, 10),
        until === null ? '–' : until.slice(0, 10),
      ]),
    },
    TABLE,
  )
}

const HEAD_MEMBERS = [
  'v',
  'org_id',
  'tree_size',
  'root_hash',
  'timestamp',
  'signature',
  'public_key',
  'key_id',
  'algorithm',
] as const satisfies readonly (keyof ComplianceReport['tree_head'])[]

/** One member per line, so that it can be copied. */
const headLines = (head: ComplianceReport['tree_head']): string => {
  const members = HEAD_MEMBERS.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(head[name])}`)
  return `{\n${members.join(',\n')}\n}`
}

/** Draws text that a reader copies unchanged. */
function drawCode(flow: Flow, text: string): void {
  flow.space(6)
  const lines = breakLines([{ text, type: SMALL }], FRAME.width - 20)
  const height = lines.length * SMALL.leading + 12
  flow.need(height)
  const { page, y } = flow
  page.artifact('Layout', () => page.rectangle({ x: FRAME.left, y, width: FRAME.width, height }, GREY_GROUND))
  page.mark(flow.add('P'), () => drawLines(page, lines, SMALL, { left: FRAME.left + 10, top: y + 6 }))
  flow.y += height + GAP
}
