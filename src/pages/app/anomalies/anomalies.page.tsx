// The bias detection page (/app/anomalies): compares the rates of groups of calls, lists anomalies, and says what these numbers
// cannot show.
import { StatementCard, useStatements, type Statements } from '../statements/statements.view.tsx'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { IntervalChart, type IntervalRow } from '../../charts/interval-chart.view.tsx'
import { useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { EmptyNotice, figures } from '../../parts/list-table.view.tsx'
import { formatNumber, formatPercent, plural } from '../../text/format.ts'
import { PERIOD_FILTERS, PERIOD_NOTE, periodIn } from '../evidence/log-list.view.tsx'
import { useKeyNames, useNamesOrIds, type KeyNames, type NameOf } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { inOrganisation, useApi } from '../session.ts'
import {
  anomalyKey,
  anomalyName,
  AnomalyTable,
  sinceText,
  GROUPING_WORDS,
  OUTCOME_WORDS,
  intervalText,
  outcomeTitle,
  VERDICTS,
  ComparisonTable,
} from './bias-tables.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'

const choices = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, name]) => ({ value, name }))

const FILTERS: readonly Filter[] = [
  ...PERIOD_FILTERS,
  { name: 'by', label: 'Groups', kind: 'choice', all: 'By cohort', choices: choices(GROUPING_WORDS).slice(1) },
  {
    name: 'outcome',
    label: 'What is compared',
    kind: 'choice',
    all: 'Answered',
    choices: choices(OUTCOME_WORDS).slice(1),
  },
  { name: 'reference', label: 'Beside the group', kind: 'text' },
]

function Anomalies() {
  const [members] = useUrlParameters()
  const query = {
    ...periodIn(members),
    by: members.get('by'),
    outcome: members.get('outcome'),
    reference: members.get('reference'),
  }
  const key = JSON.stringify(query)
  return (
    <>
      <Filters filters={FILTERS} members={members} />
      <p class="soft small no-print">{PERIOD_NOTE} At most 92. The ledger says that you asked, and what was found.</p>
      <DetectionResults key={key} query={query} />
    </>
  )
}

