// The tasks that an organisation's object runs by its alarm, and when each is due.
import type { KeysStore } from '../keys/keys.store.ts'
import { storeTiles, type TiledLog } from '../tiles/tiled-log.ts'
import { TILE_WIDTH } from '../evidence/tree/tiles.ts'
import { KEPT_AT_HAND_MS, type EntryArchiver, type ArchiveLimits } from './journal/archive-entries.ts'
import { EntriesStore } from './journal/entries.store.ts'
import { ProgressStore } from './journal/progress.store.ts'
import type { Outbox } from '../notifications/notify.ts'
import { DAY_MS, MINUTE_MS } from '../platform/time.ts'
import { settleInterruptedAndTell } from './admit/budget-alerts.ts'
import type { EndedApprovalsStore } from './approvals/ended-approvals.store.ts'
import type { MemberRightsStore } from './keys/member-rights.store.ts'
import { endOver, overAt } from './approvals/steps.ts'
import { AnomaliesStore } from './bias/anomalies.store.ts'
import { ANOMALIES_KEPT_DAYS } from './bias/look-for-anomalies.ts'
import { ExportsStore } from './export/exports.store.ts'
import { ReportsStore } from './compliance/compliance.store.ts'
import { hourCountsDueAt, writeHourCounts } from './admit/hour-counts.ts'
import type { IdempotencyStore } from './admit/idempotency.store.ts'
import type { Journal } from './journal/journal.ts'
import type { ReceiptSubmitter } from './publish/submit-receipts.ts'
import { UNSETTLED_MS } from './admit/settle-chat.ts'
import { settleInterrupted } from './admit/settle-reading.ts'
import { oldestOpenAt } from './journal/state/months.ts'
import { oldestOpenDay } from './journal/state/readings.ts'
import type { AlarmTask } from './object-alarm.ts'
import type { UsageFollower } from './usage/follow-log.ts'

/** The wait before details that could not be archived are tried again. */
const LEAVING_RETRY_MS = 15 * MINUTE_MS

export type TaskParts = {
  storage: DurableObjectStorage
  journal: Journal
  keys: KeysStore
  claims: IdempotencyStore
  endedApprovals: EndedApprovalsStore
  memberRights: MemberRightsStore
  log: TiledLog
  leaving: EntryArchiver
  submitter: ReceiptSubmitter
  outbox: Outbox
  usage: UsageFollower
  takeTurn: <T>(work: () => T) => T
}

export function alarmTasks(parts: TaskParts): AlarmTask[] {
  const { storage, journal, log, submitter, takeTurn } = parts
  const progress = new ProgressStore(storage.sql)
  return [
    {
      failure: 'readings_not_settled',
      dueAt: () => oldestAbandonedAt(journal),
      run: (now) => takeTurn(() => settleInterrupted(journal, now)),
    },
    {
      failure: 'chats_not_settled',
      dueAt: (now) => later(oldestOpenAt(journal.state.months), now, UNSETTLED_MS),
      run: (now) => takeTurn(() => settleInterruptedAndTell(parts, now)),
    },
    {
      failure: 'hour_not_counted',
      dueAt: () => hourCountsDueAt(journal),
      run: (now) => takeTurn(() => writeHourCounts({ journal: journal, keys: parts.keys }, now)),
    },
    {
      failure: 'approvals_not_ended',
      dueAt: (now) => overAt(parts, now),
      run: (now) => takeTurn(() => endOver(parts, now)),
    },
    { failure: 'receipts_not_submitted', dueAt: (now) => submitter.dueAt(now), run: () => submitter.submit() },
    {
      failure: 'tiles_not_stored',
      dueAt: (now) => (log.levels.tiledLeaves() + TILE_WIDTH <= journal.state.next ? now : null),
      run: async () => void (await storeTiles(log, journal.state.next)),
    },
    parts.usage.task(takeTurn),
    {
      failure: 'details_not_archived',
      retryMs: LEAVING_RETRY_MS,
      dueAt: (now) => cleansAt(progress, now),
      run: (now) => clean(parts, progress, now),
    },
  ]
}

/** Cleans once a day, one step each time the object wakes, so that no call waits long. */
async function clean(parts: TaskParts, progress: ProgressStore, now: number): Promise<void> {
  // The clock was ahead: a clean-up noted for a later time counts as done now.
  if (progress.read().cleanedAt > now) progress.write({ cleanedAt: now })
  if (cleansAt(progress, now) > now) return
  await parts.submitter.submit()
  // Tiles and counts come first, or entries that the newest tile completes would be archived a day later. Failures here are
  // another task's to report.
  await storeTiles(parts.log, parts.journal.state.next).catch(() => undefined)
  await parts.usage.answer(parts.takeTurn, () => undefined).catch(() => undefined)
  if (await parts.leaving.step(archiveLimits(parts, progress, now), now)) return
  parts.storage.transactionSync(() => {
    parts.claims.deleteOld(now)
    parts.endedApprovals.deleteOld(now)
    new ReportsStore(parts.storage.sql).deleteOld(now)
    parts.outbox.notices.deleteOld(now)
    new ExportsStore(parts.storage.sql).deleteOld(now)
    // Also those of a tier that has none any more.
    new AnomaliesStore(parts.storage.sql).deleteBefore(now - ANOMALIES_KEPT_DAYS * DAY_MS)
    progress.write({ cleanedAt: now })
  })
}

/** How far entries may leave. */
export function archiveLimits(
  {
    storage,
    journal,
    log,
    submitter,
    usage,
  }: Pick<TaskParts, 'storage' | 'journal' | 'log' | 'submitter'> & {
    usage: Pick<UsageFollower, 'countedTo'>
  },
  progress: ProgressStore,
  now: number,
): ArchiveLimits {
  const waiting = submitter.oldestWaiting()?.position ?? Infinity
  return {
    aged: agedTo(storage.sql, journal, progress.read().leftTo, now - KEPT_AT_HAND_MS),
    provable: Math.min(log.levels.tiledLeaves(), waiting, usage.countedTo()),
  }
}

/** Returns the first entry written after `until`. If the clock stepped back, earlier entries count for that time at most. */
function agedTo(sql: SqlStorage, { state }: Journal, leftTo: number, until: number): number {
  const entries = new EntriesStore(sql)
  const { runs } = state.clock
  const isAged = (position: number): boolean => {
    const at = entries.timeOf(position) ?? -Infinity
    return at <= until || runs.some((run) => run.position > position && run.at <= until)
  }
  let [low, high] = [leftTo, state.next]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAged(middle)) low = middle + 1
    else high = middle
  }
  return low
}

const cleansAt = (progress: ProgressStore, now: number): number => Math.min(progress.read().cleanedAt, now) + DAY_MS

const later = (since: number | null, now: number, ms: number): number | null =>
  since === null ? null : Math.min(since, now) + ms

/** Returns when the oldest open reading is abandoned: nothing settles it from the second day after its own. */
function oldestAbandonedAt({ state }: Journal): number | null {
  const day = oldestOpenDay(state.readings)
  return day === null ? null : (day + 2) * DAY_MS
}
