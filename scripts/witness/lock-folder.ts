// One witness at a time in a folder: two could cosign what contradicts each other. The lock is that of a database, which the
// operating system lets go of when its process ends, however that ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A database that nobody refers to would be closed, and its lock with it. */
const held = new Set<DatabaseSync>()

const BUSY = 5

/** The folder exists. Gives what unlocks it. Throws where another witness has it. */
export function lockFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    lock.close()
    if (!(thrown instanceof Error && 'errcode' in thrown && thrown.errcode === BUSY)) throw thrown
    throw new Error(`Another witness runs in ${folder}. Two with one key could cosign what contradicts each other.`, {
      cause: thrown,
    })
  }
  held.add(lock)
  return () => {
    if (held.delete(lock)) lock.close()
  }
}
