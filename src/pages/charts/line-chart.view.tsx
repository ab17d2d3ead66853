// A line chart over days or months. Each line has its own dashes and its own symbol; a day without a value is a gap.
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolStar, symbolTriangle } from 'd3-shape'
import type { Mark, MarkStyle, Point } from './chart-marks.ts'
import type { ChartLayout, Scale } from './chart-layout.ts'
import { PointChartFigure, type PointChart } from './bar-chart.view.tsx'

const SYMBOLS = { 1: symbolCircle, 2: symbolSquare, 3: symbolTriangle, 4: symbolDiamond, 5: symbolStar } as const
const SYMBOL_AREA = 36
/** The most points that all get a symbol. With more points, only some get one. */
const MOST_SYMBOLS = 40

export function LineChart(chart: PointChart) {
  return (
    <PointChartFigure {...chart} isSum={false} sample={Sample}>
      {(layout, y, step) =>
        chart.marks.map((mark, at) => <Line key={mark.name} points={chart.points} {...{ mark, at, layout, y, step }} />)
      }
    </PointChartFigure>
  )
}

const symbolPath = (style: MarkStyle): string => symbol(SYMBOLS[style], SYMBOL_AREA)() ?? ''

function Sample({ style }: { style: MarkStyle }) {
  return (
    <g class={`line-${style}`}>
      <path class="way" d="M0 8H16" />
      <path class="sign" d={symbolPath(style)} transform="translate(8 8)" />
    </g>
  )
}

type Props = { points: readonly Point[]; mark: Mark; at: number; layout: ChartLayout; y: Scale; step: number }

function Line({ points, mark: { style }, at, layout, y, step }: Props) {
  const values = points.map((point) => point.values[at] ?? null)
  const x = (index: number): number => layout.left + (index + 0.5) * step
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))
  const every = Math.ceil(values.length / MOST_SYMBOLS)
  return (
    <g class={`line-${style}`}>
      <path class="way" d={path(values) ?? ''} />
      {values.map(
        (value, index) =>
          value !== null &&
          (index % every === 0 || isAlone(values, index)) && (
            <path key={index} class="sign" d={symbolPath(style)} transform={`translate(${x(index)} ${y(value)})`} />
          ),
      )}
    </g>
  )
}

const isAlone = (values: readonly (number | null)[], index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
