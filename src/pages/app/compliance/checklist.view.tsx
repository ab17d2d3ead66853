// The compliance checklist, like the first page of a report: how many controls pass and fail, those that fail with one act each, all of
// them as codes and by name. One opens in a drawer with its evidence.
import { capitalised } from '../../text/reword-text.ts'
import type { Infer } from '../../../platform/once.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { check, close, minus, person, type IconPaths } from '../../parts/icons.ts'
import { Note, OnlyRead, Row, Stack, TextColumns } from '../../parts/layout.view.tsx'
import type { Tone } from '../../parts/drawn.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { ButtonLink, CardBody, HeadedCard, Help, PlainList, SignRow, WithSign } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Figure } from '../../parts/tile.view.tsx'
import { namesOf } from '../../parts/form-values.ts'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { actionOf, CONTROL_GROUPS, failingIn, problemOf, remedyOf } from './control-words.ts'

export type Score = Infer<typeof ComplianceScoreSchema>

/** Each state with its word, its look and its sign. */
const STATES: Readonly<Record<ControlState, { word: string; many: string; tone: Tone | 'soft'; icon: IconPaths }>> = {
  pass: { word: 'passes', many: 'pass', tone: 'good', icon: check },
  fail: { word: 'fails', many: 'fail', tone: 'bad', icon: close },
  stated: { word: 'is explained', many: 'are explained', tone: 'warn', icon: person },
  not_applicable: { word: 'does not apply', many: 'do not apply', tone: 'soft', icon: minus },
  needs_a_person: { word: 'needs a person', many: 'need a person', tone: 'warn', icon: person },
}

const STATE_NAMES = namesOf(STATES)

const countOf = (controls: readonly Pick<Control, 'state'>[], state: ControlState): number =>
  controls.filter((control) => control.state === state).length

const wordOf = (state: ControlState, count: number): string => (count === 1 ? STATES[state].word : STATES[state].many)

type HeadProps = Pick<Score, 'controls' | 'score'> & {
  /** The report before, if its score is known. */
  before: { percent: number; day: string } | null
}

/** The score with its change, and how many controls are in each state. */
export const ScoreHead = ({ controls, score, before }: HeadProps) => (
  <HeadedCard
    title="Score"
    act={
      <Row as="p" gap={5}>
        {STATE_NAMES.filter((state) => countOf(controls, state) > 0).map((state) => (
          <WithSign key={state} {...signOf(state)}>
            <b>{formatNumber(countOf(controls, state))}</b> {wordOf(state, countOf(controls, state))}
          </WithSign>
        ))}
      </Row>
    }
  >
    <Figure value={score.percent === null ? 'Nothing to judge yet' : `${score.percent}%`}>
      {score.percent === null || before === null
        ? 'of the last 30 days'
        : `${changeText(score.percent - before.percent)} ${before.day}`}
    </Figure>
    <Note as="p">
      {score.percent === null
        ? `${score.reason ?? ''} `
        : `${score.weight_passed} of ${score.weight_applicable} points by weight. `}
      No legal advice, and no finding that a law is kept or broken.{' '}
      <Help of="the score" to="/docs/use-checklist#the-score" />
    </Note>
  </HeadedCard>
)

const changeText = (change: number): string =>
  change === 0 ? 'As in the report of' : `${change > 0 ? '+' : '−'}${Math.abs(change)} since the report of`

const signOf = (state: ControlState) => {
  const { icon, tone } = STATES[state]
  return tone === 'soft' ? { icon } : { icon, tone }
}

/** The controls that fail, the most important first, each with its problem, what would make it pass, and one act. */
export function FailingControls({ controls }: { controls: readonly Control[] }) {
  const failing = failingIn(controls)
  return (
    <HeadedCard
      title={plural(failing.length, 'control fails', 'controls fail')}
      act={failing.length > 1 && <Note>Most important first</Note>}
      isList
    >
      {failing.length === 0 ? (
        <CardBody as="p" tone="soft">
          No control that applies fails.
        </CardBody>
      ) : (
        <PlainList>
          {failing.map((control) => (
            <FailingControl key={control.id} control={control} />
          ))}
        </PlainList>
      )}
    </HeadedCard>
  )
}

