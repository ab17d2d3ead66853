// Answers the queries for specialties, waiting lists, versions and published files. Outcomes are values. Nothing here computes,
// ranks or sorts a figure.
import type { Infer } from '../../platform/once.ts'
import { cannotEstablishOfAnswer, cannotEstablishOfList } from './cannot-establish.ts'
import { AppError } from '../../platform/errors.ts'
import { memoizeByObject } from '../../platform/cache.ts'
import { AGE_GROUPS, type AgeGroup, type PublishedList } from './dataset.ts'
import {
  type DatasetVersion,
  type Manifest,
  type StoredLists,
  isSameVersion,
  type VersionId,
} from './stored-version.ts'
import type { DatasetsResponse, SpecialtiesResponse, WaitingListsResponse } from './waiting-lists.schema.ts'
import type { OpenedFile, WaitingListStore } from './waiting-lists.store.ts'

/** No version has been published yet, or storage cannot return the served one. */
export type NotServed = { outcome: 'no_dataset' } | { outcome: 'unavailable' }

/** Returns the error for a request that needs published figures if there are none. */
export function notServedError({ outcome }: NotServed): AppError {
  const message =
    outcome === 'no_dataset'
      ? 'No waiting-list file is published here yet. The operator publishes one with npm run data:publish.'
      : 'The published figures cannot be read right now. Try again in a moment.'
  return new AppError('service_unavailable', message)
}

export type SpecialtiesOutcome = { outcome: 'ok'; body: Infer<typeof SpecialtiesResponse> } | NotServed

export type WaitingListsOutcome =
  | { outcome: 'ok'; body: Infer<typeof WaitingListsResponse> }
  | { outcome: 'specialty_not_published' }
  | NotServed

export type DatasetsOutcome =
  | { outcome: 'ok'; body: Infer<typeof DatasetsResponse> }
  | { outcome: 'unknown_cursor' }
  | { outcome: 'unavailable' }

/** `cursor`: names the last version already listed. */
type Page = { limit: number; cursor?: string | undefined }

export type CurrentDataset = { outcome: 'ok'; version: DatasetVersion; specialties: ReadonlySet<string> } | NotServed

type CurrentManifest = { outcome: 'ok'; manifest: Manifest } | NotServed

export type WaitingListService = ReturnType<typeof createWaitingListService>

export function createWaitingListService({ store }: { store: WaitingListStore }) {
  async function currentManifest(): Promise<CurrentManifest> {
    const found = await store.findPointer()
    if (found.outcome !== 'ok') return found
    const manifest = await store.readManifest(found.pointer)
    return manifest === null ? { outcome: 'unavailable' } : { outcome: 'ok', manifest }
  }

  async function currentDataset(): Promise<CurrentDataset> {
    const current = await currentManifest()
    if (current.outcome !== 'ok') return current
    return { outcome: 'ok', version: current.manifest.version, specialties: namesOf(current.manifest) }
  }

  /** Returns the names of the served version, in its order; empty if it cannot be read. */
  async function namesInOrder(): Promise<readonly string[]> {
    const current = await currentManifest()
    return current.outcome === 'ok' ? [...namesOf(current.manifest)] : []
  }

  /** Returns the names in a version; none if it is not held. */
  async function findSpecialties(version: VersionId): Promise<ReadonlySet<string>> {
    const current = await currentManifest()
    if (current.outcome === 'ok' && isSameVersion(current.manifest.version, version)) return namesOf(current.manifest)
    const held = (await store.listStored())?.filter((one) => isSameVersion(one, version)) ?? []
    const [manifest] = await store.readStored(held)
    return manifest === undefined ? new Set() : namesOf(manifest)
  }

  async function listSpecialties(): Promise<SpecialtiesOutcome> {
    const current = await currentManifest()
    if (current.outcome !== 'ok') return current
    return { outcome: 'ok', body: specialtiesOf(current.manifest) }
  }

  async function listWaitingLists({
    specialty,
    ageGroup,
  }: {
    specialty: string
    ageGroup: AgeGroup
  }): Promise<WaitingListsOutcome> {
    const current = await currentManifest()
    if (current.outcome !== 'ok') return current
    const { manifest } = current
    const index = manifest.specialties.findIndex(({ name }) => name === specialty)
    const entry = manifest.specialties[index]
    if (entry === undefined) return { outcome: 'specialty_not_published' }
    if (entry.lists[ageGroup] === 0) return { outcome: 'ok', body: toResponse(manifest, specialty, ageGroup, []) }
    const stored = await store.readLists(manifest, index, ageGroup)
    return stored === null ? { outcome: 'unavailable' } : { outcome: 'ok', body: answersOf(manifest)(stored) }
  }

  /** Returns a page of the stored versions: the current one first, then the last saved. */
  async function listDatasets({ limit, cursor }: Page): Promise<DatasetsOutcome> {
    const found = await store.findPointer()
    if (found.outcome === 'unavailable') return found
    if (found.outcome === 'no_dataset')
      return { outcome: 'ok', body: { datasets: [], has_more: false, next_cursor: null } }
    const current = await store.readManifest(found.pointer)
    const held = await store.listStored()
    if (current === null || held === null) return { outcome: 'unavailable' }
    const others = held.filter((version) => !isSameVersion(version, current.version))
    const order = [current.version, ...others].map(cursorOf)
    // The index after the last listed version. An unknown cursor gives 0, as no cursor does.
    const start = cursor === undefined ? 0 : order.indexOf(cursor) + 1
    if (cursor !== undefined && start === 0) return { outcome: 'unknown_cursor' }
    const end = start + limit
    const listed = await store.readStored(others.slice(Math.max(start, 1) - 1, end - 1))
    const datasets = [
      ...(start === 0 ? [toDataset(current, true)] : []),
      ...listed.map((manifest) => toDataset(manifest, false)),
    ]
    const hasMore = order.length > end
    return {
      outcome: 'ok',
      body: { datasets, has_more: hasMore, next_cursor: hasMore ? (order[end - 1] ?? null) : null },
    }
  }

  /** Returns the dates of the served version, from the cache if known. Null if there is none or it cannot be read. */
  async function servedDates(): Promise<Pick<DatasetVersion, 'archiveDate' | 'publishedOn'> | null> {
    const found = await store.findPointer()
    if (found.outcome !== 'ok') return null
    const { archiveDate, publishedOn } = found.pointer.version
    return { archiveDate, publishedOn }
  }

  /** Opens the published file, byte for byte, by its SHA-256 in lower-case hexadecimal. */
  async function openFile(sha256: string): Promise<OpenedFile> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return { outcome: 'not_found' }
    return await store.openFile(sha256)
  }

  return {
    currentDataset,
    namesInOrder,
    findSpecialties,
    listSpecialties,
    listWaitingLists,
    listDatasets,
    servedDates,
    openFile,
  }
}

