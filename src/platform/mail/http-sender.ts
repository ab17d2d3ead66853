// Hands mail to an HTTP service in the shape of Resend's: POST /emails, a bearer key, {from, to, subject, text}; 2xx with an id.
// https://resend.com/docs/api-reference/emails/send-email
import { TimeLimitError, withinTime } from '../time-limit.ts'
import type { Handed, Mail } from './mailer.ts'

export type HttpSender = { url: string; key: string; from: string }

/** Both attempts and the pause end within the 30 seconds that work after an answer may take. */
type Waiting = { limitMs: number; pauseMs: number }
const WAITING: Waiting = { limitMs: 10_000, pauseMs: 1_000 }

const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Twice at most, under one idempotency key: again after a pause where the service is busy, is not well or does not answer. Never
 * rejects.
 */
export async function handToHttp(sender: HttpSender, mail: Mail, waiting = WAITING): Promise<Handed> {
  const request = requestOf(sender, mail)
  const first = await attempt(request, waiting)
  if (first.ok || !mayPass(first)) return first
  await new Promise((resolve) => {
    setTimeout(resolve, waiting.pauseMs)
  })
  return attempt(request, waiting)
}

type Failed = Exclude<Handed, { ok: true }>

const mayPass = ({ cause, status }: Failed): boolean =>
  status === undefined ? cause !== 'malformed' : status === 429 || status >= 500

type Outgoing = { url: string; headers: Record<string, string>; body: string }

function requestOf({ url, key, from }: HttpSender, { to, subject, text }: Mail): Outgoing {
  return {
    url: `${url.replace(/\/+$/, '')}/emails`,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      // Resend refuses a request without one, and the platform sends none by itself.
      'user-agent': 'countersign',
    },
    body: JSON.stringify({ from, to, subject, text }),
  }
}

async function attempt(request: Outgoing, { limitMs }: Waiting): Promise<Handed> {
  const leaving = new AbortController()
  try {
    return await withinTime(exchange(request, leaving.signal), limitMs)
  } catch (thrown) {
    return { ok: false, cause: thrown instanceof TimeLimitError ? 'timeout' : 'unreachable' }
  } finally {
    leaving.abort()
  }
}

async function exchange({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<Handed> {
  // The key goes to the address of the settings and to no other.
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  if (!response.ok) return { ok: false, cause: 'refused', status: response.status }
  return hasId(await readStart(response)) ? { ok: true } : { ok: false, cause: 'malformed' }
}

/** Whatever else answers with 200, a web page for one, has taken no mail. */
function hasId(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string'
  } catch {
    return false
  }
}

/** No more of it than an answer has, however much there is. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = body ?? []
  let text = ''
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_ANSWER_BYTES) return ''
  }
  return text
}
