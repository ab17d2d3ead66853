// Gives a test run a folder of its own, deleted afterwards, in memory if there is space. A runtime waits for the disk at every
// commit, and most of a run is commits.
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const ROOM_NEEDED_BYTES = 4 * 1024 ** 3

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
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(parent, name), { recursive: true, force: true })
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
