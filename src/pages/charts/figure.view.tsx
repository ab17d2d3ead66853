// What stands around every chart: its title, what it says in a sentence, what its marks are, and the same figures in a table.
import type { ComponentChildren } from 'preact'
import { Table, type Column } from '../parts/table.view.tsx'

type Given<Row> = {
  title: string
  /** What it says, for who does not see it. */
  summary: string
  marks: readonly { name: string; pattern: string }[]
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  children: ComponentChildren
}

export function ChartFigure<Row>({ title, summary, marks, columns, rows, keyOf, children }: Given<Row>) {
  return (
    <figure class="chart card stack">
      <figcaption>
        <h2>{title}</h2>
        <p class="soft">{summary}</p>
      </figcaption>
      {children}
      {marks.length > 1 && (
        <ul class="legend">
          {marks.map(({ name, pattern }) => (
            <li key={name} class="row">
              <svg width="16" height="16" aria-hidden="true">
                <rect width="16" height="16" class={pattern} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>The same figures as a table</summary>
        <Table caption={title} isCaptionHidden columns={columns} rows={rows} keyOf={keyOf} />
      </details>
    </figure>
  )
}
