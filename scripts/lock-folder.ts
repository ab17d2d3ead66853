// One process at a time in a folder. The lock is that of a database, which the operating system lets go of when its process
// ends, however that ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A database that nobody refers to would be closed, and its lock with it. */
const held = new Set<DatabaseSync>()

const BUSY = 5

/** The folder exists. Gives what unlocks it. Throws an Error that says `busy` where another process has it. */
export function lockFolder(folder: string, busy: string): () => void {
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    lock.close()
    if (!(thrown instanceof Error && 'errcode' in thrown && thrown.errcode === BUSY)) throw thrown
    throw new Error(busy, { cause: thrown })
  }
  held.add(lock)
  return () => {
    if (held.delete(lock)) lock.close()
  }
}
