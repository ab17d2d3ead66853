// The charts of analytics: lines or bars over days or months, and bars with names for a total. Also names groups of rows.
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { NamedBars } from '../../charts/named-bars.view.tsx'
import { describeOverTime, describeShares } from '../../charts/describe-chart.ts'
import type { Mark, Point } from '../../charts/chart-marks.ts'
import { ResponseTimes } from './response-times.view.tsx'
import { formatEuro, formatNumber, plural } from '../../text/format.ts'
import { GROUPS, type Group } from './analytics-query.ts'
import {
  chartByGroup,
  sumsByGroup,
  type GroupRow,
  OUTCOME_MARKS,
  outcomeValues,
  pointOf,
  type Costs,
  type Requests,
} from './chart-data.ts'
import type { AnalyticsCounts } from './load-analytics.ts'

type Props = { counts: AnalyticsCounts; nameOf: (group: string | null) => string }

export function AnalyticsCharts(given: Props) {
  return given.counts.query.bucket === 'total' ? <TotalsByName {...given} /> : <ChartsOverTime {...given} />
}

type Row = Requests['data'][number] | Costs['data'][number]

/** Returns the row's value of the field that the rows are grouped by. */
export function groupOf(group: Group, row: Row): string | null {
  switch (group) {
    case 'model':
      return row.model
    case 'key':
      return row.key_id
    case 'use_case':
      return row.use_case
    case 'ending':
      return row.ending
    case '':
      return null
  }
}

/** The noun for a row, in a sentence. */
const NOUNS = { model: 'model', key: 'key', use_case: 'use case', ending: 'ending' } as const

export const groupName = (group: Group): string => GROUPS.find(([name]) => name === group)?.[1] ?? ''

function rowsOf(group: Group, { requests, costs }: AnalyticsCounts): { calls: GroupRow[]; euros: GroupRow[] } {
  return {
    calls: requests.data.map((row) => ({ date: row.date, group: groupOf(group, row), value: row.requests })),
    euros: costs.data.map((row) => ({ date: row.date, group: groupOf(group, row), value: row.cost_eur })),
  }
}

function ChartsOverTime({ counts, nameOf }: Props) {
  const { requests, costs } = counts
  const { bucket, group } = counts.query
  const pointName = bucket === 'month' ? 'month' : 'day'
  const { calls, euros } = rowsOf(group, counts)
  const by = group === '' ? '' : ` by ${groupName(group).toLowerCase()}`
  const groups = sumsByGroup(calls).map(({ name }) => name)
  const callChart =
    group === ''
      ? { marks: OUTCOME_MARKS, points: requests.data.map((row) => pointOf(row.date, outcomeValues(row))) }
      : chartByGroup(calls, groups, nameOf)
  const costChart =
    group === ''
      ? { marks: COST, points: costs.data.map((row) => pointOf(row.date, [row.cost_eur])) }
      : chartByGroup(euros, groups, nameOf)
  const say = (total: string, points: Point[], format: (value: number) => string): string =>
    describeOverTime({ total, points, pointName, format })
  const shared = { pointName: pointName === 'day' ? 'Day' : 'Month' }
  return (
    <>
      <BarChart
        {...shared}
        {...callChart}
        title={group === '' ? 'How calls ended' : `Calls${by}`}
        summary={say(plural(requests.totals.requests, 'call'), callChart.points, formatNumber)}
        format={formatNumber}
      />
      <BarChart
        {...shared}
        {...costChart}
        title={`Cost${by}`}
        summary={say(formatEuro(costs.totals.cost_eur), costChart.points, formatEuro)}
        format={formatEuro}
      />
      {group === '' && <ResponseTimes requests={requests} previous={null} {...shared} />}
    </>
  )
}

const COST: readonly Mark[] = [{ name: 'Cost', style: 1 }]
function TotalsByName({ counts, nameOf }: Props) {
  const { group } = counts.query
  if (group === '') return null
  const { calls, euros } = rowsOf(group, counts)
  const rowName = groupName(group)
  const named = (rows: GroupRow[]) => sumsByGroup(rows).map(({ name, value }) => ({ name: nameOf(name), value }))
  const charts = [
    ['Calls', named(calls), formatNumber],
    ['Cost', named(euros), formatEuro],
  ] as const
  return (
    <div class="columns">
      {charts.map(([valueName, rows, format]) => (
        <NamedBars
          key={valueName}
          title={`${valueName} by ${rowName.toLowerCase()}`}
          summary={describeShares({ rows, noun: NOUNS[group], format })}
          rowName={rowName}
          valueName={valueName}
          rows={rows.map((row, at) => ({ id: `${at} ${row.name}`, ...row }))}
          format={format}
        />
      ))}
    </div>
  )
}
