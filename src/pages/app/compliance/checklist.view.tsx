// The compliance checklist, like the first page of a report: how many controls pass and fail, those that fail with one act each, all of
// them as codes and by name. One opens in a drawer with its evidence.
import type * as z from 'zod'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { Drawer } from '../../parts/dialog.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { check, close, minus, person, type IconPaths } from '../../parts/icons.ts'
import { Facts, type Fact } from '../../parts/page-blocks.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { inOrganisation } from '../session.ts'
import { StatementNote, type Statements } from '../statements/statements.view.tsx'
import { actionOf, CONTROL_GROUPS, problemOf, remedyOf } from './control-words.ts'

export type Score = z.infer<typeof ComplianceScoreSchema>

/** Each state with its word, its look and its sign. */
const STATES: Readonly<Record<ControlState, { word: string; many: string; look: string; sign: IconPaths }>> = {
  pass: { word: 'passes', many: 'pass', look: 'good', sign: check },
  fail: { word: 'fails', many: 'fail', look: 'bad', sign: close },
  not_applicable: { word: 'does not apply', many: 'do not apply', look: 'soft', sign: minus },
  needs_a_person: { word: 'needs a person', many: 'need a person', look: 'warn', sign: person },
}

const STATE_NAMES = ['pass', 'fail', 'not_applicable', 'needs_a_person'] as const satisfies readonly ControlState[]

const countOf = (controls: readonly Pick<Control, 'state'>[], state: ControlState): number =>
  controls.filter((control) => control.state === state).length

export const StateTiles = ({ controls }: { controls: readonly Control[] }) => (
  <ul class="plain state-tiles" aria-label="Controls by state">
    {STATE_NAMES.map((state) => {
      const count = countOf(controls, state)
      return (
        <li key={state} class={`card ${STATES[state].look}`}>
          <Icon of={STATES[state].sign} />
          <b>{formatNumber(count)}</b> <span>{count === 1 ? STATES[state].word : STATES[state].many}</span>
        </li>
      )
    })}
  </ul>
)

/** The controls that fail, the most important first, each with its problem, what would make it pass, and one act. */
export function FailingControls({ controls }: { controls: readonly Control[] }) {
  const failing = controls.filter(({ state }) => state === 'fail').toSorted((one, other) => other.weight - one.weight)
  return (
    <section class="card parts" aria-labelledby="failing">
      <div class="head">
        <h2 id="failing">{plural(failing.length, 'control fails', 'controls fail')}</h2>
        {failing.length > 1 && <span class="soft small">Most important first</span>}
      </div>
      {failing.length === 0 ? (
        <p class="body soft">No control that applies fails.</p>
      ) : (
        <ul class="list failing">
          {failing.map((control) => (
            <FailingControl key={control.id} control={control} />
          ))}
        </ul>
      )}
    </section>
  )
}

