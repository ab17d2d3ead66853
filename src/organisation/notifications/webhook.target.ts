// Reads, changes and tests an organisation's webhook, lists its messages, and has the alarm task that sends them. Each change is
// one turn with its log entry. SECURITY: people see only the URL's origin, because the rest may contain a token of the receiver.
import {
  removeWebhook,
  rotateSecret,
  setWebhook,
  type NewWebhook,
  type WebhookWithSecret,
} from '../../notifications/change-webhook.ts'
import { deliverDue, deliveryDueAt, type DeliveryParts } from '../../notifications/deliver-messages.ts'
import type { EventType, NotificationEvent } from '../../notifications/webhook-events.ts'
import type { WebhookMessage } from '../../notifications/webhook-messages.store.ts'
import { notifyOfTest, notifyWebhook } from '../../notifications/notify.ts'
import type { Webhook } from '../../notifications/webhook.store.ts'
import { readConfig } from '../../platform/config.ts'
import { appendAct, type Act } from '../append-act.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'
import type { AlarmTask } from '../object-alarm.ts'

export type ShownWebhook = Pick<Webhook, 'createdAt' | 'secretMadeAt' | 'deliveredAt' | 'disabled' | 'dropped'> & {
  origin: string
  events: readonly EventType[]
  /** Until when messages are also signed with the previous secret; null if they are not. */
  oldSecretUntil: number | null
  waiting: number
}

export type WebhookChange =
  /** Without a `url` the address stays. */
  | { verb: 'set'; wanted: Omit<NewWebhook, 'url'> & { url: string | undefined } }
  | { verb: 'rotate' }
  | { verb: 'remove' }
  | { verb: 'test' }

/** `secret`: shown only this once. `none`: there is no webhook. `disabled`: it gets no messages. */
export type WebhookChanged =
  | { outcome: 'set'; webhook: ShownWebhook; secret: string | null }
  | { outcome: 'removed' }
  | { outcome: 'sending'; messageId: string }
  | { outcome: 'none' | 'disabled' }

export class WebhookTarget extends FeatureTarget<'env' | 'stores' | 'turns'> {
  /** Returns null if there is none. */
  read(): ShownWebhook | null {
    return this.parts.turns.takeUntilClosed(() => this.#show(Date.now()))
  }

  /** Sends a message about what is no act, if the organisation wants it. */
  tell(event: NotificationEvent): void {
    const { stores, turns } = this.parts
    const now = Date.now()
    turns.takeUntilClosed(() => notifyWebhook(stores.outbox, event, now))
    turns.wake(now)
  }

  change(change: WebhookChange, act: Act): WebhookChanged {
    const { signingPepper: pepper } = readConfig(this.parts.env)
    return this.parts.turns.takeUntilClosed(() => {
      const now = Date.now()
      const { journal, outbox } = this.parts.stores
      const before = outbox.webhook.read()
      if (change.verb === 'set') {
        const url = change.wanted.url ?? before?.url
        if (url === undefined) return { outcome: 'none' }
        return this.#recordSet(setWebhook(outbox, { ...change.wanted, url }, pepper, now), act, now)
      }
      if (before === null) return { outcome: 'none' }
      const origin = originOf(before)
      switch (change.verb) {
        case 'rotate': {
          const rotated = rotateSecret(outbox, pepper, now)
          return rotated === null ? { outcome: 'none' } : this.#recordSet(rotated, act, now)
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
    })
  }

  /** Returns waiting messages and the latest others: newest first, older than `cursor` (an id). */
  listDeliveries(limit: number, cursor: string | null): WebhookMessage[] {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => stores.outbox.messages.list(limit, cursor))
  }

  #recordSet({ webhook, secret }: WebhookWithSecret, act: Act, now: number): WebhookChanged {
    const content = { origin: originOf(webhook), events: [...webhook.events], is_new_secret: secret !== null }
    appendAct(this.parts.stores.journal, { ...act, content }, now)
    const shown = this.#show(now)
    if (shown === null) throw new Error('the webhook that was just written is not there')
    return { outcome: 'set', webhook: shown, secret }
  }

  #show(now: number): ShownWebhook | null {
    const { outbox } = this.parts.stores
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
}

const originOf = ({ url }: Webhook): string => new URL(url).origin

/** Returns the alarm task that sends due messages, with the Worker's settings at that moment. */
export function deliveryTask(
  env: object,
  { outbox }: Pick<Stores, 'outbox'>,
  takeTurn: DeliveryParts['takeTurn'],
): AlarmTask {
  const settings = (): ReturnType<DeliveryParts['settings']> => {
    const { peppers, webhooks } = readConfig(env)
    return { peppers, rules: webhooks, resolverUrl: webhooks.resolverUrl, fetch: async (url, init) => fetch(url, init) }
  }
  return {
    failure: 'messages_not_delivered',
    dueAt: (now) => deliveryDueAt(outbox, now),
    run: (now) => deliverDue({ outbox, takeTurn, settings }, now),
  }
}