/** Keeps “10(2)(f)–(g)” in one line. */
const withoutBreaks = (source: string): string => source.replaceAll('–', '–\u2060')

function FailingControl({ control }: { control: Control }) {
  const { id, weight, sources } = control
  const action = actionOf(id)
  return (
    <SignRow
      isInColumns
      sign={<Code control={control} />}
      title={
        <ParameterLink look="plain" change={{ control: id }}>
          {problemOf(control)}
        </ParameterLink>
      }
      about={
        <>
          {remedyOf(control)}
          <br />
          {withoutBreaks(capitalised(sources[0] ?? 'good practice'))}, weight {weight}
        </>
      }
    >
      {action === undefined ? (
        <small>The operator must do this</small>
      ) : (
        <ButtonLink href={inOrganisation(action.to)}>
          {action.label}
          <OnlyRead> for control {id}</OnlyRead>
        </ButtonLink>
      )}
    </SignRow>
  )
}

/** The id of a control with the sign of its state. */
function Code({ control: { id, state } }: { control: Pick<Control, 'id' | 'state'> }) {
  const { tone, icon, word } = STATES[state]
  return (
    <Badge isCode {...{ tone, icon }}>
      {id}
      <OnlyRead>, {word}</OnlyRead>
    </Badge>
  )
}

const groupsOf = (controls: readonly Control[]) =>
  [...Map.groupBy(controls, ({ id }) => id.charAt(0))].map(
    ([letter, all]) => [CONTROL_GROUPS[letter] ?? letter, all] as const,
  )

/** All controls: as codes in a grid, each of which opens its control, and by name. In a narrow window the names say what the codes say. */
export const AllControls = ({ controls, coverage }: Pick<Score, 'controls'> & Pick<Score['score'], 'coverage'>) => (
  <HeadedCard
    title={plural(controls.length, 'control')}
    act={
      <Note>
        {coverage.with_data} of {coverage.controls} had data
      </Note>
    }
    isList
  >
    <CardBody isWideOnly>
      <Facts
        facts={groupsOf(controls).map(([name, all]) => [
          name,
          <Row gap={1}>
            {all.map((control) => (
              <ParameterLink key={control.id} look="plain" change={{ control: control.id }}>
                <Code control={control} />
              </ParameterLink>
            ))}
          </Row>,
        ])}
      />
    </CardBody>
    <Foldable look="foot" summary="By name">
      {() => (
        <TextColumns>
          {groupsOf(controls).map(([name, all]) => (
            <Stack key={name} as="section" gap={2}>
              <h3>{name}</h3>
              <Stack as="ul" gap={2}>
                {all.map((control) => (
                  <li key={control.id}>
                    <ParameterLink look="plain" change={{ control: control.id }}>
                      <Row as="span" gap={2} align="baseline" isSingle>
                        <Code control={control} /> <span>{control.title}</span>
                      </Row>
                    </ParameterLink>
                  </li>
                ))}
              </Stack>
            </Stack>
          ))}
        </TextColumns>
      )}
    </Foldable>
  </HeadedCard>
)

export const ControlBadge = ({ state }: { state: ControlState }) => (
  <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
)

/** Shows the score and the counts behind it. Use it only together with the list of controls. */
export const ScoreFigure = ({ score, controls }: Pick<ComplianceReport, 'score' | 'controls'>) => (
  <Figure value={score.percent === null ? 'Nothing to judge yet' : `${score.percent}%`}>
    {score.percent === null
      ? `A percentage needs ${score.calls_needed} calls, and there were ${score.calls}. `
      : `of the points, rounded down: ${score.weight_passed} of ${score.weight_applicable}. `}
    {score.coverage.with_data} of {score.coverage.controls} controls had data. {plural(controls.length, 'control')}:{' '}
    {STATE_NAMES.map((state) => {
      const count = countOf(controls, state)
      return `${count} ${wordOf(state, count)}`
    }).join(', ')}
    . What the service does for everybody earns no points.
  </Figure>
)