function DetectionResults({ query }: { query: Readonly<Record<string, string | null>> }) {
  const [loaded, again] = useApi<BiasDetection>('/api/compliance/bias-detection', query)
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  const keyNames = useKeyNames()
  if (loaded.state === 'loading' || keyNames === null || statements.loaded.state === 'loading') {
    return <Skeleton lines={30} />
  }
  if (loaded.state === 'refused') return <RefusalNotice problem={loaded.problem} onRetry={again} />
  const shared = { statements, nameOf, keyNames, detection: loaded.body }
  return (
    <>
      <div class="notice stack">
        {loaded.body.cannot_show.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      <Comparisons {...shared} />
      <FoundAnomalies {...shared} />
    </>
  )
}

type ShownProps = {
  detection: BiasDetection
  statements: Statements
  nameOf: NameOf
  keyNames: KeyNames
}

/** Shows a chart of each group's rate with its interval, and a table that compares each group with the reference. */
function Comparisons({ detection, statements, nameOf, keyNames }: ShownProps) {
  const { groups, comparisons, parity, by, outcome, reference, dispersion, unit } = detection
  const groupName = (group: string): string => keyNames.get(group) ?? group
  const rows = groups.map(({ group, n, k, rate, interval }): IntervalRow => ({
    name: groupName(group),
    share: rate,
    interval,
    note:
      n === null || k === null || rate === null
        ? `fewer than 10 ${unit}s, not shown`
        : `${formatPercent(rate)}: ${formatNumber(k)} of ${formatNumber(n)}`,
  }))
  const { look, means } = VERDICTS[parity.verdict]
  return (
    <Section title={`${outcomeTitle(outcome)}, by ${GROUPING_WORDS[by]}`}>
      {groups.length === 0 ? (
        <EmptyNotice
          title="No call of these days is in a group"
          action={<a href={inOrganisation('/app/policies')}>See which cohorts the policy lists</a>}
          line={`curl "${location.origin}/api/compliance/bias-detection?by=model" -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          A cohort is a code that callers declare and the policy lists. Groups by key, model or use case need no more
          than calls.
        </EmptyNotice>
      ) : (
        <>
          <p>
            <span class={`badge ${look}`}>{parity.verdict}</span> {means}
            {parity.difference !== null &&
              ` Between the highest and the lowest rate, of groups with 100 ${unit}s or more: ${formatPercent(parity.difference)}.`}
            {dispersion !== null && ` Dispersion: ${formatNumber(dispersion)}.`}
          </p>
          <IntervalChart
            title={`${outcomeTitle(outcome)}, of all ${unit}s of a group`}
            summary={`${plural(groups.length, 'group')}, each with its share and the interval of 95% that it lies in.${
              reference === null
                ? ''
                : ` The dashed line is the share of ${groupName(reference)}, which the others are compared with.`
            }`}
            rows={rows}
            reference={groups.find(({ group }) => group === reference)?.rate ?? null}
            columns={[
              { name: 'Group', cell: ({ name }) => name },
              figures<IntervalRow>('Share', ({ note }) => note),
              figures<IntervalRow>('Interval of 95%', ({ interval }) => intervalText(interval, formatPercent)),
            ]}
          />
          {comparisons.length > 0 && (
            <ComparisonTable
              caption="Each group beside the reference, with intervals of 95%"
              comparisons={comparisons}
              nameOf={groupName}
            />
          )}
          <p class="soft small">
            disparity: the interval of either ratio lies wholly below 0.8 or above 1.25, and p, adjusted, is below 0.05.
            within: both intervals lie inside. not_enough_data: fewer than 100 {unit}s, or on fewer than seven days, or
            fewer than five expected of either kind. uncertain: else, which is the usual word.
          </p>
          {comparisons.map(({ group, verdict }) => {
            const subject = `disparity:${by}:${outcome}:${group}`
            const isAnswerable = verdict === 'disparity' || statements.about(subject) !== null
            return (
              isAnswerable && (
                <StatementCard
                  key={group}
                  title={`The disparity of ${groupName(group)}`}
                  subject={subject}
                  what={`the disparity of ${groupName(group)}`}
                  {...{ statements, nameOf }}
                />
              )
            )
          })}
        </>
      )}
    </Section>
  )
}

/** Lists the anomalies of the period, with the statements about them. */
function FoundAnomalies({ detection: { anomalies }, statements, nameOf, keyNames }: ShownProps) {
  const seriesName = (series: string): string =>
    series.startsWith('key:') ? `key ${keyNames.get(series.slice(4)) ?? series.slice(4)}` : series.replace(':', ' ')
  return (
    <Section title="Anomalies">
      <p>
        Rates of calls that failed, were blocked, suppressed or refused, and figures of a day, that are far from what is
        usual. Each is a reason to look, not a fault; a person who has looked says so by a statement.
      </p>
      {anomalies.length === 0 ? (
        <EmptyNotice
          title="Nothing unusual began in these days"
          line={`curl "${location.origin}/api/compliance/bias-detection" -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          A rate is watched once 28 days have 500 calls on seven days; a figure of a day once 14 of them have 50 calls.
          What is found is here, with what was expected and what was seen.
        </EmptyNotice>
      ) : (
        <>
          <AnomalyTable anomalies={anomalies} seriesName={seriesName} />
          {anomalies.map((anomaly) => (
            <StatementCard
              key={anomalyKey(anomaly)}
              title={`${anomalyName(anomaly, seriesName)}, since ${sinceText(anomaly.since)}`}
              subject={`anomaly:${anomalyKey(anomaly)}`}
              what={`the anomaly of ${anomaly.series} since ${anomaly.since}`}
              {...{ statements, nameOf }}
            />
          ))}
        </>
      )}
    </Section>
  )
}

await openPage('/app/anomalies', Anomalies)
