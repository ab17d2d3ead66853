// Makes temporary folders for commands, also for databases in memory or on a disk. They are removed however the command ends.
import { rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './command-line.ts'

/** Storage for databases. In memory, a commit waits for nothing; on disk, it waits for the disk. */
type Storage = 'memory' | 'disk'

/** The folders to try. Linux has a file system in memory at /dev/shm. */
const FOLDERS: Readonly<Record<Storage, readonly string[]>> = { memory: ['/dev/shm'], disk: [tmpdir(), '/var/tmp'] }

/** TMPFS_MAGIC of statfs(2). */
const IN_MEMORY = 0x01021994

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The most listeners for the end of this process. Each started process and each folder adds one. */
const MOST_LISTENERS = 50

/** Makes a folder that is removed when this process ends. Returns its path. */
export async function makeTemporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'countersign-'))
  process.setMaxListeners(MOST_LISTENERS)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ENDINGS) process.once(signal, () => process.exit(128 + constants.signals[signal]))
  return folder
}

/** Makes a folder for databases in memory or on a disk. Throws UsageError for another kind of storage. */
export async function makeStorageFolder(storage: string): Promise<string> {
  if (storage !== 'memory' && storage !== 'disk') throw new UsageError('--storage needs memory or disk.')
  for (const parent of FOLDERS[storage]) {
    const type = await statfs(parent).then(
      (found) => found.type,
      () => null,
    )
    if (type !== null && (type === IN_MEMORY) === (storage === 'memory')) return makeTemporaryFolder(parent)
  }
  throw new Error(`This system has no folder in ${storage} for databases. Use another --storage.`)
}
