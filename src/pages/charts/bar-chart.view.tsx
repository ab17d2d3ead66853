// The bar chart of points such as days or months. Its legend has the totals until a point is chosen, and then that point's values.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { Foldable } from '../parts/foldable.view.tsx'
import { LinkOrText } from '../parts/link-row.view.tsx'
import { figures, Table, type Column } from '../parts/table.view.tsx'
import { BeforeLine, BeforeSample } from './before-line.view.tsx'
import { describeOverTime } from './describe-chart.ts'
import type { Drawing } from './chart-layout.ts'
import {
  sumOf,
  sumOfBefore,
  sumOfPoint,
  totalOf,
  valuesText,
  type Before,
  type Mark,
  type MarkStyle,
  type Point,
  MARK_STYLES,
  NEUTRAL_STYLES,
  OUTCOME_STYLES,
} from './chart-marks.ts'
import { Plot } from './plot.view.tsx'

type Props = {
  title: string
  /** The sum in words, “1,204 requests”, for the sentence that says what the chart shows to people who do not see it. */
  total: string
  /** Drawn beside the title, such as a link to all calls. */
  action?: ComponentChildren
  /** Drawn instead of the title, which is then only read. */
  head?: ComponentChildren
  /** Drawn below the chart, from edge to edge. */
  below?: ComponentChildren
  /** The noun for a point: “Day”. */
  pointName: string
  /** At most five marks, the lowest first. */
  marks: readonly Mark[]
  points: readonly Point[]
  format: (value: number) => string
  /** Formats the values of the grid's lines, if they have more decimals. */
  formatLine?: (value: number) => string
  before?: Before | undefined
  /** Returns the address behind a point, or null. */
  hrefOf?: ((at: number) => string | null) | undefined
}

const LINES = 21

export function BarChart(props: Props) {
  const { title, pointName, marks, points, format, formatLine = format, before, hrefOf } = props
  const id = useUniqueId()
  const byPoint = `by ${pointName.toLowerCase()}`
  const [chosen, setChosen] = useState<number | null>(null)
  const sums = totalOf(points, marks)
  const point = chosen === null ? null : (points[chosen] ?? null)
  const shown = point ?? sums
  const hasSum = marks.length > 1
  const values = [...points.map(sumOfPoint), ...(before?.values ?? []).map((value) => value ?? 0)]
  const columns: readonly Column<Point>[] = [
    {
      name: pointName,
      cell: (one) => <LinkOrText href={hrefOf?.(points.indexOf(one)) ?? null}>{one.name}</LinkOrText>,
    },
    ...(hasSum ? [figures('Total', (one: Point) => format(sumOfPoint(one)))] : []),
    ...marks.map(({ name }, at) => figures<Point>(name, ({ values: own }) => format(own[at] ?? 0))),
    ...(before === undefined
      ? []
      : [figures<Point>(before.name, (one) => beforeText(before, points.indexOf(one), format))]),
  ]
  return (
    <figure class="chart card parts">
      <figcaption class="head row between">
        <h2 class={props.head === undefined ? undefined : 'only-read'}>{title}</h2>
        {props.head}
        {props.action}
        <p class="only-read">
          {describeOverTime({ total: props.total, points, pointName: pointName.toLowerCase(), format })}
        </p>
        <PatternShapes id={id} />
      </figcaption>
      <div class="body stack-s">
        <Legend {...{ id, marks, points, sums, shown, format, before, chosen }} />
        <Plot
          label={`${title}, ${byPoint}`}
          points={points}
          text={`${shown.name}: ${valuesText(shown, marks, format)}`}
          chosen={chosen}
          onChoose={setChosen}
          hrefOf={hrefOf}
          largest={Math.max(0, ...values)}
          isWhole={values.every(Number.isInteger)}
          format={formatLine}
          lines={LINES}
        >
          {(drawing) => (
            <>
              <Bars {...{ id, points, marks }} {...drawing} />
              {before !== undefined && <BeforeLine values={before.values} {...drawing} />}
            </>
          )}
        </Plot>
      </div>
      {props.below}
      <Foldable look="foot" summary={`Figures ${byPoint}`}>
        {() => (
          <Table isGrid caption={title} isCaptionHidden columns={columns} rows={points} keyOf={({ name }) => name} />
        )}
      </Foldable>
    </figure>
  )
}

