// The compliance checklist, like the first page of a report: how many controls pass and fail, those that fail with one act each, all of
// them as codes and by name. One opens in a drawer with its evidence.
import { capitalised } from '../../text/reword-text.ts'
import { useLayoutEffect } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import { TIERS } from '../../../policies/tier.policy.ts'
import type { ControlState } from '../../../reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import { check, clock, close, lock, minus, person, type IconPaths } from '../../parts/icons.ts'
import { Note, OnlyRead, Row, Stack, TextColumns } from '../../parts/layout.view.tsx'
import type { Tone } from '../../parts/drawn.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { ButtonLink, CardBody, HeadedCard, Help, PlainList, SignRow, SmallLink } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Figure, Tile, Tiles } from '../../parts/tile.view.tsx'
import { namesOf } from '../../parts/form-values.ts'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { AskForTier } from '../frame/lacking.view.tsx'
import { hasTierFeature, inOrganisation, organisation } from '../session.ts'
import {
  actionOf,
  CONTROL_GROUPS,
  controlsIn,
  higherTiers,
  mendableFirst,
  problemOf,
  remedyOf,
  shownState,
  type ShownState,
} from './control-words.ts'
import { inPageWords } from './page-words.ts'

export type Score = Infer<typeof ComplianceScoreSchema>

/** Each state with its word, its look and its sign. */
const STATES: Readonly<Record<ShownState, { word: string; many: string; tone: Tone | 'soft'; icon: IconPaths }>> = {
  pass: { word: 'passes', many: 'pass', tone: 'good', icon: check },
  fail: { word: 'fails', many: 'fail', tone: 'bad', icon: close },
  early: { word: 'is to prepare', many: 'to prepare', tone: 'soft', icon: clock },
  locked: { word: 'is not in your tier', many: 'not in your tier', tone: 'soft', icon: lock },
  stated: { word: 'is explained', many: 'are explained', tone: 'warn', icon: person },
  not_applicable: { word: 'does not apply', many: 'do not apply', tone: 'soft', icon: minus },
  needs_a_person: { word: 'needs a person', many: 'need a person', tone: 'warn', icon: person },
}

const STATE_NAMES = namesOf(STATES)

const countOf = (controls: readonly Pick<Control, 'state'>[], state: ControlState): number =>
  controls.filter((control) => control.state === state).length

const wordOf = (state: ControlState, count: number): string => (count === 1 ? STATES[state].word : STATES[state].many)

export type JudgedScore = Pick<Score, 'controls' | 'score'>

type TilesProps = AllProps & {
  /** The score of the report before in words, if it is known. */
  before: string | null
}

/** The score with that of the report before, and how many controls are in each state. Each count opens the list of its controls. */
export const ScoreTiles = ({ controls, score, state: chosen, before }: TilesProps) => (
  <Tiles label="Score">
    <Tile name="Score" value={score.percent === null ? 'None yet' : `${score.percent}%`}>
      {score.percent === null ? (
        `It needs ${score.calls_needed} calls in 30 days. So far\u00A0${score.calls}.`
      ) : (
        <>
          {score.weight_passed} of {score.weight_applicable} points by weight
          <br />
          {before}
        </>
      )}
    </Tile>
    {[...Map.groupBy(controls, (control) => shownState(control, score.percent))]
      .toSorted(([one], [other]) => STATE_NAMES.indexOf(one) - STATE_NAMES.indexOf(other))
      .map(([state, { length }]) => (
        <Tile
          key={state}
          name={nameOfTile(state, score)}
          value={formatNumber(length)}
          icon={STATES[state].icon}
          tone={STATES[state].tone}
          change={{ state }}
          isCurrent={state === chosen}
        >
          {state === chosen ? 'Listed below' : 'List them'}
        </Tile>
      ))}
  </Tiles>
)

const nameOfTile = (state: ShownState, { percent, calls }: Score['score']): string =>
  state === 'not_applicable' && calls === 0
    ? 'Need calls first'
    : capitalised(STATES[state].many) + (state === 'not_applicable' && percent === null ? ' yet' : '')

/** So many rows of failing controls fit into the first screen. */
const MOST_ROWS = 4

/** Returns the controls that fail, then those to prepare. Before there is a score, those that this person can mend come first. */
export function listedFirst(judged: JudgedScore): Control[] {
  const all = [...controlsIn(judged, 'fail'), ...controlsIn(judged, 'early')]
  return judged.score.percent === null ? all.toSorted(mendableFirst) : all
}

/** The controls that something can be done about, each with its problem, what would make it pass, and one act. */
export function FailingControls(judged: JudgedScore) {
  const { score } = judged
  const [first, early, locked] = [listedFirst(judged), controlsIn(judged, 'early'), controlsIn(judged, 'locked')]
  const failing = first.length - early.length
  const rows = (some: readonly Control[]) => <FailingRows controls={some} percent={score.percent} />
  return (
    <HeadedCard
      title={score.percent === null ? 'What to do first' : plural(first.length, 'control fails', 'controls fail')}
      act={
        <Note>
          {early.length > 0
            ? `${failing > 0 ? `${failing} fail now. ` : ''}${early.length} to prepare before the score, which needs ${score.calls_needed} calls${inReports()}`
            : first.length > 1 && 'Most important first'}
        </Note>
      }
      isList
    >
      {first.length === 0 ? (
        <CardBody as="p" tone="soft">
          No control that applies fails.
        </CardBody>
      ) : (
        rows(first.slice(0, MOST_ROWS))
      )}
      {first.length > MOST_ROWS && (
        <Foldable look="foot" isOnPaper summary={`${first.length - MOST_ROWS} more`}>
          {() => rows(first.slice(MOST_ROWS))}
        </Foldable>
      )}
      {locked.length > 0 && (
        <Foldable
          look="foot"
          isOnPaper
          summary={`${locked.length} not in the ${tierName(organisation().tier)} tier${inReports()}`}
        >
          {() => (
            <Stack>
              {rows(locked)}
              <AskForTier
                tiers={TIERS.filter((tier) => locked.every((control) => higherTiers(control).includes(tier)))}
              />
            </Stack>
          )}
        </Foldable>
      )}
    </HeadedCard>
  )
}

