// What was counted, as charts have it: how calls ended, by day, month, model or key.
import type { z } from 'zod'
import type { CostsSchema, RequestsRow, RequestsSchema } from '../../../management/analytics/analytics.schema.ts'
import type { Mark, Point } from '../../charts/marks.ts'
import { formatDay, formatMonth, formatShortDay, formatShortMonth } from '../../text/format.ts'

export type Requests = z.infer<typeof RequestsSchema>
export type Costs = z.infer<typeof CostsSchema>

/** Seven endings in four marks: the table of a page has all seven. */
export const ENDINGS = [
  { name: 'Answered', style: 1, of: ['completed', 'cached'] },
  { name: 'Not finished', style: 4, of: ['failed', 'cancelled', 'interrupted'] },
  { name: 'Blocked', style: 3, of: ['blocked'] },
  { name: 'Suppressed', style: 2, of: ['suppressed'] },
] as const satisfies readonly (Mark & { of: readonly (keyof RequestsRow)[] })[]

export const endingValues = (row: Pick<RequestsRow, (typeof ENDINGS)[number]['of'][number]>): number[] =>
  ENDINGS.map(({ of }) => of.reduce((sum, ending) => sum + row[ending], 0))

/** A day (2026-11-20), a month (2026-11), or null for all of it. */
export function pointOf(date: string | null, values: Point['values']): Point {
  if (date === null) return { name: 'All of it', values }
  return date.length > 'YYYY-MM'.length
    ? { name: formatDay(date), short: formatShortDay(date), values }
    : { name: formatMonth(date), short: formatShortMonth(date), values }
}
