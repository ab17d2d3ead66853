// The parts of one organisation's object that its features share. Each feature takes those that it needs.
import type { TiledLog } from '../tiles/tiled-log.ts'
import type { LeafReader } from './audit/leaf-reader.ts'
import type { AnomalyWatch } from './bias/look-for-anomalies.ts'
import type { Archive } from './journal/archive.ts'
import type { LogReader } from './journal/log-reader.ts'
import type { LogAnchors } from './publish/log-anchors.ts'
import type { ReceiptSubmitter } from './publish/submit-receipts.ts'
import type { Stores } from './stores.ts'
import type { Turns } from './turns.ts'
import type { UsageFollower } from './usage/follow-log.ts'

export type ObjectParts = {
  env: Cloudflare.Env
  sql: SqlStorage
  stores: Stores
  turns: Turns
  log: TiledLog
  archive: Archive
  logReader: LogReader
  /** A reader keeps what it has opened for as long as it lives. */
  newLeafReader: () => LeafReader
  submitter: ReceiptSubmitter
  anchors: LogAnchors
  usage: UsageFollower
  anomalies: AnomalyWatch
}