// Cached for each version and list, so that an isolate builds and serialises each answer once.
const namesOf = memoizeByObject(
  (manifest: Manifest): ReadonlySet<string> => new Set(manifest.specialties.map(({ name }) => name)),
)

const specialtiesOf = memoizeByObject(({ version, specialties }: Manifest): Infer<typeof SpecialtiesResponse> => ({
  datasetVersion: version,
  specialties: specialties.map(({ name, code, lists }) => ({
    name,
    code,
    ageGroups: AGE_GROUPS.filter((ageGroup) => lists[ageGroup] > 0),
    lists: lists.Adult + lists.Child,
  })),
}))

const answersOf = memoizeByObject((manifest: Manifest) =>
  memoizeByObject(({ specialty, ageGroup, lists }: StoredLists) => toResponse(manifest, specialty, ageGroup, lists)),
)

function toResponse(
  { version, source, layout, specialties }: Manifest,
  specialty: string,
  ageGroup: AgeGroup,
  lists: readonly PublishedList[],
): Infer<typeof WaitingListsResponse> {
  const { archiveDate, publishedOn } = version
  const { kind } = source
  const cannotEstablish = cannotEstablishOfList({ kind, layout })
  const specialtyCode = specialties.find(({ name }) => name === specialty)?.code ?? null
  return {
    specialty,
    ageGroup,
    datasetVersion: version,
    source,
    waitingLists: lists.map(({ hospital, hospitalCode, hospitalGroup, waiting, total }) => ({
      hospital,
      hospitalCode,
      hospitalGroup,
      specialty,
      specialtyCode,
      ageGroup,
      waiting,
      total,
      source,
      archiveDate,
      publishedOn,
      cannotEstablish,
    })),
    cannotEstablish: cannotEstablishOfAnswer({ kind, layout, ageGroup, hasLists: lists.length > 0 }),
  }
}

const cursorOf = ({ hash, archiveDate }: VersionId): string => `${hash}-${archiveDate}`

function toDataset(manifest: Manifest, current: boolean): Infer<typeof DatasetsResponse>['datasets'][number] {
  return {
    datasetVersion: manifest.version,
    kind: manifest.source.kind,
    current,
    hasHospitals: manifest.hasHospitals,
    source: manifest.source,
    specialties: manifest.specialties.length,
    lists: manifest.summary.lists,
    file: `/v1/files/${manifest.version.hash}`,
  }
}
