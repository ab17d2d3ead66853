// Bars over days or months. A bar shows one value, or several stacked.
import { useFill } from './chart-figure.view.tsx'
import type { Mark, MarkStyle, Point } from './marks.ts'
import { PointChartFigure, type PointChart } from './point-chart.view.tsx'
import type { Room, Scale } from './scale.ts'

export function BarChart(chart: PointChart) {
  return (
    <PointChartFigure {...chart} isSum sample={Sample}>
      {(room, y, step) => <Bars points={chart.points} marks={chart.marks} {...{ room, y, step }} />}
    </PointChartFigure>
  )
}

function Sample({ style }: { style: MarkStyle }) {
  return <rect class={`mark-${style}`} x="0.5" y="0.5" width="15" height="15" fill={useFill()(style)} />
}

type Given = { points: readonly Point[]; marks: readonly Mark[]; room: Room; y: Scale; step: number }

function Bars({ points, marks, room, y, step }: Given) {
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
                x={room.left + at * step + (step - width) / 2}
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
