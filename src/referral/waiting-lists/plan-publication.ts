// Plans a publication: reads the file whole, checks it, compares it with the version it follows. Writes nothing.
import type { DatasetKind } from './dataset.ts'
import { type FileRefusal, refuse } from './dataset.ts'
import { decideKind } from './kind.policy.ts'
import { checkPublication, titleFault } from './publication.policy.ts'
import { readPublishedFile } from './read-published-file.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { DatasetSource, DatasetVersion, Manifest, Pointer, StoredLists } from './stored-version.schema.ts'
import { manifestOf, storedListsOf } from './stored-version.ts'
import { type Concern, concernsOf, fewMissing } from './succession.policy.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

export interface FileToPublish {
  bytes: Uint8Array<ArrayBuffer>
  /** The name of the file at its source, which may tell what it counts. */
  fileName?: string | undefined
  /** `YYYY-MM-DD` */
  publishedOn: string
  /** `YYYY-MM-DD`: a publication date cannot be later. */
  today: string
  /** `YYYY-MM-DD`; the latest archive date of the file when absent. */
  archiveDate?: string | undefined
  /** Needed for anything but outpatients if nothing else tells. */
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
  /** The manifest that answers come from now. */
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
    concerns: concernsOf(manifest, previous, dataset),
    warnings: [...check.warnings, ...warningsOf(fewMissing(manifest, previous, dataset))],
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
  const held = await store.listHeld()
  if (held === null) return 'unavailable'
  for (const version of held) {
    const manifest = await store.findManifest(version.key)
    if (manifest !== null && isAlike(manifest)) return manifest
  }
  return null
}
