// Presents a webhook and its deliveries for the API, and defines the errors for a refused webhook.
import type { WebhookFault } from '../../notifications/check-host.ts'
import type { WebhookMessage } from '../../notifications/webhook-messages.store.ts'
import type { ShownWebhook } from '../../organisation/notifications/webhook.target.ts'
import { AppError } from '../../platform/errors.ts'
import type { Delivery, WebhookResponse } from './notifications.schema.ts'

const timeOf = (at: number): string => new Date(at).toISOString()
const timeOrNull = (at: number | null | undefined): string | null => (at == null ? null : timeOf(at))

export const presentWebhook = (webhook: ShownWebhook | null): WebhookResponse => ({
  object: 'webhook',
  state: webhook === null ? 'off' : webhook.disabled === null ? 'on' : 'disabled',
  origin: webhook?.origin ?? null,
  events: [...(webhook?.events ?? [])],
  created_at: timeOrNull(webhook?.createdAt),
  secret_created_at: timeOrNull(webhook?.secretMadeAt),
  previous_secret_until: timeOrNull(webhook?.oldSecretUntil),
  disabled: webhook?.disabled ? { at: timeOf(webhook.disabled.at), reason: webhook.disabled.reason } : null,
  last_delivered_at: timeOrNull(webhook?.deliveredAt),
  waiting: webhook?.waiting ?? 0,
  dropped: webhook?.dropped ?? 0,
})

export const presentDelivery = ({ id, type, createdAt, state, attempts, nextAt, last }: WebhookMessage): Delivery => ({
  id,
  object: 'webhook_delivery',
  type,
  created_at: timeOf(createdAt),
  state,
  attempts,
  next_attempt_at: timeOrNull(nextAt),
  last_attempt: last && { ...last, at: timeOf(last.at) },
})

const RULES: Readonly<Record<WebhookFault, string>> = {
  no_url: 'an absolute URL',
  too_long: 'at most 2048 characters',
  not_https: 'an address that begins with https://',
  credentials: 'no user name and no password',
  fragment: 'no fragment',
  port: 'port 443, or from 1024 on',
  ip_address: 'a name, not an IP address',
  local_name: 'a name on the public internet',
  own_host: 'another host than this service',
  not_public: 'a name with public addresses only',
  not_resolved: 'a name that can be looked up',
}

export const webhookRefused = (fault: WebhookFault): AppError =>
  new AppError('invalid_request', `Messages cannot be sent to this url. It needs ${RULES[fault]}.`, {
    param: 'url',
    fields: [{ path: 'url', rule: RULES[fault] }],
  })

export const noWebhook = (): AppError =>
  new AppError('not_found', 'No webhook is set. PUT /api/notifications with a url sets one.')

export const webhookDisabled = (): AppError =>
  new AppError('conflict', 'The webhook is disabled. PUT /api/notifications turns it on again.')
