// Plans and publishes a waiting-list file, for the operator. Only the last write changes which version is served.
import { type FileRefusal, type DatasetKind, refuse } from './dataset.ts'
import {
  type DatasetVersion,
  type Manifest,
  type DatasetSource,
  type Pointer,
  type StoredLists,
  manifestOf,
  storedListsOf,
} from './stored-version.ts'
import { type ConcernKind, type Concern, findConcerns, missingSmallNames } from './version-changes.policy.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'
import { decideKind, checkPublication, titleFault } from './publication.policy.ts'
import { readPublishedFile } from './read-published-file.ts'
import { sha256Hex } from '../../platform/sha256.ts'

// KV takes many writes at once; more than a few only help until the connection is full.
const WRITES_AT_ONCE = 8

export interface Publication extends FileToPublish {
  /** The unusual facts that the operator accepts. */
  accept?: readonly ConcernKind[] | undefined
  onProgress?: ((progress: PublishProgress) => void) | undefined
}

/** `done` of `total` writes; the last one is the pointer. */
export interface PublishProgress {
  step: 'file' | 'lists' | 'manifest' | 'pointer'
  done: number
  total: number
}

export type PublishOutcome =
  | { outcome: 'published'; manifest: Manifest; served: Manifest | null; warnings: string[] }
  | { outcome: 'refused'; line: number | null; reason: string }
  | { outcome: 'not_accepted'; concerns: Concern[] }
  /** Another publication changed the served version meanwhile; `served` is the new one. */
  | { outcome: 'overtaken'; served: DatasetVersion | null }

/**
 * Reads the file and writes it only if all of it is valid. The bytes go to R2, the lists and manifest to KV, the pointer last. An
 * interruption leaves the earlier version served; run the same command again.
 */
export async function publishDataset(store: WaitingListStore, publication: Publication): Promise<PublishOutcome> {
  const plan = await planPublication(store, publication)
  if (!plan.ok) return refused(plan)
  const concerns = unacceptedConcerns(plan.concerns, publication.accept)
  if (concerns.length > 0) return { outcome: 'not_accepted', concerns }
  const overtaken = await writePlan(store, plan, publication)
  if (overtaken !== null) return overtaken
  const { manifest, served, warnings } = plan
  return { outcome: 'published', manifest, served, warnings }
}

export function unacceptedConcerns(concerns: readonly Concern[], accepted: readonly ConcernKind[] = []): Concern[] {
  return concerns.filter(({ accept }) => !accepted.includes(accept))
}

async function writePlan(
  store: WaitingListStore,
  { version, manifest, lists, pointer }: PublicationPlan,
  { bytes, onProgress }: Publication,
): Promise<Extract<PublishOutcome, { outcome: 'overtaken' }> | null> {
  const total = lists.length + 3
  let done = 0
  const reportWrite = (step: PublishProgress['step']): void => {
    done += 1
    onProgress?.({ step, done, total })
  }

  await store.saveFile(version.hash, bytes)
  reportWrite('file')
  for (let start = 0; start < lists.length; start += WRITES_AT_ONCE) {
    await Promise.all(
      lists.slice(start, start + WRITES_AT_ONCE).map(async ({ key, value }) => {
        await store.saveLists(key, value)
        reportWrite('lists')
      }),
    )
  }
  const manifestKey = await store.saveManifest(manifest)
  reportWrite('manifest')
  // Another publication may have changed the pointer since this file was compared with the served version.
  const found = await store.lookUpPointer()
  const now = found.outcome === 'ok' ? found.pointer : null
  if (now?.manifestKey !== pointer?.manifestKey) return { outcome: 'overtaken', served: now?.version ?? null }
  await store.savePointer({ format: 1, version, source: manifest.source, manifestKey })
  reportWrite('pointer')
  return null
}

function refused({ line, reason }: FileRefusal): PublishOutcome {
  return { outcome: 'refused', line, reason }
}

export interface FileToPublish {
  bytes: Uint8Array
  /** The file's name at its source, which may say what it counts. */
  fileName?: string | undefined
  /** `YYYY-MM-DD` */
  publishedOn: string
  /** `YYYY-MM-DD`: a publication date cannot be later. */
  today: string
  /** `YYYY-MM-DD`; the latest archive date of the file if absent. */
  archiveDate?: string | undefined
  /** The kind of the figures. Required if they are not of outpatients and no name says so. */
  kind?: DatasetKind | undefined
  source: Omit<DatasetSource, 'kind'>
}

export interface PublicationPlan {
  ok: true
  version: DatasetVersion
  manifest: Manifest
  lists: { key: string; value: StoredLists }[]
  /** The version that was served when the plan was made; null if none was. */
  pointer: Pointer | null
  served: Manifest | null
  /** Concerns that the operator must accept by name before publication. */
  concerns: Concern[]
  warnings: string[]
}

export async function planPublication(
  store: WaitingListStore,
  file: FileToPublish,
): Promise<PublicationPlan | FileRefusal> {
  const { bytes, publishedOn, today, archiveDate, source } = file
  const read = readPublishedFile(bytes, archiveDate)
  if (!read.ok) return read
  const { dataset } = read
  const check = checkPublication({ archiveDate: dataset.archiveDate, publishedOn, today })
  if (!check.ok) return refuse(null, check.reason)
  const fault = titleFault(source.title)
  if (fault !== null) return refuse(null, fault)
  const names = [file.fileName ?? '', source.title, source.url ?? '']
  const decided = decideKind({ declared: file.kind, layout: dataset.layout, names })
  if (!decided.ok) return refuse(null, decided.reason)

  const version = { archiveDate: dataset.archiveDate, publishedOn, hash: sha256Hex(bytes) }
  const manifest = manifestOf(dataset, version, { ...source, kind: decided.kind })
  const found = await store.lookUpPointer()
  const pointer = found.outcome === 'ok' ? found.pointer : null
  // Null if nothing is served or the served version cannot be read; publishing again then repairs it.
  const served = pointer === null ? null : await store.readManifest(pointer)
  const previous = await findPrevious(store, manifest, served)
  if (previous === 'unavailable') return refuse(null, NOT_COMPARABLE)
  return {
    ok: true,
    version,
    manifest,
    lists: storedListsOf(dataset, version),
    pointer,
    served,
    concerns: findConcerns(manifest, previous, dataset),
    warnings: [...check.warnings, ...warningsOf(missingSmallNames(manifest, previous, dataset))],
  }
}

const warningsOf = (few: readonly string[]): string[] =>
  few.length === 0
    ? []
    : [`Missing, with so few people before that the publisher may have moved them: ${few.join('; ')}.`]

const NOT_COMPARABLE = 'The storage does not answer, so the file cannot be compared with what is held. Try again.'

/** Returns the previous version: the served one if it has the same kind and publisher, else the last saved. */
async function findPrevious(
  store: WaitingListStore,
  { source }: Manifest,
  served: Manifest | null,
): Promise<Manifest | null | 'unavailable'> {
  const isAlike = (other: Manifest): boolean =>
    other.source.kind === source.kind && other.source.publisher === source.publisher
  if (served !== null && isAlike(served)) return served
  const held = await store.listStored()
  if (held === null) return 'unavailable'
  for (const version of held) {
    const manifest = await store.findManifest(version.key)
    if (manifest !== null && isAlike(manifest)) return manifest
  }
  return null
}
