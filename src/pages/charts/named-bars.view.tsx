// A chart of named bars, each with its value beside it. The chart itself is a table, so it needs no further table.
import type { ComponentChildren } from 'preact'
import { describeShares } from './describe-chart.ts'
import { formatPercent } from '../text/format.ts'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { Meter } from '../parts/tile.view.tsx'

type NamedValue = { id: string; name: string; value: number }

type Props = {
  title: string
  /** The noun for a row: “Model”. */
  rowName: string
  valueName: string
  rows: readonly NamedValue[]
  /** Draws the name of a row. */
  link: (row: NamedValue) => ComponentChildren
  format: (value: number) => string
}

export function NamedBars({ title, rowName, valueName, rows, link, format }: Props) {
  const id = useUniqueId()
  const largest = Math.max(0, ...rows.map(({ value }) => value))
  const total = rows.reduce((sum, { value }) => sum + value, 0)
  return (
    <figure class="chart card parts" aria-labelledby={id}>
      <figcaption class="head row between">
        <h2 id={id}>{title}</h2>
        <p class="only-read">{describeShares({ rows, noun: rowName.toLowerCase(), format })}</p>
      </figcaption>
      {rows.length === 0 ? (
        <p class="body soft">None in these days.</p>
      ) : (
        <div class="table" role="region" aria-labelledby={id} tabIndex={0}>
          <table>
            <thead class="only-read">
              <tr>
                <th scope="col">{rowName}</th>
                <th scope="col">Share</th>
                <th scope="col">{valueName}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{link(row)}</th>
                  <td>
                    <Meter share={largest > 0 ? row.value / largest : 0} />
                    <span class="only-read">{formatPercent(total > 0 ? row.value / total : 0)}</span>
                  </td>
                  <td class="number">{format(row.value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  )
}
