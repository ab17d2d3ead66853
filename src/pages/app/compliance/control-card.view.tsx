// One control: its state, its weight, what it looked at, and what would make it pass. What fails is open.
import type { Control } from '../../../reports/report/report.schema.ts'
import type { Session } from '../../api/session.ts'
import { Facts, type Fact } from '../../parts/facts.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { inWords } from '../evidence/words.ts'
import { StatementNote } from '../statements/statement-note.view.tsx'
import type { Statements } from '../statements/use-statements.ts'
import { evidenceText, STATES, type EvidenceValues } from './control-words.ts'

type Given = { control: Control; session: Session; statements: Statements; nameOf: (id: string) => string }

export function ControlCard({ control, session, statements, nameOf }: Given) {
  const { id, title, state, weight, evidence, reason, sources, would_pass } = control
  const { word, look } = STATES[state]
  return (
    <details class="card control" open={state === 'fail'}>
      <summary>
        <span class={`badge ${look}`}>{word}</span> <b>{id}</b> {title} <span class="soft small">weight {weight}</span>
      </summary>
      <div class="stack">
        <Facts
          facts={[
            ['What it looked at', evidence.query],
            ...(reason === null ? [] : [[state === 'needs_a_person' ? 'Why' : 'Why not', reason] as const]),
            ['What would make it pass', would_pass],
            ['Sources', sources.join(', ')],
          ]}
        />
        {evidence.values !== null && <Facts facts={valuesOf(evidence.values)} />}
        {evidence.positions !== undefined && (
          <p class="small">Entries of the log: {evidence.positions.map(formatNumber).join(', ')}</p>
        )}
        {evidence.link !== undefined && /^\/(?!\/)/.test(evidence.link) && (
          <p class="small">
            The same can be asked of the service: <a href={evidence.link}>{evidence.link}</a>
          </p>
        )}
        {state === 'needs_a_person' && (
          <StatementNote subject={id} what={`control ${id}`} {...{ session, statements, nameOf }} />
        )}
      </div>
    </details>
  )
}

const valuesOf = (values: EvidenceValues): Fact[] =>
  Object.entries(values).map(([name, value]) => [inWords(name), evidenceText(value)])
