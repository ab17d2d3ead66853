// Creates the parts of one organisation's object that its features share, such as stores, turns, log and archive. Each feature
// takes those that it needs.
import { readAnchorPeriodMs, readConfig } from '../platform/config.ts'
import { PublicLogFiles } from '../public-log/public-log-files.store.ts'
import { openPublicIndex, openPublicLog } from '../public-log/public-log.client.ts'
import { TileFiles } from '../tiles/tile-files.store.ts'
import { TileLevelsStore } from '../tiles/tile-levels.store.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import { LeafReader } from './audit/leaf-reader.ts'
import { AnomalyWatch } from './bias/anomaly-watch.ts'
import { describeBuild } from './coverage/build.ts'
import { Archive } from './journal/archive.ts'
import { DataKeysStore } from './journal/data-keys.store.ts'
import { LogReader } from './journal/log-reader.ts'
import { isOpenChat } from './journal/state/monthly-usage.ts'
import type { ObjectAlarm } from './object-alarm.ts'
import { findArchivedReceipt } from './publish/find-archived-receipt.ts'
import { LogAnchors } from './publish/log-anchors.ts'
import { ReceiptSubmitter } from './publish/submit-receipts.ts'
import { openStores } from './organisation-stores.ts'
import { Turns } from './turns.ts'
import { UsageCounter } from './usage/usage-counter.ts'

export type ObjectParts = ReturnType<typeof createObjectParts>

/** @param alarm called only after the parts are created */
export function createObjectParts({ storage, id }: DurableObjectState, env: Cloudflare.Env, alarm: () => ObjectAlarm) {
  const { sql } = storage
  const bucket = env.FILES
  const mirror = env.FILES_MIRROR ?? null
  const objectId = id.toString()
  const stores = openStores(sql, objectId, () => describeBuild(env))
  const { journal, entries, outbox } = stores
  const turns: Turns = new Turns({ storage, stores, alarm, growthDueAt: (now) => anchors.dueAfter(now) })

  const index = () => openPublicIndex(env.PUBLIC_LOG_INDEX, readConfig(env).jurisdictions)
  const openLog = () => openPublicLog(env.PUBLIC_LOG, readConfig(env).jurisdictions)
  const log: TiledLog = {
    levels: new TileLevelsStore(storage),
    files: new TileFiles({ bucket, mirror, prefix: `log/${objectId}/tile/` }),
    leaves: { read: (first, count) => entries.readHashes(first, count) },
  }
  const archiveParts = { storage, bucket, dataKeys: new DataKeysStore(sql, 'ledger'), objectId, log }
  const archive = new Archive(archiveParts)
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
  let anchorPeriodMs: number | null = null
  const periodMs = () => (anchorPeriodMs ??= readAnchorPeriodMs(env))
  const anchors = new LogAnchors({ storage, journal, entries, log, logId: objectId, periodMs, openLog, takeTurn })
  const usage = new UsageCounter({ sql, journal, archive })
  return {
    env,
    storage,
    sql,
    stores,
    turns,
    log,
    archiveParts,
    archive,
    logReader,
    /** Makes a reader. Each reader caches the sealed objects that it has opened. */
    newLeafReader: () => new LeafReader(archiveParts),
    submitter: new ReceiptSubmitter({ storage, source: objectId, openLog }),
    anchors,
    usage,
    anomalies: new AnomalyWatch({ sql, journal, follower: usage, outbox, takeTurn }),
  }
}
