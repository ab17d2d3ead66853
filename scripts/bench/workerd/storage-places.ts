// Where databases are kept in a run: in memory, where a commit waits for nothing, and on disk, where it waits for the disk.
import { rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const STORAGES = ['memory', 'disk'] as const
export type Storage = (typeof STORAGES)[number]

/** Linux's own file system in memory. */
const MEMORY_FOLDER = '/dev/shm'
const DISK_FOLDERS = [tmpdir(), '/var/tmp']

/** TMPFS_MAGIC of statfs(2). */
const IN_MEMORY = 0x01021994

export type StoragePlace = { storage: Storage; folder: string }

/** A new folder for each kind of storage this system has, gone when the process ends. Throws where it has none of them. */
export async function openStorages(wanted: readonly Storage[]): Promise<StoragePlace[]> {
  const places: StoragePlace[] = []
  for (const storage of wanted) {
    const parent = await findParent(storage)
    if (parent === null) continue
    const folder = await mkdtemp(join(parent, 'countersign-measurement-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    places.push({ storage, folder })
  }
  if (places.length === 0) throw new Error(`This system has no folder in ${wanted.join(' or ')} for the databases.`)
  return places
}

async function findParent(storage: Storage): Promise<string | null> {
  if (storage === 'memory') return (await isInMemory(MEMORY_FOLDER)) ? MEMORY_FOLDER : null
  for (const folder of DISK_FOLDERS) if (!(await isInMemory(folder))) return folder
  return null
}

async function isInMemory(folder: string): Promise<boolean> {
  return await statfs(folder).then(
    ({ type }) => type === IN_MEMORY,
    () => false,
  )
}
