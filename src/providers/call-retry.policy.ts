// Classifies a failed call by its status or network error, and decides whether it is sent again: only if nothing was billed, never
// sooner than the provider asks, and within seconds. For a longer wait, the caller is told how long it takes.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { upstreamFailure, type FailureCause, type UpstreamFailure } from './failure.ts'
import { rejectionOf, type RequestSizes, type ReadRejection, type RejectionHint } from './rejection.ts'

export type RetryPolicy = {
  /** The most attempts after the first. */
  readonly retries: number
  readonly baseMs: number
  readonly capMs: number
  /** The longest that all waits of a call may last together. */
  readonly mostWaitedMs: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 2, baseMs: 250, capMs: 4_000, mostWaitedMs: 5_000 }

/** Cloudflare answers with these instead of the provider if no connection was made. */
const NOT_CONNECTED = new Set([521, 522, 523, 525, 526, 530])

/** The provider was busy and did no work. */
const BUSY = new Set<FailureCause>(['rate', 'overloaded', 'unreachable'])

const REFUSED = new Set([400, 413, 415, 422])

/** The provider does not accept the key, the account or the model, whatever the request. */
const NO_ACCESS = new Set([401, 402, 403, 404])

type ErrorAnswer = {
  readonly status: number
  readonly headers: Headers
  /** The provider's error, parsed; undefined if it is not JSON. Only its hints are read. */
  readonly body: unknown
}

/** The provider's way to read errors, and the sizes of the request that they refer to. */
export type ErrorReading = { readonly readRejection: ReadRejection; readonly requestSizes: RequestSizes }

export function statusFailure(
  answer: ErrorAnswer,
  { readRejection, requestSizes }: ErrorReading,
  nowMs: number,
): UpstreamFailure {
  const { status, headers, body } = answer
  const hint = readRejection(body, requestSizes)
  const cause = causeOf(status, hint)
  const busy = BUSY.has(cause)
  const refused = status < 500 // refused by rule, before any work; redirects included, which are never followed
  return upstreamFailure(cause, {
    upstreamStatus: status,
    billed: refused || busy ? 'no' : 'maybe',
    retryable: busy && headers.get('x-should-retry') !== 'false',
    retryAfterMs: readRetryAfter(headers, nowMs) ?? readRetryDelay(body),
    rejection: cause === 'refused' && hint !== 'access' ? rejectionOf(hint, status, requestSizes) : null,
  })
}

function causeOf(status: number, hint: RejectionHint): FailureCause {
  if (NOT_CONNECTED.has(status)) return 'unreachable'
  if (NO_ACCESS.has(status)) return 'access'
  // Some providers report a wrong key or an empty account as a bad request, or as a rate: waiting does not help.
  if (hint === 'access' && (status === 429 || REFUSED.has(status))) return 'access'
  if (REFUSED.has(status)) return 'refused'
  if (status === 429) return hint !== 'access' && hint.reason === 'beyond_rate' ? 'refused' : 'rate'
  return status === 503 || status === 529 ? 'overloaded' : 'status'
}

// Errors of Node and workerd when no connection was made. After any other error the provider may have been reached.
const UNREACHABLE = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|connection refused|DNS/i

export function networkFailure(error: unknown): UpstreamFailure {
  const unreachable = errorTexts(error).some((text) => UNREACHABLE.test(text))
  return unreachable ? upstreamFailure('unreachable', { retryable: true, billed: 'no' }) : upstreamFailure('cut')
}

/** Returns the texts of an error and of its cause, in which Node hides the reason. They are not stored. */
function errorTexts(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return [error.message, code, ...errorTexts(error.cause)]
}

/**
 * Returns the milliseconds to wait before the next attempt; null if there must not be one.
 * @param situation.waitedMs the sum of all waits so far
 */
export function retryWaitMs(
  failure: UpstreamFailure,
  situation: { attempt: number; waitedMs: number; remainingMs: number; random: number; policy: RetryPolicy },
): number | null {
  const { attempt, waitedMs, remainingMs, random, policy } = situation
  if (!failure.retryable || attempt >= policy.retries) return null
  const backoffMs = random * Math.min(policy.capMs, policy.baseMs * 2 ** attempt)
  const waitMs = Math.max(failure.retryAfterMs ?? 0, backoffMs)
  return waitMs < remainingMs && waitedMs + waitMs <= policy.mostWaitedMs ? waitMs : null
}

/**
 * Reads `retry-after-ms`, or `retry-after` in seconds or as a date. Returns milliseconds, or null.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function readRetryAfter(headers: Headers, nowMs: number): number | null {
  const milliseconds = headers.get('retry-after-ms')
  if (milliseconds !== null && /^\d{1,15}(\.\d+)?$/.test(milliseconds)) return Number(milliseconds)
  const value = headers.get('retry-after')
  if (value === null) return null
  if (/^\d{1,15}(\.\d+)?$/.test(value)) return Number(value) * 1000
  const at = value.endsWith('GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

const RetryInfoSchema = once(() =>
  z.object({
    error: z.object({ details: z.array(z.looseObject({ retryDelay: z.string().optional() })) }),
  }),
)

/** Reads Gemini's RetryInfo, such as `"37s"`; on streams the error may come in an array. */
function readRetryDelay(body: unknown): number | null {
  const parsed = RetryInfoSchema().safeParse(Array.isArray(body) ? body[0] : body)
  const delay = parsed.data?.error.details.find((detail) => detail.retryDelay !== undefined)?.retryDelay
  const seconds = /^(\d{1,15}(?:\.\d+)?)s$/.exec(delay ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1000
}
