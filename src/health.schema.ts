// The response of /healthz.
import { z } from '@hono/zod-openapi'

const DatesSchema = z
  .strictObject({ archiveDate: z.iso.date(), publishedOn: z.iso.date() })
  .openapi('ServedDates', { description: 'Of the published figures that answers are given from.' })

export const HealthSchema = z.strictObject({
  status: z.literal('ok'),
  dataset: DatesSchema.nullable().openapi({
    description: 'Null where no figures are published, or the storage does not say at once which.',
  }),
})

export type ServedDates = z.infer<typeof DatesSchema>
