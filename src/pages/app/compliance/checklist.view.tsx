// Shows the compliance checklist: the score, always together with every control and its evidence. Failing controls are
// expanded.
import type * as z from 'zod'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Facts, type Fact, Section, Sentences } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatDay, formatNumber, plural } from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { useApi } from '../session.ts'
import { StatementNote, type Statements } from '../statements/statements.view.tsx'

type Score = z.infer<typeof ComplianceScoreSchema>

type Props = { statements: Statements; nameOf: NameOf }

export function Checklist({ statements, nameOf }: Props) {
  const answer = useApi<Score>('/api/compliance/score')
  return (
    <Answered answer={answer} lines={40}>
      {(shown) => <Shown of={shown} statements={statements} nameOf={nameOf} />}
    </Answered>
  )
}

function Shown({ of, statements, nameOf }: Props & { of: Score }) {
  const { score, controls, checked_at, checklist, law_as_of, cannot_show } = of
  return (
    <>
      <Section title="The checklist of the last 30 days" isCard>
        <ScoreFigure score={score} controls={controls} />
        <p>
          It measures what this gateway has evidence of, and not the organisation. Checklist {checklist}, about the law
          as of {formatDay(law_as_of)}; found <Moment at={checked_at} />. It is no legal advice, no certificate, and no
          finding that a law is kept or broken.
        </p>
      </Section>
      <Section title="The controls">
        <p class="soft">
          Weight 3: without it the record cannot be trusted. 2: an article names it. 1: good practice. 0: not scored.
        </p>
        {controls.map((control) => (
          <ControlCard key={control.id} control={control} {...{ statements, nameOf }} />
        ))}
      </Section>
      <Section title="What this cannot show" isCard>
        <Sentences class="stack" of={cannot_show} />
      </Section>
    </>
  )
}

function ControlCard({ control, statements, nameOf }: Props & { control: Control }) {
  const { id, title, state, weight, evidence, reason, sources, would_pass } = control
  return (
    <details class="card control" open={state === 'fail'}>
      <summary>
        <ControlBadge state={state} /> <b>{id}</b> {title} <span class="soft small">weight {weight}</span>
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
          <StatementNote subject={id} what={`control ${id}`} {...{ statements, nameOf }} />
        )}
      </div>
    </details>
  )
}

const valuesOf = (values: EvidenceValues): Fact[] =>
  Object.entries(values).map(([name, value]) => [withSpaces(name), evidenceText(value)])

const STATES: Readonly<Record<ControlState, readonly [word: string, look: string]>> = {
  pass: ['passes', 'good'],
  fail: ['fails', 'bad'],
  not_applicable: ['does not apply', 'soft'],
  needs_a_person: ['needs a person', 'warn'],
}

export const ControlBadge = ({ state }: { state: ControlState }) => (
  <span class={`badge ${STATES[state][1]}`}>{STATES[state][0]}</span>
)

const STATE_PHRASES = [
  ['pass', 'passes', 'pass'],
  ['fail', 'fails', 'fail'],
  ['not_applicable', 'does not apply', 'do not apply'],
  ['needs_a_person', 'needs a person', 'need a person'],
] as const

/** Returns the number of controls in each state: “21 pass, 5 fail, 3 do not apply, 4 need a person”. */
function countedStates(controls: readonly Pick<Control, 'state'>[]): string {
  const counts = STATE_PHRASES.map(([state, one, many]) => {
    const count = controls.filter((control) => control.state === state).length
    return `${count} ${count === 1 ? one : many}`
  })
  return `${plural(controls.length, 'control')}: ${counts.join(', ')}`
}

export type EvidenceValues = NonNullable<Control['evidence']['values']>

/** Returns the value as text, or null if nothing was found. */
export function evidenceText(value: EvidenceValues[string]): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value
}

/** Shows the score and the counts behind it. Use it only together with the list of controls. */
export const ScoreFigure = ({ score, controls }: Pick<ComplianceReport, 'score' | 'controls'>) => (
  <p class="figure">
    <b>{score.percent === null ? 'No control applies' : `${score.percent}%`}</b>
    of the weights that apply pass, rounded down: {score.weight_passed} of {score.weight_applicable}.{' '}
    {countedStates(controls)}. What does not apply and what needs a person are in neither sum.
  </p>
)
