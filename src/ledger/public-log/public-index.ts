// Where the shards of the public log's index are: in the European Union too.
import { objectOpener } from '../../platform/open-object.ts'
import { EUROPEAN_REGIONS } from '../../platform/regions.ts'
import type { IndexEntry } from './intake.store.ts'
import type { PublicLogIndex } from './public-log-index.do.ts'

/** By the first four bits of an attestation_id, which are random. */
export const INDEX_SHARDS = 16

export const shardOf = (attestationId: Uint8Array): number => (attestationId[0] ?? 0) >> 4

export type PublicIndex = {
  /** Into one shard. Says how many of these are there at another position. */
  insertEntries(shard: number, entries: readonly IndexEntry[]): Promise<number>
  findPosition(attestationId: Uint8Array): Promise<number | null>
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
  }
}
