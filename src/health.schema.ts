// The responses of /healthz.
import * as z from 'zod'
import { orNull } from './platform/names.schema.ts'
import { once, type Infer } from './platform/once.ts'

/** The dates of the published figures that answers are given from. */
const DatesSchema = once(() => z.strictObject({ archiveDate: z.iso.date(), publishedOn: z.iso.date() }))

const dataset = once(() =>
  DatesSchema().nullable().meta({
    id: 'ServedDates',
    description: 'Null where no figures are published, or the storage does not say at once which.',
  }),
)

/** The parts that /healthz checks, and what does not work without each. */
export const HEALTH_PARTS = {
  settings: 'a setting is missing or malformed, so every request gets 503',
  tables: 'the tables of D1 are missing, or another release made them',
  storage: 'D1 does not answer within a second, or cannot be written, as on a full disk',
  signing_key: 'no key can sign records, so chat calls get 503',
  log_key: 'no key can sign the public log’s checkpoints',
} as const

export type HealthPart = keyof typeof HEALTH_PARTS

const isPart = (name: string): name is HealthPart => Object.hasOwn(HEALTH_PARTS, name)

export const softwareSchema = once(() =>
  z
    .strictObject({
      version: z.string(),
      source_sha256: orNull(z.string().regex(/^[0-9a-f]{64}$/)).meta({
        description: 'Of the source that this Worker was built from, as coverage entries of logs have it.',
      }),
      worker_id: orNull(z.string()).meta({ description: 'Of this version, at the platform. Null locally.' }),
    })
    .meta({ id: 'Software', description: 'Which software answers.' }),
)

export const HealthSchema = once(() =>
  z.strictObject({ status: z.literal('ok'), dataset: dataset(), software: softwareSchema() }),
)

/** Members of the body beside `error`, where parts fail. */
export const degradedMembers = once(() => ({
  status: z.literal('degraded'),
  parts: z.array(z.enum(Object.keys(HEALTH_PARTS).filter(isPart))).meta({
    description: `What fails. ${Object.entries(HEALTH_PARTS)
      .map(([part, fault]) => `${part}: ${fault}`)
      .join('. ')}.`,
  }),
  dataset: dataset(),
  software: softwareSchema(),
}))

export type ServedDates = Infer<typeof DatesSchema>
export type Health = Infer<typeof HealthSchema> | z.infer<z.ZodObject<ReturnType<typeof degradedMembers>>>