const beforeText = ({ values }: Before, at: number, format: (value: number) => string): string => {
  const value = values[at] ?? null
  return value === null ? 'none' : format(value)
}

const fillOf = (id: string, style: MarkStyle): string => `url(#${id}-${style})`

type LegendProps = Pick<Props, 'marks' | 'points' | 'format' | 'before'> & {
  /** Of the chart's patterns. */
  id: string
  sums: Point
  shown: Point
  chosen: number | null
}

function Legend({ id, marks, points, format, before, sums, shown, chosen }: LegendProps) {
  const hasSum = marks.length > 1
  const names = longestOf([sums, ...points].map(({ name }) => name))
  return (
    <ul class="legend row soft small">
      {marks.map(({ name, style }, at) => (
        <li key={name} class="row" data-gap="2">
          <svg width="12" height="12" aria-hidden="true">
            <rect class={`mark-${style}`} x="0.5" y="0.5" width="11" height="11" rx="2" fill={fillOf(id, style)} />
          </svg>
          {name} <Value text={format(shown.values[at] ?? 0)} longest={format(sums.values[at] ?? 0)} />
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
        {hasSum && <Value text={format(sumOfPoint(shown))} longest={format(sumOfPoint(sums))} />}
      </li>
    </ul>
  )
}

const longestOf = (texts: readonly string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')

/** A value that keeps the room of the longest one, so that nothing beside it moves. */
const Value = ({ text, longest }: { text: string; longest: string }) => <b data-longest={longest}>{text}</b>

const GAP = 1
const LEAST_HEIGHT = 0.5

/** One shape a mark: on paper each shape is a picture of its pattern. */
function Bars({ id, points, marks, layout, y, step }: Drawing & Pick<LegendProps, 'id' | 'points' | 'marks'>) {
  const width = Math.max(1, step * (step < 12 ? 0.75 : 0.68))
  const barOf = (values: Point['values'], at: number, of: number): string => {
    const from = sumOf(values.slice(0, of))
    const top = y(from + (values[of] ?? 0))
    const height = Math.max(LEAST_HEIGHT, y(from) - top - (from > 0 ? GAP : 0))
    return top < y(from) ? `M${layout.left + at * step + (step - width) / 2} ${top}h${width}v${height}h${-width}z` : ''
  }
  return marks.map(({ name, style }, of) => (
    <path
      key={name}
      class={`mark-${style}`}
      fill={fillOf(id, style)}
      d={points.map(({ values }, at) => barOf(values, at, of)).join('')}
    />
  ))
}

const TILE = 6

/** 1 to 6: neutral marks have the patterns of outcomes, since a chart has either. */
const patternOf = (style: MarkStyle): number =>
  1 + Math.max(...[OUTCOME_STYLES, NEUTRAL_STYLES].map((styles) => styles.findIndex((one) => one === style)))

/** The patterns: solid, stripes, dots, lines, crosses and squares. They differ without colour, on a two-colour screen and on paper. */
const PatternShapes = ({ id }: { id: string }) => (
  <svg class="only-read" width="0" height="0" aria-hidden="true">
    <defs>
      {MARK_STYLES.map((style) => [style, patternOf(style)] as const).map(([style, pattern]) => (
        <pattern
          key={style}
          id={`${id}-${style}`}
          class={`mark-${style}`}
          width={TILE}
          height={TILE}
          patternUnits="userSpaceOnUse"
          {...(pattern === 2 && { patternTransform: 'rotate(45)' })}
        >
          <rect class={pattern === 1 ? 'drawn' : 'ground'} width={TILE} height={TILE} />
          {pattern === 2 && <rect class="drawn" width={TILE / 2} height={TILE} />}
          {pattern === 3 && <circle class="drawn" cx={TILE / 2} cy={TILE / 2} r="1.6" />}
          {pattern === 4 && <rect class="drawn" width={TILE} height={TILE / 3} />}
          {pattern === 5 && <path class="drawn" d="M2 0h2v2h2v2h-2v2h-2v-2h-2v-2h2z" />}
          {pattern === 6 && <path class="drawn" d="M0 0h3v3h-3zM3 3h3v3h-3z" />}
        </pattern>
      ))}
    </defs>
  </svg>
)
