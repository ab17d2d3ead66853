// A table with a caption. One that is too wide for its page scrolls by itself.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'
import { classes } from './drawn.ts'

export type Column<Row> = {
  name: string
  /** In the place of the name, which is then read. */
  head?: ComponentChildren
  /** True for numbers, which are aligned to the right. */
  isNumber?: boolean
  /** True if a narrow window has no room for it. */
  isWideOnly?: boolean
  cell: (row: Row) => ComponentChildren
}

export const figures = <Row,>(name: string, cell: Column<Row>['cell'], isWideOnly = false): Column<Row> => ({
  name,
  isNumber: true,
  isWideOnly,
  cell,
})

type TableProps<Row> = {
  caption: ComponentChildren
  /** True if only screen readers get the caption, because a heading is above the table. */
  isCaptionHidden?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** True if numbers stay in columns in a narrow window. Otherwise each cell gets its own line there, with its name. */
  isGrid?: boolean
}

const lookOf = ({ isNumber, isWideOnly }: { isNumber?: boolean; isWideOnly?: boolean }) =>
  classes(isNumber && 'number', isWideOnly && 'wide-only')

/** A table whose first column names the row. */
export function Table<Row>({ caption, isCaptionHidden, columns, rows, keyOf, isGrid }: TableProps<Row>) {
  const id = useUniqueId()
  return (
    <div class={isGrid === true ? 'table' : 'table rows'} role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id} class={isCaptionHidden === true ? 'only-read' : undefined}>
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map(({ name, head, ...column }) => (
              <th key={name} scope="col" class={lookOf(column)}>
                {head === undefined ? name : <span class="only-read">{name}</span>}
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, ...column }, at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={lookOf(column)} data-word={name}>
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
