// Opens the objects of the public log, in the European Union: the one that writes it, and the shards of its index. Imports
// neither class, so that callers do not depend on the log's own code.
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import { objectOpener } from '../platform/durable-object.ts'
import type { TileCheckResult, TileCheckRequest } from '../tiles/check-tiles.ts'

export type SubmittedReceipt = {
  /** The leaf's position in its organisation's log; for an anchor, the size of that log. */
  position: number
  attestationId: string
  leafHash: Uint8Array
}

export type ReceiptBatch = {
  /** The opaque id of the sending object; for anchors, with `/anchors` appended. */
  source: string
  /** The position of the source's receipt before these; -1 if there is none. */
  after: number
  /** In order of position. */
  receipts: SubmittedReceipt[]
}

/** The position of the source's last receipt in the log. If it is below `after`, send the receipts between them first. */
export type IntakeProgress = { takenTo: number }

/** The positions of an attestation: in the public log, and in the log of its source. */
export type IndexedPositions = { position: number; origin: number }

export type IndexEntry = IndexedPositions & { attestationId: Uint8Array }

/** The calls of the object that writes the log. */
export interface PublicLogCalls extends Rpc.DurableObjectBranded {
  appendReceipts(batch: ReceiptBatch): IntakeProgress
  ensureHead(): Promise<void>
  restorePartialTiles(): Promise<void>
  checkTiles(wanted: TileCheckRequest): Promise<TileCheckResult>
}

export interface IndexShardCalls extends Rpc.DurableObjectBranded {
  insertEntries(entries: readonly IndexEntry[]): number
  findPosition(attestationId: Uint8Array): number | null
  findPlace(attestationId: Uint8Array): IndexedPositions | null
}

export type PublicIndex = {
  /** Inserts entries into one shard. Returns how many of them have another position there. */
  insertEntries(shard: number, entries: readonly IndexEntry[]): Promise<number>
  findPosition(attestationId: Uint8Array): Promise<number | null>
  /** Returns the positions in both logs; null if the public log does not have it. */
  findPlace(attestationId: Uint8Array): Promise<IndexedPositions | null>
}

export const INDEX_SHARDS = 16

/** The first four bits of an attestation's random id choose its shard. */
export const shardOf = (attestationId: Uint8Array): number => (attestationId[0] ?? 0) >> 4

const [REGION] = EUROPEAN_REGIONS

export const openPublicLog = (
  namespace: DurableObjectNamespace<PublicLogCalls>,
  jurisdictions: boolean,
): DurableObjectStub<PublicLogCalls> =>
  objectOpener(namespace, jurisdictions)({ name: 'public', isEuropean: true, region: REGION })

export function openPublicIndex(
  namespace: DurableObjectNamespace<IndexShardCalls>,
  jurisdictions: boolean,
): PublicIndex {
  const open = objectOpener(namespace, jurisdictions)
  const openShard = (shard: number) => open({ name: `shard-${shard.toString(16)}`, isEuropean: true, region: REGION })
  return {
    insertEntries: async (shard, entries) => openShard(shard).insertEntries(entries),
    findPosition: async (attestationId) => openShard(shardOf(attestationId)).findPosition(attestationId),
    findPlace: async (attestationId) => openShard(shardOf(attestationId)).findPlace(attestationId),
  }
}
