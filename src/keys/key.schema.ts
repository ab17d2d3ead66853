// Defines an API key: its form in requests and responses, and its stored record. The secret is shown once, when the key is
// created.
import * as z from 'zod'
import { once, type Infer, type InferInput } from '../platform/once.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import { PageQuerySchema } from '../platform/pagination.schema.ts'
import { nameUpTo, orNull } from '../platform/names.schema.ts'
import { toWire, type FromWire } from '../platform/wire.ts'
import { DATA_REGIONS } from '../platform/data-region.ts'
import { GATEWAY_PREFIXES, KEY_PREFIXES } from './key-format.ts'

export const KEY_SCOPES = ['referral:read', 'waiting-lists:read', 'chat', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

const timestamp = once(() => z.iso.datetime())

export const KeySchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ example: 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
      object: z.literal('api_key'),
      created_at: timestamp(),
      created_by: z.string().meta({
        description: 'Who made it, and so saw it whole: a person (`usr_…`), a key (`key_…`) or `operator`.',
        example: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
      }),
      name: z.string(),
      prefix: z.enum(KEY_PREFIXES),
      last_four: z.string().length(4).meta({ description: 'The last four characters of the key.' }),
      scopes: z.array(z.enum(KEY_SCOPES)),
      requests_per_minute: z.int().nullable().meta({ description: 'A lower limit of its own; null: the plan’s.' }),
      requests_per_day: z.int().nullable(),
      data_region: orNull(z.enum(DATA_REGIONS)).meta({
        description: 'The widest region that calls with it may be routed to; null: the organisation’s policy decides.',
      }),
      evaluation: z.boolean().meta({
        description: 'Made for a test suite: loops of its calls are reported and not suppressed.',
      }),
      status: z.enum(KEY_STATUSES).meta({
        description: 'Whether it works. One that was rotated is active until its overlap is over, then expired.',
      }),
      last_used_at: timestamp().nullable().meta({
        description: 'The last call that counted against a limit, to a minute. Null before the first.',
      }),
      expires_at: timestamp().nullable(),
      revoked_at: timestamp().nullable(),
      replaced_by: z.string().nullable().meta({ description: 'The key that was made in its place by rotating it.' }),
    })
    .meta({ id: 'ApiKey' }),
)

export type Key = Infer<typeof KeySchema>

/** The creator of a key, who therefore knows its secret. */
export type KeyMaker = 'operator' | PersonId | KeyId

export type KeyRecord = Readonly<
  Omit<FromWire<Key>, 'object' | 'status'> & {
    id: KeyId
    createdBy: KeyMaker
    replacedBy: KeyId | null
    secretHash: Uint8Array
  }
>

/** Returns a key's status. It is active until the millisecond of its end. */
export function statusOf({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt === null || expiresAt > now ? 'active' : 'expired'
}

export const isActiveAt =
  (now: number) =>
  (key: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>): boolean =>
    statusOf(key, now) === 'active'

export const presentKey = (key: KeyRecord, now: number): Key =>
  toWire(KeySchema(), { ...key, object: 'api_key', status: statusOf(key, now) })

export const RevokedKeySchema = once(() =>
  KeySchema()
    .extend({
      also_revoked: z.array(KeySchema()).meta({
        description:
          'The keys that it had made, and those that these had made, which worked until they were revoked with it.',
      }),
    })
    .meta({ id: 'RevokedApiKey' }),
)

/** `alsoRevoked`: the keys that it made, and all keys that those made. */
export type RevokedKey = { key: KeyRecord; alsoRevoked: readonly KeyRecord[] }

export const presentRevoked = ({ key, alsoRevoked }: RevokedKey, now: number): Infer<typeof RevokedKeySchema> => ({
  ...presentKey(key, now),
  also_revoked: alsoRevoked.map((one) => presentKey(one, now)),
})

/** A version of the pepper by what it seals besides keys: an operator has to know before it is removed. */
export const PepperSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The version in KEY_PEPPERS.' }),
      object: z.literal('pepper'),
      totp_secrets: z.int().meta({ description: 'The authenticator apps whose secret it seals.' }),
    })
    .meta({ id: 'Pepper' }),
)

export const KeyWithMadeSchema = once(() =>
  KeySchema()
    .extend({
      made: z.array(KeySchema()).meta({
        description:
          'The working keys that it made, and those that these made. If this request revoked them, they are listed as revoked.',
      }),
    })
    .meta({ id: 'ApiKeyWithMade' }),
)

/** `made`: the working keys that it made, and all working keys that those made. */
export type KeyWithMade = { key: KeyRecord; made: readonly KeyRecord[] }

