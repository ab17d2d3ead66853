// The parts of a chart and its geometry: marks, points, the room, the height of a value, and the names that fit below it.
import { scaleLinear, type ScaleLinear } from 'd3-scale'

/** The styles of series. Each has its own colour and pattern (style/charts.css). */
export const STYLES = [1, 2, 3, 4] as const
export type MarkStyle = (typeof STYLES)[number]

export type Mark = { name: string; style: MarkStyle }

export type Point = {
  /** The name in the table and in the line above the chart: “21 Nov 2026”. */
  name: string
  /** The name below the axis, which has less room: “21 Nov”. */
  short?: string
  /** The values in the order of the marks. Only line charts can have null, for no value. */
  values: readonly (number | null)[]
}

export const sumOf = ({ values }: Point): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** Returns the values of a point in words, for screen readers: “30 answered, 2 blocked”. */
export const valuesText = (point: Point, marks: readonly Mark[], format: (value: number) => string): string =>
  marks
    .map(({ name }, at) => {
      const value = point.values[at] ?? null
      return `${name}: ${value === null ? 'none' : format(value)}`
    })
    .join(', ')

/** Pixels of the screen: a chart is drawn for its real width, so that its text keeps its size. */
export type Room = { width: number; height: number; left: number; right: number; top: number; bottom: number }

/** The width of a character as a share of its line's height: a little more than figures take. */
const CHARACTER = 0.62
const LINES_HIGH = 17
const MOST_TICKS = 4

export type Scale = ScaleLinear<number, number>

/** Returns a scale from 0 to the largest value or a little above it. */
export const valueScale = (largest: number, { height, bottom, top }: Pick<Room, 'height' | 'bottom' | 'top'>): Scale =>
  scaleLinear()
    .domain([0, largest > 0 ? largest : 1])
    .nice(MOST_TICKS)
    .range([height - bottom, top])

/** Returns round figures up to the largest. They are whole if all values are. */
export function ticksOf(scale: Scale, isWhole: boolean): readonly number[] {
  const ticks = scale.ticks(MOST_TICKS)
  return isWhole ? ticks.filter(Number.isInteger) : ticks
}

/** @param em the height of the text in pixels @param labels the texts beside the axis */
export function roomFor(width: number, em: number, labels: readonly string[]): Room {
  const longest = Math.max(0, ...labels.map(({ length }) => length))
  return {
    width,
    height: em * LINES_HIGH,
    left: longest * em * CHARACTER + em,
    right: em * 0.75,
    top: em,
    bottom: em * 2,
  }
}

/** Returns the indexes of names that fit side by side: the first one, and every few after it. */
export function namesShown(names: readonly string[], width: number, em: number): ReadonlySet<number> {
  const longest = Math.max(1, ...names.map(({ length }) => length))
  const most = Math.max(1, Math.floor(width / ((longest + 2) * em * CHARACTER)))
  const step = Math.max(1, Math.ceil(names.length / most))
  return new Set(Array.from({ length: Math.ceil(names.length / step) }, (_, at) => at * step))
}
