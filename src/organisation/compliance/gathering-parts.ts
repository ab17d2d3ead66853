// What gathering for the checklist takes of the organisation's object.
import type { Archive } from '../../ledger/archive.ts'
import type { TiledLog } from '../../ledger/log/tiled-log.ts'
import type { AnomalyWatch } from '../bias/look-for-anomalies.ts'
import type { OwnLog } from '../own-log.ts'
import type { Stores, TakeTurn } from '../stores.ts'
import type { ReceiptSubmitter } from '../submit-receipts.ts'
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
