// The compliance checklist, like the first page of a report: how many controls pass and fail, those that fail with one act each, all of
// them as codes and by name. One opens in a drawer with its evidence.
import { capitalised } from '../../text/reword-text.ts'
import { useLayoutEffect } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { Tier } from '../../../policies/tier.policy.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { check, close, lock, minus, person, type IconPaths } from '../../parts/icons.ts'
import { Note, OnlyRead, Row, Stack, TextColumns } from '../../parts/layout.view.tsx'
import type { Tone } from '../../parts/drawn.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { ButtonLink, CardBody, HeadedCard, Help, PlainList, SignRow } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Figure, Tile, Tiles } from '../../parts/tile.view.tsx'
import { namesOf } from '../../parts/form-values.ts'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { AskForTier } from '../frame/lacking.view.tsx'
import { inOrganisation } from '../session.ts'
import { actionOf, CONTROL_GROUPS, failingIn, higherTiers, problemOf, remedyOf } from './control-words.ts'

export type Score = Infer<typeof ComplianceScoreSchema>

/** `locked`: fails, and no rule or setting of this tier can mend it. */
type ShownState = ControlState | 'locked'

/** Each state with its word, its look and its sign. */
const STATES: Readonly<Record<ShownState, { word: string; many: string; tone: Tone | 'soft'; icon: IconPaths }>> = {
  pass: { word: 'passes', many: 'pass', tone: 'good', icon: check },
  fail: { word: 'fails', many: 'fail', tone: 'bad', icon: close },
  locked: { word: 'needs a higher tier', many: 'need a higher tier', tone: 'soft', icon: lock },
  stated: { word: 'is explained', many: 'are explained', tone: 'warn', icon: person },
  not_applicable: { word: 'does not apply', many: 'do not apply', tone: 'soft', icon: minus },
  needs_a_person: { word: 'needs a person', many: 'need a person', tone: 'warn', icon: person },
}

const STATE_NAMES = namesOf(STATES)

const countOf = (controls: readonly Pick<Control, 'state'>[], state: ControlState): number =>
  controls.filter((control) => control.state === state).length

const shownState = (control: Control): ShownState => (higherTiers(control).length > 0 ? 'locked' : control.state)

const wordOf = (state: ControlState, count: number): string => (count === 1 ? STATES[state].word : STATES[state].many)

type TilesProps = Pick<Score, 'controls' | 'score'> & {
  /** The report before, if its score is known. */
  before: { percent: number; day: string } | null
}

/** The score with its change, and how many controls are in each state. Each count opens the list of its controls. */
export const ScoreTiles = ({ controls, score, before }: TilesProps) => (
  <Tiles label="Score">
    <Tile name="Score" value={score.percent === null ? 'None yet' : `${score.percent}%`}>
      {score.percent === null ? (
        `It needs ${score.calls_needed} calls in 30 days. There were ${score.calls}.`
      ) : (
        <>
          {score.weight_passed} of {score.weight_applicable} points by weight
          <br />
          {before !== null && `${changeText(score.percent - before.percent)} ${before.day}`}
        </>
      )}
    </Tile>
    {[...Map.groupBy(controls, shownState)]
      .toSorted(([one], [other]) => STATE_NAMES.indexOf(one) - STATE_NAMES.indexOf(other))
      .map(([state, { length }]) => (
        <Tile
          key={state}
          name={capitalised(STATES[state].many)}
          value={formatNumber(length)}
          icon={STATES[state].icon}
          tone={STATES[state].tone}
          change={{ state }}
        />
      ))}
  </Tiles>
)

const changeText = (change: number): string =>
  change === 0 ? 'As on' : `${change > 0 ? '+' : '−'}${Math.abs(change)} since`

/** So many rows of failing controls fit into the first screen. */
const MOST_ROWS = 4

