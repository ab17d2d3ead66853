// Bars over days or names, each of one value or of several on top of one another.
import { ROOM, namesShown, valueScale } from './scale.ts'

export type Bar = {
  /** What stands below it. */
  name: string
  /** In the order of `series`, from below. */
  values: readonly number[]
}

type Given = {
  /** For who does not see it: the figure has the sentence and the table. */
  label: string
  bars: readonly Bar[]
  /** Classes of the marks, a pattern each, so that they are told apart without colour. */
  series: readonly string[]
  format: (value: number) => string
}

export function Bars({ label, bars, series, format }: Given) {
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const y = valueScale(Math.max(0, ...sums))
  const shown = namesShown(bars.length)
  const step = (ROOM.width - ROOM.left - ROOM.right) / Math.max(1, bars.length)
  const width = Math.max(1, step - Math.min(4, step * 0.2))
  return (
    <svg viewBox={`0 0 ${ROOM.width} ${ROOM.height}`} role="img" aria-label={label}>
      <g class="axis">
        {y.ticks(4).map((value) => (
          <g key={value} transform={`translate(0 ${y(value)})`}>
            <line x1={ROOM.left} x2={ROOM.width - ROOM.right} />
            <text x={ROOM.left - 6} dy="0.32em" text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
      </g>
      {bars.map(({ name, values }, at) => {
        let below = 0
        const x = ROOM.left + at * step
        return (
          <g key={name}>
            <title>{`${name}: ${format(sums[at] ?? 0)}`}</title>
            {values.map((value, of) => {
              const from = below
              below += value
              return (
                <rect
                  key={series[of]}
                  class={series[of]}
                  x={x}
                  width={width}
                  y={y(below)}
                  height={Math.max(0, y(from) - y(below))}
                />
              )
            })}
            {shown.has(at) && (
              <text x={x + width / 2} y={ROOM.height - 8} text-anchor="middle">
                {name}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
