// Closes the days that are over, one at a time: nothing is added to them after that, and an entry of the log has each day's
// totals. So the totals can be shown to be right when the details have gone.
import { DAY_MS } from '../../platform/time.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { Journal } from '../journal/journal.ts'
import { isOpenChat } from '../journal/state/months.ts'
import type { TakeTurn } from '../stores.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { ClosedDaysStore, DAYS_KEPT } from './closed-days.store.ts'
import { endedUnknown } from './call-counter.ts'
import { NO_SUMS, SUM_NAMES, Tally, type DayRow, type Sums } from './tally.ts'
import type { UsageFollower } from './follow-log.ts'
import { UsageStore } from './usage.store.ts'
import type { Json } from '../../evidence/records/canonical-json.ts'
import { byCodeUnits } from '../../evidence/records/record.ts'
import { sha256 } from '../../platform/sha256.ts'

/** The entry is kept as long as the counts, and a month longer. */
export const ENTRY_KEPT_DAYS = DAYS_KEPT + 31

/** Calls that were admitted yesterday are settled by then. */
const CLOSED_AFTER_DAYS = 2

const RETRY_MS = 15 * 60_000

type Parts = { sql: SqlStorage; journal: Journal; follower: UsageFollower; takeTurn: TakeTurn }

export function closingTask({ sql, journal, follower, takeTurn }: Parts): AlarmTask {
  const closed = new ClosedDaysStore(sql)
  const closesAt = (): number | null => {
    const day = closed.firstOpen()
    return day === null ? null : (day + CLOSED_AFTER_DAYS) * DAY_MS
  }
  return {
    failure: 'usage_day_not_closed',
    retryMs: RETRY_MS,
    dueAt() {
      const times = [closesAt(), closed.oldFrom()].filter((at) => at !== null)
      return times.length === 0 ? null : Math.min(...times)
    },
    async run(now) {
      if (isDue(closesAt(), now)) {
        await follower.answer(takeTurn, () => {
          // Another day may be the first that is open by now.
          if (isDue(closesAt(), now)) closeFirstDay({ sql, journal }, now)
        })
      } else if (isDue(closed.oldFrom(), now)) takeTurn(() => closed.deleteOld(now))
    },
  }
}

const isDue = (at: number | null, now: number): boolean => at !== null && at <= now

/** Belongs in a turn in which every entry is counted. Throws where a call of the day is not settled. */
function closeFirstDay({ sql, journal }: Pick<Parts, 'sql' | 'journal'>, now: number): void {
  const closed = new ClosedDaysStore(sql)
  const usage = new UsageStore(sql)
  const first = closed.firstOpen()
  if (first === null) return
  countUnsettled(usage, journal, first)
  // A call that was cut off may be the only one of an earlier day.
  const day = closed.firstOpen() ?? first
  const rows = closed.rowsOf(day)
  const { requests, cost_microeur } = totalOf(rows)
  const hash = hashOfRows(rows)
  closed.fold(day)
  const content = {
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    ...closed.spanOf(day),
    requests,
    cost_microeur,
    sha256: hash.toHex(),
  }
  const retentionDays = Math.max(planOf(journal.state.settings).retentionDays, ENTRY_KEPT_DAYS)
  const position = journal.append({ kind: 'usage_closed', content, retentionDays }, now)
  closed.markClosed(day, position, hash)
  usage.writeProgress({ closedThrough: day })
}

/** A decision whose settlement was gone before it was counted counts as one that was cut off. */
function countUnsettled(usage: UsageStore, { state }: Journal, day: number): void {
  const tally = new Tally()
  for (const position of usage.listOpenThrough(day)) {
    if (isOpenChat(state.months, position)) throw new Error('a call of the day is not settled yet')
    const call = usage.takeOpen(position)
    if (call !== null) tally.add({ ...call, ...endedUnknown(call) })
  }
  usage.add(tally, usage.names())
}

const MEMBERS = ['ending', 'key_id', 'model', 'use_case', ...SUM_NAMES].toSorted(byCodeUnits)

/** Presents a day's counts in the one form that its hash is of. Rows in the order of key, model, use case and ending, none first: one JSON text that is canonical as it is. */
export function canonicalRows(rows: readonly DayRow[]): string {
  const sorted = rows.toSorted((a, b) => byCodeUnits(placeOf(a), placeOf(b)))
  return JSON.stringify(sorted.map(canonicalRow))
}

export const hashOfRows = (rows: readonly DayRow[]): Uint8Array => sha256(canonicalRows(rows))

export function totalOf(rows: readonly DayRow[]): Sums {
  const total = { ...NO_SUMS }
  for (const { sums } of rows) for (const name of SUM_NAMES) total[name] += sums[name]
  return total
}

function canonicalRow({ keyId, model, useCase, ending, sums }: DayRow): Record<string, Json> {
  const said: Record<string, Json> = { ending, key_id: keyId, model, use_case: useCase, ...sums }
  return Object.fromEntries(MEMBERS.map((name) => [name, said[name] ?? null]))
}

/** No name has such a character in it. */
const placeOf = ({ keyId, model, useCase, ending }: DayRow): string =>
  [keyId ?? '', model, useCase ?? '', ending].join('\u0000')
