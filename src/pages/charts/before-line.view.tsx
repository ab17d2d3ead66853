// The period before, as a dashed line over a chart, and its sample in the legend.
import { line } from 'd3-shape'
import type { Drawing } from './chart-layout.ts'

type Values = readonly (number | null)[]

/** Returns the path through the values. A point without a value is a gap. */
export function linePath(values: Values, { layout, y, step }: Drawing): string {
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => layout.left + (at + 0.5) * step)
    .y((value) => y(value ?? 0))
  return path(values) ?? ''
}

export const BeforeLine = ({ values, ...drawing }: Drawing & { values: Values }) => (
  <path class="before" d={linePath(values, drawing)} />
)

/** Names the dashed line, and the dots of a chart. */
export const BeforeLegend = ({ line: name, dots }: { line: string; dots: string }) => (
  <ul class="legend row soft small">
    <li class="row" data-gap="2">
      <BeforeSample />
      {name}
    </li>
    <li class="row" data-gap="2">
      <svg width="12" height="12" aria-hidden="true">
        <circle class="dot" cx="6" cy="6" r="4" />
      </svg>
      {dots}
    </li>
  </ul>
)

export const BeforeSample = () => (
  <svg width="18" height="12" aria-hidden="true">
    <path class="before" d="M0 6h18" />
  </svg>
)
