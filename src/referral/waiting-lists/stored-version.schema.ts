// The stored form of a published version, as JSON in KV. These schemas parse everything read back. A value that does not fit is
// treated as missing and made again from the published file.
import { z } from 'zod'
import { DATASET_KINDS } from './dataset.ts'

const AgeGroupSchema = z.enum(['Adult', 'Child'])
const CalendarDateSchema = z.iso.date()
const Sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)
const CountSchema = z.int().nonnegative()

const SourceSchema = z.strictObject({
  publisher: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  acknowledgement: z.string(),
  // Older versions have no kind; all of them count outpatients.
  kind: z.enum(DATASET_KINDS).default('outpatient'),
})

const DatasetVersionSchema = z.strictObject({
  archiveDate: CalendarDateSchema,
  publishedOn: CalendarDateSchema,
  hash: Sha256Schema,
})

/** The served version. It has the facts that the file lacks, so that the rest can be made from the file again. */
export const PointerSchema = z.strictObject({
  format: z.literal(1),
  version: DatasetVersionSchema,
  source: SourceSchema,
  manifestKey: z.string(),
})

const SummarySchema = z.strictObject({
  rowsRead: CountSchema,
  archiveDates: z.array(z.strictObject({ archiveDate: CalendarDateSchema, rows: CountSchema })),
  lists: CountSchema,
  specialties: CountSchema,
  hospitals: CountSchema,
  people: CountSchema,
  bucketsLeftOut: z.array(z.strictObject({ name: z.string(), lists: CountSchema, people: CountSchema })),
  keysSummed: CountSchema,
})

const PeopleByNameSchema = z.array(z.strictObject({ name: z.string(), people: CountSchema }))

const NamesSchema = z.strictObject({
  specialties: z.strictObject({ Adult: PeopleByNameSchema, Child: PeopleByNameSchema }),
  hospitals: PeopleByNameSchema,
  bands: PeopleByNameSchema,
})

/** All lists of a version. A specialty with no list for an age group has a zero there and no value in KV. */
export const ManifestSchema = z.strictObject({
  format: z.literal(1),
  version: DatasetVersionSchema,
  source: SourceSchema,
  layout: z.enum(['long', 'long_case_type', 'wide_specialty']),
  hasHospitals: z.boolean(),
  specialties: z.array(
    z.strictObject({
      name: z.string(),
      code: z.string().nullable(),
      lists: z.strictObject({ Adult: CountSchema, Child: CountSchema }),
    }),
  ),
  /** The names that a later version is compared with. */
  names: NamesSchema,
  summary: SummarySchema,
})

/** The lists of one specialty and age group. Both are named, so that a value under a wrong key is noticed. */
export const StoredListsSchema = z.strictObject({
  specialty: z.string(),
  ageGroup: AgeGroupSchema,
  lists: z.array(
    z.strictObject({
      hospital: z.string().nullable(),
      hospitalCode: z.string().nullable(),
      hospitalGroup: z.string().nullable(),
      waiting: z.array(z.strictObject({ band: z.string(), people: CountSchema })),
      total: CountSchema,
    }),
  ),
})

export type DatasetSource = z.infer<typeof SourceSchema>
export type DatasetVersion = z.infer<typeof DatasetVersionSchema>
export type Pointer = z.infer<typeof PointerSchema>
export type Manifest = z.infer<typeof ManifestSchema>
export type StoredLists = z.infer<typeof StoredListsSchema>
