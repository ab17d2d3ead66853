// The bar chart of points such as days or months, and the figure that it shares with the line chart: values, plot and table.
import type { ComponentChildren, ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { Column } from '../parts/table.view.tsx'
import { ChartFigure, useFill } from './chart-figure.view.tsx'
import { sumOfPoint, valuesText, type Mark, type MarkStyle, type Point } from './chart-marks.ts'
import type { ChartLayout, Scale } from './chart-layout.ts'
import { Plot } from './plot.view.tsx'

export type PointChart = {
  title: string
  summary: string
  /** The noun for a point: “Day”. */
  pointName: string
  /** At most four marks, the lowest first. */
  marks: readonly Mark[]
  points: readonly Point[]
  format: (value: number) => string
}

type Props = PointChart & {
  /** True if the values of a point add up. */
  isSum: boolean
  sample: ComponentType<{ style: MarkStyle }>
  children: (layout: ChartLayout, y: Scale, step: number) => ComponentChildren
}

export function PointChartFigure({ isSum, sample, children, ...chart }: Props) {
  const { title, summary, pointName, marks, points, format } = chart
  const [chosenIndex, setChosenIndex] = useState(points.length - 1)
  const chosen = Math.max(0, Math.min(chosenIndex, points.length - 1))
  const point = points[chosen]
  const hasSum = isSum && marks.length > 1
  const shown = (value: number | null | undefined): string => (typeof value === 'number' ? format(value) : 'none')
  const values = points.flatMap((one) => (isSum ? [sumOfPoint(one)] : one.values.filter((value) => value !== null)))
  const columns: readonly Column<Point>[] = [
    { name: pointName, cell: ({ name }) => name },
    ...(hasSum ? [{ name: 'Total', isNumber: true, cell: (one: Point) => format(sumOfPoint(one)) }] : []),
    ...marks.map(({ name }, at) => ({ name, isNumber: true, cell: (one: Point) => shown(one.values[at]) })),
  ]
  return (
    <ChartFigure
      title={title}
      summary={summary}
      legend={marks.map((mark, at) => ({ ...mark, value: shown(point?.values[at]) }))}
      sample={sample}
      columns={columns}
      rows={points}
      keyOf={({ name }) => name}
    >
      <div class="small between row" aria-hidden="true">
        <b>{point?.name}</b>
        {hasSum && point !== undefined && <span>{format(sumOfPoint(point))} in all</span>}
      </div>
      <Plot
        label={`${title}, by ${pointName.toLowerCase()}`}
        names={points}
        text={point === undefined ? '' : valuesText(point, marks, format)}
        chosen={chosen}
        onChoose={setChosenIndex}
        largest={Math.max(0, ...values)}
        isWhole={values.every(Number.isInteger)}
        format={format}
      >
        {children}
      </Plot>
    </ChartFigure>
  )
}

export function BarChart(chart: PointChart) {
  return (
    <PointChartFigure {...chart} isSum sample={Sample}>
      {(layout, y, step) => <Bars points={chart.points} marks={chart.marks} {...{ layout, y, step }} />}
    </PointChartFigure>
  )
}

function Sample({ style }: { style: MarkStyle }) {
  return <rect class={`mark-${style}`} x="0.5" y="0.5" width="15" height="15" fill={useFill()(style)} />
}

type BarsProps = { points: readonly Point[]; marks: readonly Mark[]; layout: ChartLayout; y: Scale; step: number }

function Bars({ points, marks, layout, y, step }: BarsProps) {
  const fill = useFill()
  const width = Math.max(1, step - Math.min(6, step * 0.25))
  return points.map(({ name, values }, at) => {
    let below = 0
    return (
      <g key={name}>
        {marks.map(({ name: mark, style }, of) => {
          const from = below
          below += values[of] ?? 0
          return (
            below > from && (
              <rect
                key={mark}
                class={`mark-${style}`}
                fill={fill(style)}
                x={layout.left + at * step + (step - width) / 2}
                width={width}
                y={y(below)}
                height={y(from) - y(below)}
              />
            )
          )
        })}
      </g>
    )
  })
}
