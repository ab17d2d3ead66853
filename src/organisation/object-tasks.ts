// Lists the tasks that an organisation's object runs by its alarm, and when each is due.
import { TILE_WIDTH } from '../evidence/tree/tiles.ts'
import { DAY_MS, MINUTE_MS } from '../platform/time.ts'
import { storeTiles } from '../tiles/store-tiles.ts'
import { settleAbandonedReadings } from './admit/admit-referral.ts'
import { settleInterruptedChatsAndAlert } from './admit/budget-alerts.ts'
import type { AnswerCacheStore } from './admit/answer-cache.store.ts'
import { hourCountsDueAt, writeHourCounts } from './admit/hour-counts.ts'
import { UNSETTLED_MS } from './admit/settle-chat.ts'
import { endDueApprovals, approvalsDueAt } from './approvals/approval-steps.ts'
import { AnomaliesStore } from './bias/anomalies.store.ts'
import { ANOMALIES_KEPT_DAYS } from './bias/anomaly-watch.ts'
import { ReportsStore } from './compliance/reports-and-statements.store.ts'
import { contentCleaningTask } from './content/clean-content.ts'
import { ErasureRun } from './erasure/erasure-run.ts'
import { archiveLimits, EntryArchiver } from './journal/archive-entries.ts'
import type { Journal } from './journal/journal.ts'
import { LogProgressStore } from './journal/log-progress.store.ts'
import { oldestOpenAt } from './journal/state/monthly-usage.ts'
import { oldestOpenDay } from './journal/state/readings.ts'
import type { AlarmTask } from './object-alarm.ts'
import type { ObjectParts } from './object-parts.ts'
import type { TakeTurn, Stores } from './organisation-stores.ts'
import { monthClosingTask } from './outcomes/close-concordance.ts'
import { dayClosingTask } from './usage/close-usage-days.ts'
import { noticeTask } from './notifications/notices.target.ts'
import { deliveryTask } from './notifications/webhook.target.ts'
import { CallIndexStore } from './usage/call-index.store.ts'
import { SearchBlocksStore } from './usage/search-blocks.store.ts'
import { NOTICES_KEPT_MS } from '../notifications/budget-notices.store.ts'
import { notify, wants } from '../notifications/notify.ts'

/** The wait before entries that could not be archived are tried again. */
const ARCHIVE_RETRY_MS = 15 * MINUTE_MS

/** Returns the current tasks: all of them, only the erasure while it runs, and none once it is completed. */
export function createTasks(parts: ObjectParts): () => readonly AlarmTask[] {
  const tasks = listTasks(parts)
  const { erasure } = parts.stores
  const erasureRun = createErasureRun(parts)
  return () => {
    const state = erasure.read()
    if (state === null) return tasks
    const erase: AlarmTask = {
      failure: 'erasure_not_done',
      dueAt: (now) => (state.state === 'running' ? now : state.dueAt),
      run: () => erasureRun.advance(),
    }
    return { scheduled: [...tasks, erase], running: [erase], completed: [] }[state.state]
  }
}

function createErasureRun({ env, storage, archiveParts, stores, log, submitter, turns }: ObjectParts): ErasureRun {
  const { erasure: state, journal, endedApprovals } = stores
  const { objectId } = archiveParts
  const { levels } = log
  return new ErasureRun({
    env,
    storage,
    objectId,
    state,
    journal,
    endedApprovals,
    levels,
    submitter,
    takeTurn: turns.take,
  })
}

function listTasks(parts: ObjectParts): AlarmTask[] {
  const { env, storage, sql, stores, log, archiveParts, submitter, usage, anomalies, anchors } = parts
  const { journal } = stores
  const takeTurn = parts.turns.take
  return [
    {
      failure: 'readings_not_settled',
      dueAt: () => oldestAbandonedAt(journal),
      run: (now) => takeTurn(() => settleAbandonedReadings(journal, now)),
    },
    {
      failure: 'chats_not_settled',
      dueAt: (now) => later(oldestOpenAt(journal.state.months), now, UNSETTLED_MS),
      run: (now) => takeTurn(() => settleInterruptedChatsAndAlert(stores, now)),
    },
    {
      failure: 'hour_not_counted',
      dueAt: () => hourCountsDueAt(journal),
      run: (now) => takeTurn(() => writeHourCounts(stores, now)),
    },
    monthClosingTask(stores, takeTurn),
    {
      failure: 'approvals_not_ended',
      dueAt: (now) => approvalsDueAt(stores, now),
      run: (now) => takeTurn(() => endDueApprovals(stores, now)),
    },
    { failure: 'receipts_not_submitted', dueAt: (now) => submitter.dueAt(now), run: () => submitter.submit() },
    {
      failure: 'tiles_not_stored',
      dueAt: (now) => (log.levels.tiledLeaves() + TILE_WIDTH <= journal.state.next ? now : null),
      run: async () => void (await storeTiles(log, journal.state.next)),
    },
    usage.task(takeTurn),
    cleaningTask(parts),
    dayClosingTask({ sql, journal, follower: usage, takeTurn }),
    anomalies.task(),
    anchors.task(),
    deliveryTask(env, stores, takeTurn),
    noticeTask(env, stores, takeTurn),
    cacheTask(stores.cache, takeTurn),
    contentCleaningTask({ storage, bucket: env.FILES, object: archiveParts.objectId, keys: stores.content }),
  ]
}

