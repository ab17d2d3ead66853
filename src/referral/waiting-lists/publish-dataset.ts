// Publishing a file and going back to an earlier one. What answers are given from changes in one write, the last.
import type { FileRefusal } from './dataset.ts'
import { refuse } from './dataset.ts'
import { checkPublication } from './publication.policy.ts'
import { readPublishedFile } from './read-published-file.ts'
import { sha256Hex } from './sha256.ts'
import type { DatasetSource, DatasetVersion, Manifest } from './stored-version.schema.ts'
import { manifestOf, storedListsOf } from './stored-version.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

// KV takes many writes at once; more than a few only helps until the connection is full.
const WRITES_AT_ONCE = 8
const SHORTEST_HASH = 8

export interface Publication {
  bytes: Uint8Array<ArrayBuffer>
  /** `YYYY-MM-DD` */
  publishedOn: string
  /** `YYYY-MM-DD`; the latest archive date of the file when absent. */
  archiveDate?: string | undefined
  source: DatasetSource
  onProgress?: ((progress: PublishProgress) => void) | undefined
}

/** `done` of `total` writes; the last one is the pointer. */
export interface PublishProgress {
  step: 'file' | 'lists' | 'manifest' | 'pointer'
  done: number
  total: number
}

export type PublishOutcome =
  | { outcome: 'published'; manifest: Manifest; previous: DatasetVersion | null; warnings: string[] }
  | { outcome: 'refused'; line: number | null; reason: string }

export type RollbackOutcome =
  | { outcome: 'rolled_back'; version: DatasetVersion; previous: DatasetVersion | null }
  | { outcome: 'not_held' }
  | { outcome: 'ambiguous'; versions: DatasetVersion[] }
  | { outcome: 'file_missing'; version: DatasetVersion }
  | { outcome: 'unavailable' }

/**
 * Reads the file, and only if all of it is right writes it: the bytes to R2, the lists and the manifest to KV, the
 * pointer last. An interruption leaves the version served before; the same command can simply be run again.
 */
export async function publishDataset(store: WaitingListStore, publication: Publication): Promise<PublishOutcome> {
  const { bytes, publishedOn, archiveDate, source, onProgress } = publication
  const read = readPublishedFile(bytes, archiveDate)
  if (!read.ok) return refused(read)
  const { dataset } = read
  const check = checkPublication(dataset.archiveDate, publishedOn)
  if (!check.ok) return refused(refuse(null, check.reason))

  const version = { archiveDate: dataset.archiveDate, publishedOn, hash: await sha256Hex(bytes) }
  const manifest = manifestOf(dataset, version, source)
  const lists = storedListsOf(dataset, version)
  const previous = await servedVersion(store)
  const total = lists.length + 3
  let done = 0
  const wrote = (step: PublishProgress['step']): void => {
    done += 1
    onProgress?.({ step, done, total })
  }

  await store.saveFile(version.hash, bytes)
  wrote('file')
  for (let start = 0; start < lists.length; start += WRITES_AT_ONCE) {
    await Promise.all(
      lists.slice(start, start + WRITES_AT_ONCE).map(async ({ key, value }) => {
        await store.saveLists(key, value)
        wrote('lists')
      }),
    )
  }
  const manifestKey = await store.saveManifest(manifest)
  wrote('manifest')
  await store.savePointer({ format: 1, version, source, manifestKey })
  wrote('pointer')
  return { outcome: 'published', manifest, previous, warnings: check.warnings }
}

/**
 * Serves a version held from before.
 * @param hash its SHA-256, or the first 8 or more characters of it
 * @param archiveDate needed only when more than one archive date of the file is held
 */
export async function rollbackDataset(
  store: WaitingListStore,
  hash: string,
  archiveDate?: string,
): Promise<RollbackOutcome> {
  if (hash.length < SHORTEST_HASH) return { outcome: 'not_held' }
  const held = await store.listManifests()
  if (held === null) return { outcome: 'unavailable' }
  const matches = held.filter(
    ({ manifest: { version } }) =>
      version.hash.startsWith(hash.toLowerCase()) && (archiveDate === undefined || version.archiveDate === archiveDate),
  )
  const [match] = matches
  if (match === undefined) return { outcome: 'not_held' }
  if (matches.length > 1) return { outcome: 'ambiguous', versions: matches.map(({ manifest }) => manifest.version) }
  const { version, source } = match.manifest
  if (!(await store.hasFile(version.hash))) return { outcome: 'file_missing', version }
  const previous = await servedVersion(store)
  await store.savePointer({ format: 1, version, source, manifestKey: match.key })
  return { outcome: 'rolled_back', version, previous }
}

async function servedVersion(store: WaitingListStore): Promise<DatasetVersion | null> {
  const found = await store.findPointer()
  return found.outcome === 'ok' ? found.pointer.version : null
}

function refused({ line, reason }: FileRefusal): PublishOutcome {
  return { outcome: 'refused', line, reason }
}
