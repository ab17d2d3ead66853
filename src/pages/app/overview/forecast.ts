// What a month will cost if calls go on as in the last 7 days.
import type { Costs } from '../analytics/chart-data.ts'
import { dayAfter } from '../../text/day.ts'

export type CostOfDay = Pick<Costs['data'][number], 'date' | 'requests' | 'cost_eur'>

const DAYS = 7
/** Before it, the forecast is of little but the month before. */
const FIRST_DAY = 3

const sum = (days: readonly CostOfDay[]): number => days.reduce((before, { cost_eur: eur }) => before + eur, 0)

const isFrom = (first: string) => (one: CostOfDay) => one.date !== null && one.date >= first

/** @param today YYYY-MM-DD */
export const costOfMonth = (days: readonly CostOfDay[], today: string): number =>
  sum(days.filter(isFrom(`${today.slice(0, 7)}-01`)))

/**
 * Returns the cost so far, and for each day that remains the mean of the last 7 full days. Null before the third day of the month, or
 * if the first call is not 7 full days ago.
 * @param days every day since some time before both the month and those 7 days @param today YYYY-MM-DD
 */
export function expectedCost(days: readonly CostOfDay[], today: string): number | null {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  const first = dayAfter(today, -DAYS)
  const hasData = days.some(({ date, requests }) => date !== null && date <= first && requests > 0)
  if (day < FIRST_DAY || !hasData) return null
  const mean = sum(days.filter((one) => isFrom(first)(one) && one.date !== today)) / DAYS
  return costOfMonth(days, today) + mean * (new Date(Date.UTC(year, month, 0)).getUTCDate() - day)
}
