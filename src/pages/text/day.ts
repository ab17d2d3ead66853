// Days as addresses and the API have them: `YYYY-MM-DD`, in UTC.

const DAY = /^\d{4}-\d\d-\d\d$/

export const DAY_MS = 86_400_000

/** Returns the day that is so many days from today. */
export const dayFromToday = (days: number): string => isoDay(Date.now() + days * DAY_MS)

/** Returns the day that is so many days after another. @param day YYYY-MM-DD or longer */
export const dayAfter = (day: string, days: number): string => isoDay(Date.parse(day.slice(0, 10)) + days * DAY_MS)

/** Returns how many days a period has, the first and the last included. */
export const countDays = (start: string, end: string): number => (Date.parse(end) - Date.parse(start)) / DAY_MS + 1

export const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length)

/** Returns the last day that is whole within so many months, and within a year of 365 days. */
export function dayInMonths(months: number): string {
  const now = new Date()
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const end = Date.UTC(year, month, Math.min(now.getUTCDate(), last)) - DAY_MS
  return isoDay(Math.min(end, now.getTime() + 364 * DAY_MS))
}

/** Returns the text if it is a day that exists, else null. A year that is being typed is one of the first centuries: no day. */
export function dayIn(text: string | null): string | null {
  if (text === null || !DAY.test(text) || text < '2000') return null
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? text : null
}
