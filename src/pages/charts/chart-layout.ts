// Computes a chart's layout: its size and margins, the scale and ticks of its values, and the names that fit below it.

/** Margins and size in pixels. A chart is drawn for its real width, so that its text keeps its size. */
export type ChartLayout = { width: number; height: number; left: number; right: number; top: number; bottom: number }

/** The width of a character as a share of the line height, slightly more than digits need. */
const CHARACTER_WIDTH = 0.62
/** The same of a text of letters. */
const LETTER_WIDTH = 0.5
const GRID_LINES = 4

const ROUND_STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** Returns the height of a value in the drawing, in pixels from its top. */
export type Scale = (value: number) => number

/** The drawing of a chart. `step`: the width of one point, in pixels. */
export type Drawing = { layout: ChartLayout; y: Scale; step: number }

/** Returns the distance of the grid's lines: the least round one with which four reach the largest value. */
export function gridStep(largest: number, isWhole: boolean): number {
  const least = (largest > 0 ? largest : 1) / GRID_LINES
  if (isWhole && least <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  const steps = ROUND_STEPS.map((step) => Number((step * power).toPrecision(2)))
  return steps.find((step) => step >= least && (!isWhole || Number.isInteger(step))) ?? power * 10
}

/** Returns a scale from 0 to a line of the grid that is not below the largest value. */
export function valueScale(
  largest: number,
  isWhole: boolean,
  { height, bottom, top }: Pick<ChartLayout, 'height' | 'bottom' | 'top'>,
): Scale {
  const step = gridStep(largest, isWhole)
  const most = Math.max(1, Math.ceil(largest / step)) * step
  const room = height - bottom - top
  return (value) => top + room * (1 - value / most)
}

/** Returns the values of the grid's lines, 0 among them. */
export function ticksOf(largest: number, isWhole: boolean): readonly number[] {
  const step = gridStep(largest, isWhole)
  const lines = Math.max(1, Math.ceil(largest / step))
  return Array.from({ length: lines + 1 }, (_, at) => Number((at * step).toPrecision(6)))
}

type Size = { width: number; em: number; lines: number }

/** Returns the margins. @param em the height of the text in pixels @param lines the height in lines of text @param labels beside the axis */
export function layoutFor({ width, em, lines }: Size, labels: readonly string[]): ChartLayout {
  const longest = Math.max(0, ...labels.map(({ length }) => length))
  return {
    width,
    height: em * lines,
    left: longest * em * CHARACTER_WIDTH + em,
    right: 0,
    top: em * 0.6,
    bottom: em * 2,
  }
}

/** Returns the indexes of names that fit side by side: the first one, and every few after it. @param last the text below the last point */
export function namesShown(names: readonly string[], width: number, em: number, last = ''): ReadonlySet<number> {
  const longest = Math.max(1, ...names.map(({ length }) => length))
  const most = Math.max(1, Math.floor(width / ((longest + 2) * em * CHARACTER_WIDTH)))
  const step = Math.max(1, Math.ceil(names.length / most))
  const shown = Array.from({ length: Math.ceil(names.length / step) }, (_, at) => at * step)
  if (last === '') return new Set(shown)
  const end = width - (last.length + longest / 2) * em * LETTER_WIDTH
  return new Set(shown.filter((at) => ((at + 0.5) * width) / names.length < end))
}
