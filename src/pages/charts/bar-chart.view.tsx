// The bar chart of points such as days or months. Its legend has the totals until a point is chosen, and then that point's values.
import { useState } from 'preact/hooks'
import type { Column } from '../parts/table.view.tsx'
import { BeforeLine, BeforeSample } from './before-line.view.tsx'
import { ChartFigure, useFill, type FigureHead } from './chart-figure.view.tsx'
import { sumOfBefore, sumOfPoint, totalOf, valuesText, type Before, type Mark, type Point } from './chart-marks.ts'
import type { ChartLayout, Scale } from './chart-layout.ts'
import { Plot, type HrefOf } from './plot.view.tsx'

type Props = FigureHead & {
  /** The noun for a point: “Day”. */
  pointName: string
  /** At most five marks, the lowest first. */
  marks: readonly Mark[]
  points: readonly Point[]
  format: (value: number) => string
  /** Formats the values of the grid's lines, if they have more decimals. */
  formatLine?: (value: number) => string
  before?: Before
  hrefOf?: HrefOf
}

const LINES = 21

export function BarChart(props: Props) {
  const { pointName, marks, points, format, formatLine = format, before, hrefOf, ...head } = props
  const [chosen, setChosen] = useState<number | null>(null)
  const total = totalOf(points, marks)
  const point = chosen === null ? null : (points[chosen] ?? null)
  const shown = point ?? total
  const hasSum = marks.length > 1
  const values = [...points.map(sumOfPoint), ...(before?.values ?? []).map((value) => value ?? 0)]
  const linkOf = (one: Point): string | null => hrefOf?.(points.indexOf(one)) ?? null
  const columns: readonly Column<Point>[] = [
    { name: pointName, cell: (one) => <PointName name={one.name} href={linkOf(one)} /> },
    ...(hasSum ? [{ name: 'Total', isNumber: true, cell: (one: Point) => format(sumOfPoint(one)) }] : []),
    ...marks.map(({ name }, at) => ({ name, isNumber: true, cell: (one: Point) => format(one.values[at] ?? 0) })),
    ...(before === undefined
      ? []
      : [{ name: before.name, isNumber: true, cell: (one: Point) => beforeText(before, points.indexOf(one), format) }]),
  ]
  return (
    <ChartFigure
      {...head}
      tableName={`Figures by ${pointName.toLowerCase()}`}
      columns={columns}
      rows={points}
      keyOf={({ name }) => name}
    >
      <Legend {...{ marks, points, total, shown, format, chosen }} {...(before !== undefined && { before })} />
      <Plot
        label={`${head.title}, by ${pointName.toLowerCase()}`}
        points={points}
        text={`${shown.name}: ${valuesText(shown, marks, format)}`}
        chosen={chosen}
        onChoose={setChosen}
        {...(hrefOf !== undefined && { hrefOf })}
        largest={Math.max(0, ...values)}
        isWhole={values.every(Number.isInteger)}
        format={formatLine}
        lines={LINES}
      >
        {(layout, y, step) => (
          <>
            <Bars {...{ points, marks, layout, y, step }} />
            {before !== undefined && <BeforeLine values={before.values} {...{ layout, y, step }} />}
          </>
        )}
      </Plot>
    </ChartFigure>
  )
}

const PointName = ({ name, href }: { name: string; href: string | null }) =>
  href === null ? <>{name}</> : <a href={href}>{name}</a>

const beforeText = ({ values }: Before, at: number, format: (value: number) => string): string => {
  const value = values[at] ?? null
  return value === null ? 'none' : format(value)
}

type LegendProps = Pick<Props, 'marks' | 'points' | 'format' | 'before'> & {
  total: Point
  shown: Point
  chosen: number | null
}

function Legend({ marks, points, format, before, total, shown, chosen }: LegendProps) {
  const fill = useFill()
  const hasSum = marks.length > 1
  const names = longestOf([total, ...points].map(({ name }) => name))
  return (
    <ul class="legend row soft small">
      {marks.map(({ name, style }, at) => (
        <li key={name} class="row" data-gap="2">
          <svg width="12" height="12" aria-hidden="true">
            <rect class={`mark-${style}`} x="0.5" y="0.5" width="11" height="11" rx="2" fill={fill(style)} />
          </svg>
          {name} <Value text={format(shown.values[at] ?? 0)} longest={format(total.values[at] ?? 0)} />
        </li>
      ))}
      {before !== undefined && (
        <li class="row" data-gap="2">
          <BeforeSample />
          {before.name}{' '}
          <Value
            text={chosen === null ? format(sumOfBefore(before)) : beforeText(before, chosen, format)}
            longest={format(sumOfBefore(before))}
          />
        </li>
      )}
      <li class="shown-point to-end">
        <Value text={shown.name} longest={names} />{' '}
        {hasSum && <Value text={format(sumOfPoint(shown))} longest={format(sumOfPoint(total))} />}
      </li>
    </ul>
  )
}

const longestOf = (texts: readonly string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')

/** A value that keeps the room of the longest one, so that nothing beside it moves. */
const Value = ({ text, longest }: { text: string; longest: string }) => <b data-longest={longest}>{text}</b>

type BarsProps = { points: readonly Point[]; marks: readonly Mark[]; layout: ChartLayout; y: Scale; step: number }

const GAP = 1
const LEAST_HEIGHT = 0.5

function Bars({ points, marks, layout, y, step }: BarsProps) {
  const fill = useFill()
  const width = Math.max(1, step * (step < 12 ? 0.75 : 0.68))
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
                height={Math.max(LEAST_HEIGHT, y(from) - y(below) - (from > 0 ? GAP : 0))}
              />
            )
          )
        })}
      </g>
    )
  })
}
