// Gives a test run a folder of its own, deleted afterwards, in memory if there is space. A runtime waits for the disk at every
// commit, and most of a run is commits.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const ROOM_NEEDED_BYTES = 4 * 1024 ** 3

/** Its path. It is removed when this process ends. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), 'countersign-tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= ROOM_NEEDED_BYTES
  } catch {
    return false
  }
}
