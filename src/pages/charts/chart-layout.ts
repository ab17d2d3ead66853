// Computes a chart's layout: its size and margins, the scale and ticks of its values, and the names that fit below it.
import { scaleLinear, type ScaleLinear } from 'd3-scale'

/** Margins and size in pixels. A chart is drawn for its real width, so that its text keeps its size. */
export type ChartLayout = { width: number; height: number; left: number; right: number; top: number; bottom: number }

/** The width of a character as a share of the line height, slightly more than digits need. */
const CHARACTER_WIDTH = 0.62
const LINES_HIGH = 17
const MOST_TICKS = 4

export type Scale = ScaleLinear<number, number>

/** Returns a scale from 0 to the largest value or slightly above it. */
export const valueScale = (
  largest: number,
  { height, bottom, top }: Pick<ChartLayout, 'height' | 'bottom' | 'top'>,
): Scale =>
  scaleLinear()
    .domain([0, largest > 0 ? largest : 1])
    .nice(MOST_TICKS)
    .range([height - bottom, top])

/** Returns the round values of the axis up to the largest. They are whole if all values are whole. */
export function ticksOf(scale: Scale, isWhole: boolean): readonly number[] {
  const ticks = scale.ticks(MOST_TICKS)
  return isWhole ? ticks.filter(Number.isInteger) : ticks
}

/** Returns the margins. @param em the height of the text in pixels @param labels the texts beside the axis */
export function layoutFor(width: number, em: number, labels: readonly string[]): ChartLayout {
  const longest = Math.max(0, ...labels.map(({ length }) => length))
  return {
    width,
    height: em * LINES_HIGH,
    left: longest * em * CHARACTER_WIDTH + em,
    right: em * 0.75,
    top: em,
    bottom: em * 2,
  }
}

/** Returns the indexes of names that fit side by side: the first one, and every few after it. */
export function namesShown(names: readonly string[], width: number, em: number): ReadonlySet<number> {
  const longest = Math.max(1, ...names.map(({ length }) => length))
  const most = Math.max(1, Math.floor(width / ((longest + 2) * em * CHARACTER_WIDTH)))
  const step = Math.max(1, Math.ceil(names.length / most))
  return new Set(Array.from({ length: Math.ceil(names.length / step) }, (_, at) => at * step))
}
