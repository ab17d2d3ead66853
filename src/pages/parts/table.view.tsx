// Rows with a caption. A table scrolls by itself where there is no room.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from './field.view.tsx'

export type Column<Row> = {
  name: string
  /** Figures stand at the right. */
  isNumber?: boolean
  cell: (row: Row) => ComponentChildren
}

export type TableGiven<Row> = {
  caption: ComponentChildren
  /** Only heard: there is a heading above. */
  isCaptionHidden?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Figures to compare keep their columns in a narrow window. Else each cell gets a line there, with its name. */
  isGrid?: boolean
}

/** The first column names its row. */
export function Table<Row>({
  caption,
  isCaptionHidden = false,
  columns,
  rows,
  keyOf,
  isGrid = false,
}: TableGiven<Row>) {
  const id = useUniqueId()
  return (
    <div class={isGrid ? 'table' : 'table rows'} role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id}>{isCaptionHidden ? <span class="only-read">{caption}</span> : caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, isNumber, cell }, at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={isNumber === true ? 'number' : undefined} data-name={name}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
