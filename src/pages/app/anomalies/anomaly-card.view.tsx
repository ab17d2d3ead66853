// One anomaly without an explanation: what changed, its usual value and what it is now, the calls behind it, and the explanation as a
// form in the card.
import type { ComponentChildren } from 'preact'
import { useAnswer } from '../../api/use-answer.ts'
import { BeforeLegend } from '../../charts/before-line.view.tsx'
import { LineChart } from '../../charts/line-chart.view.tsx'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { pulse } from '../../parts/icons.ts'
import { MainAndSide, Note, OnlyRead, Row, Stack } from '../../parts/layout.view.tsx'
import { Facts, factsIf, Section } from '../../parts/page-blocks.view.tsx'
import { SubjectHead } from '../../parts/subject-head.view.tsx'
import { ButtonLink, CardBody, PartsCard } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { formatNumber, formatShortDay } from '../../text/format.ts'
import { pointOf } from '../analytics/chart-data.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { StatementForm } from '../statements/statements.view.tsx'
import {
  anomalyKey,
  alarmSubject,
  anomalyTitle,
  callsPathOf,
  daysText,
  isRate,
  measureName,
  outcomeOf,
  sinceText,
  valueFormat,
  type Anomaly,
  type KeyNameOf,
} from './anomaly-words.ts'
import { AlsoSeen } from './bias-tables.view.tsx'
import { AroundThen } from './around-then.view.tsx'
import { loadFigures, type CallGroup, type DayFigure, type Figures } from './load-figures.ts'

type Props = {
  anomaly: Anomaly
  keys: Keys
  keyName: KeyNameOf
  /** Called once it is explained. */
  onDone: () => void
}

type HeadProps = Pick<Props, 'anomaly' | 'keyName'> & {
  isSmall?: boolean
  isOpened?: boolean
  children: ComponentChildren
}

const Head = ({ anomaly, keyName, children, ...look }: HeadProps) => (
  <SubjectHead
    badge={
      <Badge tone="warn" icon={pulse}>
        New
      </Badge>
    }
    moment={`Since ${sinceText(anomaly.since)}`}
    title={anomalyTitle(anomaly, keyName)}
    about={<AlsoSeen {...{ anomaly, keyName }} />}
    {...look}
  >
    <Row as="p">{children}</Row>
  </SubjectHead>
)

const CallsLink = ({ anomaly, look }: Pick<Props, 'anomaly'> & { look?: 'quiet' }) => (
  <ButtonLink look={look} href={inOrganisation(callsPathOf(anomaly))}>
    See the {outcomeOf(anomaly)} calls
  </ButtonLink>
)

export function AnomalyLine({ anomaly, keyName, onOpen }: Pick<Props, 'anomaly' | 'keyName'> & { onOpen: () => void }) {
  const format = valueFormat(anomaly)
  return (
    <PartsCard label={anomalyTitle(anomaly, keyName)}>
      <Head {...{ anomaly, keyName }} isSmall>
        <Note>
          Usual {format(anomaly.baseline)}, seen {format(anomaly.value)}
        </Note>
        <CallsLink anomaly={anomaly} look="quiet" />
        {hasPermission('compliance:state') && (
          <Button onClick={onOpen}>
            Add an explanation<OnlyRead> of {anomalyTitle(anomaly, keyName)}</OnlyRead>
          </Button>
        )}
      </Head>
    </PartsCard>
  )
}

/** The room of the chart, so that nothing below it moves. */
const CHART_LINES = 10

