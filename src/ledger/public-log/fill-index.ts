// Fills the index of the public log, each shard as far as it answers: one that does not must not keep the log from going on.
import { withinTime } from '../../platform/time-limit.ts'
import type { IndexEntry, IntakeStore } from './intake.store.ts'
import type { ProgressStore } from './progress.store.ts'
import { INDEX_SHARDS, shardOf, type PublicIndex } from './public-index.ts'

type Stores = { intake: IntakeStore; progress: ProgressStore }

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
}

export async function fillIndex({ intake, progress }: Stores, index: PublicIndex, size: number): Promise<Filled> {
  const filled = { isComplete: true, unreachable: 0, refused: 0 }
  const behind = [...progress.indexedSizes(INDEX_SHARDS).entries()].filter(([, indexed]) => indexed < size)
  for (const [from, shards] of Map.groupBy(behind, ([, indexed]) => indexed)) {
    const end = Math.min(size, from + LEAVES_AT_ONCE)
    const entries = Map.groupBy(intake.listAttestations(from, end), ({ attestationId }) => shardOf(attestationId))
    const tasks = shards.map(async ([shard]) => {
      const refused = await tryInsert(index, shard, entries.get(shard) ?? [])
      if (refused === null) filled.unreachable += 1
      else progress.setIndexedSize(shard, end)
      filled.isComplete &&= refused !== null && end === size
      filled.refused += refused ?? 0
    })
    await Promise.all(tasks)
  }
  return filled
}

/** How many were refused; null where the shard did not answer. */
async function tryInsert(index: PublicIndex, shard: number, entries: readonly IndexEntry[]): Promise<number | null> {
  if (entries.length === 0) return 0
  try {
    return await withinTime(index.insertEntries(shard, entries), SHARD_TIME_LIMIT_MS)
  } catch {
    return null
  }
}
