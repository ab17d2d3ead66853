// Rows by day and group as a chart has them: the three groups with the most each have a mark, the others one together.
import type { Mark, Point } from '../../charts/marks.ts'
import { STYLES } from '../../charts/marks.ts'
import { pointOf } from './counted.ts'

export type GroupRow = { date: string | null; group: string | null; value: number }

/** Rows under one name: what has none is one of them. */
export const NO_NAME = 'none named'

/** Each group with its sum, the largest first. */
export function sumsByGroup(rows: readonly GroupRow[]): { name: string; value: number }[] {
  const sums = new Map<string, number>()
  for (const { group, value } of rows) sums.set(group ?? NO_NAME, (sums.get(group ?? NO_NAME) ?? 0) + value)
  return [...sums].map(([name, value]) => ({ name, value })).toSorted((one, other) => other.value - one.value)
}

/** @param groups in the order of their marks: two charts of the same groups have the same marks */
export function chartByGroup(
  rows: readonly GroupRow[],
  groups: readonly string[],
  nameOf: (group: string) => string,
): { marks: Mark[]; points: Point[] } {
  const hasRest = groups.length > STYLES.length
  const own = groups.slice(0, hasRest ? STYLES.length - 1 : STYLES.length)
  const place = new Map(own.map((group, at) => [group, at]))
  const names = [...own.map(nameOf), ...(hasRest ? [`${groups.length - own.length} others`] : [])]
  const days = new Map<string | null, number[]>()
  for (const { date, group, value } of rows) {
    const values = days.get(date) ?? names.map(() => 0)
    const at = place.get(group ?? NO_NAME) ?? own.length
    values[at] = (values[at] ?? 0) + value
    days.set(date, values)
  }
  return {
    marks: STYLES.flatMap((style, at) => (names[at] === undefined ? [] : [{ name: names[at], style }])),
    points: [...days].map(([date, values]) => pointOf(date, values)),
  }
}
