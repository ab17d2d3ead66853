// Lets only one process at a time use a folder. It uses a lock of SQLite, which the system releases however the process ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** References the databases, because a garbage-collected one would be closed and unlock its folder. */
const openLocks = new Set<DatabaseSync>()

const BUSY = 5

/** Locks an existing folder and returns the function that unlocks it. Throws an Error with the text `busy` if it is locked. */
export function lockFolder(folder: string, busy: string): () => void {
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    lock.close()
    if (!(thrown instanceof Error && 'errcode' in thrown && thrown.errcode === BUSY)) throw thrown
    throw new Error(busy, { cause: thrown })
  }
  openLocks.add(lock)
  return () => {
    if (openLocks.delete(lock)) lock.close()
  }
}
