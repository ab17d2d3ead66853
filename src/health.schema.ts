// The response of /healthz.
import * as z from './platform/zod.ts'

/** The dates of the published figures that answers are given from. */
const DatesSchema = z.strictObject({ archiveDate: z.iso.date(), publishedOn: z.iso.date() })

export const HealthSchema = z.strictObject({
  status: z.literal('ok'),
  dataset: DatesSchema.nullable().meta({
    id: 'ServedDates',
    description: 'Null where no figures are published, or the storage does not say at once which.',
  }),
})

export type ServedDates = z.infer<typeof DatesSchema>
