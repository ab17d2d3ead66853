// Schemas of the successful answers, and of the identifiers in an error, as the contract gives them. An additional member is a
// difference, like a missing one, except in the list of datasets.
import * as z from 'zod'

const sentence = z.string().min(1)
const ageGroup = z.enum(['Adult', 'Child'])
const date = z.iso.date()
const count = z.int().min(0)
/** A code as the file has it, with leading zeros. */
const code = z.string().min(1).nullable()
const kind = z.enum(['outpatient', 'inpatient_day_case', 'gi_endoscopy'])

const DatasetVersionSchema = z.strictObject({
  archiveDate: date,
  publishedOn: date,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})

const reader = (model: string) =>
  z.strictObject({
    model: z.literal(model),
    available: z.boolean(),
    reason: z.enum(['timeout', 'provider_error', 'invalid_answer', 'no_majority']).nullable(),
    specialty: sentence.nullable(),
    ageGroup: ageGroup.nullable(),
    consistency: z.literal([0, 0.2, 0.4, 0.6, 0.8, 1]),
    taken: z.literal(5),
    samples: z.tuple([]),
  })

/** The answer to a sandbox key: without a record and without samples. */
export const ReadResponseSchema = z.strictObject({
  action: sentence,
  decision: z.enum(['yes', 'ask']),
  specialty: sentence.nullable(),
  ageGroup: ageGroup.nullable(),
  because: sentence,
  readers: z.tuple([reader('Reader A'), reader('Reader B')]),
  sandbox: z.literal(true),
  datasetVersion: DatasetVersionSchema,
})

export const ExamplesResponseSchema = z.strictObject({
  examples: z
    .array(
      z.strictObject({
        id: sentence,
        title: sentence,
        text: z.string(),
        action: z.string().nullable(),
        exercises: sentence,
        expected: z.strictObject({
          status: z.int(),
          decision: z.enum(['yes', 'ask', 'held']).nullable(),
          code: z.string().nullable(),
          specialty: sentence.nullable(),
          ageGroup: ageGroup.nullable(),
        }),
      }),
    )
    .min(1),
})

export const SpecialtiesResponseSchema = z.strictObject({
  datasetVersion: DatasetVersionSchema,
  specialties: z
    .array(z.strictObject({ name: sentence, code, ageGroups: z.array(ageGroup).min(1), lists: count.min(1) }))
    .min(1),
})

const SourceSchema = z.strictObject({
  publisher: sentence,
  title: sentence,
  url: z.url().nullable(),
  acknowledgement: sentence,
  kind,
})

const WaitingListSchema = z.strictObject({
  hospital: sentence.nullable(),
  hospitalCode: code,
  hospitalGroup: sentence.nullable(),
  specialty: sentence,
  specialtyCode: code,
  ageGroup,
  waiting: z.array(z.strictObject({ band: sentence, people: count })),
  total: count,
  source: SourceSchema,
  archiveDate: date,
  publishedOn: date,
  cannotEstablish: z.array(sentence).min(1),
})

export const WaitingListsResponseSchema = z.strictObject({
  specialty: sentence,
  ageGroup,
  datasetVersion: DatasetVersionSchema,
  source: SourceSchema,
  waitingLists: z.array(WaitingListSchema),
  cannotEstablish: z.array(sentence).min(1),
})

export const DatasetsResponseSchema = z.looseObject({
  datasets: z.array(z.looseObject({ datasetVersion: DatasetVersionSchema, kind, source: SourceSchema })).min(1),
  has_more: z.boolean(),
  next_cursor: sentence.nullable(),
})

export const HealthSchema = z.strictObject({
  status: z.literal('ok'),
  dataset: DatasetVersionSchema.omit({ hash: true }).nullable(),
  software: z.strictObject({ version: sentence, source_sha256: sentence.nullable(), worker_id: sentence.nullable() }),
})

export const IdentifiersSchema = z.array(z.strictObject({ shape: sentence, start: count, end: count })).min(1)

export type Example = z.infer<typeof ExamplesResponseSchema>['examples'][number]
export type ReadResponse = z.infer<typeof ReadResponseSchema>
export type SpecialtiesResponse = z.infer<typeof SpecialtiesResponseSchema>
