// Stores an organisation's one webhook: its URL, its events and the seed of its secret. Cached in memory, because every decision
// reads it and it seldom changes.
import type { OrganisationId } from '../platform/ids.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
import { EVENT_TYPES, type EventType } from './webhook-events.ts'
import type { SecretSeed } from './webhook-signature.ts'

export const WEBHOOK_SCHEMA = `
  CREATE TABLE webhook (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    organisation_id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    pepper TEXT NOT NULL,
    salt BLOB NOT NULL,
    secret_made_at INTEGER NOT NULL,
    old_pepper TEXT,
    old_salt BLOB,
    old_until INTEGER,
    delivered_at INTEGER,
    disabled_at INTEGER,
    disabled_reason TEXT CHECK (disabled_reason IN ('failing', 'gone', 'no_secret')),
    dropped INTEGER NOT NULL
  ) STRICT;
`

/** `failing`: no delivery for days. `gone`: the receiver answered 410. `no_secret`: the Worker lost the pepper of the secret. */
export type DisabledReason = 'failing' | 'gone' | 'no_secret'

export type Webhook = {
  readonly organisationId: OrganisationId
  /** SECURITY: it may contain a token of the receiver, so it is never shown or logged. */
  readonly url: string
  readonly events: readonly EventType[]
  readonly createdAt: number
  readonly seed: SecretSeed
  readonly secretMadeAt: number
  /** The seed of the previous secret, which also signs for a while after a rotation. */
  readonly oldSeed: (SecretSeed & { readonly until: number }) | null
  readonly deliveredAt: number | null
  readonly disabled: { readonly at: number; readonly reason: DisabledReason } | null
  /** Messages that were never delivered, because there were too many or the webhook was disabled. */
  readonly dropped: number
}

type Row = {
  organisation_id: OrganisationId
  url: string
  events: string
  created_at: number
  pepper: string
  salt: ArrayBuffer
  secret_made_at: number
  old_pepper: string | null
  old_salt: ArrayBuffer | null
  old_until: number | null
  delivered_at: number | null
  disabled_at: number | null
  disabled_reason: DisabledReason | null
  dropped: number
}

const COLUMNS = sql`organisation_id, url, events, created_at, pepper, salt, secret_made_at, old_pepper, old_salt,
  old_until, delivered_at, disabled_at, disabled_reason, dropped`

export class WebhookStore extends ObjectStore {
  /** Undefined until it is first read. */
  #cache: Webhook | null | undefined

  read(): Webhook | null {
    if (this.#cache === undefined) {
      const [row] = this.rows<Row>(sql`SELECT ${COLUMNS} FROM webhook`)
      this.#cache = row === undefined ? null : fromRow(row)
    }
    return this.#cache
  }

  write(webhook: Webhook): void {
    const { seed, oldSeed, disabled } = webhook
    this.run(sql`INSERT OR REPLACE INTO webhook (id, ${COLUMNS}) VALUES (1, ${webhook.organisationId}, ${webhook.url},
      ${webhook.events.join(' ')}, ${webhook.createdAt}, ${seed.pepper}, ${seed.salt},
      ${webhook.secretMadeAt}, ${oldSeed?.pepper ?? null}, ${oldSeed?.salt ?? null}, ${oldSeed?.until ?? null},
      ${webhook.deliveredAt}, ${disabled?.at ?? null}, ${disabled?.reason ?? null}, ${webhook.dropped})`)
    this.#cache = webhook
  }

  delete(): void {
    this.run(sql`DELETE FROM webhook`)
    this.#cache = null
  }

  /** Call this after a rollback: the cached value may never have been stored. */
  forget(): void {
    this.#cache = undefined
  }
}

function fromRow(row: Row): Webhook {
  const { old_pepper: oldPepper, old_salt: oldSalt, old_until: until } = row
  const hasOld = oldPepper !== null && oldSalt !== null && until !== null
  const { disabled_at: disabledAt, disabled_reason: reason } = row
  return {
    organisationId: row.organisation_id,
    url: row.url,
    events: EVENT_TYPES.filter((type) => row.events.split(' ').includes(type)),
    createdAt: row.created_at,
    seed: { pepper: row.pepper, salt: new Uint8Array(row.salt) },
    secretMadeAt: row.secret_made_at,
    oldSeed: hasOld ? { pepper: oldPepper, salt: new Uint8Array(oldSalt), until } : null,
    deliveredAt: row.delivered_at,
    disabled: disabledAt === null || reason === null ? null : { at: disabledAt, reason },
    dropped: row.dropped,
  }
}
