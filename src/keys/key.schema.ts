// The scopes and statuses of a key, and its wire shapes. The secret is shown once, when the key is created.
import { z } from '@hono/zod-openapi'
import { nameUpTo } from '../platform/shapes.schema.ts'
import { KEY_PREFIXES } from './key-format.ts'

export const KEY_SCOPES = ['referral:read', 'waiting-lists:read', 'chat', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

const timestamp = z.iso.datetime()

export const KeySchema = z
  .strictObject({
    id: z.string().openapi({ example: 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
    object: z.literal('api_key'),
    created_at: timestamp,
    created_by: z.string().openapi({
      description: 'Who made it, and so saw it whole: a person (`usr_…`), a key (`key_…`) or `operator`.',
      example: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
    }),
    name: z.string(),
    prefix: z.enum(KEY_PREFIXES),
    last_four: z.string().length(4).openapi({ description: 'The last four characters of the key.' }),
    scopes: z.array(z.enum(KEY_SCOPES)),
    requests_per_minute: z.int().nullable().openapi({ description: 'A lower limit of its own; null: the plan’s.' }),
    requests_per_day: z.int().nullable(),
    status: z.enum(KEY_STATUSES).openapi({
      description: 'Whether it works. One that was rotated is active until its overlap is over, then expired.',
    }),
    last_used_at: timestamp.nullable().openapi({
      description: 'The last call that counted against a limit, to a minute. Null before the first.',
    }),
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    replaced_by: z.string().nullable().openapi({ description: 'The key that was made in its place by rotating it.' }),
  })
  .openapi('ApiKey')

export type Key = z.infer<typeof KeySchema>

export const RevokedKeySchema = z
  .strictObject({
    ...KeySchema.shape,
    also_revoked: z.array(KeySchema).openapi({
      description:
        'The keys that it had made, and those that these had made, which worked until they were revoked with it.',
    }),
  })
  .openapi('RevokedApiKey')

export const CreatedKeySchema = z
  .strictObject({
    ...KeySchema.shape,
    key: z.string().openapi({ description: 'The whole key. It is shown here once and never again.' }),
  })
  .openapi('CreatedApiKey')

export const CreateKeySchema = z.strictObject({
  prefix: z.enum(KEY_PREFIXES),
  name: nameUpTo(100).openapi({ example: 'triage service' }),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional(),
  requests_per_minute: z.int().min(1).max(1_000_000).optional(),
  requests_per_day: z.int().min(1).max(1_000_000_000).optional(),
  expires_at: timestamp.optional(),
})

export type CreateKey = z.infer<typeof CreateKeySchema>
