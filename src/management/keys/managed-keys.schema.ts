// Keys as the people and keys of an organisation ask for them.
import { z } from '@hono/zod-openapi'
import { GATEWAY_PREFIXES } from '../../keys/key-format.ts'
import { CreateKeySchema, type KeyScope } from '../../keys/key.schema.ts'
import { PageQuerySchema } from '../../platform/pagination.schema.ts'

const GATEWAY_SCOPES = ['chat', 'manage'] as const satisfies KeyScope[]

const DAY_SECONDS = 86_400
const MOST_OVERLAP_SECONDS = 30 * DAY_SECONDS

const { name, requests_per_minute, requests_per_day, expires_at } = CreateKeySchema.shape

export const MakeKeySchema = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(GATEWAY_SCOPES))
      .min(1)
      .default(['chat'])
      .openapi({ description: 'What the key may do. Only owners and admins make keys that may `manage`.' }),
    prefix: z
      .enum(GATEWAY_PREFIXES, {
        error: `one of ${GATEWAY_PREFIXES.join(', ')}; keys of the referral service come from the operator`,
      })
      .default('aqta_')
      .openapi({ description: 'How the key begins. Some clients expect `sk-`.' }),
    expires_at,
    requests_per_minute,
    requests_per_day,
  })
  .openapi('MakeKey')

export type MakeKey = z.infer<typeof MakeKeySchema>

export const UpdateKeySchema = z
  .strictObject({
    name: name.optional(),
    expires_at: expires_at.nullable().openapi({ description: 'Null: never.' }),
    requests_per_minute: requests_per_minute.nullable().openapi({ description: 'Null: the organisation’s.' }),
    requests_per_day: requests_per_day.nullable().openapi({ description: 'Null: none of its own.' }),
  })
  .openapi('UpdateKey')

export type UpdateKey = z.infer<typeof UpdateKeySchema>

export const RotateKeySchema = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(MOST_OVERLAP_SECONDS).default(DAY_SECONDS).openapi({
      description: 'How long the old key goes on working, and no longer than it would have. 0: it ends at once.',
      example: 3600,
    }),
  })
  .openapi('RotateKey')

export const KeysQuerySchema = PageQuerySchema.extend({
  status: z
    .enum(['active', 'all'])
    .default('active')
    .openapi({ description: 'Those that work, or all that there ever were.' }),
})
