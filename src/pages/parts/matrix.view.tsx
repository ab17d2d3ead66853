// A table of marks: whether each column has each row, whole or in part. A phone names the columns below each row.
import { Icon } from './icon.view.tsx'
import { check } from './icons.ts'
import { OnlyRead, Text } from './layout.view.tsx'

/** `yes`, `no`, or the words for a part. */
export type Share = string

export type MatrixRow<Column> = { words: string; shareOf: (column: Column) => Share }

type Props<Column> = {
  label: string
  /** The noun for a row. */
  noun: string
  columns: readonly Column[]
  nameOf: (column: Column) => string
  rows: readonly MatrixRow<Column>[]
}

export const Matrix = <Column extends string>({ label, noun, columns, nameOf, rows }: Props<Column>) => (
  <div class="table matrix" role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead class="no-narrow">
        <tr>
          <th scope="col">
            <OnlyRead>{noun}</OnlyRead>
          </th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {nameOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ words, shareOf }) => (
          <tr key={words}>
            <th scope="row">
              {words}
              <div class="soft small only-narrow">
                {columns.flatMap((one) => namedShare(nameOf(one), shareOf(one))).join(', ')}
              </div>
            </th>
            {columns.map((column) => (
              <td key={column} class="no-narrow">
                <Mark of={shareOf(column)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const namedShare = (name: string, share: Share): string[] =>
  share === 'no' ? [] : [share === 'yes' ? name : `${name} (${share.toLowerCase()})`]

function Mark({ of }: { of: Share }) {
  if (of === 'yes')
    return (
      <>
        <Icon of={check} />
        <OnlyRead>yes</OnlyRead>
      </>
    )
  return of === 'no' ? <OnlyRead>no</OnlyRead> : <Text size="small">{of}</Text>
}
