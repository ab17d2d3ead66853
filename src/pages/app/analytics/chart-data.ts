// Turns analytics rows into chart data: values by day or month, by outcome or by group (model, key or use case).
import { countIn, SHOWN_OUTCOMES, type Endings } from '../../../evidence/records/call-endings.ts'
import type { CostsSchema, RequestsSchema } from '../../../management/analytics/analytics.schema.ts'
import { areNeighbours } from '../../../organisation/usage/latency-histogram.ts'
import { type Mark, type MarkStyle, type Point, NEUTRAL_STYLES } from '../../charts/chart-marks.ts'
import {
  formatBound,
  formatDay,
  formatDayOfWeek,
  formatMilliseconds,
  formatMonth,
  formatShortDay,
  formatShortMonth,
} from '../../text/format.ts'
import type { Infer } from '../../../platform/once.ts'
import { shownDifference } from '../../../platform/shown-difference.ts'

export type Requests = Infer<typeof RequestsSchema>
export type Costs = Infer<typeof CostsSchema>

export const OUTCOME_MARKS: readonly Mark[] = SHOWN_OUTCOMES.map(({ says, style }) => ({ name: says, style }))

/** Returns the number of calls of each mark. */
export const outcomeValues = (row: Endings): number[] => SHOWN_OUTCOMES.map(({ name }) => countIn(row, name))

/** Makes a point for a day (2026-11-20), a month (2026-11), or null for the whole period. @param now says which has not ended yet */
export function pointOf(date: string | null, values: Point['values'], now = Date.now()): Point {
  if (date === null) return { name: 'All of it', values }
  const isDay = date.length > 'YYYY-MM'.length
  const isUnderWay = new Date(now).toISOString().startsWith(date)
  const soFar = isUnderWay && { soFar: isDay ? 'Today, so far' : 'This month, so far' }
  return isDay
    ? { name: formatDay(date), short: formatShortDay(date), values, ...soFar }
    : { name: formatMonth(date), short: formatShortMonth(date), values, ...soFar }
}

type Times = Requests['totals']['response_ms']
export type TimeKind = keyof NonNullable<Times>

type Format = (value: number) => string

/** `isSame`: true if two values differ by no more than is known of them. */
export type Figure = {
  value: number | null
  format: Format
  isSame?: (one: number, other: number) => boolean
}

export const textOf = ({ value, format }: Figure): string => (value === null ? '–' : format(value))

/** Returns a time as a figure. A mean is exact, a percentile is the upper bound of its bucket. */
export const timeOf = (times: Times | undefined, kind: TimeKind): Figure => ({
  value: times?.[kind] ?? null,
  ...(kind === 'mean' ? { format: formatMilliseconds } : { format: formatBound, isSame: areNeighbours }),
})

/** Returns “+14” or “−€0.20”: the difference of both figures as they are shown. @param format of both, and of the change if it has no other */
export function changeText(now: number, before: number, format: Format, formatChange: Format = format): string {
  const difference = shownDifference(now, before, format)
  return difference === 0 ? '–' : (difference > 0 ? '+' : '−') + formatChange(Math.abs(difference))
}

export type GroupRow = { date: string | null; group: string | null; value: number }

/** The name of the group of rows without a key, model or use case. */
export const NO_NAME = 'none named'

/** Returns each group with its sum, the largest first. */
export function sumsByGroup(rows: readonly GroupRow[]): { name: string; value: number }[] {
  const sums = new Map<string, number>()
  for (const { group, value } of rows) sums.set(group ?? NO_NAME, (sums.get(group ?? NO_NAME) ?? 0) + value)
  return [...sums].map(([name, value]) => ({ name, value })).toSorted((one, other) => other.value - one.value)
}

/** Makes a chart's data by group. @param groups in the order of their marks, so that charts use the same mark for a group */
export function chartByGroup(
  rows: readonly GroupRow[],
  groups: readonly string[],
  nameOf: (group: string) => string,
  styles: readonly MarkStyle[] = NEUTRAL_STYLES,
): { marks: Mark[]; points: Point[] } {
  const hasRest = groups.length > styles.length
  const shown = groups.slice(0, hasRest ? styles.length - 1 : styles.length)
  const indexOf = new Map(shown.map((group, at) => [group, at]))
  const names = [...shown.map(nameOf), ...(hasRest ? [`${groups.length - shown.length} others`] : [])]
  const days = new Map<string | null, number[]>()
  for (const { date, group, value } of rows) {
    const values = days.get(date) ?? names.map(() => 0)
    const at = indexOf.get(group ?? NO_NAME) ?? shown.length
    values[at] = (values[at] ?? 0) + value
    days.set(date, values)
  }
  return {
    marks: styles.flatMap((style, at) => (names[at] === undefined ? [] : [{ name: names[at], style }])),
    points: [...days].map(([date, values]) => pointOf(date, values)),
  }
}

const WEEK = 7

/** Returns the mean calls of each weekday, Monday first, of the days that have ended. None unless each weekday is there. */
export function callsByWeekday(
  rows: readonly Pick<Requests['data'][number], 'date' | 'requests'>[],
  today: string,
): { id: string; name: string; value: number }[] {
  const days = rows.flatMap(({ date, requests }) =>
    date === null || date.length < today.length || date >= today ? [] : [{ date, requests }],
  )
  if (days.length < WEEK) return []
  const weekdays = Map.groupBy(days, ({ date }) => (new Date(date).getUTCDay() + WEEK - 1) % WEEK)
  return Array.from({ length: WEEK }, (_, at) => {
    const those = weekdays.get(at) ?? []
    const name = formatDayOfWeek(those[0]?.date ?? today).split(' ')[0] ?? ''
    return { id: name, name, value: those.reduce((sum, { requests }) => sum + requests, 0) / those.length }
  })
}
