// Sends a webhook message once: a POST with a time limit, to a host that was just looked up. Redirects are not followed, and only
// the status is read.
import { TimeLimitError, withTimeLimit } from '../platform/time.ts'
import { checkHost } from './check-host.ts'
import type { AttemptOutcome } from './webhook-messages.store.ts'
import { signatureHeaders } from './webhook-signature.ts'
import { checkWebhookUrl, type UrlRules } from './webhook-url.policy.ts'

/** The limit for looking up the host and sending together. */
const LIMIT_MS = 10_000

export type SendSettings = {
  readonly rules: UrlRules
  readonly resolverUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

export type OutgoingMessage = { url: string; id: string; body: string; secrets: readonly Uint8Array[]; sentAt: number }

/** `status`: of the response; null if there was none. */
export type SendResult = { outcome: AttemptOutcome; status: number | null }

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
