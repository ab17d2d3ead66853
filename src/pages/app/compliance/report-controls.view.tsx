// The controls of a report: each in a row, what would make the failing ones pass, what people state, and what all of it cannot show.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { inWords } from '../evidence/words.ts'
import { evidenceText, STATES, type EvidenceValues } from './control-words.ts'

export function ReportControls({ report: { controls, statements, cannot_show } }: { report: ComplianceReport }) {
  return (
    <>
      <Table
        caption="Every control"
        rows={controls}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Control', cell: ({ id, title }) => `${id} ${title}` },
          {
            name: 'State',
            cell: ({ state }) => <span class={`badge ${STATES[state].look}`}>{STATES[state].word}</span>,
          },
          { name: 'Weight', isNumber: true, cell: ({ weight }) => weight },
          {
            name: 'What it looked at, and what would make it pass',
            cell: ({ state, reason, evidence, would_pass }) => (
              <>
                {evidence.query} {evidence.values !== null && <code>{valuesText(evidence.values)}</code>}{' '}
                {state === 'fail' && <b>{would_pass}</b>} {reason}
              </>
            ),
          },
        ]}
      />
      <h3>What people state</h3>
      {statements.length === 0 && <p class="soft">Nobody had stated anything.</p>}
      {statements.map(({ subject, text, stated_by, stated_at }) => (
        <blockquote key={subject} class="notice stack">
          <p class="hash">{subject}</p>
          <p class="lines">{text}</p>
          <p class="soft small">
            Stated by <span class="hash">{stated_by}</span>, <Moment at={stated_at} />. It never counts in the score.
          </p>
        </blockquote>
      ))}
      <h3>What this cannot show</h3>
      <ul>
        {cannot_show.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  )
}

const valuesText = (values: EvidenceValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${inWords(name)}: ${evidenceText(value) ?? 'none'}`)
    .join('; ')
