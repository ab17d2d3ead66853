// Closes each day of usage counts, one at a time: nothing is added to it later, and a log entry has its totals and the hash of
// its rows. So the totals can be verified when the details have expired. The same alarm task deletes the oldest counts.
import { DAY_MS } from '../../platform/time.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { Journal } from '../journal/journal.ts'
import { isOpenChat } from '../journal/state/monthly-usage.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { CallIndexStore } from './call-index.store.ts'
import { CountedDaysStore, DAYS_KEPT } from './counted-days.store.ts'
import { endAsInterrupted, endAsRefused } from './join-settlements.ts'
import { CLOSING_FORM, hashOfRows, totalOf } from './day-rows.ts'
import { Tally } from './tally.ts'
import type { UsageCounter } from './usage-counter.ts'
import { UsageStore } from './usage.store.ts'
import { UsageSumsStore } from './usage-sums.store.ts'

/** The entry is stored as long as the counts, and a month longer. */
export const CLOSING_ENTRY_DAYS = DAYS_KEPT + 31

/** A day is closed this many days after it began. Its calls are settled by then. */
const CLOSED_AFTER_DAYS = 2

const RETRY_MS = 15 * 60_000

type Parts = { sql: SqlStorage; journal: Journal; follower: UsageCounter; takeTurn: TakeTurn }

export function dayClosingTask({ sql, journal, follower, takeTurn }: Parts): AlarmTask {
  const countedDays = new CountedDaysStore(sql)
  const usage = new UsageStore(sql)
  const closesAt = (now: number): number | null => {
    const day = countedDays.firstOpen()
    if (day === null) return null
    const at = (day + CLOSED_AFTER_DAYS) * DAY_MS
    if (at > now) return at
    // A request that waits for a person keeps its day open, for eight days at most.
    const awaited = usage.listAwaitedThrough(day).map((id) => journal.state.approvals.get(id)?.expiresAt ?? at)
    return Math.max(at, ...awaited)
  }
  return {
    failure: 'usage_day_not_closed',
    retryMs: RETRY_MS,
    dueAt(now) {
      const times = [closesAt(now), countedDays.deletionDueAt()].filter((at) => at !== null)
      return times.length === 0 ? null : Math.min(...times)
    },
    async run(now) {
      if (isDue(closesAt(now), now)) {
        await follower.answer(takeTurn, () => {
          // Another day may be the first that is open by now.
          if (isDue(closesAt(now), now)) closeFirstDay({ sql, journal }, now)
        })
      } else if (isDue(countedDays.deletionDueAt(), now)) takeTurn(() => countedDays.deleteOld(now))
    },
  }
}

const isDue = (at: number | null, now: number): boolean => at !== null && at <= now

/**
 * Closes the first open day, unless one of its calls waits for a person. Throws if one of its calls is not settled. Call it in a
 * turn in which every entry is counted.
 */
function closeFirstDay({ sql, journal }: Pick<Parts, 'sql' | 'journal'>, now: number): void {
  const countedDays = new CountedDaysStore(sql)
  const [usage, sums] = [new UsageStore(sql), new UsageSumsStore(sql)]
  const first = countedDays.firstOpen()
  if (first === null) return
  if (usage.listAwaitedThrough(first).some((id) => journal.state.approvals.has(id))) return
  countUnsettled({ usage, index: new CallIndexStore(sql) }, journal, first)
  // An interrupted call may be the only one of an earlier day.
  const day = countedDays.firstOpen() ?? first
  const rows = countedDays.rowsOf(day)
  const { requests, cost_microeur } = totalOf(rows)
  const hash = hashOfRows(rows)
  countedDays.storeSums(day)
  const content = {
    v: CLOSING_FORM,
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    ...countedDays.spanOf(day),
    requests,
    further_records: sums.furtherRecords({ first: day, last: day })[0]?.records ?? 0,
    cost_microeur,
    // From `MOST_USE_CASES` on, nobody else can tell which use cases were counted together.
    use_cases: usage.names().countUseCases(),
    sha256: hash.toHex(),
  }
  const retentionDays = Math.max(planOf(journal.state.settings).retentionDays, CLOSING_ENTRY_DAYS)
  const position = journal.append({ kind: 'usage_closed', content, retentionDays }, now)
  countedDays.markClosed(day, position, hash)
  usage.writeProgress({ closedThrough: day })
}

/** Counts a call as interrupted if its settlement expired before it was counted, and as expired if the end of its approval did. */
function countUnsettled(
  { usage, index }: { usage: UsageStore; index: CallIndexStore },
  { state }: Journal,
  day: number,
): void {
  const tally = new Tally()
  for (const position of usage.listOpenThrough(day)) {
    if (isOpenChat(state.months, position)) throw new Error('a call of the day is not settled yet')
    const call = usage.takeOpen(position)
    if (call === null) continue
    const ended = call.approval === null ? endAsInterrupted(call) : endAsRefused(call, 'expired')
    tally.add({ ...call, ...ended })
    if (call.approval !== null) index.setEnding(position, 'expired')
  }
  usage.add(tally, usage.names())
}
