// Reads the last calls, in as many looks at the log as it takes: repeats of requests that wait may lie between them.
import type { TrailPage, TrailQuery } from '../../organisation/audit/audit-trail.ts'

/** Some hundred thousand entries. */
const MOST_LOOKS = 10

/** Reads as many calls as the query's limit. `next` is null, or there is more that was not looked at. */
export async function readRecentCalls(
  readPage: (query: TrailQuery) => Promise<TrailPage>,
  query: TrailQuery,
): Promise<TrailPage> {
  const first = await readPage(query)
  const calls = [...first.calls]
  let { unreadable, next } = first
  for (let looks = 1; next !== null && calls.length < query.limit && looks < MOST_LOOKS; looks += 1) {
    const page = await readPage({ ...query, before: next, limit: query.limit - calls.length })
    calls.push(...page.calls)
    unreadable += page.unreadable
    next = page.next
  }
  return { calls, unreadable, next: calls.length < query.limit ? next : null }
}