/** A report has no states of the page: what is listed apart here fails there. */
const inReports = (): string => (hasTierFeature('pdf_report') ? '. A report counts them as failing' : '')

type RowsProps = Pick<Score['score'], 'percent'> & { controls: readonly Control[] }

const FailingRows = ({ controls, percent }: RowsProps) => (
  <PlainList>
    {controls.map((control) => (
      <FailingControl key={control.id} control={control} state={shownState(control, percent)} />
    ))}
  </PlainList>
)

/** Keeps “10(2)(f)–(g)” in one line. */
const withoutBreaks = (source: string): string => source.replaceAll('–', '–\u2060')

function FailingControl({ control, state }: { control: Control; state: ShownState }) {
  const { id, weight, sources } = control
  const action = actionOf(control)
  const [lowest] = higherTiers(control)
  return (
    <SignRow
      isInColumns
      sign={<Code {...{ id, state }} />}
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
      {lowest !== undefined ? (
        <SmallLink href="/tiers">From {tierName(lowest)} on</SmallLink>
      ) : typeof action === 'string' ? (
        <small>{action}</small>
      ) : (
        <ButtonLink href={inOrganisation(action.to)}>
          {action.label}
          <OnlyRead> for control {id}</OnlyRead>
        </ButtonLink>
      )}
    </SignRow>
  )
}

function Code({ id, state }: { id: string; state: ShownState }) {
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

type AllProps = JudgedScore & {
  /** The state whose controls alone are listed. Any other text: all are. */
  state: string
}

/** All controls: as codes in a grid, each of which opens its control, and by name. In a narrow window the names say what the codes say. */
export function AllControls({ controls, score: { coverage, percent }, state }: AllProps) {
  const isNarrowed = STATE_NAMES.some((name) => name === state)
  const shown = controls.filter((control) => !isNarrowed || shownState(control, percent) === state)
  useLayoutEffect(() => {
    if (isNarrowed) document.querySelector('#controls')?.scrollIntoView({ block: 'nearest' })
  }, [isNarrowed, state])
  return (
    <HeadedCard
      id="controls"
      title={isNarrowed ? `${shown.length} of ${controls.length} controls` : plural(controls.length, 'control')}
      note="No finding that a law is kept or broken."
      act={
        isNarrowed ? (
          <ParameterLink change={{ state: '' }}>Show all</ParameterLink>
        ) : (
          <Note>
            {coverage.with_data} of {coverage.controls} had data{' '}
            <Help of="the score" to="/docs/use-checklist#the-score" />
          </Note>
        )
      }
      isList
    >
      {isNarrowed ? (
        <CardBody>
          <ByName {...{ percent }} controls={shown} />
        </CardBody>
      ) : (
        <>
          <CardBody isWideOnly>
            <Facts
              facts={groupsOf(controls).map(([name, all]) => [
                name,
                <Row gap={1}>
                  {all.map((control) => (
                    <ParameterLink key={control.id} look="plain" change={{ control: control.id }}>
                      <Code id={control.id} state={shownState(control, percent)} />
                    </ParameterLink>
                  ))}
                </Row>,
              ])}
            />
          </CardBody>
          <Foldable look="foot" isOnPaper summary="By name">
            {() => <ByName {...{ controls, percent }} />}
          </Foldable>
        </>
      )}
    </HeadedCard>
  )
}

const ByName = ({ controls, percent }: RowsProps) => (
  <TextColumns>
    {groupsOf(controls).map(([name, all]) => (
      <Stack key={name} as="section" gap={2}>
        <h3>{name}</h3>
        <Stack as="ul" gap={2}>
          {all.map((control) => (
            <li key={control.id}>
              <ParameterLink look="plain" change={{ control: control.id }}>
                <Row as="span" gap={2} align="baseline" isSingle>
                  <Code id={control.id} state={shownState(control, percent)} />{' '}
                  <span>{inPageWords(control.title)}</span>
                </Row>
              </ParameterLink>
            </li>
          ))}
        </Stack>
      </Stack>
    ))}
  </TextColumns>
)

export const ControlBadge = ({ state }: { state: ShownState }) => (
  <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
)

/** Shows the score and the counts behind it. Use it only together with the list of controls. */
export const ScoreFigure = ({ score, controls }: Pick<ComplianceReport, 'score' | 'controls'>) => (
  <Figure value={score.percent === null ? 'Nothing to judge yet' : `${score.percent}%`}>
    {score.percent === null
      ? `A percentage needs ${score.calls_needed} calls, and there were ${score.calls}. `
      : `of the points, rounded down: ${score.weight_passed} of ${score.weight_applicable}. `}
    {score.coverage.with_data} of {score.coverage.controls} controls had data. {plural(controls.length, 'control')}:{' '}
    {STATE_NAMES.filter((state) => state !== 'locked' && state !== 'early')
      .map((state) => {
        const count = countOf(controls, state)
        return `${count} ${wordOf(state, count)}`
      })
      .join(', ')}
    . What the service does for everybody earns no points.
  </Figure>
)
