// The address of the calls that a figure counts, for roles and tiers that have the list with its filters.
import { inOrganisation, seesAllCalls } from '../session.ts'
import type { AnalyticsQuery } from './analytics-query.ts'
import { isoDay } from '../../text/day.ts'

type Members = Readonly<Record<string, string>>

/** Returns the address with these parameters, without empty ones; null if there is no such list. */
export function callsWith(members: Members): string | null {
  if (!seesAllCalls()) return null
  const given = Object.entries(members).filter(([, value]) => value !== '')
  return inOrganisation(`/app/calls?${new URLSearchParams(given).toString()}`)
}

/** Returns the address of the calls of a query. @param narrowed further parameters, which replace those of the query */
export const callsPath = ({ start, end, model, key, useCase }: AnalyticsQuery, narrowed: Members = {}): string | null =>
  callsWith({ from: start, to: end, model, key, use_case: useCase, ...narrowed })

/** Returns the address of the calls of one day or month, of a month only the days that the query has. */
export function callsPathOn(query: AnalyticsQuery, date: string | null): string | null {
  if (date === null) return callsPath(query)
  const isDay = date.length > 'YYYY-MM'.length
  const [first, last] = isDay ? [date, date] : [`${date}-01`, lastDayOf(date)]
  return callsPath(query, { from: first > query.start ? first : query.start, to: last < query.end ? last : query.end })
}

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return isoDay(Date.UTC(year, number, 0))
}
