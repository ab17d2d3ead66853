// A line chart over days or months. Each line has its own dashes and its own symbol; a day without a value is a gap.
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape'
import type { Mark, MarkStyle, Point } from './marks.ts'
import type { Room, Scale } from './scale.ts'
import { PointChartFigure, type PointChart } from './point-chart.view.tsx'

const SIGNS = { 1: symbolCircle, 2: symbolSquare, 3: symbolTriangle, 4: symbolDiamond } as const
const SIGN_AREA = 36
/** The most points that all get a symbol. With more points, only some get one. */
const MOST_SIGNS = 40

export function LineChart(chart: PointChart) {
  return (
    <PointChartFigure {...chart} isSum={false} sample={Sample}>
      {(room, y, step) =>
        chart.marks.map((mark, at) => <Line key={mark.name} points={chart.points} {...{ mark, at, room, y, step }} />)
      }
    </PointChartFigure>
  )
}

const signOf = (style: MarkStyle): string => symbol(SIGNS[style], SIGN_AREA)() ?? ''

function Sample({ style }: { style: MarkStyle }) {
  return (
    <g class={`line-${style}`}>
      <path class="way" d="M0 8H16" />
      <path class="sign" d={signOf(style)} transform="translate(8 8)" />
    </g>
  )
}

type Given = { points: readonly Point[]; mark: Mark; at: number; room: Room; y: Scale; step: number }

function Line({ points, mark: { style }, at, room, y, step }: Given) {
  const values = points.map((point) => point.values[at] ?? null)
  const x = (index: number): number => room.left + (index + 0.5) * step
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))
  const every = Math.ceil(values.length / MOST_SIGNS)
  return (
    <g class={`line-${style}`}>
      <path class="way" d={path(values) ?? ''} />
      {values.map(
        (value, index) =>
          value !== null &&
          (index % every === 0 || isAlone(values, index)) && (
            <path key={index} class="sign" d={signOf(style)} transform={`translate(${x(index)} ${y(value)})`} />
          ),
      )}
    </g>
  )
}

const isAlone = (values: readonly (number | null)[], index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
