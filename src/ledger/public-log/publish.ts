// Brings the public log's leaves to its readers, one step at a time: leaves stored, head signed and stored, tiles, head
// served, index. Whatever step it breaks off at, the next call goes on from what is stored.
import type { Signer } from '../../attestation/attestation-keys.ts'
import type { PublicHead } from '../../attestation/tree-head.ts'
import type { Clock } from '../../platform/clock.ts'
import { TreeStore } from '../tree.store.ts'
import type { PublicLogFiles, ServedHead } from './files.store.ts'
import { fillIndex, type Filled } from './fill-index.ts'
import { HeadsStore } from './heads.store.ts'
import { IntakeStore } from './intake.store.ts'
import { ProgressStore } from './progress.store.ts'
import type { PublicIndex } from './public-index.ts'
import { signNextHead } from './sign-next-head.ts'
import { hashesOf, isFull, tilesBetween, widthAt } from '../log/tiles.ts'

export type PublicLogParts = {
  storage: Pick<DurableObjectStorage, 'sql' | 'sync'>
  files: PublicLogFiles
  index: PublicIndex
  /** Null where this deployment has no key. */
  signer: Signer | null
  clock: Clock
}

export type Published =
  | { outcome: 'published'; size: number; index: Filled }
  /** Leaves wait for a key that signs. */
  | { outcome: 'no_signing_key' }
  /** Somebody else has served a head meanwhile. */
  | { outcome: 'overtaken' }
  /**
   * Readers have a head that is not stored here, as after the database was taken back to an earlier moment. To go on would
   * be to sign a second history.
   */
  | { outcome: 'contradicts_served_head' }

/** Never runs twice at a time. Serves one head at most. Throws what the storage throws. */
export async function publish(log: PublicLogParts): Promise<Published> {
  const { sql } = log.storage
  const progress = new ProgressStore(sql)
  const heads = new HeadsStore(sql)
  const seen = await log.files.readHead()
  if (seen !== null && heads.rootAt(seen.head.tree_size) !== seen.head.root_hash) {
    return { outcome: 'contradicts_served_head' }
  }
  const stored = heads.newest()

  const isServed = stored !== null && progress.servedSize() === stored.tree_size
  const head = await signNextHead(log, stored === null || isServed)
  if (head === null) return { outcome: 'no_signing_key' }

  const hasTiles = progress.servedSize()
  await putTiles(log, hasTiles, head.tree_size)
  if (!isHead(seen, head) && !(await log.files.replaceHead(head, seen))) return { outcome: 'overtaken' }
  await deletePartialTiles(log, hasTiles, head.tree_size)
  if (hasTiles !== head.tree_size) progress.setServedSize(head.tree_size)
  const index = await fillIndex({ intake: new IntakeStore(sql), progress }, log.index, head.tree_size)
  return { outcome: 'published', size: head.tree_size, index }
}

/** The same signature, and so the same size and time. */
const isHead = (seen: ServedHead | null, head: PublicHead): boolean => seen?.head.signature === head.signature

async function putTiles({ storage, files }: PublicLogParts, from: number, to: number): Promise<void> {
  const tree = new TreeStore(storage.sql)
  await Promise.all(
    tilesBetween(from, to).map((tile) => files.putTile(tile, tree.hashesFrom(hashesOf(tile), tile.width))),
  )
}

/** Of the tiles that have become full. Whoever still has the head before then finds theirs in the full one. */
async function deletePartialTiles({ files }: PublicLogParts, from: number, to: number): Promise<void> {
  const filled = tilesBetween(from, to).filter((tile) => isFull(tile) && widthAt(tile, from) > 0)
  await Promise.all(filled.map((tile) => files.deletePartialTiles(tile)))
}
