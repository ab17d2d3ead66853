// Hands mail to Cloudflare Email Service by a `send_email` binding.
// https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
import { TimeLimitError, withinTime } from '../time-limit.ts'
import type { Handed, Mail } from './mailer.ts'

/** Whoever invites somebody waits for it, and work after an answer may take 30 seconds. */
const LIMIT_MS = 10_000

/** The codes that Cloudflare documents. Any other stays out of the log: it may hold text of the mail. */
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

/** Once: the binding has no means to tell a repetition from another mail. Never rejects. */
export async function handToCloudflare(
  binding: SendEmail,
  from: string,
  { to, subject, text }: Mail,
  limitMs = LIMIT_MS,
): Promise<Handed> {
  try {
    await withinTime(binding.send({ from, to, subject, text }), limitMs)
    return { ok: true }
  } catch (thrown) {
    return { ok: false, cause: thrown instanceof TimeLimitError ? 'timeout' : codeOf(thrown) }
  }
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && CODES.has(code) ? code : 'binding_failed'
}
