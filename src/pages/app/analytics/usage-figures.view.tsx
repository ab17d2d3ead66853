// Analytics page: shows counts and costs of calls as totals, charts and tables, and saves them as CSV.
import { Button } from '../../parts/button.view.tsx'
import type { Key } from '../../../keys/key.schema.ts'
import type { Problem } from '../../api/send-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { EmptyNotice } from '../../parts/list-table.view.tsx'
import { formatEuro, formatNumber, plural, formatMilliseconds } from '../../text/format.ts'
import { fetchFile, inOrganisation } from '../session.ts'
import type { AnalyticsCounts } from './load-analytics.ts'
import { toApiQuery, type AnalyticsQuery } from './analytics-query.ts'
import { NO_NAME, pointOf, type Costs, type Requests } from './chart-data.ts'
import { AnalyticsCharts, groupName, groupOf } from './analytics-charts.view.tsx'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Props = {
  counts: AnalyticsCounts
  keys: readonly Key[]
  /** True if the URL asks for other counts, which are still loading. */
  isOld: boolean
}

export function UsageFigures({ counts, keys, isOld }: Props) {
  const { query, requests, costs } = counts
  const { totals, in_flight: inFlight } = requests
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const nameOf = (group: string | null): string => (group === null ? NO_NAME : (names.get(group) ?? group))
  const isCut = requests.next_cursor !== null || costs.next_cursor !== null
  return (
    <>
      <section class="stack" aria-label="Sums">
        <p role="status">
          <strong>{plural(totals.requests, 'call')}</strong>, {formatEuro(costs.totals.cost_eur)}
          {isOld && '. Counting what you have chosen now…'}
          {inFlight > 0 && `; ${plural(inFlight, 'more')} under way, in no figure yet`}
        </p>
        <p class="soft">
          Tokens: {formatNumber(totals.input_tokens)} in, {formatNumber(totals.cached_input_tokens)} of them from a
          provider’s cache, and {formatNumber(totals.output_tokens)} out. Refused calls would have cost{' '}
          {formatEuro(costs.totals.cost_prevented_eur)} for what they sent. The cost of{' '}
          {plural(costs.totals.cost_estimated_requests, 'call')} is estimated, since the provider did not say what it
          used.
        </p>
        <CsvButtons query={query} />
      </section>
      <UncountedNote count={requests.unreadable_entries} />
      {isCut && (
        <p class="notice warn">
          There are more rows than a page shows. Take fewer days or add up by month; the CSV has all of them.
        </p>
      )}
      {totals.requests === 0 ? (
        <EmptyNotice
          title="No calls in these days"
          action={
            <a class="button" href={inOrganisation('/app/analytics')}>
              The last 30 days, all calls
            </a>
          }
          line={`curl -s '${location.origin}/api/analytics/requests?start=${query.start}&end=${query.end}' -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          How they ended and what they cost will be here.
        </EmptyNotice>
      ) : (
        <>
          <AnalyticsCharts counts={counts} nameOf={nameOf} />
          <FiguresTable
            title="All figures of calls"
            columns={REQUEST_COLUMNS}
            rows={requests.data}
            {...{ query, nameOf }}
          />
          <FiguresTable title="All figures of costs" columns={COST_COLUMNS} rows={costs.data} {...{ query, nameOf }} />
        </>
      )}
    </>
  )
}

const FILES = [
  ['Calls as CSV', '/api/analytics/requests'],
  ['Costs as CSV', '/api/analytics/costs'],
] as const

function CsvButtons({ query }: { query: AnalyticsQuery }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const save = async (path: string): Promise<void> => {
    const answer = await fetchFile('GET', path, { query: { ...toApiQuery(query), format: 'csv' } })
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') saveFile(answer.body)
  }
  return (
    <>
      <p class="row no-print">
        {FILES.map(([name, path]) => (
          <button key={path} type="button" class="button" onClick={() => void save(path)}>
            {name}
          </button>
        ))}
      </p>
      {problem !== null && <RefusalNotice problem={problem} />}
    </>
  )
}

/** The rows shown at first and added by each press. More at once make a page slow. */
const ROWS_A_STEP = 100

type RequestRow = Requests['data'][number]
type CostRow = Costs['data'][number]

const COUNTS = [
  ['Calls', 'requests'],
  ['Completed', 'completed'],
  ['From the cache', 'cached'],
  ['Failed at the provider', 'failed'],
  ['Failed: caller left', 'cancelled'],
  ['Failed: ending unknown', 'interrupted'],
  ['Held: waiting', 'awaiting_approval'],
  ['Held: denied', 'denied'],
  ['Held: expired', 'expired'],
  ['Held: withdrawn', 'withdrawn'],
  ['Blocked', 'blocked'],
  ['Suppressed', 'suppressed'],
  ['Model would not answer', 'refused'],
  ['Tokens in', 'input_tokens'],
  ['Of them cached', 'cached_input_tokens'],
  ['Tokens out', 'output_tokens'],
] as const

const TIMES = [
  ['Mean', 'mean'],
  ['50 of 100 within', 'p50'],
  ['95 of 100 within', 'p95'],
  ['99 of 100 within', 'p99'],
] as const

const timeText = (ms: number | null): string => (ms === null ? 'not kept' : formatMilliseconds(ms))

const REQUEST_COLUMNS: readonly Column<RequestRow>[] = [
  ...COUNTS.map(([name, member]) => figures<RequestRow>(name, (row) => formatNumber(row[member]))),
  ...TIMES.map(([name, member]) => figures<RequestRow>(name, (row) => timeText(row.response_ms?.[member] ?? null))),
]

const COST_COLUMNS: readonly Column<CostRow>[] = [
  figures('Calls', (row) => formatNumber(row.requests)),
  figures('Cost', (row) => formatEuro(row.cost_eur)),
  figures('Prevented', (row) => formatEuro(row.cost_prevented_eur)),
  figures('Calls with an estimated cost', (row) => formatNumber(row.cost_estimated_requests)),
]

type RowsProps<Row> = {
  title: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  query: AnalyticsQuery
  nameOf: (group: string | null) => string
}

/** A folded table of every number: a row for each day, month or group. */
function FiguresTable<Row extends RequestRow | CostRow>({ query, rows, nameOf, title, columns }: RowsProps<Row>) {
  const [shown, setShown] = useState(ROWS_A_STEP)
  const { bucket, group } = query
  const named: Column<Row> = { name: groupName(group), cell: (row) => nameOf(groupOf(group, row)) }
  const dated: Column<Row> = {
    name: bucket === 'month' ? 'Month' : 'Day',
    cell: (row): ComponentChildren => pointOf(row.date, []).name,
  }
  return (
    <details>
      <summary>{title}</summary>
      <div class="stack">
        <Table
          isGrid
          caption={title}
          isCaptionHidden
          columns={[
            ...(bucket === 'total' && group !== '' ? [] : [dated]),
            ...(group === '' ? [] : [named]),
            ...columns,
          ]}
          rows={rows.slice(0, shown)}
          keyOf={(row) => `${row.date} ${groupOf(group, row)}`}
        />
        {shown < rows.length && (
          <p class="row">
            <span class="soft small" role="status">
              {formatNumber(shown)} of {plural(rows.length, 'row')}
            </span>
            <Button onClick={() => setShown(shown + ROWS_A_STEP)}>Show more</Button>
          </p>
        )}
      </div>
    </details>
  )
}

/** Warns of log entries that could not be read when calls were counted. No number includes them. */
export const UncountedNote = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <p class="notice warn">
      {plural(count, 'entry', 'entries')} of the log could not be read when calls were counted: what they told is in no
      figure here.
    </p>
  )
