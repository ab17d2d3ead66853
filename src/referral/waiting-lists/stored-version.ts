// The stored form of a dataset: its keys in KV and R2, and the schemas and makers of its values. Everything read back is parsed.
// A value that does not fit counts as missing and is made again from the published file. Pure.
//
//   waiting-lists/current                                   the pointer: which version is served
//   waiting-lists/manifests/{hash}/{date}/{digest}          one manifest; its own digest makes it immutable
//   waiting-lists/lists/{hash}/{date}/{n}-{ageGroup}        the lists of the n-th specialty, immutable
//   datasets/{hash}.csv (R2)                                the published file, from which the values can be made again
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import {
  AGE_GROUPS,
  CountSchema,
  LAYOUTS,
  NamesSchema,
  PublishedListSchema,
  SummarySchema,
  type AgeGroup,
  type Dataset,
} from './dataset.ts'
import { DatasetKind, DatasetVersion as DatasetVersionSchema, WaitingListSource } from './waiting-lists.schema.ts'

// Older versions have no kind; all of them count outpatients.
const SourceSchema = once(() => WaitingListSource().extend({ kind: DatasetKind().default('outpatient') }))

/** The served version. It has the facts that the file does not, so that the rest can be made from the file again. */
export const PointerSchema = once(() =>
  z.strictObject({
    format: z.literal(1),
    version: DatasetVersionSchema(),
    source: SourceSchema(),
    manifestKey: z.string(),
  }),
)

/** All lists of a version. A specialty with no list for an age group has a zero there and no value in KV. */
export const ManifestSchema = once(() =>
  z.strictObject({
    format: z.literal(1),
    version: DatasetVersionSchema(),
    source: SourceSchema(),
    layout: z.enum(LAYOUTS),
    hasHospitals: z.boolean(),
    specialties: z.array(
      z.strictObject({
        name: z.string(),
        code: z.string().nullable(),
        lists: z.strictObject({ Adult: CountSchema(), Child: CountSchema() }),
      }),
    ),
    /** The names that a later version is compared with. */
    names: NamesSchema(),
    summary: SummarySchema(),
  }),
)

/** The lists of one specialty and age group. Both are named, so that a value under a wrong key is noticed. */
export const StoredListsSchema = once(() =>
  z.strictObject({
    specialty: z.string(),
    ageGroup: z.enum(AGE_GROUPS),
    lists: z.array(PublishedListSchema()),
  }),
)

export type DatasetSource = Infer<typeof SourceSchema>
export type DatasetVersion = Infer<typeof DatasetVersionSchema>
export type Pointer = Infer<typeof PointerSchema>
export type Manifest = Infer<typeof ManifestSchema>
export type StoredLists = Infer<typeof StoredListsSchema>

export const POINTER_KEY = 'waiting-lists/current'
export const MANIFEST_PREFIX = 'waiting-lists/manifests/'

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
export interface StoredVersion extends VersionId {
  key: string
}

/** Reads the version from a manifest's key. Returns null for any other key. */
export function readManifestKey(key: string): StoredVersion | null {
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

/** Returns the stored lists of a version with their keys. A specialty has no value for an age group without lists. */
export function storedListsOf(dataset: Dataset, version: VersionId): { key: string; value: StoredLists }[] {
  return dataset.specialties.flatMap(({ name, lists }, index) =>
    AGE_GROUPS.filter((ageGroup) => lists[ageGroup].length > 0).map((ageGroup) => ({
      key: listsKey(version, index, ageGroup),
      value: { specialty: name, ageGroup, lists: lists[ageGroup] },
    })),
  )
}
