// Delivers waiting messages to the organisation's webhook, each at least once. A message is marked after it was sent, so a crash
// in between sends it again with the same id.
import type { Pepper } from '../platform/config.ts'
import type { WaitingMessage, AttemptOutcome } from './webhook-messages.store.ts'
import type { Outbox } from './notify.ts'
import { retryWaitMs } from './delivery-retry.policy.ts'
import type { DisabledReason, Webhook } from './webhook.store.ts'
import { deriveSecret, signatureHeaders } from './webhook-signature.ts'
import { TimeLimitError, withTimeLimit } from '../platform/time.ts'
import { checkHost } from './check-host.ts'
import { checkWebhookUrl, type UrlRules } from './webhook-url.policy.ts'

/** The limit for looking up the host and sending together. */
const LIMIT_MS = 10_000

type SendSettings = {
  readonly rules: UrlRules
  readonly resolverUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

type OutgoingMessage = { url: string; id: string; body: string; secrets: readonly Uint8Array[]; sentAt: number }

/** `status`: of the response; null if there was none. */
type SendResult = { outcome: AttemptOutcome; status: number | null }

/** Sends the message. Never rejects: a failure is an outcome too. */
export async function sendWebhookMessage(message: OutgoingMessage, sending: SendSettings): Promise<SendResult> {
  const controller = new AbortController()
  try {
    return await withTimeLimit(send(message, sending, controller.signal), sending.limitMs ?? LIMIT_MS)
  } catch (thrown) {
    return { outcome: thrown instanceof TimeLimitError ? 'timed_out' : 'unreachable', status: null }
  } finally {
    controller.abort()
  }
}

async function send(message: OutgoingMessage, sending: SendSettings, signal: AbortSignal): Promise<SendResult> {
  // SECURITY: the rules may have changed since the URL was set, and its name can resolve elsewhere at any time.
  const checked = checkWebhookUrl(message.url, sending.rules)
  if (checked.outcome === 'refused') return { outcome: 'address_not_public', status: null }
  if (checked.host !== null) {
    const host = await checkHost(checked.host, { ...sending, signal })
    if (host === 'not_public') return { outcome: 'address_not_public', status: null }
    if (host === 'not_resolved') return { outcome: 'address_not_resolved', status: null }
  }
  const response = await sending.fetch(message.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'countersign',
      ...signatureHeaders(message, message.secrets),
    },
    body: message.body,
    redirect: 'manual',
    signal,
  })
  void response.body?.cancel().catch(() => undefined)
  return { outcome: outcomeOfStatus(response.status), status: response.status }
}

function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 300 && status < 400 ? 'redirected' : 'refused'
}

/** Messages per wake-up of the object: the platform opens at most this many connections at once. */
const AT_ONCE = 6

/** The HTTP status of a receiver that has permanently gone. */
const GONE = 410

export type DeliveryParts = {
  readonly outbox: Outbox
  readonly takeTurn: <T>(work: () => T) => T
  /** The current settings; may throw if the Worker is misconfigured. */
  readonly settings: () => SendSettings & { readonly peppers: readonly Pepper[] }
  readonly clock?: () => number
  readonly random?: () => number
}

/** Returns when something can next be delivered; null for never. */
export function deliveryDueAt({ webhook, messages }: Outbox, now: number): number | null {
  const current = webhook.read()
  return current === null || current.disabled !== null ? null : messages.dueAt(now)
}

export async function deliverDue(parts: DeliveryParts, now: number): Promise<void> {
  const webhook = parts.outbox.webhook.read()
  if (webhook === null || webhook.disabled !== null) return
  const due = parts.outbox.messages.listDue(now, AT_ONCE)
  if (due.length === 0) return
  const settings = parts.settings()
  const secrets = secretsOf(webhook, settings.peppers, now)
  if (secrets === null) return parts.takeTurn(() => disable(parts.outbox, 'no_secret', now))
  await Promise.all(due.map((message) => deliver(parts, settings, webhook, secrets, message)))
}

async function deliver(
  parts: DeliveryParts,
  settings: SendSettings,
  { url }: Webhook,
  secrets: readonly Uint8Array[],
  { id, body, createdAt, attempts }: WaitingMessage,
): Promise<void> {
  const { clock = Date.now } = parts
  const sent = await sendWebhookMessage({ url, id, body, secrets, sentAt: clock() }, settings)
  parts.takeTurn(() => recordAttempt(parts, { url, id, createdAt, attempts: attempts + 1, sent }, clock()))
}

type DeliveryAttempt = { url: string; id: string; createdAt: number; attempts: number; sent: SendResult }

function recordAttempt(
  { outbox, random = Math.random }: DeliveryParts,
  { url, id, createdAt, attempts, sent }: DeliveryAttempt,
  now: number,
): void {
  const { webhook: store, messages } = outbox
  const webhook = store.read()
  if (webhook === null) return
  const attempt = { at: now, ...sent }
  if (sent.outcome === 'delivered') {
    messages.end(id, 'delivered', attempt)
    store.write({ ...webhook, deliveredAt: now })
    return
  }
  // The organisation has set another URL meanwhile, so this response says nothing about it.
  if (webhook.url !== url || webhook.disabled !== null) return
  const wait = sent.status === GONE ? null : retryWaitMs(attempts, random())
  if (wait !== null) return messages.reschedule(id, attempt, now + wait)
  messages.end(id, 'failed', attempt)
  if (sent.status === GONE) disable(outbox, 'gone', now)
  else if (webhook.deliveredAt === null || webhook.deliveredAt < createdAt) disable(outbox, 'failing', now)
}

function disable({ webhook: store, messages }: Outbox, reason: DisabledReason, now: number): void {
  const webhook = store.read()
  if (webhook === null) return
  store.write({ ...webhook, disabled: { at: now, reason }, dropped: webhook.dropped + messages.dropWaiting() })
}

/** Returns null if the Worker can no longer sign. */
function secretsOf({ seed, oldSeed }: Webhook, peppers: readonly Pepper[], now: number): Uint8Array[] | null {
  const secret = deriveSecret(peppers, seed)
  if (secret === null) return null
  const old = oldSeed !== null && now < oldSeed.until ? deriveSecret(peppers, oldSeed) : null
  return old === null ? [secret] : [secret, old]
}
