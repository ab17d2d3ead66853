// A chart of shares with their confidence intervals, one below the other: a dot for the share, a line for the interval.
import { ChartFigure } from './chart-figure.view.tsx'
import { formatPercent } from '../text/format.ts'
import type { Column } from '../parts/table.view.tsx'

export type IntervalRow = {
  name: string
  /** From 0 to 1. A null is not drawn. */
  share: number | null
  interval: readonly [number, number] | null
  /** The text beside the share. */
  note: string
}

type Props = {
  title: string
  summary: string
  rows: readonly IntervalRow[]
  /** The share that the others are compared with, or null. */
  reference: number | null
  columns: readonly Column<IntervalRow>[]
}

const at = (share: number): string => `${share * 100}%`

export const IntervalChart = ({ title, summary, rows, reference, columns }: Props) => (
  <ChartFigure title={title} summary={summary} isSummaryShown columns={columns} rows={rows} keyOf={({ name }) => name}>
    <div class="intervals" aria-hidden="true">
      {rows.map(({ name, share, interval, note }) => (
        <div key={name} class="interval">
          <span>{name}</span>
          <svg width="100%" height="28">
            <line class="track" x1="0" x2="100%" y1="14" y2="14" />
            {reference !== null && <line class="beside" x1={at(reference)} x2={at(reference)} y1="0" y2="28" />}
            {interval !== null && (
              <>
                <line class="range" x1={at(interval[0])} x2={at(interval[1])} y1="14" y2="14" />
                {interval.map((end) => (
                  <line key={end} class="range" x1={at(end)} x2={at(end)} y1="8" y2="20" />
                ))}
              </>
            )}
            {share !== null && <circle cx={at(share)} cy="14" r="5" />}
          </svg>
          <span class="number">{note}</span>
        </div>
      ))}
      <div class="interval soft small">
        <span />
        <span class="row between">
          <span>{formatPercent(0)}</span>
          <span>{formatPercent(0.5)}</span>
          <span>{formatPercent(1)}</span>
        </span>
        <span />
      </div>
    </div>
  </ChartFigure>
)
