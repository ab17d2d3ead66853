// What a published waiting-list file becomes once it is read: plain values, the same in the Worker and on the
// operator's machine.

export type AgeGroup = 'Adult' | 'Child'

/** The order in which age groups are shown. */
export const AGE_GROUPS: readonly AgeGroup[] = ['Adult', 'Child']

/**
 * `long`: one row a hospital, specialty, age profile and time band. `long_case_type`: the same, split by case type.
 * `wide_specialty`: one row a specialty with the bands as columns, and no hospital.
 */
export type Layout = 'long' | 'long_case_type' | 'wide_specialty'

/** What the figures of a file count. An outpatient file may be published without saying so, the others never. */
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
 * `waiting` holds the bands the file has a figure for, shortest wait first. The long files have no row where nobody
 * was counted: such a band is left out, because a zero would be a figure that was not published.
 * `total` is the published total in the wide files, which need not equal the sum of the bands; the long files publish
 * no other total than their rows, so there it is their sum.
 */
export interface PublishedList {
  hospital: string | null
  /** As the file has it, leading zeros included; null where the file has none. */
  hospitalCode: string | null
  hospitalGroup: string | null
  waiting: BandCount[]
  total: number
}

export interface SpecialtyLists {
  name: string
  /** As the file has it; null where the file has none. */
  code: string | null
  lists: Record<AgeGroup, PublishedList[]>
}

/** A collecting row of the publisher's, such as small volumes: no specialty, so left out, and counted here. */
export interface BucketLeftOut {
  name: string
  lists: number
  people: number
}

/** What was done with every row of the file, so that nothing goes missing silently. */
interface ImportSummary {
  rowsRead: number
  archiveDates: { archiveDate: string; rows: number }[]
  lists: number
  specialties: number
  hospitals: number
  people: number
  bucketsLeftOut: BucketLeftOut[]
  /** Keys found on more than one row of the archive date; their figures were added up. */
  keysSummed: number
}

/** People on all lists of one specialty and age group, or of one hospital. */
interface PeopleByName {
  name: string
  people: number
}

/** The names under one archive date, collecting rows left out, in the order of the file. */
export interface NamesOfDate {
  specialties: Record<AgeGroup, PeopleByName[]>
  hospitals: PeopleByName[]
  /** By their key: "0-6", "18-". */
  bands: PeopleByName[]
}

/** One archive date of one file. Specialties and lists are in the order of the file. */
export interface Dataset {
  archiveDate: string
  layout: Layout
  hasHospitals: boolean
  specialties: SpecialtyLists[]
  names: NamesOfDate
  /** The names under the archive date before it in the same file; null if there is none. */
  namesBefore: NamesOfDate | null
  /** True if the file ends in one empty line, as the publisher's long files do. */
  endsInEmptyLine: boolean
  summary: ImportSummary
}

/** Why a file is not taken: the line to look at (null when no single line is at fault) and what to do. */
export interface FileRefusal {
  ok: false
  line: number | null
  reason: string
}

export function refuse(line: number | null, reason: string): FileRefusal {
  return { ok: false, line, reason }
}
