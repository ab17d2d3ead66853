// One anomaly without an explanation: what changed, its usual value and what it is now, the calls behind it, and the explanation as a
// form in the card.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAnswer } from '../../api/use-answer.ts'
import { BeforeSample } from '../../charts/before-line.view.tsx'
import { LineChart } from '../../charts/line-chart.view.tsx'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { pulse } from '../../parts/icons.ts'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { formatNumber, formatShortDay } from '../../text/format.ts'
import { pointOf } from '../analytics/chart-data.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { StatementForm } from '../statements/statement-form.view.tsx'
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

type HeadProps = Pick<Props, 'anomaly' | 'keyName'> & { id: string; isFocused?: boolean; children: ComponentChildren }

function Head({ anomaly, keyName, id, isFocused = false, children }: HeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isFocused) heading.current?.focus()
  }, [])
  return (
    <div class="head">
      <div class="stack-s">
        <p class="row">
          <span class="badge warn">
            <Icon of={pulse} />
            New
          </span>
          <span class="soft small number">Since {sinceText(anomaly.since)}</span>
        </p>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {anomalyTitle(anomaly, keyName)}
        </h2>
        <AlsoSeen {...{ anomaly, keyName }} />
      </div>
      <p class="row">{children}</p>
    </div>
  )
}

const CallsLink = ({ anomaly, keyName, look }: Pick<Props, 'anomaly' | 'keyName'> & { look: string }) => (
  <a class={look} href={inOrganisation(callsPathOf(anomaly))}>
    See the {outcomeOf(anomaly)} calls<span class="only-read">: {anomalyTitle(anomaly, keyName)}</span>
  </a>
)

type LineProps = Pick<Props, 'anomaly' | 'keyName'> & { onOpen: () => void }

/** An anomaly in a line, with a button that opens it. */
export function AnomalyLine({ anomaly, keyName, onOpen }: LineProps) {
  const id = useUniqueId()
  const format = valueFormat(anomaly)
  return (
    <section class="card parts" aria-labelledby={id}>
      <Head {...{ anomaly, keyName, id }}>
        <span class="soft small">
          Usual {format(anomaly.baseline)}, seen {format(anomaly.value)}
        </span>
        <CallsLink {...{ anomaly, keyName }} look="button quiet" />
        {hasPermission('compliance:state') && (
          <Button onClick={onOpen}>
            Add an explanation<span class="only-read"> of {anomalyTitle(anomaly, keyName)}</span>
          </Button>
        )}
      </Head>
    </section>
  )
}

/** The room of the chart, so that nothing below it moves. */
const CHART_LINES = 10

/** @param isFocused true if a person has just opened it */
export function AnomalyCard({ anomaly, keys, keyName, onDone, isFocused }: Props & { isFocused: boolean }) {
  const id = useUniqueId()
  const [loaded] = useAnswer((signal) => loadFigures(anomaly, signal), [anomalyKey(anomaly)])
  const figures = loaded.state === 'answered' ? loaded.body : null
  return (
    <section class="card parts anomaly" aria-labelledby={id}>
      <Head {...{ anomaly, keyName, id, isFocused }}>
        <CallsLink {...{ anomaly, keyName }} look="button" />
      </Head>
      <div class="body main-and-side">
        <div class="stack">
          {loaded.state === 'loading' && <Skeleton lines={CHART_LINES} />}
          {figures?.days != null && <DaysChart anomaly={anomaly} days={figures.days} />}
          <AnomalyFacts {...{ anomaly, figures, keys }} isLoading={loaded.state === 'loading'} />
        </div>
        {hasPermission('compliance:state') && (
          <div class="explanation stack">
            <h3>Explanation</h3>
            <StatementForm subject={alarmSubject(anomaly)} before={null} onDone={onDone}>
              {(form) => <Form {...form} />}
            </StatementForm>
          </div>
        )}
      </div>
    </section>
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
    <div class="stack-s">
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
      <ul class="legend">
        <li>
          <BeforeSample />
          Usual
        </li>
        <li>
          <svg width="12" height="12" aria-hidden="true">
            <circle class="dot" cx="6" cy="6" r="4" />
          </svg>
          Since {formatShortDay(start)}
        </li>
      </ul>
    </div>
  )
}

const SHOWN_GROUPS = 4

type FactsProps = { anomaly: Anomaly; figures: Figures | null; keys: Keys; isLoading: boolean }

function AnomalyFacts({ anomaly, figures, keys, isLoading }: FactsProps) {
  const { value, baseline, statistic, threshold, change } = anomaly
  const format = valueFormat(anomaly)
  const hasChart = isLoading || figures?.days != null
  return (
    <Facts
      facts={[
        // The chart has it as its figure.
        ...factsIf(!hasChart, ['Seen', <b class="number">{format(value)}</b>]),
        ['Usual', `${format(baseline)}, from the 28 days before`],
        ['Days', `${daysText(anomaly)}, UTC`],
        ...factsIf(isRate(anomaly), ['Where', isLoading ? 'Loading' : whereText(figures?.where ?? [])]),
        [
          'Found by',
          `statistic ${formatNumber(statistic)}, alarm from ${formatNumber(threshold)}${change === null ? '' : `, looking for ${formatNumber(change)} times the usual`}`,
        ],
        [
          'Around then',
          isLoading ? 'Loading' : <AroundThen {...{ anomaly, keys }} versions={figures?.versions ?? null} />,
        ],
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
