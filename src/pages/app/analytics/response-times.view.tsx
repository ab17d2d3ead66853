// How long providers took: three percentiles, each with a scale of its own, so that a slow day does not hide the median.
import type { ComponentChildren } from 'preact'
import { ticksOf } from '../../charts/chart-layout.ts'
import { LineChart } from '../../charts/line-chart.view.tsx'
import { describeFirstLine } from '../../charts/describe-chart.ts'
import { figures, Table } from '../../parts/table.view.tsx'
import { formatMilliseconds, formatNumber } from '../../text/format.ts'
import { pointOf, type Requests } from './chart-data.ts'

type Times = Requests['totals']['response_ms']
type Row = Requests['data'][number]

const PERCENTILES = [
  ['p50', 'Half of calls within'],
  ['p95', '95 of 100 within'],
  ['p99', '99 of 100 within'],
] as const

/** What is shown for a key or a use case, of which no percentiles are kept. */
const MEAN = [['mean', 'Mean']] as const

type Props = { requests: Requests; previous: Requests | null; pointName: string }

export function ResponseTimes({ requests, previous, pointName }: Props) {
  const { totals, data } = requests
  const times = totals.response_ms
  if (times === null) return null
  const kinds = times.p50 === null ? MEAN : PERCENTILES
  const valuesOf = (kind: Kind): (number | null)[] => data.map(({ response_ms: ms }) => ms?.[kind] ?? null)
  const axis = axisOf(kinds.map(([kind]) => Math.max(0, ...valuesOf(kind).filter((value) => value !== null))))
  return (
    <section class="card parts" id="times" aria-labelledby="times-title">
      <div class="head">
        <h2 id="times-title">Time until the answer</h2>
        <span class="soft small">
          Passed calls. Each chart has its own scale, so a slow day does not hide the median.
        </span>
      </div>
      <div class="body line-charts">
        {kinds.map(([kind, title]) => {
          const points = data.map((row) => pointOf(row.date, [row.response_ms?.[kind] ?? null]))
          return (
            <LineChart
              key={kind}
              title={title}
              summary={describeFirstLine({ name: title, points, format: formatMilliseconds })}
              total={textOf(times, kind)}
              note={noteOf(kind, previous, textOf(previous?.totals.response_ms, kind))}
              pointName={pointName}
              points={points}
              format={formatMilliseconds}
              {...axis}
            />
          )
        })}
      </div>
      <details class="foot-line">
        <summary>Figures by {pointName.toLowerCase()}</summary>
        <Table
          isGrid
          caption={`Times by ${pointName.toLowerCase()}`}
          isCaptionHidden
          columns={[
            { name: pointName, cell: (row: Row): ComponentChildren => pointOf(row.date, []).name },
            ...kinds.map(([kind, title]) => figures<Row>(title, (row) => textOf(row.response_ms, kind))),
          ]}
          rows={data}
          keyOf={({ date }) => date ?? ''}
        />
      </details>
    </section>
  )
}

type Kind = keyof NonNullable<Times>

/** One unit and one room for the values of all charts, so that their days are below one another. @param largest of each chart */
function axisOf(largest: readonly number[]) {
  const isSeconds = Math.max(...largest) >= 1000
  const formatLine = (ms: number): string => (isSeconds ? `${formatNumber(ms / 1000)} s` : `${formatNumber(ms)} ms`)
  const lengths = largest.flatMap((one) => ticksOf(one, true).map((value) => formatLine(value).length))
  return { formatLine, labelLength: Math.max(...lengths) }
}

/** For days of which nothing was measured. */
const NONE = '–'

const textOf = (ms: Times | undefined, kind: keyof NonNullable<Times>): string => {
  const value = ms?.[kind] ?? null
  return value === null ? NONE : formatMilliseconds(value)
}

const noteOf = (kind: string, previous: Requests | null, before: string): string =>
  previous === null || before === NONE ? kind : `${kind}, ${before} before`