export const presentKeyWithMade = ({ key, made }: KeyWithMade, now: number): Infer<typeof KeyWithMadeSchema> => ({
  ...presentKey(key, now),
  made: made.map((one) => presentKey(one, now)),
})

export const CreatedKeySchema = once(() =>
  KeySchema()
    .extend({
      key: z.string().meta({ description: 'The whole key. It is shown here once and never again.' }),
    })
    .meta({ id: 'CreatedApiKey' }),
)

export const RotatedKeySchema = once(() =>
  CreatedKeySchema()
    .extend({
      made: KeyWithMadeSchema().shape.made.meta({
        description:
          'The working keys that the old key made, and those that these made. If this request revoked them, they are listed as revoked.',
      }),
    })
    .meta({ id: 'RotatedApiKey' }),
)

const name = once(() => nameUpTo(100).meta({ example: 'triage service' }))
const requests_per_minute = once(() => z.int().min(1).max(1_000_000).optional())
const requests_per_day = once(() => z.int().min(1).max(1_000_000_000).optional())
const data_region = once(() => z.enum(DATA_REGIONS))
const expires_at = once(() => timestamp().optional())

/** The operator’s request to make a key. */
export const CreateKeySchema = once(() =>
  z.strictObject({
    prefix: z.enum(KEY_PREFIXES),
    name: name(),
    scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional(),
    requests_per_minute: requests_per_minute(),
    requests_per_day: requests_per_day(),
    data_region: data_region().optional(),
    expires_at: expires_at(),
  }),
)

export type CreateKey = Infer<typeof CreateKeySchema>

const GATEWAY_SCOPES = ['chat', 'manage'] as const satisfies KeyScope[]

const revoke_made = once(() => z.boolean().default(false))

const DAY_SECONDS = 86_400
const MOST_OVERLAP_SECONDS = 30 * DAY_SECONDS

export const MOST_EVALUATION_DAYS = 30

/** A person’s or key’s request to make a gateway key. */
export const CreateGatewayKeySchema = once(() =>
  z
    .strictObject({
      name: name(),
      scopes: z
        .array(z.enum(GATEWAY_SCOPES))
        .min(1)
        .default(['chat'])
        .meta({ description: 'What the key may do. Only owners and admins make keys that may `manage`.' }),
      prefix: z
        .enum(GATEWAY_PREFIXES, {
          error: `one of ${GATEWAY_PREFIXES.join(', ')}; keys of the referral service come from the operator`,
        })
        .default('aqta_')
        .meta({ description: 'How the key begins. Some clients expect `sk-`.' }),
      expires_at: expires_at(),
      requests_per_minute: requests_per_minute(),
      requests_per_day: requests_per_day(),
      data_region: data_region().optional().meta({
        description:
          'The widest region that calls with it may be routed to. Absent: the organisation’s policy decides.',
      }),
      evaluation: z
        .boolean()
        .default(false)
        .meta({
          description:
            'For a test suite, which repeats requests: loops of its calls are reported in `aqta.loop_detected` and not ' +
            `suppressed. It needs \`expires_at\` within ${MOST_EVALUATION_DAYS} days, and an owner or admin who is signed in. ` +
            'It can be neither changed nor extended later.',
        }),
    })
    .meta({ id: 'MakeKey' }),
)

export const UpdateKeySchema = once(() =>
  z
    .strictObject({
      name: name().optional(),
      expires_at: expires_at().nullable().meta({ description: 'Null: never.' }),
      requests_per_minute: requests_per_minute().nullable().meta({ description: 'Null: the organisation’s.' }),
      requests_per_day: requests_per_day().nullable().meta({ description: 'Null: none of its own.' }),
      data_region: orNull(data_region()).optional().meta({ description: 'Null: the organisation’s policy decides.' }),
      revoke_made: revoke_made().meta({
        description:
          'Revoke the keys in `made` in the same step. It needs an `expires_at` that is not after the present end.',
      }),
    })
    .meta({ id: 'UpdateKey' }),
)

export type UpdateKey = InferInput<typeof UpdateKeySchema>

export const RotateKeySchema = once(() =>
  z
    .strictObject({
      overlap_seconds: z.int().min(0).max(MOST_OVERLAP_SECONDS).default(DAY_SECONDS).meta({
        description: 'How long the old key goes on working, and no longer than it would have. 0: it ends at once.',
        example: 3600,
      }),
      revoke_made: revoke_made().meta({ description: 'Revoke the keys in `made` in the same step.' }),
    })
    .meta({ id: 'RotateKey' }),
)

export const KeysQuerySchema = once(() =>
  PageQuerySchema().extend({
    status: z
      .enum(['active', 'all'])
      .default('active')
      .meta({ description: '`active`: keys that work. `all`: revoked and expired keys too.' }),
  }),
)
