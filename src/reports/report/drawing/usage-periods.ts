// Usage over time: by day, or by month where there are many days. Pure.
import type { ComplianceReport } from '../report.schema.ts'
import { day, monthName } from './words.ts'

type Day = ComplianceReport['usage']['by_day'][number]

export type Counts = Omit<Day, 'date'>
/** `title`: of a row in a table, where a month that is not whole says so. */
export type Titled = { title: string; counts: Counts }
/** `label`: in a chart. */
export type Period = Titled & { label: string }

/** More days are too narrow to be told apart. */
const MOST_DAYS = 92

export const isByMonth = (days: readonly Day[]): boolean => days.length > MOST_DAYS

export function periodsOf(days: readonly Day[]): Period[] {
  if (!isByMonth(days)) {
    return days.map(({ date, ...counts }) => ({
      counts,
      label: `${Number(date.slice(8, 10))} ${monthName(date).slice(0, 3)}`,
      title: day(date),
    }))
  }
  return [...Map.groupBy(days, ({ date }) => date.slice(0, 7))].map(([month, members]) => ({
    counts: sumOf(members),
    label: `${monthName(month).slice(0, 3)} ${month.slice(2, 4)}`,
    title: titleOf(members),
  }))
}

export function sumOf(members: readonly Counts[]): Counts {
  const sum = { requests: 0, blocked: 0, suppressed: 0, failed: 0, cost_eur: 0 }
  for (const member of members) {
    sum.requests += member.requests
    sum.blocked += member.blocked
    sum.suppressed += member.suppressed
    sum.failed += member.failed
    // In millionths, the least that is counted: fractions of a float do not add up.
    sum.cost_eur = (Math.round(sum.cost_eur * 1e6) + Math.round(member.cost_eur * 1e6)) / 1e6
  }
  return sum
}

function titleOf(members: readonly Day[]): string {
  const [first, last] = [members[0]?.date ?? '', members.at(-1)?.date ?? '']
  const name = `${monthName(first)} ${first.slice(0, 4)}`
  const [from, to] = [Number(first.slice(8, 10)), Number(last.slice(8, 10))]
  const length = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 0)).getUTCDate()
  return from === 1 && to === length ? name : `${name}, ${from} to ${to}`
}
