// Every figure that was counted, a row for each day, month or group.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Table, type Column } from '../../parts/table.view.tsx'
import { formatEuro, formatMilliseconds, formatNumber, plural } from '../../text/format.ts'
import type { AskedFor } from './asked.ts'
import { groupName, groupOf } from './charts.view.tsx'
import { pointOf, type Costs, type Requests } from './counted.ts'

/** At first, and with each look further: more at once makes a page slow. */
const STEP = 100

type Given<Row> = { asked: AskedFor; rows: readonly Row[]; nameOf: (group: string | null) => string }
type RequestRow = Requests['data'][number]
type CostRow = Costs['data'][number]

export function RequestRows(given: Given<RequestRow>) {
  const number = (name: string, of: (row: RequestRow) => number): Column<RequestRow> => ({
    name,
    isNumber: true,
    cell: (row) => formatNumber(of(row)),
  })
  const time = (
    name: string,
    of: (ms: NonNullable<RequestRow['response_ms']>) => number | null,
  ): Column<RequestRow> => ({
    name,
    isNumber: true,
    cell: ({ response_ms: ms }) => timeText(ms === null ? null : of(ms)),
  })
  return (
    <Rows
      {...given}
      title="All figures of calls"
      columns={[
        number('Calls', (row) => row.requests),
        number('Completed', (row) => row.completed),
        number('From the cache', (row) => row.cached),
        number('Provider failed', (row) => row.failed),
        number('Caller left', (row) => row.cancelled),
        number('Ending unknown', (row) => row.interrupted),
        number('Blocked', (row) => row.blocked),
        number('Suppressed', (row) => row.suppressed),
        number('Model would not answer', (row) => row.refused),
        number('Tokens in', (row) => row.input_tokens),
        number('Of them cached', (row) => row.cached_input_tokens),
        number('Tokens out', (row) => row.output_tokens),
        time('Mean', ({ mean }) => mean),
        time('50 of 100 within', ({ p50 }) => p50),
        time('95 of 100 within', ({ p95 }) => p95),
        time('99 of 100 within', ({ p99 }) => p99),
      ]}
    />
  )
}

const timeText = (ms: number | null): string => (ms === null ? 'not kept' : formatMilliseconds(ms))

export function CostRows(given: Given<CostRow>) {
  return (
    <Rows
      {...given}
      title="All figures of costs"
      columns={[
        { name: 'Calls', isNumber: true, cell: (row) => formatNumber(row.requests) },
        { name: 'Cost', isNumber: true, cell: (row) => formatEuro(row.cost_eur) },
        { name: 'Prevented', isNumber: true, cell: (row) => formatEuro(row.cost_prevented_eur) },
        {
          name: 'Calls with an estimated cost',
          isNumber: true,
          cell: (row) => formatNumber(row.cost_estimated_requests),
        },
      ]}
    />
  )
}

type RowsGiven<Row> = Given<Row> & { title: string; columns: readonly Column<Row>[] }

function Rows<Row extends RequestRow | CostRow>({ asked, rows, nameOf, title, columns }: RowsGiven<Row>) {
  const [shown, setShown] = useState(STEP)
  const { bucket, group } = asked
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
            <button type="button" class="button" onClick={() => setShown(shown + STEP)}>
              Show more
            </button>
          </p>
        )}
      </div>
    </details>
  )
}
