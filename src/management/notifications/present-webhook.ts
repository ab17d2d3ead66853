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
  no_url: 'Use a whole address, such as https://hooks.example.org/countersign.',
  too_long: 'Use at most 2048 characters.',
  not_https: 'Begin with https://.',
  credentials: 'Leave out the user name and the password.',
  fragment: 'Leave out the fragment, from # on.',
  port: 'Use port 443, or one from 1024 on.',
  ip_address: 'Use a name, not an IP address.',
  local_name: 'Use a name on the public internet.',
  own_host: 'Use another host than this service.',
  not_public: 'Use a name with public addresses only.',
  not_resolved: 'The name could not be looked up. Check the spelling.',
}

export const webhookRefused = (fault: WebhookFault): AppError =>
  new AppError('invalid_request', `Messages cannot be sent to this url. ${RULES[fault]}`, {
    param: 'url',
    fields: [{ path: 'url', rule: RULES[fault] }],
  })

export const noWebhook = (): AppError =>
  new AppError('not_found', 'No webhook is set. PUT /api/notifications with a url sets one.')

export const webhookDisabled = (): AppError =>
  new AppError('conflict', 'The webhook is disabled. PUT /api/notifications turns it on again.')
