// Reads the times (RFC 3339) in records, heads and key lists.

/** RFC 3339, section 5.6, including ranges; second 60 is a leap second. */
const TIMESTAMP =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$/

/**
 * Returns whole seconds since the epoch, without fractions; null unless RFC 3339 with an explicit offset. A day beyond its
 * month's end is well-formed and counts into the next month, as the format defines.
 * @see https://www.rfc-editor.org/rfc/rfc3339#section-5.6
 */
export function parseRfc3339(timestamp: unknown): number | null {
  const match = typeof timestamp === 'string' ? TIMESTAMP.exec(timestamp) : null
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1, 7).map(Number)
  const time = new Date(0)
  // Date.UTC would put the years 0 to 99 into the twentieth century.
  time.setUTCFullYear(year, month - 1, day)
  time.setUTCHours(hours, minutes, seconds)
  const [, , , , , , , sign, offsetHours, offsetMinutes] = match
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60
  return time.getTime() / 1000 - (sign === '-' ? -offset : offset)
}

/** Checks the form YYYY-MM-DDTHH:MM:SSZ only. Times in this form can be compared as text, as check-head-history.ts does. */
export const isPlainTime = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(value)

/** Returns milliseconds since the epoch of YYYY-MM-DDTHH:MM:SS.mmmZ, the form that the service writes; null for any other. */
export function parseExactTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return !Number.isNaN(time) && new Date(time).toISOString() === value ? time : null
}