/** @param isFocused true if a person has just opened it */
export function AnomalyCard({ anomaly, keys, keyName, onDone, isFocused }: Props & { isFocused: boolean }) {
  const [loaded] = useAnswer((signal) => loadFigures(anomaly, signal), [anomalyKey(anomaly)])
  const figures = loaded.state === 'answered' ? loaded.body : null
  return (
    <PartsCard label={anomalyTitle(anomaly, keyName)}>
      <Head {...{ anomaly, keyName }} isOpened={isFocused}>
        <CallsLink anomaly={anomaly} />
      </Head>
      <CardBody>
        <MainAndSide>
          <Stack>
            {loaded.state === 'loading' && <Skeleton lines={CHART_LINES} />}
            {figures?.days != null && <DaysChart anomaly={anomaly} days={figures.days} />}
            <AnomalyFacts {...{ anomaly, figures, keys }} isLoading={loaded.state === 'loading'} />
            <Foldable summary="How it was found">{() => <Statistics anomaly={anomaly} />}</Foldable>
          </Stack>
          {hasPermission('compliance:state') && (
            <Section level={3} title="Explanation">
              <StatementForm subject={alarmSubject(anomaly)} before={null} onDone={onDone}>
                {(form) => <Form {...form} />}
              </StatementForm>
            </Section>
          )}
        </MainAndSide>
      </CardBody>
    </PartsCard>
  )
}

/** The figure day by day, with the usual value as a dashed line, and a dot on each day from the start on. */
function DaysChart({ anomaly, days }: { anomaly: Anomaly; days: readonly DayFigure[] }) {
  const { kind, baseline, value, since } = anomaly
  const format = valueFormat(anomaly)
  const start = since.slice(0, 10)
  const isUnusual = (at: number): boolean => {
    const day = days[at]
    return day !== undefined && day.value !== null && day.date >= start
  }
  return (
    <Stack gap={2}>
      <LineChart
        title={measureName(anomaly)}
        summary={`Usual: ${format(baseline)}. Since ${sinceText(since)}: ${format(value)}.`}
        total={format(value)}
        note={`usual: ${format(baseline)}`}
        pointName="Day"
        points={days.map(({ date, value: one }) => pointOf(date, [one]))}
        format={format}
        isWhole={kind === 'volume' || kind === 'p95_latency'}
        isMarked={isUnusual}
        before={{ name: 'Usual', values: days.map(() => baseline) }}
      />
      {/* What rises at a week’s end is found in the next week. */}
      <BeforeLegend
        line="Usual"
        dots={`Since ${formatShortDay(start)}${isRate(anomaly) ? ': each week is compared alone' : ''}`}
      />
    </Stack>
  )
}

const SHOWN_GROUPS = 4

type FactsProps = { anomaly: Anomaly; figures: Figures | null; keys: Keys; isLoading: boolean }

function AnomalyFacts({ anomaly, figures, keys, isLoading }: FactsProps) {
  const format = valueFormat(anomaly)
  const hasChart = isLoading || figures?.days != null
  return (
    <Facts
      facts={[
        // The chart has it as its figure.
        ...factsIf(!hasChart, ['Seen', <b>{format(anomaly.value)}</b>]),
        ...factsIf(isRate(anomaly), ['Where', isLoading ? 'Loading' : whereText(figures?.where ?? [])]),
        [
          'Around then',
          isLoading ? 'Loading' : <AroundThen {...{ anomaly, keys }} versions={figures?.versions ?? null} />,
        ],
      ]}
    />
  )
}

function Statistics({ anomaly }: { anomaly: Anomaly }) {
  const { baseline, statistic, threshold, change } = anomaly
  const looking = change === null ? '' : `, looking for ${formatNumber(change)} times the usual`
  return (
    <Facts
      facts={[
        ['Usual', `${valueFormat(anomaly)(baseline)}, from the 28 days before`],
        ['Days', `${daysText(anomaly)}, UTC`],
        ['Found by', `statistic ${formatNumber(statistic)}, alarm from ${formatNumber(threshold)}${looking}`],
      ]}
    />
  )
}

/** Returns where the calls are, the most first: “triage-notes 7, coding-support 1”. */
function whereText(where: readonly CallGroup[]): string {
  const more = where.length - SHOWN_GROUPS
  const shown = where.slice(0, SHOWN_GROUPS).map(({ name, count }) => `${name} ${formatNumber(count)}`)
  return where.length === 0 ? 'Not counted' : shown.join(', ') + (more > 0 ? `, ${more} more` : '')
}
