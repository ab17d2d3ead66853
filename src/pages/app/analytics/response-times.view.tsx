// How long providers took: three percentiles, each with a scale of its own, so that a slow day does not hide the median.
import type { ComponentChildren } from 'preact'
import { LineChart } from '../../charts/line-chart.view.tsx'
import { describeFirstLine } from '../../charts/describe-chart.ts'
import { figures, Table } from '../../parts/table.view.tsx'
import { formatMilliseconds } from '../../text/format.ts'
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
            />
          )
        })}
      </div>
      <details class="foot-line">
        <summary>The same figures as a table</summary>
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

/** For days of which nothing was measured. */
const NONE = '–'

const textOf = (ms: Times | undefined, kind: keyof NonNullable<Times>): string => {
  const value = ms?.[kind] ?? null
  return value === null ? NONE : formatMilliseconds(value)
}

const noteOf = (kind: string, previous: Requests | null, before: string): string =>
  previous === null || before === NONE ? kind : `${kind}, ${before} before`
