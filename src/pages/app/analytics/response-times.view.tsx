// How long providers took: three percentiles, each with a scale of its own, so that a slow day does not hide the median.
import type { ComponentChildren } from 'preact'
import { ticksOf } from '../../charts/chart-layout.ts'
import { LineChart } from '../../charts/line-chart.view.tsx'
import { describeFirstLine } from '../../charts/describe-chart.ts'
import { Foldable } from '../../parts/foldable.view.tsx'
import { figures, Table } from '../../parts/table.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { pointOf, textOf, timeOf, type Figure, type Requests, type TimeKind } from './chart-data.ts'
import { Columns } from '../../parts/layout.view.tsx'
import { HeadedCard, CardBody, Help } from '../../parts/surfaces.view.tsx'

type Row = Requests['data'][number]

const PERCENTILES = [
  ['p50', 'Half of calls'],
  ['p95', '95 of 100 calls'],
  ['p99', '99 of 100 calls'],
] as const

/** What is shown for a key or a use case, of which no percentiles are kept. */
const MEAN = [['mean', 'Average']] as const

type Props = { requests: Requests; previous: Requests | null; pointName: string }

export function ResponseTimes({ requests, previous, pointName }: Props) {
  const { totals, data } = requests
  const times = totals.response_ms
  if (times === null) return null
  const kinds = times.p50 === null ? MEAN : PERCENTILES
  const valuesOf = (kind: TimeKind): (number | null)[] => data.map(({ response_ms: ms }) => ms?.[kind] ?? null)
  const axis = axisOf(kinds.map(([kind]) => Math.max(0, ...valuesOf(kind).filter((value) => value !== null))))
  return (
    <HeadedCard
      id="times"
      title="Time until the answer"
      act={<Help of="these times" to="/docs/see-usage#what-is-counted" />}
      isList
    >
      <CardBody>
        <Columns least={13}>
          {kinds.map(([kind, title]) => {
            const time = timeOf(times, kind)
            const before = timeOf(previous?.totals.response_ms, kind)
            const points = data.map((row) => pointOf(row.date, [row.response_ms?.[kind] ?? null]))
            return (
              <LineChart
                key={kind}
                title={title}
                summary={describeFirstLine({ name: kind, points, format: time.format })}
                total={textOf(time)}
                note={noteOf(kind, time, before)}
                pointName={pointName}
                points={points}
                format={time.format}
                {...axis}
              />
            )
          })}
        </Columns>
      </CardBody>
      <Foldable look="foot" summary={`Figures by ${pointName.toLowerCase()}`}>
        {() => (
          <Table
            isGrid
            caption={`Times by ${pointName.toLowerCase()}`}
            isCaptionHidden
            columns={[
              { name: pointName, cell: (row: Row): ComponentChildren => pointOf(row.date, []).name },
              ...kinds.map(([kind, title]) => figures<Row>(title, (row) => textOf(timeOf(row.response_ms, kind)))),
            ]}
            rows={data}
            keyOf={({ date }) => date ?? ''}
          />
        )}
      </Foldable>
    </HeadedCard>
  )
}

/** One unit and one room for the values of all charts, so that their days are below one another. @param largest of each chart */
function axisOf(largest: readonly number[]) {
  const isSeconds = Math.max(...largest) >= 1000
  const formatLine = (ms: number): string => (isSeconds ? `${formatNumber(ms / 1000)} s` : `${formatNumber(ms)} ms`)
  const lengths = largest.flatMap((one) => ticksOf(one, true).map((value) => formatLine(value).length))
  return { formatLine, labelLength: Math.max(...lengths) }
}

function noteOf(kind: TimeKind, now: Figure, before: Figure): string {
  if (before.value === null) return kind
  const isSame = now.value !== null && now.isSame?.(now.value, before.value) === true
  return `${kind}, ${isSame ? 'about the same' : textOf(before)} before`
}
