// Describes a chart in a sentence, for people who do not see it.
import { formatPercent, plural } from '../text/format.ts'
import { sumOfPoint, type Point } from './chart-marks.ts'

type OverTime = {
  /** The sum: “1,204 requests”. */
  total: string
  points: readonly Point[]
  /** The noun for a point, in a sentence: “day”. */
  pointName: string
  format: (value: number) => string
}

/** Returns “1,204 requests from 1 Nov 2026 to 30 Nov 2026. Most on 14 Nov 2026: 96. 3 days without any.” */
export function describeOverTime({ total, points, pointName, format }: OverTime): string {
  const first = points.at(0)
  const last = points.at(-1)
  if (first === undefined || last === undefined) return `${total}.`
  if (first === last) return `${total} in all.`
  const over = `from ${first.name} to ${last.name}`
  const most = points.reduce((before, point) => (sumOfPoint(point) > sumOfPoint(before) ? point : before), first)
  if (sumOfPoint(most) === 0) return `${total} ${over}.`
  const without = points.filter((point) => sumOfPoint(point) === 0).length
  const peak = ` Most on ${most.name}: ${format(sumOfPoint(most))}.`
  return `${total} ${over}.${peak}${without > 0 ? ` ${plural(without, pointName)} without any.` : ''}`
}

type Shares = {
  rows: readonly { name: string; value: number }[]
  /** The noun for a row: “model”. */
  noun: string
  format: (value: number) => string
}

const NAMED = 2

/** Returns “gpt-5-mini €7.20, 62% of €11.50; claude-haiku €3.10, 27%; 3 more models.” Rows of zero are left out. */
export function describeShares({ rows, noun, format }: Shares): string {
  const counted = rows.filter(({ value }) => value > 0).toSorted((one, other) => other.value - one.value)
  const total = counted.reduce((sum, { value }) => sum + value, 0)
  if (total === 0) return 'Nothing in this time.'
  const named = counted.slice(0, NAMED).map(({ name, value }, at) => {
    const share = `${name} ${format(value)}, ${formatPercent(value / total)}`
    return at === 0 ? `${share} of ${format(total)}` : share
  })
  const rest = counted.length - named.length
  return `${[...named, ...(rest > 0 ? [plural(rest, `more ${noun}`)] : [])].join('; ')}.`
}

type FirstLine = { name: string; points: readonly Point[]; format: (value: number) => string }

/** Describes a chart's first line by its highest and last value: “Median: at most 1,204 ms, 14 Nov 2026; last 410 ms, …” */
export function describeFirstLine({ name, points, format }: FirstLine): string {
  const there = points.flatMap((point) => {
    const [value = null] = point.values
    return value === null ? [] : [{ name: point.name, value }]
  })
  const [first] = there
  const last = there.at(-1)
  if (first === undefined || last === undefined) return `${name}: nothing in this time.`
  const highest = there.reduce((before, point) => (point.value > before.value ? point : before), first)
  return `${name}: at most ${format(highest.value)}, ${highest.name}; last ${format(last.value)}, ${last.name}.`
}
