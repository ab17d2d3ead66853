// Draws a chart's plot and axis. Arrow keys or a pointer select a point, and the chart shows its values.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { namesShown, layoutFor, ticksOf, valueScale, type ChartLayout, type Scale } from './chart-layout.ts'

type Props = {
  /** The name of the axis: “Requests by day”. */
  label: string
  names: readonly { name: string; short?: string }[]
  /** The text of the selected point, for screen readers. */
  text: string
  chosen: number
  onChoose: (at: number) => void
  largest: number
  isWhole: boolean
  format: (value: number) => string
  /** Draws the marks. @param step the width of one point, in pixels */
  children: (layout: ChartLayout, y: Scale, step: number) => ComponentChildren
}

/** The size, in pixels, before the page's width is known. */
const SIZE = { width: 640, em: 13 }

export function Plot({ label, names, text, chosen, onChoose, largest, isWhole, format, children }: Props) {
  const [element, { width, em }] = useSize()
  const labels = ticksOf(valueScale(largest, { height: 100, bottom: 0, top: 0 }), isWhole).map(format)
  const layout = layoutFor(width, em, labels)
  const y = valueScale(largest, layout)
  // The width is 0 for a moment while the browser lays the page out.
  const step = Math.max(0, width - layout.left - layout.right) / Math.max(1, names.length)
  const shorts = names.map(({ name, short = name }) => short)
  const shown = namesShown(shorts, width - layout.left - layout.right, em)
  const last = names.length - 1
  const choose = (at: number): void => onChoose(Math.min(last, Math.max(0, at)))

  const onKey = (event: KeyboardEvent): void => {
    const to = indexAfter(event.key, chosen, last)
    if (to === null) return
    event.preventDefault()
    choose(to)
  }
  const point = (event: PointerEvent): void => {
    const { left } = (element.current ?? document.body).getBoundingClientRect()
    choose(Math.floor((event.clientX - left - layout.left) / step))
  }

  return (
    <div
      ref={element}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={chosen}
      aria-valuetext={`${names[chosen]?.name ?? ''}: ${text}`}
      onKeyDown={onKey}
      onPointerMove={point}
      onPointerDown={point}
    >
      <svg viewBox={`0 0 ${width} ${layout.height}`} width={width} height={layout.height} aria-hidden="true">
        <rect class="chosen" x={layout.left + chosen * step} y={layout.top} width={step} height={y(0) - layout.top} />
        <g class="axis">
          {ticksOf(y, isWhole).map((value) => (
            <g key={value} transform={`translate(0 ${y(value)})`}>
              <line x1={layout.left} x2={width - layout.right} />
              <text x={layout.left - em / 2} dy="0.32em" text-anchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {shorts.map((short, at) => shown.has(at) && <Name key={at} {...{ short, at, step, layout, em }} />)}
        </g>
        {children(layout, y, step)}
      </svg>
    </div>
  )
}

/** The name below a point. Near an edge it moves so that it stays inside the drawing. */
function Name({
  short,
  at,
  step,
  layout,
  em,
}: {
  short: string
  at: number
  step: number
  layout: ChartLayout
  em: number
}) {
  const middle = layout.left + (at + 0.5) * step
  const isAtEdge = middle + (short.length * em) / 3 > layout.width
  return (
    <text x={isAtEdge ? layout.width : middle} y={layout.height - em / 2} text-anchor={isAtEdge ? 'end' : 'middle'}>
      {short}
    </text>
  )
}

function indexAfter(key: string, at: number, last: number): number | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - 1
    case 'ArrowRight':
    case 'ArrowUp':
      return at + 1
    case 'PageDown':
      return at - 7
    case 'PageUp':
      return at + 7
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

/** Returns an element's width and the height of its text, in pixels. */
function useSize() {
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState(SIZE)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => {
      const em = Number.parseFloat(getComputedStyle(current).fontSize)
      const width = Math.floor(current.clientWidth)
      setSize((before) => (before.width === width && before.em === em ? before : { width, em }))
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, size] as const
}
