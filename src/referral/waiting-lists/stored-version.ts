// How a dataset is laid out in storage: its keys, and the manifest and values made from it. Pure.
//
//   waiting-lists/current                                   the pointer: which version is served
//   waiting-lists/manifests/{hash}/{date}/{digest}          one manifest; its own digest makes it immutable
//   waiting-lists/lists/{hash}/{date}/{n}-{ageGroup}        the lists of the n-th specialty, immutable
//   datasets/{hash}.csv (R2)                                the published file, from which the values can be made again
import { AGE_GROUPS, type AgeGroup, type Dataset } from './dataset.ts'
import type { DatasetSource, DatasetVersion, Manifest, StoredLists } from './stored-version.schema.ts'

export const POINTER_KEY = 'waiting-lists/current'
export const MANIFEST_PREFIX = 'waiting-lists/manifests/'

/** A version is a file and one of its archive dates. */
export type VersionId = Pick<DatasetVersion, 'hash' | 'archiveDate'>

export function isSameVersion(a: VersionId, b: VersionId): boolean {
  return a.hash === b.hash && a.archiveDate === b.archiveDate
}

export function fileKey(hash: string): string {
  return `datasets/${hash}.csv`
}

/** @param digest hex SHA-256 of the manifest's JSON, so that a corrected publication date makes a new key. */
export function manifestKey({ hash, archiveDate }: VersionId, digest: string): string {
  return `${MANIFEST_PREFIX}${hash}/${archiveDate}/${digest.slice(0, 16)}`
}

/** A version and its manifest, as the manifest's key names them. */
export interface HeldVersion extends VersionId {
  key: string
}

/** Returns null for any other key. */
export function readManifestKey(key: string): HeldVersion | null {
  const [hash, archiveDate, digest, ...rest] = key.slice(MANIFEST_PREFIX.length).split('/')
  if (hash === undefined || archiveDate === undefined || digest === undefined || rest.length > 0) return null
  return { key, hash, archiveDate }
}

export function listsKey({ hash, archiveDate }: VersionId, specialtyIndex: number, ageGroup: AgeGroup): string {
  return `waiting-lists/lists/${hash}/${archiveDate}/${specialtyIndex}-${ageGroup}`
}

export function manifestOf(dataset: Dataset, version: DatasetVersion, source: DatasetSource): Manifest {
  return {
    format: 1,
    version,
    source,
    layout: dataset.layout,
    hasHospitals: dataset.hasHospitals,
    specialties: dataset.specialties.map(({ name, code, lists }) => ({
      name,
      code,
      lists: { Adult: lists.Adult.length, Child: lists.Child.length },
    })),
    names: dataset.names,
    summary: dataset.summary,
  }
}

/** All values of a version with their keys. An age group without lists has none. */
export function storedListsOf(dataset: Dataset, version: VersionId): { key: string; value: StoredLists }[] {
  return dataset.specialties.flatMap(({ name, lists }, index) =>
    AGE_GROUPS.filter((ageGroup) => lists[ageGroup].length > 0).map((ageGroup) => ({
      key: listsKey(version, index, ageGroup),
      value: { specialty: name, ageGroup, lists: lists[ageGroup] },
    })),
  )
}
