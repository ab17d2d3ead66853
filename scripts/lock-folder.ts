// Lets one process at a time into a folder. The lock is a database's: the operating system releases it however its process ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Keeps the databases referenced: one that is collected would be closed, and its lock with it. */
const held = new Set<DatabaseSync>()

const BUSY = 5

/** Returns the function that unlocks the folder, which must exist. Throws an Error with the text `busy` if another process has it. */
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
