// Fills the index of the public log, all shards at once and each as far as it answers, so that it takes no longer than one
// of them may: what they lack is filled in the next time.
import { withinTime } from '../platform/clock.ts'
import type { BatchesStore, IndexEntry } from './batches.store.ts'
import { shardOf } from './index.store.ts'
import type { PublicIndex } from './public-index.ts'

type Filling = {
  batches: BatchesStore
  index: Pick<PublicIndex, 'insertEntries'>
  /** Of each shard, up to which size it has everything. */
  indexed: readonly number[]
}

/** How many leaves are looked through for a shard in one go. */
const LEAVES_AT_ONCE = 8192

const SHARD_TIME_LIMIT_MS = 5000

export type Filled = {
  /** Every shard has all of its own up to the size. */
  isComplete: boolean
  /** Shards that did not answer. */
  unreachable: number
  /** Attestations that are there at another position. */
  refused: number
  /** As the sizes are now. */
  indexed: number[]
}

export async function fillIndex({ batches, index, indexed }: Filling, size: number): Promise<Filled> {
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

/** How many were refused; null where the shard did not answer. */
async function tryInsert(
  index: Filling['index'],
  shard: number,
  entries: readonly IndexEntry[],
): Promise<number | null> {
  if (entries.length === 0) return 0
  try {
    return await withinTime(index.insertEntries(shard, entries), SHARD_TIME_LIMIT_MS)
  } catch {
    return null
  }
}
