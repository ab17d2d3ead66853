// What an organisation's people and keys do with its webhook, each in one turn with its entry in the ledger; and what they see of
// it. Of the address that is its origin alone: the rest may hold a token of the receiver's.
import {
  removeWebhook,
  rotateSecret,
  setWebhook,
  type WantedWebhook,
  type WebhookSet,
} from '../../notifications/change-webhook.ts'
import type { EventType } from '../../notifications/events.ts'
import { notifyOfTest, type Outbox } from '../../notifications/notify.ts'
import type { Webhook } from '../../notifications/webhook.store.ts'
import type { Pepper } from '../../platform/config.ts'
import { appendAct, type Act } from '../acts.ts'
import type { Journal } from '../journal/journal.ts'

export type ShownWebhook = Pick<Webhook, 'createdAt' | 'secretMadeAt' | 'deliveredAt' | 'disabled' | 'dropped'> & {
  origin: string
  events: readonly EventType[]
  /** Until when messages are signed with the secret before this one too; null where they are not. */
  oldSecretUntil: number | null
  waiting: number
}

export type WebhookChange =
  | { verb: 'set'; wanted: WantedWebhook }
  | { verb: 'rotate' }
  | { verb: 'remove' }
  | { verb: 'test' }

/** `secret`: shown this once. `none`: there is no webhook. `disabled`: there is one that gets no messages. */
export type WebhookChanged =
  | { outcome: 'set'; webhook: ShownWebhook; secret: string | null }
  | { outcome: 'removed' }
  | { outcome: 'sending'; messageId: string }
  | { outcome: 'none' | 'disabled' }

type Stores = { journal: Journal; outbox: Outbox }

/** Null where there is none. */
export function showWebhook(outbox: Outbox, now: number): ShownWebhook | null {
  const webhook = outbox.webhook.read()
  if (webhook === null) return null
  const { events, createdAt, secretMadeAt, oldSeed, deliveredAt, disabled, dropped } = webhook
  return {
    origin: originOf(webhook),
    events,
    createdAt,
    secretMadeAt,
    oldSecretUntil: oldSeed !== null && now < oldSeed.until ? oldSeed.until : null,
    deliveredAt,
    disabled,
    dropped,
    waiting: outbox.messages.countWaiting(),
  }
}

/** @param pepper what a new secret is derived from */
export function changeWebhook(
  stores: Stores,
  change: WebhookChange,
  pepper: Pepper,
  act: Act,
  now: number,
): WebhookChanged {
  const { journal, outbox } = stores
  if (change.verb === 'set') return keep(stores, setWebhook(outbox, change.wanted, pepper, now), act, now)
  const before = outbox.webhook.read()
  if (before === null) return { outcome: 'none' }
  const origin = originOf(before)
  switch (change.verb) {
    case 'rotate': {
      const rotated = rotateSecret(outbox, pepper, now)
      return rotated === null ? { outcome: 'none' } : keep(stores, rotated, act, now)
    }
    case 'remove':
      removeWebhook(outbox)
      appendAct(journal, { ...act, content: { origin } }, now)
      return { outcome: 'removed' }
    case 'test': {
      const messageId = notifyOfTest(outbox, now)
      if (messageId === null) return { outcome: 'disabled' }
      appendAct(journal, { ...act, content: { origin, message_id: messageId } }, now)
      return { outcome: 'sending', messageId }
    }
  }
}

function keep({ journal, outbox }: Stores, { webhook, secret }: WebhookSet, act: Act, now: number): WebhookChanged {
  const content = { origin: originOf(webhook), events: [...webhook.events], is_new_secret: secret !== null }
  appendAct(journal, { ...act, content }, now)
  const shown = showWebhook(outbox, now)
  if (shown === null) throw new Error('the webhook that was just written is not there')
  return { outcome: 'set', webhook: shown, secret }
}

const originOf = ({ url }: Webhook): string => new URL(url).origin
