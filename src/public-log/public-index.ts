// Opens the shards of the public log's index, in the European Union.
import { objectOpener } from '../platform/open-object.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import type { IndexEntry } from './batches.store.ts'
import { shardOf, type IndexedPlace } from './index.store.ts'
import type { PublicLogIndex } from './public-log-index.do.ts'

export type PublicIndex = {
  /** Inserts into one shard. Returns how many of these have another position there. */
  insertEntries(shard: number, entries: readonly IndexEntry[]): Promise<number>
  findPosition(attestationId: Uint8Array): Promise<number | null>
  /** Returns the position in the source's log too. */
  findPlace(attestationId: Uint8Array): Promise<IndexedPlace | null>
}

export function openPublicIndex(
  namespace: DurableObjectNamespace<PublicLogIndex>,
  jurisdictions: boolean,
): PublicIndex {
  const open = objectOpener(namespace, jurisdictions)
  const region = EUROPEAN_REGIONS[0]
  const openShard = (shard: number) => open({ name: `shard-${shard.toString(16)}`, isEuropean: true, region })
  return {
    insertEntries: async (shard, entries) => openShard(shard).insertEntries(entries),
    findPosition: async (attestationId) => openShard(shardOf(attestationId)).findPosition(attestationId),
    findPlace: async (attestationId) => openShard(shardOf(attestationId)).findPlace(attestationId),
  }
}
