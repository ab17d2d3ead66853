// The response of /healthz.
import * as z from 'zod'
import { once, type Infer } from './platform/once.ts'

/** The dates of the published figures that answers are given from. */
const DatesSchema = once(() => z.strictObject({ archiveDate: z.iso.date(), publishedOn: z.iso.date() }))

export const HealthSchema = once(() =>
  z.strictObject({
    status: z.literal('ok'),
    dataset: DatesSchema().nullable().meta({
      id: 'ServedDates',
      description: 'Null where no figures are published, or the storage does not say at once which.',
    }),
  }),
)

export type ServedDates = Infer<typeof DatesSchema>
