// Puts the parts of one organisation's object together: what its features share, and the alarm that does its tasks.
import { openPublicIndex, openPublicLog } from '../public-log/public-log.client.ts'
import { PublicLogFiles } from '../public-log/files.store.ts'
import { readAnchorPeriodMs, readConfig } from '../platform/config.ts'
import { TileFiles } from '../tiles/tile-files.store.ts'
import { TileLevelsStore } from '../tiles/tile-levels.store.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import { cacheTask } from './admit/cached-chat.ts'
import { LeafReader } from './audit/leaf-reader.ts'
import { AnomalyWatch } from './bias/look-for-anomalies.ts'
import { alarmTasks } from './alarm-tasks.ts'
import { contentTask } from './content/clean-content.ts'
import { ErasureRun } from './erasure/erasure-run.ts'
import { Archive } from './journal/archive.ts'
import { DataKeysStore } from './journal/data-keys.store.ts'
import { EntryArchiver } from './journal/archive-entries.ts'
import { LogReader } from './journal/log-reader.ts'
import { isOpenChat } from './journal/state/months.ts'
import type { ObjectParts } from './object-parts.ts'
import { findArchivedReceipt } from './publish/find-archived-receipt.ts'
import { LogAnchors } from './publish/log-anchors.ts'
import { ReceiptSubmitter } from './publish/submit-receipts.ts'
import { openStores, type Stores } from './stores.ts'
import { Turns } from './turns.ts'
import { ObjectAlarm, type AlarmTask } from './object-alarm.ts'
import { closingTask } from './usage/close-days.ts'
import { UsageFollower } from './usage/follow-log.ts'
import { deliveryTask } from './webhook/webhook.target.ts'

export function openObject(
  { storage, id }: DurableObjectState,
  env: Cloudflare.Env,
): { parts: ObjectParts; alarm: ObjectAlarm } {
  const { sql } = storage
  const bucket = env.FILES
  const mirror = env.FILES_MIRROR ?? null
  const ledger = id.toString()
  const stores = openStores(sql, ledger)
  const { journal, entries, outbox } = stores
  const turns: Turns = new Turns({
    storage,
    stores,
    alarm: () => alarm,
    growthDueAt: (now) => anchors.dueAfter(now),
  })

  const index = () => openPublicIndex(env.PUBLIC_LOG_INDEX, readConfig(env).jurisdictions)
  const openLog = () => openPublicLog(env.PUBLIC_LOG, readConfig(env).jurisdictions)
  const log: TiledLog = {
    levels: new TileLevelsStore(storage),
    files: new TileFiles({ bucket, mirror, prefix: `log/${ledger}/tile/` }),
    leaves: { read: (first, count) => entries.readHashes(first, count) },
  }
  const kept = { storage, bucket, dataKeys: new DataKeysStore(sql, 'ledger'), ledger, log }
  const archive = new Archive(kept)
  const publicFiles = new PublicLogFiles(bucket, mirror)
  const logReader = new LogReader({
    log,
    entries,
    archive,
    findArchived: (attestationId) =>
      findArchivedReceipt({ index: index(), publicFiles, log, size: () => journal.state.next }, attestationId),
    isOpen: (position) => isOpenChat(journal.state.months, position),
  })

  const takeTurn = turns.take
  const submitter = new ReceiptSubmitter({ storage, source: ledger, openLog })
  let anchorPeriodMs: number | null = null
  const periodMs = () => (anchorPeriodMs ??= readAnchorPeriodMs(env))
  const anchors = new LogAnchors({ storage, journal, entries, log, logId: ledger, periodMs, openLog, takeTurn })
  const usage = new UsageFollower({ sql, journal, archive })
  const anomalies = new AnomalyWatch({ sql, journal, follower: usage, outbox, takeTurn })
  const parts: ObjectParts = {
    env,
    sql,
    stores,
    turns,
    log,
    archive,
    logReader,
    newLeafReader: () => new LeafReader(kept),
    submitter,
    anchors,
    usage,
    anomalies,
  }

  const leaving = new EntryArchiver({ ...kept, retire: (before) => journal.retire(before) })
  const tasks = [
    ...alarmTasks({ ...stores, storage, log, leaving, submitter, usage, takeTurn }),
    closingTask({ sql, journal, follower: usage, takeTurn }),
    anomalies.task(),
    anchors.task(),
    deliveryTask(env, stores, takeTurn),
    cacheTask(stores.cache, takeTurn),
    contentTask({ storage, bucket, object: ledger, keys: stores.content }),
  ]
  const erasureRun = new ErasureRun({
    env,
    storage,
    ledger,
    state: stores.erasure,
    journal,
    endedApprovals: stores.endedApprovals,
    levels: log.levels,
    submitter,
    takeTurn,
  })
  const alarm: ObjectAlarm = new ObjectAlarm(storage, () => tasksNow(stores, erasureRun, tasks))
  return { parts, alarm }
}

/** Returns the erasure alone while it runs, and nothing once it is completed. */
function tasksNow(stores: Stores, erasureRun: ErasureRun, tasks: readonly AlarmTask[]): readonly AlarmTask[] {
  const erasure = stores.erasure.read()
  if (erasure === null) return tasks
  const erase: AlarmTask = {
    failure: 'erasure_not_done',
    dueAt: (now) => (erasure.state === 'running' ? now : erasure.dueAt),
    run: () => erasureRun.advance(),
  }
  return { scheduled: [...tasks, erase], running: [erase], completed: [] }[erasure.state]
}
