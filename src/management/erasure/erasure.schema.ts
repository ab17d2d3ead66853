// Request and response shapes of the erasure routes, and how stored erasures are presented.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { ERASED_CLASSES } from '../../evidence/records/erasure-record.ts'
import type { Erasure } from '../../organisation/erasure/erasure.ts'

const STATUSES = ['scheduled', 'running', 'completed', 'cancelled'] as const

const shared = once(() => ({
  id: z.string().meta({ example: 'era_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  object: z.literal('erasure'),
  created_at: z.iso.datetime(),
  status: z.enum(STATUSES).meta({
    description: '`scheduled` can be cancelled. `running` and `completed` cannot be taken back.',
  }),
  due_at: z.iso.datetime().meta({ description: 'When it begins.' }),
}))

export const OrganisationErasureSchema = once(() =>
  z
    .strictObject({
      ...shared(),
      record_url: z.string().meta({ description: 'Where the signed record is once it is completed. Keep it.' }),
    })
    .meta({ id: 'OrganisationErasure' }),
)

export type OrganisationErasure = Infer<typeof OrganisationErasureSchema>

export const PersonErasureSchema = once(() => z.strictObject(shared()).meta({ id: 'PersonErasure' }))

export type PersonErasure = Infer<typeof PersonErasureSchema>

/** `subject`: the id of an organisation (org_…) or of a person (usr_…). */
export const OperatorErasureSchema = once(() =>
  z
    .strictObject({
      ...shared(),
      subject: z.string().meta({ description: 'What is erased: the id of an organisation or of a person.' }),
    })
    .meta({ id: 'Erasure' }),
)

export type OperatorErasure = Infer<typeof OperatorErasureSchema>

export const RequestErasureSchema = once(() =>
  z.strictObject({
    name: z
      .string()
      .max(200)
      .meta({ description: 'The organisation’s name, typed as it is.', example: 'Example Clinic' }),
    immediately: z
      .boolean()
      .default(false)
      .meta({ description: 'At once, with nothing to cancel; else after seven days.' }),
  }),
)

const zero = once(() => z.literal(0))

export const ErasureRecordSchema = once(() =>
  z
    .strictObject({
      v: z.literal('erasure-1'),
      erasure_id: z.string(),
      org_id: z.string(),
      requested_at: z.iso.datetime(),
      completed_at: z.iso.datetime(),
      removed: z.array(z.enum(ERASED_CLASSES)),
      remaining: z
        .strictObject({ data_keys: zero(), sealed_objects: zero(), details: zero(), keys: zero(), people: zero() })
        .meta({ description: 'What was found when all was looked for again.' }),
      recovery_copies_until: z.iso.datetime(),
      tree_size: z.int().min(0),
      root_hash: z.string(),
      public_key: z.string(),
      signature: z.string(),
    })
    .meta({ id: 'ErasureRecord' }),
)

/** The members of an erasure that people see. */
export type ShownErasure = Pick<Erasure, 'id' | 'requestedAt' | 'dueAt' | 'state'>

export const recordUrl = (origin: string, id: string): string => `${origin}/v1/erasures/${id}`

export const presentErasure = ({ id, requestedAt, dueAt, state }: ShownErasure): PersonErasure => ({
  id,
  object: 'erasure',
  created_at: new Date(requestedAt).toISOString(),
  status: state,
  due_at: new Date(dueAt).toISOString(),
})

export const presentOrganisationErasure = (erasure: ShownErasure, origin: string): OrganisationErasure => ({
  ...presentErasure(erasure),
  record_url: recordUrl(origin, erasure.id),
})

export const presentOperatorErasure = (erasure: Erasure): OperatorErasure => ({
  ...presentErasure(erasure),
  subject: erasure.subject,
})
