// Draws a report's charts over time. Each chart is a tagged figure with a text for readers who do not see it; a table of the report
// has the values.
import { widthOf } from '../../pdf/fonts/typeface.ts'
import type { TextFlow } from '../../pdf/layout/text-flow.ts'
import { type Box, type Page, type Point, PAGE_HEIGHT } from '../../pdf/pdf-page.ts'
import { ACCENT, FRAME, GREY_GROUND, MUTED, NOTE, RULE, SMALL, TABLE } from './report-styles.ts'
import { formatNumbers, textString, type Colour } from '../../pdf/pdf-file.ts'

export type Series = { name: string; ink: Colour; values: readonly number[] }

type Axis = { labels: readonly string[]; format: (value: number) => string; isWhole: boolean }

export type Chart = Axis & {
  title: string
  /** The text for readers who do not see the chart. */
  alt: string
  /** Stacked from the axis upwards. */
  series: readonly Series[]
  shape: 'bars' | 'line'
}

const PLOT_HEIGHT = 118
const LEGEND_HEIGHT = 21
/** A single series has no legend, because the title names it. */
const NO_LEGEND_HEIGHT = 9
const LABEL_HEIGHT = 18
const AXIS_WIDTH = 46
const TICK = { ...NOTE, size: 7.5 }

const legendHeight = ({ series }: Chart): number => (series.length > 1 ? LEGEND_HEIGHT : NO_LEGEND_HEIGHT)

const FIXED_HEIGHT = TABLE.caption.leading + PLOT_HEIGHT + LABEL_HEIGHT

export const CHART_HEIGHT = FIXED_HEIGHT + LEGEND_HEIGHT

export function drawChart(flow: TextFlow, chart: Chart): void {
  const legend = legendHeight(chart)
  const height = FIXED_HEIGHT + legend
  flow.need(height)
  const { page, y: top } = flow
  const box: Box = { x: FRAME.left, y: top, width: FRAME.width, height }
  const corners = formatNumbers(box.x, PAGE_HEIGHT - box.y - box.height, box.x + box.width, PAGE_HEIGHT - box.y)
  const entries = `/Alt ${textString(chart.alt)}/A<</O/Layout/Placement/Block/BBox[${corners}]>>`
  page.mark(flow.add('Figure', flow.pdf.structure.document, entries), () => {
    page.text([FRAME.left, top + 10], TABLE.caption, `${chart.title} `)
    const legendTop = top + TABLE.caption.leading
    if (chart.series.length > 1) drawLegend(page, chart.series, legendTop)
    drawPlot(page, chart, {
      x: FRAME.left + AXIS_WIDTH,
      y: legendTop + legend,
      width: FRAME.width - AXIS_WIDTH,
      height: PLOT_HEIGHT,
    })
  })
  flow.y += height
}

function drawLegend(page: Page, series: readonly Series[], top: number): void {
  let left = FRAME.left + AXIS_WIDTH
  for (const { name, ink } of series) {
    page.rectangle({ x: left, y: top + 4, width: 8, height: 8 }, ink)
    page.text([left + 12, top + 11], SMALL, `${name} `)
    left += widthOf(SMALL.face, SMALL.size, name) + 30
  }
}

function drawPlot(page: Page, chart: Chart, plot: Box): void {
  const { series, labels, format, isWhole, shape } = chart
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const marks = axisMarks(Math.max(0, ...sums), isWhole)
  const most = marks.at(-1) ?? 1
  const heightOf = (value: number): number => (value / most) * plot.height
  const bottom = plot.y + plot.height
  for (const mark of marks) {
    const y = bottom - heightOf(mark)
    page.rule({ ...plot, y }, mark === 0 ? MUTED : RULE, 0.5)
    const shown = format(mark)
    page.text([plot.x - 6 - widthOf(TICK.face, TICK.size, shown), y + 2.5], TICK, `${shown} `)
  }
  const step = plot.width / Math.max(1, labels.length)
  if (shape === 'bars') drawBars(page, series, { plot, step, heightOf })
  else drawLine(page, sums, { plot, step, heightOf })
  drawLabels(page, labels, { plot, step })
}

type Scale = { plot: Box; step: number; heightOf: (value: number) => number }

function drawBars(page: Page, series: readonly Series[], { plot, step, heightOf }: Scale): void {
  const width = Math.min(step * 0.72, 40)
  const bottoms: number[] = []
  for (const { ink, values } of series) {
    for (const [index, value] of values.entries()) {
      const bottom = bottoms[index] ?? plot.y + plot.height
      const height = heightOf(value)
      if (height > 0) {
        const x = plot.x + index * step + (step - width) / 2
        page.rectangle({ x, y: bottom - height, width, height }, ink)
      }
      bottoms[index] = bottom - height
    }
  }
}

function drawLine(page: Page, values: readonly number[], { plot, step, heightOf }: Scale): void {
  const bottom = plot.y + plot.height
  const points = values.map((value, index): Point => [plot.x + (index + 0.5) * step, bottom - heightOf(value)])
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return
  page.area([[first[0], bottom], ...points, [last[0], bottom]], GREY_GROUND)
  page.line(points, ACCENT, 1.2)
}

/** Draws as many labels as fit, each centred under its value. */
function drawLabels(page: Page, labels: readonly string[], { plot, step }: Omit<Scale, 'heightOf'>): void {
  const widest = Math.max(1, ...labels.map((label) => widthOf(TICK.face, TICK.size, label)))
  const every = Math.max(1, Math.ceil((widest + 8) / step))
  for (let index = 0; index < labels.length; index += every) {
    const label = labels[index] ?? ''
    const middle = plot.x + (index + 0.5) * step
    const half = widthOf(TICK.face, TICK.size, label) / 2
    const x = Math.min(Math.max(middle - half, plot.x), plot.x + plot.width - 2 * half)
    page.text([x, plot.y + plot.height + 11], TICK, `${label} `)
  }
}

/** Returns marks from 0 to the first that is not below the largest value. */
export function axisMarks(most: number, isWhole: boolean): number[] {
  if (most <= 0) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / MARKS))
  const rounded = STEPS.map((step) => step * power).find((step) => step * MARKS >= most) ?? 10 * power
  const step = isWhole ? Math.max(1, Math.ceil(rounded)) : rounded
  const marks = [0]
  // Multiplied instead of added up, so that rounding errors do not grow.
  for (let index = 1; (marks.at(-1) ?? 0) < most; index++) marks.push(Number((index * step).toPrecision(12)))
  return marks
}

const MARKS = 5
const STEPS = [1, 2, 2.5, 5, 10]