/** Archives entries and deletes what is old, once a day and one step each time the object wakes, so that no call waits long. */
function cleaningTask(parts: ObjectParts): AlarmTask {
  const { storage, sql, stores, log, archiveParts, submitter, usage, turns } = parts
  const { journal } = stores
  const progress = new LogProgressStore(sql)
  const archiver = new EntryArchiver({ ...archiveParts, retire: (before) => journal.moveOldestSnapshot(before) })
  return {
    failure: 'details_not_archived',
    retryMs: ARCHIVE_RETRY_MS,
    dueAt: (now) => cleaningDueAt(progress, now),
    async run(now) {
      // The clock was ahead: a clean-up noted for a later time counts as done now.
      if (progress.read().cleanedAt > now) progress.write({ cleanedAt: now })
      if (cleaningDueAt(progress, now) > now) return
      await submitter.submit()
      // Tiles and counts come first, or entries that the newest tile completes would be archived a day later. Other tasks report
      // failures of these.
      await storeTiles(log, journal.state.next).catch(() => undefined)
      await usage.answer(turns.take, () => undefined).catch(() => undefined)
      if (await archiver.step(archiveLimits({ storage, journal, log, submitter, usage }, progress, now), now)) return
      storage.transactionSync(() => {
        notifyOfExpiringKeys(stores, now)
        stores.claims.deleteOld(now)
        stores.costs.deleteBefore(journal.state.months.open.keys().next().value ?? journal.state.next)
        stores.endedApprovals.deleteOld(now)
        new ReportsStore(sql).deleteOld(now)
        new CallIndexStore(sql).deleteExpired(now)
        new SearchBlocksStore(sql).emptyExpired(now)
        stores.costs.deleteUnindexedCorrections()
        stores.outbox.notices.deleteOld(now)
        stores.outbox.members.deleteOld(now)
        stores.exports.deleteOld(now)
        stores.outcomes.deleteOld(now)
        // Also deletes anomalies if the current tier has none.
        new AnomaliesStore(sql).deleteBefore(now - ANOMALIES_KEPT_DAYS * DAY_MS)
        progress.write({ cleanedAt: now })
      })
    },
  }
}

/** Deletes cache entries within a day after they expired. No caller gets an expired one. */
const cacheTask = (cache: AnswerCacheStore, takeTurn: TakeTurn): AlarmTask => ({
  failure: 'cache_not_cleaned',
  dueAt() {
    const first = cache.firstExpiry()
    return first === null ? null : first + DAY_MS
  },
  run: (now) => takeTurn(() => cache.deleteExpired(now)),
})

const cleaningDueAt = (progress: LogProgressStore, now: number): number =>
  Math.min(progress.read().cleanedAt, now) + DAY_MS

const later = (since: number | null, now: number, ms: number): number | null =>
  since === null ? null : Math.min(since, now) + ms

/** Returns when the oldest open reading is abandoned: nothing settles it from the second day after its own. */
function oldestAbandonedAt({ state }: Journal): number | null {
  const day = oldestOpenDay(state.readings)
  return day === null ? null : (day + 2) * DAY_MS
}

const SOON_MS = 7 * DAY_MS

function notifyOfExpiringKeys({ keys, outbox }: Pick<Stores, 'keys' | 'outbox'>, now: number): void {
  if (!wants(outbox, 'key.expiring')) return
  for (const { id, prefix, expiresAt } of keys.listExpiring(SOON_MS, now)) {
    if (expiresAt === null || !outbox.notices.noteUnlessRecent(`expiring/${id}`, NOTICES_KEPT_MS, now)) continue
    const data = { key_id: id, prefix, expires_at: new Date(expiresAt).toISOString() }
    notify(outbox, { type: 'key.expiring', data }, now)
  }
}
