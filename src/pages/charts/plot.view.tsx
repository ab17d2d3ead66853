// Draws a chart's plot and axis. Arrow keys or a pointer select a point, and the chart shows its values. A press or Enter opens
// what is behind the point.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { namesShown, layoutFor, ticksOf, valueScale, type Drawing } from './chart-layout.ts'
import type { Point } from './chart-marks.ts'

type Props = {
  /** The name of the axis: “Requests by day”. */
  label: string
  points: readonly Point[]
  /** The name and the values of the selected point, for screen readers. */
  text: string
  chosen: number | null
  onChoose: (at: number | null) => void
  /** Returns the address behind a point, or null. */
  hrefOf?: ((at: number) => string | null) | undefined
  largest: number
  isWhole: boolean
  format: (value: number) => string
  /** The height, in lines of text. */
  lines: number
  /** The least characters of room for the values beside the axis, so that charts side by side have the same width. */
  labelLength?: number
  /** Draws the marks. */
  children: (drawing: Drawing) => ComponentChildren
}

/** The size, in pixels, before the page's width is known. */
const SIZE = { width: 640, em: 12 }

export function Plot(props: Props) {
  const { label, points, text, chosen, onChoose, hrefOf, largest, isWhole, format, lines, labelLength = 0 } = props
  const [element, { width, em }] = useSize()
  const hint = useUniqueId()
  const wasChosen = useRef(true)
  const ticks = ticksOf(largest, isWhole)
  const layout = layoutFor({ width, em, lines }, [...ticks.map(format), ' '.repeat(labelLength)])
  const y = valueScale(largest, isWhole, layout)
  // The width is 0 for a moment while the browser lays the page out.
  const inner = Math.max(0, width - layout.left - layout.right)
  const step = inner / Math.max(1, points.length)
  const drawing = { layout, y, step }
  const last = points.length - 1
  const choose = (at: number): void => onChoose(Math.min(last, Math.max(0, at)))
  const openPoint = (): void => {
    const href = chosen === null ? null : hrefOf?.(chosen)
    if (typeof href === 'string') location.assign(href)
  }

  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') openPoint()
    const by = MOVES.get(event.key)
    if (by === undefined) return
    event.preventDefault()
    choose((chosen ?? last + 1) + by)
  }
  const pointAt = (event: PointerEvent): number => {
    const { left } = (element.current ?? document.body).getBoundingClientRect()
    return Math.min(last, Math.max(0, Math.floor((event.clientX - left - layout.left) / step)))
  }
  // A finger cannot point without a press: its first press shows the values, the second one opens the point.
  const onPress = (event: PointerEvent): void => {
    const at = pointAt(event)
    wasChosen.current = event.pointerType !== 'touch' || at === chosen
    choose(at)
  }

  return (
    <div
      ref={element}
      class={hrefOf === undefined ? 'plot' : 'plot opens'}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={chosen ?? last}
      aria-valuetext={text}
      aria-describedby={hrefOf === undefined ? undefined : hint}
      onKeyDown={onKey}
      onPointerMove={(event) => choose(pointAt(event))}
      onPointerDown={onPress}
      onPointerLeave={({ pointerType }) => {
        if (pointerType !== 'touch') onChoose(null)
      }}
      onBlur={() => onChoose(null)}
      onClick={() => {
        if (wasChosen.current) openPoint()
      }}
    >
      <svg viewBox={`0 0 ${width} ${layout.height}`} width={width} height={layout.height} aria-hidden="true">
        <Grounds {...{ points, chosen }} {...drawing} />
        <g class="axis">
          {ticks.map((value) => (
            <g key={value} transform={`translate(0 ${y(value)})`}>
              <line x1={layout.left} x2={width - layout.right} />
              <text x={layout.left - em / 2} dy="0.32em" text-anchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          <Names {...{ points, inner, step, layout, em }} />
        </g>
        {props.children(drawing)}
      </svg>
      {hrefOf !== undefined && (
        <span id={hint} class="only-read">
          Enter opens the calls behind it.
        </span>
      )}
    </div>
  )
}

/** The grounds behind a point that has not ended yet, and behind the chosen one. */
function Grounds({ points, chosen, layout, y, step }: Pick<Props, 'points' | 'chosen'> & Drawing) {
  const last = points.length - 1
  const place = (at: number) => ({
    x: layout.left + at * step,
    y: layout.top,
    width: step,
    height: y(0) - layout.top,
  })
  return (
    <>
      {points[last]?.soFar !== undefined && <rect class="so-far" {...place(last)} />}
      {chosen !== null && <rect class="chosen" {...place(chosen)} />}
    </>
  )
}

type NamesProps = Omit<Drawing, 'y'> & { points: readonly Point[]; inner: number; em: number }

/** The names below the points. One near an edge moves so that it stays inside the drawing. */
function Names({ points, inner, step, layout, em }: NamesProps) {
  const shorts = points.map(({ name, short = name }) => short)
  const soFar = points.at(-1)?.soFar ?? ''
  const shown = namesShown(shorts, inner, em, soFar)
  const below = layout.height - em / 2
  return (
    <>
      {shorts.map((short, at) => {
        if (!shown.has(at)) return null
        const middle = layout.left + (at + 0.5) * step
        const isAtEdge = middle + (short.length * em) / 3 > layout.width
        return (
          <text key={at} x={isAtEdge ? layout.width : middle} y={below} text-anchor={isAtEdge ? 'end' : 'middle'}>
            {short}
          </text>
        )
      })}
      {soFar !== '' && (
        <text x={layout.width} y={below} text-anchor="end">
          {soFar}
        </text>
      )}
    </>
  )
}

const MOVES: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowDown', -1],
  ['ArrowRight', 1],
  ['ArrowUp', 1],
  ['PageDown', -7],
  ['PageUp', 7],
  ['Home', -Infinity],
  ['End', Infinity],
])

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
