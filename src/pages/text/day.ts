// Days as addresses and the API have them: `YYYY-MM-DD`, in UTC.

const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns the text if it is a day that exists, else null. A year that is being typed is one of the first centuries: no day. */
export function dayIn(text: string | null): string | null {
  if (text === null || !DAY.test(text) || text < '2000') return null
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? text : null
}
