// A small chart of one line over days or months, with its figure above it. A day without a value is a gap.
import { useState } from 'preact/hooks'
import { BeforeLine, linePath } from './before-line.view.tsx'
import type { Drawing } from './chart-layout.ts'
import type { Before, Point } from './chart-marks.ts'
import { Plot } from './plot.view.tsx'

type Props = {
  title: string
  /** A sentence that says what the line shows, for people who do not see it. */
  summary: string
  /** The figure of all points, and a line about it. A chosen point's value and name replace them. */
  total: string
  note: string
  pointName: string
  /** Each with one value. */
  points: readonly Point[]
  format: (value: number) => string
  /** Formats the values of the grid’s lines, if they have another unit. */
  formatLine?: (value: number) => string
  /** The least characters of room for those. */
  labelLength?: number
  before?: Before
  /** False for shares, whose axis has parts of one. */
  isWhole?: boolean
  /** Returns true for points that have a dot, because they are out of the ordinary. */
  isMarked?: (at: number) => boolean
}

const LINES = 12

export function LineChart(props: Props) {
  const { title, summary, total, note, pointName, points, format, before, isWhole = true, isMarked } = props
  const { formatLine = format, labelLength = 0 } = props
  const [chosen, setChosen] = useState<number | null>(null)
  const values = points.map(({ values: [value = null] }) => value)
  const point = chosen === null ? undefined : points[chosen]
  const value = chosen === null ? null : (values[chosen] ?? null)
  const figure = point === undefined ? total : value === null ? 'none' : format(value)
  const all = [...values, ...(before?.values ?? [])].filter((one) => one !== null)
  return (
    <figure class="chart stack-s">
      <figcaption class="figure">
        <h3 class="small">{title}</h3>
        <b>{figure}</b>
        <span class="soft small">{point?.name ?? note}</span>
        <p class="only-read">{summary}</p>
      </figcaption>
      {all.length === 0 ? (
        <p class="soft small">Too few calls a {pointName.toLowerCase()} to show</p>
      ) : (
        <Plot
          label={`${title}, by ${pointName.toLowerCase()}`}
          points={points}
          text={`${point?.name ?? note}: ${figure}`}
          chosen={chosen}
          onChoose={setChosen}
          largest={Math.max(0, ...all)}
          isWhole={isWhole}
          format={formatLine}
          labelLength={labelLength}
          lines={LINES}
        >
          {(drawing) => (
            <>
              {before !== undefined && <BeforeLine values={before.values} {...drawing} />}
              <path class="way" d={linePath(values, drawing)} />
              <Dots {...{ values, chosen, isMarked }} {...drawing} />
            </>
          )}
        </Plot>
      )}
    </figure>
  )
}

type DotsProps = Drawing & {
  values: readonly (number | null)[]
  chosen: number | null
  isMarked: Props['isMarked']
}

/** Dots on the chosen point, on marked ones, and on points that have no neighbour to draw a line to. */
const Dots = ({ values, layout, y, step, chosen, isMarked }: DotsProps) => (
  <>
    {values.map(
      (value, at) =>
        value !== null &&
        (at === chosen || isMarked?.(at) === true || isAlone(values, at)) && (
          <circle key={at} class="dot" cx={layout.left + (at + 0.5) * step} cy={y(value)} r="3.5" />
        ),
    )}
  </>
)

const isAlone = (values: readonly (number | null)[], at: number): boolean =>
  (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
