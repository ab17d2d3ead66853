// Sets or removes an organisation's webhook, or rotates its secret. Call it inside a turn.
import type { Pepper } from '../platform/config.ts'
import { DAY_MS } from '../platform/time.ts'
import type { OrganisationId } from '../platform/ids.ts'
import type { EventType } from './webhook-events.ts'
import type { Outbox } from './notify.ts'
import { formatSecret, deriveSecret, newSeed, type SecretSeed } from './webhook-signature.ts'
import type { Webhook } from './webhook.store.ts'

/** After a rotation, messages are signed with the old secret too, for this long. */
const OVERLAP_MS = DAY_MS

export type NewWebhook = { organisationId: OrganisationId; url: string; events: readonly EventType[] }

/** `secret`: shown only this once; null if it did not change. */
export type WebhookWithSecret = { webhook: Webhook; secret: string | null }

/**
 * Sets the webhook. A new URL gets a new secret, because its receiver must not know the old one. It also gets all waiting
 * messages. Setting the same URL enables a disabled webhook again, with a new secret if its own was lost.
 */
export function setWebhook(outbox: Outbox, wanted: NewWebhook, pepper: Pepper, now: number): WebhookWithSecret {
  const before = outbox.webhook.read()
  const { url, events } = wanted
  if (before?.url === url && before.disabled?.reason !== 'no_secret') {
    const webhook = { ...before, events, disabled: null }
    outbox.webhook.write(webhook)
    return { webhook, secret: null }
  }
  const seed = newSeed(pepper)
  const webhook: Webhook = {
    ...wanted,
    seed,
    createdAt: now,
    secretMadeAt: now,
    oldSeed: null,
    deliveredAt: null,
    disabled: null,
    dropped: 0,
  }
  outbox.webhook.write(webhook)
  outbox.messages.renewWaiting(now)
  return { webhook, secret: secretText(pepper, seed) }
}

export function rotateSecret({ webhook: store }: Outbox, pepper: Pepper, now: number): WebhookWithSecret | null {
  const before = store.read()
  if (before === null) return null
  const seed = newSeed(pepper)
  const webhook = { ...before, seed, secretMadeAt: now, oldSeed: { ...before.seed, until: now + OVERLAP_MS } }
  store.write(webhook)
  return { webhook, secret: secretText(pepper, seed) }
}

/** Deletes the webhook, all its messages, and the notes of which budget alerts were sent. */
export function removeWebhook({ webhook, messages, notices }: Outbox): void {
  webhook.delete()
  notices.deleteAll()
  messages.deleteAll()
}

function secretText(pepper: Pepper, seed: SecretSeed): string {
  const secret = deriveSecret([pepper], seed)
  if (secret === null) throw new Error('the pepper is not the seed’s')
  return formatSecret(secret)
}
