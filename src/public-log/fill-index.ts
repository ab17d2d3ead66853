// Adds published leaves to the public log's index, all shards in parallel, so that a slow shard delays no other. If a shard does
// not answer, the next call adds its entries.
import { withTimeLimit } from '../platform/time.ts'
import type { LeafBatchesStore } from './leaf-batches.store.ts'
import { shardOf, type IndexEntry, type PublicIndex } from './public-log.client.ts'

type IndexFillParts = {
  batches: LeafBatchesStore
  index: Pick<PublicIndex, 'insertEntries'>
  /** For each shard, the size up to which it has all its entries. */
  indexed: readonly number[]
}

const LEAVES_AT_ONCE = 8192

const SHARD_TIME_LIMIT_MS = 5000

export type IndexFillResult = {
  /** True if every shard has all its entries up to the size. */
  isComplete: boolean
  /** How many shards did not answer. */
  unreachable: number
  /** How many attestations the index has at another position. */
  refused: number
  indexed: number[]
}

export async function fillIndex({ batches, index, indexed }: IndexFillParts, size: number): Promise<IndexFillResult> {
  const filled = { isComplete: true, unreachable: 0, refused: 0, indexed: [...indexed] }
  const behind = [...indexed.entries()].filter(([, has]) => has < size)
  const groups = [...Map.groupBy(behind, ([, has]) => has)]
  const tasks = groups.flatMap(([from, shards]) => {
    const end = Math.min(size, from + LEAVES_AT_ONCE)
    const entries = Map.groupBy(batches.listEntries(from, end), ({ attestationId }) => shardOf(attestationId))
    return shards.map(([shard]) => fillShard(shard, entries.get(shard) ?? [], end))
  })
  await Promise.all(tasks)
  return filled

  async function fillShard(shard: number, entries: readonly IndexEntry[], end: number): Promise<void> {
    const refused = await tryInsert(index, shard, entries)
    if (refused === null) filled.unreachable += 1
    else filled.indexed[shard] = end
    filled.isComplete &&= refused !== null && end === size
    filled.refused += refused ?? 0
  }
}

/** Returns how many entries were refused; null if the shard did not answer. */
async function tryInsert(
  index: IndexFillParts['index'],
  shard: number,
  entries: readonly IndexEntry[],
): Promise<number | null> {
  if (entries.length === 0) return 0
  try {
    return await withTimeLimit(index.insertEntries(shard, entries), SHARD_TIME_LIMIT_MS)
  } catch {
    return null
  }
}
