// The plain values of a published waiting-list file, the same in the Worker and on the operator's machine.

export type AgeGroup = 'Adult' | 'Child'

/** The order in which age groups are shown. */
export const AGE_GROUPS: readonly AgeGroup[] = ['Adult', 'Child']

/**
 * `long`: one row per hospital, specialty, age profile and time band. `long_case_type`: the same, split by case type.
 * `wide_specialty`: one row per specialty with the bands as columns, and no hospital.
 */
export type Layout = 'long' | 'long_case_type' | 'wide_specialty'

/** The subjects that a file can count. Only an outpatient file may be published without naming its subject. */
export const DATASET_KINDS = ['outpatient', 'inpatient_day_case', 'gi_endoscopy'] as const
export type DatasetKind = (typeof DATASET_KINDS)[number]

/** People waiting in one band of time. `band` is the publisher's spelling without the blanks around it. */
interface BandCount {
  band: string
  people: number
}

/**
 * One list: a hospital (null in a file without hospitals), one specialty, one age group.
 *
 * `waiting` has the bands with a figure, shortest wait first. The long files have no row for a band with nobody. Such a band is
 * left out, because a zero would be a figure that was not published. `total` is the published total in the wide files, which need
 * not equal the sum of the bands. The long files publish no total, so there it is the sum.
 */
export interface PublishedList {
  hospital: string | null
  /** The code in the file, leading zeros included; null if the file has none. */
  hospitalCode: string | null
  hospitalGroup: string | null
  waiting: BandCount[]
  total: number
}

export interface SpecialtyLists {
  name: string
  /** The code in the file; null if the file has none. */
  code: string | null
  lists: Record<AgeGroup, PublishedList[]>
}

/** A collecting row of the publisher, such as small volumes. It is no specialty, so it is left out and counted here. */
export interface BucketLeftOut {
  name: string
  lists: number
  people: number
}

/** Accounts for every row of the file, so that no row is lost silently. */
interface ImportSummary {
  rowsRead: number
  archiveDates: { archiveDate: string; rows: number }[]
  lists: number
  specialties: number
  hospitals: number
  people: number
  bucketsLeftOut: BucketLeftOut[]
  /** Keys on more than one row of the archive date; their figures were added up. */
  keysSummed: number
}

/** People on all lists of one specialty and age group, or of one hospital. */
interface PeopleByName {
  name: string
  people: number
}

/** The names under one archive date, without collecting rows, in the order of the file. */
export interface NamesOfDate {
  specialties: Record<AgeGroup, PeopleByName[]>
  hospitals: PeopleByName[]
  /** Names are keys of bands: "0-6", "18-". */
  bands: PeopleByName[]
}

/** One archive date of one file. Specialties and lists are in the order of the file. */
export interface Dataset {
  archiveDate: string
  layout: Layout
  hasHospitals: boolean
  specialties: SpecialtyLists[]
  names: NamesOfDate
  /** The names under the previous archive date in the file; null if there is none. */
  namesBefore: NamesOfDate | null
  /** True if the file ends in one empty line, as the publisher's long files do. */
  endsInEmptyLine: boolean
  summary: ImportSummary
}

/** The reason why a file is refused, with the remedy. The line is null if no single line is at fault. */
export interface FileRefusal {
  ok: false
  line: number | null
  reason: string
}

export function refuse(line: number | null, reason: string): FileRefusal {
  return { ok: false, line, reason }
}
