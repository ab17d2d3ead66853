// Gives a test run a folder of its own, deleted afterwards, in memory if there is space. A runtime waits for the disk at every
// commit, and most of a run is commits.
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const ROOM_NEEDED_BYTES = 4 * 1024 ** 3

const HOUR_MS = 3_600_000
const NAME = 'countersign-tests-'

/** Returns the folder's path. It is removed when this process ends, or by the next run if this one is killed. */
export function makeTemporaryFolder(): string {
  const parent = hasRoom() ? IN_MEMORY : tmpdir()
  removeAbandoned(parent)
  const folder = mkdtempSync(join(parent, `${NAME}${process.pid}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Removes the folders of runs that were killed: their process, which is in the name, is gone. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(NAME) ? Number(name.slice(NAME.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(pid) && !isRunning(pid)) removeOld(join(parent, name))
  }
}

/** Spares a folder that is younger than the longest run: its process may be one that this system cannot see. Ignores that of another user. */
function removeOld(folder: string): void {
  try {
    if (Date.now() - statSync(folder).mtimeMs < HOUR_MS) return
    rmSync(folder, { recursive: true, force: true })
  } catch {
    return
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= ROOM_NEEDED_BYTES
  } catch {
    return false
  }
}
