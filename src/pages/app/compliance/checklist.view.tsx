// The compliance checklist, like the first page of a report: how many controls pass and fail, those that fail with one act each, all of
// them as codes and by name. One opens in a drawer with its evidence.
import { capitalised } from '../../text/reword-text.ts'
import type { Infer } from '../../../platform/once.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { check, close, minus, person, type IconPaths } from '../../parts/icons.ts'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { actionOf, CONTROL_GROUPS, failingIn, problemOf, remedyOf } from './control-words.ts'

export type Score = Infer<typeof ComplianceScoreSchema>

/** Each state with its word, its look and its sign. */
const STATES: Readonly<Record<ControlState, { word: string; many: string; look: string; sign: IconPaths }>> = {
  pass: { word: 'passes', many: 'pass', look: 'good', sign: check },
  fail: { word: 'fails', many: 'fail', look: 'bad', sign: close },
  stated: { word: 'is explained', many: 'are explained', look: 'warn', sign: person },
  not_applicable: { word: 'does not apply', many: 'do not apply', look: 'soft', sign: minus },
  needs_a_person: { word: 'needs a person', many: 'need a person', look: 'warn', sign: person },
}

const STATE_NAMES = [
  'pass',
  'fail',
  'stated',
  'not_applicable',
  'needs_a_person',
] as const satisfies readonly ControlState[]

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
  const failing = failingIn(controls)
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

/** Keeps “10(2)(f)–(g)” in one line. */
const withoutBreaks = (source: string): string => source.replaceAll('–', '–\u2060')

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
        {withoutBreaks(capitalised(sources[0] ?? 'good practice'))}
        <br />
        Weight {weight}
      </small>
      {action === undefined ? (
        <small class="of-act">The operator of this service must do this</small>
      ) : (
        <a class="button of-act" href={inOrganisation(`${action.path}${action.at ?? ''}`)}>
          {action.label}
          <span class="only-read"> for control {id}</span>
        </a>
      )}
    </li>
  )
}

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

/** What the weights add up to, and all controls as codes in a grid. A code opens its control. */
export const ControlGrid = ({ controls, score }: Pick<Score, 'controls' | 'score'>) => (
  <section class="card parts" aria-labelledby="score">
    <div class="head">
      <h2 id="score">Score</h2>
      {score.percent === null ? (
        <span class="soft small">Nothing to judge yet</span>
      ) : (
        <b class="number">{score.percent}%</b>
      )}
    </div>
    <div class="body codes-grid">
      {groupsOf(controls).map(([name, all]) => (
        <div key={name}>
          <span>{name}</span>
          <span>
            {all.map((control) => (
              <ParameterLink key={control.id} change={{ control: control.id }}>
                <Code control={control} />
              </ParameterLink>
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
      ? `${score.reason ?? ''} `
      : `By weight, ${score.weight_passed} of ${score.weight_applicable} points (${score.percent}%, rounded down). `}
    {score.coverage.with_data} of {score.coverage.controls} controls had data. What the service does for everybody earns
    no points, and no explanation does. It measures what this gateway has evidence of. It is no legal advice, no
    certificate, and no finding that a law is kept or broken.
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
              <li key={control.id}>
                <ParameterLink change={{ control: control.id }}>
                  <Code control={control} /> <span>{control.title}</span>
                </ParameterLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  </section>
)

export const ControlBadge = ({ state }: { state: ControlState }) => (
  <span class={`badge ${STATES[state].look}`}>{STATES[state].word}</span>
)

/** Shows the score and the counts behind it. Use it only together with the list of controls. */
export const ScoreFigure = ({ score, controls }: Pick<ComplianceReport, 'score' | 'controls'>) => (
  <p class="figure">
    <b>{score.percent === null ? 'Nothing to judge yet' : `${score.percent}%`}</b>
    {score.percent === null
      ? `A percentage needs ${score.calls_needed} calls, and there were ${score.calls}. `
      : `of the points, rounded down: ${score.weight_passed} of ${score.weight_applicable}. `}
    {score.coverage.with_data} of {score.coverage.controls} controls had data. {plural(controls.length, 'control')}:{' '}
    {STATE_NAMES.map((state) => {
      const count = countOf(controls, state)
      return `${count} ${count === 1 ? STATES[state].word : STATES[state].many}`
    }).join(', ')}
    . What the service does for everybody earns no points.
  </p>
)
