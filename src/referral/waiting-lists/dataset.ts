// The types and schemas of a published waiting-list file after it is read: lists, names, summary and refusal.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'

export const AGE_GROUPS = ['Adult', 'Child'] as const
export type AgeGroup = (typeof AGE_GROUPS)[number]

/**
 * `long`: one row per hospital, specialty, age profile and time band. `long_case_type`: the same, split by case type.
 * `wide_specialty`: one row per specialty with the bands as columns, and no hospital.
 */
export const LAYOUTS = ['long', 'long_case_type', 'wide_specialty'] as const
export type Layout = (typeof LAYOUTS)[number]

/** The subjects that a file can count. Only an outpatient file may be published without naming its subject. */
export const DATASET_KINDS = ['outpatient', 'inpatient_day_case', 'gi_endoscopy'] as const
export type DatasetKind = (typeof DATASET_KINDS)[number]

export const CountSchema = once(() => z.int().nonnegative())

/** One list: a hospital (null in a file without hospitals), one specialty, one age group. */
export const PublishedListSchema = once(() =>
  z.strictObject({
    hospital: z.string().nullable(),
    /** The code in the file, leading zeros included; null if the file has none. */
    hospitalCode: z.string().nullable(),
    hospitalGroup: z.string().nullable(),
    /**
     * People waiting in each band that has a figure, shortest wait first, in the publisher's spelling. The long files have no row
     * for a band with nobody. Such a band is missing here too, because a zero would be a figure that was not published.
     */
    waiting: z.array(z.strictObject({ band: z.string(), people: CountSchema() })),
    /**
     * The published total in the wide files, which need not equal the sum of the bands. The long files publish no total, so it is
     * the sum.
     */
    total: CountSchema(),
  }),
)
export type PublishedList = Infer<typeof PublishedListSchema>

export interface SpecialtyLists {
  name: string
  /** The code in the file; null if the file has none. */
  code: string | null
  lists: Record<AgeGroup, PublishedList[]>
}

/** A bucket: a row in which the publisher collects several specialties, such as small volumes. It is only counted here. */
const BucketSchema = once(() => z.strictObject({ name: z.string(), lists: CountSchema(), people: CountSchema() }))
export type BucketLeftOut = Infer<typeof BucketSchema>

/** Accounts for every row of the file, so that no row is lost silently. */
export const SummarySchema = once(() =>
  z.strictObject({
    rowsRead: CountSchema(),
    archiveDates: z.array(z.strictObject({ archiveDate: z.iso.date(), rows: CountSchema() })),
    lists: CountSchema(),
    specialties: CountSchema(),
    hospitals: CountSchema(),
    people: CountSchema(),
    bucketsLeftOut: z.array(BucketSchema()),
    /** Keys on more than one row of the archive date; their figures were added up. */
    keysSummed: CountSchema(),
  }),
)

/** People on all lists of one specialty and age group, or of one hospital. */
const PeopleByNameSchema = once(() => z.array(z.strictObject({ name: z.string(), people: CountSchema() })))

/** The names under one archive date, without buckets, in the order of the file. */
export const NamesSchema = once(() =>
  z.strictObject({
    specialties: z.strictObject({ Adult: PeopleByNameSchema(), Child: PeopleByNameSchema() }),
    hospitals: PeopleByNameSchema(),
    /** Names are keys of bands: "0-6", "18-". */
    bands: PeopleByNameSchema(),
  }),
)
export type NamesOfDate = Infer<typeof NamesSchema>

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
  summary: Infer<typeof SummarySchema>
}

/** The reason why a file is refused, with the remedy. The line is null if no single line is at fault. */
export interface FileRefusal {
  ok: false
  line: number | null
  reason: string
}

export const refuse = (line: number | null, reason: string): FileRefusal => ({ ok: false, line, reason })
