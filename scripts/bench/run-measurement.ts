// Runs a command with its help, its refusals and its own folder, which it removes at the end.
import { rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

export type Measurement = {
  help: string
  isHelpWanted: boolean
  /** Why the command cannot run with these options, or null. */
  refusal: string | null
  /** The kind of storage for the folder. By default the folder is in the system's temporary folder. */
  storage?: Storage
  run: (folder: string) => Promise<void>
}

/** A commit to databases in memory waits for nothing; one to databases on disk waits for the disk. */
export const STORAGES = ['memory', 'disk'] as const
export type Storage = (typeof STORAGES)[number]

/** Exits with 2 if it refuses. */
export async function runMeasurement({ help, isHelpWanted, refusal, storage, run }: Measurement): Promise<void> {
  if (isHelpWanted) return console.log(help)
  if (refusal !== null) {
    console.error(`${refusal}\n\n${help}`)
    process.exitCode = 2
    return
  }
  const folder = await mkdtemp(join(storage === undefined ? tmpdir() : await findParent(storage), PREFIX))
  process.setMaxListeners(MOST_LISTENERS)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ENDINGS) process.once(signal, () => process.exit(128 + constants.signals[signal]))
  await run(folder)
}

const PREFIX = 'countersign-measurement-'

/** The most listeners for the end of this process. Each started process and each folder adds one. */
const MOST_LISTENERS = 50

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Linux has a file system in memory at this path. */
const FOLDERS: Record<Storage, readonly string[]> = { memory: ['/dev/shm'], disk: [tmpdir(), '/var/tmp'] }

/** TMPFS_MAGIC of statfs(2). */
const IN_MEMORY = 0x01021994

async function findParent(storage: Storage): Promise<string> {
  for (const folder of FOLDERS[storage]) {
    const type = await statfs(folder).then(
      (found) => found.type,
      () => null,
    )
    if (type !== null && (type === IN_MEMORY) === (storage === 'memory')) return folder
  }
  throw new Error(`This system has no folder in ${storage} for databases. Choose another storage.`)
}
