// What gathering for the checklist takes of the organisation's object.
import type { Archive } from '../journal/archive.ts'
import type { TiledLog } from '../../tiles/tiled-log.ts'
import type { AnomalyWatch } from '../bias/look-for-anomalies.ts'
import type { OwnLog } from '../journal/own-log.ts'
import type { Stores, TakeTurn } from '../stores.ts'
import type { ReceiptSubmitter } from '../publish/submit-receipts.ts'
import type { UsageFollower } from '../usage/follow-log.ts'

export type GatheringParts = {
  sql: SqlStorage
  stores: Stores
  archive: Archive
  ownLog: OwnLog
  log: TiledLog
  usage: UsageFollower
  anomalies: Pick<AnomalyWatch, 'lookIfDue'>
  submitter: Pick<ReceiptSubmitter, 'oldestWaiting'>
  /** Of whoever oversees the organisation. */
  takeTurn: TakeTurn
}
