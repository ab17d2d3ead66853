// A chart of named bars, each with its value beside it. The chart itself is a table, so it needs no further table.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { figures, Table } from '../parts/table.view.tsx'

export type NamedValue = {
  id: string
  name: ComponentChildren
  value: number
}

type Props = {
  title: string
  summary: string
  /** The noun for a row: “Model”. */
  rowName: string
  valueName: string
  rows: readonly NamedValue[]
  format: (value: number) => string
}

export function NamedBars({ title, summary, rowName, valueName, rows, format }: Props) {
  const id = useUniqueId()
  const largest = Math.max(0, ...rows.map(({ value }) => value))
  return (
    <figure class="chart card stack" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <p class="soft">{summary}</p>
      </figcaption>
      {rows.length > 0 && (
        <Table
          isGrid
          caption={title}
          isCaptionHidden
          columns={[
            { name: rowName, cell: ({ name }) => name },
            figures<NamedValue>(valueName, ({ value }) => <Figure {...{ value, largest, format }} />),
          ]}
          rows={rows}
          keyOf={(row) => row.id}
        />
      )}
    </figure>
  )
}

function Figure({ value, largest, format }: { value: number; largest: number; format: (value: number) => string }) {
  const share = largest > 0 ? value / largest : 0
  return (
    <>
      {format(value)}
      <svg class="share" aria-hidden="true">
        <rect class="mark-1" width={`${(share * 100).toFixed(1)}%`} height="100%" />
      </svg>
    </>
  )
}
