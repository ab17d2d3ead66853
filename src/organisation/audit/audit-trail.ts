// Lists an organisation's calls that were made on given days and match a filter, newest first. A page takes bounded work and lets
// other calls run in between. So a page may have fewer calls than the limit, or none, although more follow.
import type { Journal } from '../journal/journal.ts'
import type { CallEnding, LoggedCall } from '../journal/call-pages.ts'
import type { LogReader } from '../journal/log-reader.ts'
import type { LeafReader } from './leaf-reader.ts'
import { positionsOfDays, type Days } from './find-positions.ts'

/** A null member matches any value. */
export type TrailFilter = {
  outcome: 'ALLOWED' | 'BLOCKED' | 'SUPPRESSED' | null
  model: string | null
  keyId: string | null
  useCase: string | null
}

/** `before`: the position that the previous page ended with; null for the first page. */
export type TrailQuery = { days: Days; filter: TrailFilter; before: number | null; limit: number }

export type TrailCall = LoggedCall & { ending: CallEnding }

/** `unreadable`: how many entries should be there but cannot be read. `next`: the `before` of the next page; null at the end. */
export type TrailPage = { calls: TrailCall[]; unreadable: number; next: number | null }

type Parts = { logReader: Pick<LogReader, 'pageCalls'>; reader: LeafReader; journal: Journal }

/** The most pages of log entries read for one page of the trail. Each has some hundred entries. */
const MOST_PAGES_READ = 48

/** Rejects if R2 fails; then retry. */
export async function readTrail(
  { logReader, reader, journal }: Parts,
  { days, filter, before, limit }: TrailQuery,
  now: number,
): Promise<TrailPage> {
  const { next: size } = journal.state
  const { first, end } = await positionsOfDays(reader, days, size, now)
  const start = Math.min(before ?? end, end)
  if (start <= first) return { calls: [], unreadable: 0, next: null }
  const callPager = logReader.pageCalls({ from: first, before: start, size }, now)
  const calls: TrailCall[] = []
  let unreadable = 0
  for (let pages = 1; ; pages += 1) {
    const page = await callPager.next()
    unreadable += page.unreadable
    for (const call of page.calls.filter((one) => matches(one, filter))) {
      calls.push({ ...call, ending: await callPager.endingOf(call) })
      if (calls.length === limit) return { calls, unreadable, next: nextAfter(call, first) }
    }
    if (page.next === null || pages === MOST_PAGES_READ) return { calls, unreadable, next: page.next }
    await scheduler.wait(0)
  }
}

const nextAfter = ({ decision: { position } }: LoggedCall, first: number): number | null =>
  position > first ? position : null

function matches({ record, facts }: LoggedCall, { outcome, model, keyId, useCase }: TrailFilter): boolean {
  return (
    (outcome === null || record.outcome === outcome) &&
    (model === null || record.model === model) &&
    (keyId === null || facts.key_id === keyId) &&
    (useCase === null || facts.use_case === useCase)
  )
}
