// Writes an event into the outbox: a message for the webhook, and a notice for members who chose mail about it. Call it in the
// turn that writes the fact, so both are stored or neither.
import { bodyOfEvent, type NotificationEvent } from './webhook-events.ts'
import type { MessageId, WebhookMessagesStore } from './webhook-messages.store.ts'
import type { MemberNoticesStore } from './member-notices.store.ts'
import { noticeOf } from './notice-mails.ts'
import type { BudgetNoticesStore } from './budget-notices.store.ts'
import type { Webhook, WebhookStore } from './webhook.store.ts'

export type Outbox = {
  webhook: WebhookStore
  messages: WebhookMessagesStore
  notices: BudgetNoticesStore
  members: MemberNoticesStore
}

/** Writes the event for those who want it. @param id the message's, for an event that may be reported again: it is written once */
export function notify(outbox: Outbox, event: NotificationEvent, now: number, id?: MessageId): void {
  notifyWebhook(outbox, event, now, id)
  notifyMembers(outbox, event, now)
}

export function notifyWebhook(outbox: Outbox, event: NotificationEvent, now: number, id?: MessageId): void {
  if (webhookWants(outbox, event.type)) write(outbox, event, now, id)
}

export function notifyMembers({ members }: Outbox, event: NotificationEvent, now: number): void {
  const notice = noticeOf(event)
  if (notice !== null && members.isWanted(notice.type)) members.note(notice, now)
}

export const wants = (outbox: Outbox, type: NotificationEvent['type']): boolean =>
  webhookWants(outbox, type) || outbox.members.isWanted(type)

function webhookWants({ webhook }: Pick<Outbox, 'webhook'>, type: NotificationEvent['type']): boolean {
  const current = webhook.read()
  return current !== null && current.disabled === null && current.events.some((wanted) => wanted === type)
}

/** Writes a test message, whatever events are wanted. Returns its id; null if there is no working webhook. */
export const notifyOfTest = (outbox: Outbox, now: number): string | null =>
  write(outbox, { type: 'webhook.test', data: {} }, now)

function write(outbox: Outbox, event: NotificationEvent, now: number, messageId?: MessageId): string | null {
  const webhook = outbox.webhook.read()
  if (webhook === null || webhook.disabled !== null) return null
  const { id, dropped } = outbox.messages.insert(
    event.type,
    bodyOfEvent(event, webhook.organisationId, now),
    now,
    messageId,
  )
  if (dropped > 0) countDropped(outbox, webhook, dropped)
  return id
}

const countDropped = ({ webhook: store }: Outbox, webhook: Webhook, dropped: number): void =>
  store.write({ ...webhook, dropped: webhook.dropped + dropped })
