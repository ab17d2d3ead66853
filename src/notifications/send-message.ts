// Sends a webhook message once: a POST with a time limit, to a host that was just looked up. Redirects are not followed, and only
// the status is read.
import { TimeLimitError, withinTime } from '../platform/time.ts'
import { checkHost } from './check-host.ts'
import type { AttemptOutcome } from './messages.store.ts'
import { signatureHeaders } from './signature.ts'
import { checkUrl, type UrlRules } from './webhook-url.policy.ts'

/** The limit for looking up the host and sending together. */
const LIMIT_MS = 10_000

export type Sending = {
  readonly rules: UrlRules
  readonly resolverUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

export type OutgoingMessage = { url: string; id: string; body: string; secrets: readonly Uint8Array[]; sentAt: number }

/** `status`: of the response; null if there was none. */
export type Sent = { outcome: AttemptOutcome; status: number | null }

/** Never rejects. */
export async function sendMessage(message: OutgoingMessage, sending: Sending): Promise<Sent> {
  const controller = new AbortController()
  try {
    return await withinTime(send(message, sending, controller.signal), sending.limitMs ?? LIMIT_MS)
  } catch (thrown) {
    return { outcome: thrown instanceof TimeLimitError ? 'timed_out' : 'unreachable', status: null }
  } finally {
    controller.abort()
  }
}

async function send(message: OutgoingMessage, sending: Sending, signal: AbortSignal): Promise<Sent> {
  // SECURITY: the rules may have changed since the URL was set, and its name can resolve elsewhere at any time.
  const checked = checkUrl(message.url, sending.rules)
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
  return { outcome: outcomeOf(response.status), status: response.status }
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 300 && status < 400 ? 'redirected' : 'refused'
}