/** The controls that fail, the most important first, each with its problem, what would make it pass, and one act. */
export function FailingControls({ controls }: { controls: readonly Control[] }) {
  const failing = failingIn(controls)
  const locked = Map.groupBy(controls, (control) => higherTiers(control)[0])
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
        <FailingRows controls={failing.slice(0, MOST_ROWS)} />
      )}
      {failing.length > MOST_ROWS && (
        <Foldable look="foot" summary={`${failing.length - MOST_ROWS} more`}>
          {() => <FailingRows controls={failing.slice(MOST_ROWS)} />}
        </Foldable>
      )}
      {[...locked].map(
        ([tier, all]) =>
          tier !== undefined && (
            <Foldable key={tier} look="foot" summary={`${all.length} not in your tier: from ${tierName(tier)} on`}>
              {() => (
                <Stack>
                  <FailingRows controls={all} />
                  <AskForTier tiers={tiersOf(all)} />
                </Stack>
              )}
            </Foldable>
          ),
      )}
    </HeadedCard>
  )
}

const FailingRows = ({ controls }: { controls: readonly Control[] }) => (
  <PlainList>
    {controls.map((control) => (
      <FailingControl key={control.id} control={control} />
    ))}
  </PlainList>
)

const tiersOf = ([first]: readonly Control[]): readonly Tier[] => (first === undefined ? [] : higherTiers(first))

/** Keeps “10(2)(f)–(g)” in one line. */
const withoutBreaks = (source: string): string => source.replaceAll('–', '–\u2060')

function FailingControl({ control }: { control: Control }) {
  const { id, weight, sources } = control
  const action = actionOf(id)
  const isLocked = higherTiers(control).length > 0
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
      {isLocked ? null : action === undefined ? (
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
function Code({ control }: { control: Control }) {
  const { tone, icon, word } = STATES[shownState(control)]
  return (
    <Badge isCode {...{ tone, icon }}>
      {control.id}
      <OnlyRead>, {word}</OnlyRead>
    </Badge>
  )
}

const groupsOf = (controls: readonly Control[]) =>
  [...Map.groupBy(controls, ({ id }) => id.charAt(0))].map(
    ([letter, all]) => [CONTROL_GROUPS[letter] ?? letter, all] as const,
  )

type AllProps = Pick<Score, 'controls'> &
  Pick<Score['score'], 'coverage'> & {
    /** The state whose controls alone are listed, or '' */
    state: string
  }

/** All controls: as codes in a grid, each of which opens its control, and by name. In a narrow window the names say what the codes say. */
export function AllControls({ controls, coverage, state }: AllProps) {
  const shown = controls.filter((control) => state === '' || shownState(control) === state)
  useLayoutEffect(() => {
    if (state !== '') document.querySelector('#controls')?.scrollIntoView({ block: 'nearest' })
  }, [state])
  return (
    <HeadedCard
      id="controls"
      title={state === '' ? plural(controls.length, 'control') : `${shown.length} of ${controls.length} controls`}
      note="No finding that a law is kept or broken."
      act={
        state === '' ? (
          <Note>
            {coverage.with_data} of {coverage.controls} had data{' '}
            <Help of="the score" to="/docs/use-checklist#the-score" />
          </Note>
        ) : (
          <ParameterLink change={{ state: '' }}>Show all</ParameterLink>
        )
      }
      isList
    >
      {state === '' ? (
        <>
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
            {() => <ByName controls={controls} />}
          </Foldable>
        </>
      ) : (
        <CardBody>
          <ByName controls={shown} />
        </CardBody>
      )}
    </HeadedCard>
  )
}

const ByName = ({ controls }: Pick<Score, 'controls'>) => (
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
    {STATE_NAMES.filter((state) => state !== 'locked')
      .map((state) => {
        const count = countOf(controls, state)
        return `${count} ${wordOf(state, count)}`
      })
      .join(', ')}
    . What the service does for everybody earns no points.
  </Figure>
)
