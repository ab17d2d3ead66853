// Sends mail, text only, through Cloudflare Email Service or an HTTP service with the API of Resend. No e-mail address is
// logged. Also decides which addresses and subjects a mail may have, and how it names an organisation.
import { readUpTo } from './body-pieces.ts'
import { TimeLimitError, withTimeLimit } from './time.ts'
import { ConfigError } from './config.ts'
import { log } from './log.ts'
import type { MailConfig } from './sign-in-config.ts'

export type Mail = { to: string; subject: string; text: string }

/** `failed`: the mail was not sent, or it is unknown if it was. `send` never rejects. */
export type Mailer = {
  /** False if this deployment sends no mail. The person who asked for a link then passes it on. */
  readonly sends: boolean
  send(mail: Mail): Promise<'sent' | 'failed'>
}

/** The part of Cloudflare's `send_email` binding that is used. */
type EmailBinding = { send(mail: Mail & { from: string }): Promise<unknown> }

/**
 * The outcome of sending a mail. `cause`: a word of this service, or a code that Cloudflare documents. `status`: the HTTP
 * status of a refusal.
 */
type SendOutcome = { ok: true } | { ok: false; cause: string; status?: number }

/**
 * @param binding of the kind `send_email`, named EMAIL in wrangler.toml
 * Throws ConfigError if the settings name a binding that is missing.
 */
export function createMailer(config: MailConfig, binding: EmailBinding | undefined): Mailer {
  switch (config.sender) {
    case 'none':
      return NO_MAILER
    case 'http':
      return mailerWith((mail) => sendByHttp(config, mail))
    case 'cloudflare':
      if (binding === undefined) throw new ConfigError(['EMAIL'])
      return mailerWith((mail) => sendByCloudflare(binding, config.from, mail))
  }
}

const NO_MAILER: Mailer = { sends: false, send: () => Promise.resolve('failed') }

const mailerWith = (hand: (mail: Mail) => Promise<SendOutcome>): Mailer => ({
  sends: true,
  async send(mail) {
    const handed: SendOutcome = isMailable(mail) ? await hand(mail) : { ok: false, cause: 'not_mailable' }
    if (handed.ok) return 'sent'
    log({
      level: 'error',
      event: 'mail_failed',
      error_cause: handed.cause,
      ...(handed.status !== undefined && { upstream_status: handed.status }),
    })
    return 'failed'
  },
})

// At most 64 octets before the @ and 255 after it (https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1). A line break would begin
// another header field, and a comma another recipient. Quoted local parts, comments and display names are not accepted.
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const MOST_SUBJECT = 200

/** Letters, digits, spaces and a few marks; no slash, colon or at sign. */
const PLAIN = /^[\p{L}\p{M}\p{N} '’"&()+,.–-]{1,80}$/u
const ADDRESS_LIKE = /\.\S/u
/** Six digits, however spaced: somebody could call the number. */
const NUMBER_LIKE = /\p{N}(?:[^\p{L}\p{N}]*\p{N}){5}/u

/** Returns an organisation's name for mails, unless it looks like a web address or a telephone number. */
export const organisationInMail = (name: string): string =>
  PLAIN.test(name) && !ADDRESS_LIKE.test(name) && !NUMBER_LIKE.test(name.normalize('NFKC'))
    ? `the organisation “${name}”`
    : 'an organisation'

export const isMailable = ({ to, subject }: Mail): boolean =>
  ADDRESS.test(to) && subject.trim() !== '' && subject.length <= MOST_SUBJECT && !CONTROL.test(subject)

/** The time limit is short, because an invitation waits for it and work after a response may take 30 seconds. */
const LIMIT_MS = 10_000

/** The codes that Cloudflare documents. Others are not logged, because they may contain text of the mail. */
const CODES = new Set([
  'E_CONTENT_TOO_LARGE',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_DELIVERY_FAILED',
  'E_FIELD_MISSING',
  'E_INTERNAL_SERVER_ERROR',
  'E_RATE_LIMIT_EXCEEDED',
  'E_RECIPIENT_NOT_ALLOWED',
  'E_RECIPIENT_SUPPRESSED',
  'E_SENDER_DOMAIN_NOT_AVAILABLE',
  'E_SENDER_NOT_VERIFIED',
  'E_VALIDATION_ERROR',
])

/**
 * Sends by Cloudflare's binding. Tries once, because the binding cannot tell a repetition from another mail. Never rejects.
 * https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
 */
export async function sendByCloudflare(
  binding: EmailBinding,
  from: string,
  { to, subject, text }: Mail,
  limitMs = LIMIT_MS,
): Promise<SendOutcome> {
  try {
    await withTimeLimit(binding.send({ from, to, subject, text }), limitMs)
    return { ok: true }
  } catch (thrown) {
    return { ok: false, cause: thrown instanceof TimeLimitError ? 'timeout' : codeOf(thrown) }
  }
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && CODES.has(code) ? code : 'binding_failed'
}

type HttpSender = { url: string; key: string; from: string }

/** Both attempts and the pause end within the 30 seconds that work after a response may take. */
type Waiting = { limitMs: number; pauseMs: number }
const WAITING: Waiting = { limitMs: 10_000, pauseMs: 1_000 }

const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Posts to /emails. Tries again under the same idempotency key, once, if the service is busy, fails or does not
 * answer. Never rejects.
 * https://resend.com/docs/api-reference/emails/send-email
 */
export async function sendByHttp(sender: HttpSender, mail: Mail, waiting = WAITING): Promise<SendOutcome> {
  const request = requestOf(sender, mail)
  const first = await attempt(request, waiting)
  if (first.ok || !isWorthRetrying(first)) return first
  await new Promise((resolve) => {
    setTimeout(resolve, waiting.pauseMs)
  })
  return attempt(request, waiting)
}

const isWorthRetrying = ({ cause, status }: Exclude<SendOutcome, { ok: true }>): boolean =>
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

async function attempt(request: Outgoing, { limitMs }: Waiting): Promise<SendOutcome> {
  const leaving = new AbortController()
  try {
    return await withTimeLimit(exchange(request, leaving.signal), limitMs)
  } catch (thrown) {
    return { ok: false, cause: thrown instanceof TimeLimitError ? 'timeout' : 'unreachable' }
  } finally {
    leaving.abort()
  }
}

async function exchange({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  // SECURITY: the key is sent only to the URL in the settings, never to a redirect.
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  if (!response.ok) return { ok: false, cause: 'refused', status: response.status }
  const answer = await readUpTo(MAX_ANSWER_BYTES, response)
  return answer !== null && hasId(new TextDecoder().decode(answer)) ? { ok: true } : { ok: false, cause: 'malformed' }
}

/** Returns true if the response names a mail. Any other 200, such as a web page, means that no mail was accepted. */
function hasId(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string'
  } catch {
    return false
  }
}