function FailingControl({ control }: { control: Control }) {
  const { id, weight, sources } = control
  const action = actionOf(id)
  return (
    <li>
      <Code control={control} />
      <span>
        <ParameterLink change={{ control: id }}>
          <b>{problemOf(control)}</b>
        </ParameterLink>
        <small>{remedyOf(control)}</small>
      </span>
      <small class="of-law">
        {capitalised(sources[0] ?? 'good practice')}
        <br />
        Weight {weight}
      </small>
      {action === undefined ? (
        <small class="of-act">For the operator</small>
      ) : (
        <a class="button of-act" href={inOrganisation(`${action.path}${action.at ?? ''}`)}>
          {action.label}
          <span class="only-read"> for control {id}</span>
        </a>
      )}
    </li>
  )
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The id of a control with the sign of its state. */
const Code = ({ control: { id, state } }: { control: Pick<Control, 'id' | 'state'> }) => (
  <span class={`control-code ${STATES[state].look}`}>
    {id}
    <Icon of={STATES[state].sign} />
    <span class="only-read">, {STATES[state].word}</span>
  </span>
)

const groupsOf = (controls: readonly Control[]) =>
  [...Map.groupBy(controls, ({ id }) => id.charAt(0))].map(
    ([letter, all]) => [CONTROL_GROUPS[letter] ?? letter, all] as const,
  )

/** All controls as codes in a grid, and what the weights add up to. A code leads to its line by name. */
export const ControlGrid = ({ controls, score }: Pick<Score, 'controls' | 'score'>) => (
  <section class="card parts" aria-labelledby="all-controls">
    <div class="head">
      <h2 id="all-controls">All controls</h2>
    </div>
    <div class="body codes-grid">
      {groupsOf(controls).map(([name, all]) => (
        <div key={name}>
          <span>{name}</span>
          <span>
            {all.map((control) => (
              <a key={control.id} href={`#control-${control.id}`}>
                <Code control={control} />
              </a>
            ))}
          </span>
        </div>
      ))}
    </div>
    <p class="foot-line figure-line">
      <ScoreText score={score} />
    </p>
  </section>
)

export const ScoreText = ({ score }: Pick<ComplianceReport, 'score'>) => (
  <>
    {score.percent === null
      ? 'No control applies. '
      : `By weight, ${score.weight_passed} of ${score.weight_applicable} points pass (${score.percent}%, rounded down). `}
    It measures what this gateway has evidence of. It is no legal advice, no certificate, and no finding that a law is
    kept or broken.
  </>
)

export const ControlNames = ({ controls }: { controls: readonly Control[] }) => (
  <section class="card parts" aria-labelledby="by-name">
    <div class="head">
      <h2 id="by-name">{plural(controls.length, 'control')} by name</h2>
    </div>
    <div class="body code-names">
      {groupsOf(controls).map(([name, all]) => (
        <section key={name}>
          <h3>{name}</h3>
          <ul class="plain">
            {all.map((control) => (
              <li key={control.id} id={`control-${control.id}`}>
                <Code control={control} />
                <ParameterLink change={{ control: control.id }}>{control.title}</ParameterLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  </section>
)

type DrawerProps = { control: Control; statements: Statements; nameOf: NameOf }

/** One control: what was looked at and found, what would make it pass, and what a person has stated. */
export function ControlDrawer({ control, statements, nameOf }: DrawerProps) {
  const { id, title, state, weight, evidence, reason, sources, would_pass: remedy } = control
  return (
    <Drawer
      title={`Control ${id}`}
      head={<Code control={control} />}
      onClose={() => changeUrlParameters({ control: '' })}
    >
      <div class="stack-s">
        <h3 class="title drawer-title">{title}</h3>
        <p>
          <ControlBadge state={state} />
        </p>
      </div>
      <Facts
        facts={[
          ['What it looked at', evidence.query],
          ...(reason === null ? [] : [[state === 'needs_a_person' ? 'Why' : 'Why not', reason] as const]),
          ['What would make it pass', remedy],
          ['Sources', sources.join(', ')],
          ['Weight', `${weight} of 3`],
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
      {state === 'needs_a_person' && <StatementNote subject={id} what={`control ${id}`} {...{ statements, nameOf }} />}
      <p class="soft small">
        Weight 3: without it the record cannot be trusted. 2: an article names it. 1: good practice. 0: not scored.
      </p>
    </Drawer>
  )
}

const valuesOf = (values: EvidenceValues): Fact[] =>
  Object.entries(values).map(([name, value]) => [withSpaces(name), evidenceText(value)])

export const ControlBadge = ({ state }: { state: ControlState }) => (
  <span class={`badge ${STATES[state].look}`}>{STATES[state].word}</span>
)

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
    {plural(controls.length, 'control')}:{' '}
    {STATE_NAMES.map((state) => {
      const count = countOf(controls, state)
      return `${count} ${count === 1 ? STATES[state].word : STATES[state].many}`
    }).join(', ')}
    . What does not apply and what needs a person are in neither sum.
  </p>
)
