// Describes why a call to a provider failed, as a value. SECURITY: only closed vocabularies and numbers, because a provider's
// error texts can contain parts of keys and URLs.
import type { RequestSizes, ReadRejection, Rejection } from './rejection.ts'

export type Unsupported = {
  readonly kind: 'unsupported'
  readonly param: string
  readonly message: string
  readonly retryable: false
  readonly billed: 'no'
}

/** The causes, for the application's logs and for the log entry, each with the words of pages. */
export const FAILURE_CAUSES = {
  unreachable: 'Provider not reached',
  refused: 'Refused by the provider',
  access: 'No access at the provider', // it rejected this deployment's key, account or name of the model
  rate: 'Rate limit of the provider', // this deployment is over it
  overloaded: 'Provider overloaded',
  status: 'Error at the provider', // another error status
  no_headers: 'No answer in time',
  silence: 'Answer stopped coming',
  deadline: 'Took too long', // longer than its total deadline
  cut: 'Connection broke off',
  error_event: 'Error within the answer', // reported inside a 200
  malformed: 'Answer not readable', // not the documented shape
  too_large: 'Answer too large',
  no_room: 'No memory for the answer',
  caller: 'Cancelled by the caller',
  withheld: 'Answer stopped by the policy',
} as const

export type FailureCause = keyof typeof FAILURE_CAUSES

export type UpstreamFailure = {
  readonly kind: 'timeout' | 'provider_error' | 'invalid_answer' | 'cancelled'
  readonly cause: FailureCause
  /** True if repeating the call is safe and may help. */
  readonly retryable: boolean
  readonly billed: 'no' | 'maybe'
  /** True if the request has reached the provider, in this attempt or an earlier one. */
  readonly isReached: boolean
  readonly upstreamStatus: number | null
  readonly retryAfterMs: number | null
  readonly upstreamRequestId: string | null
  /** Why the provider rejected the request (4xx only). */
  readonly rejection: Rejection | null
  /** Set if the policy stopped the answer: the shapes of what it holds, or `too_long`. */
  readonly stoppedFor?: readonly string[]
}

export type Failure = Unsupported | UpstreamFailure

/** The causes that are no `provider_error`. */
const OTHER_KINDS: Readonly<Partial<Record<FailureCause, UpstreamFailure['kind']>>> = {
  no_headers: 'timeout',
  silence: 'timeout',
  deadline: 'timeout',
  malformed: 'invalid_answer',
  too_large: 'invalid_answer',
  caller: 'cancelled',
}

/** Causes that can occur before anything is sent, so that nothing is billed. */
const UNSENT: ReadonlySet<FailureCause> = new Set(['caller', 'deadline'])

/** Builds a failure after which the provider may have billed, unless `details` say otherwise. */
export const upstreamFailure = (cause: FailureCause, details: Partial<UpstreamFailure> = {}): UpstreamFailure => ({
  kind: OTHER_KINDS[cause] ?? 'provider_error',
  cause,
  retryable: false,
  billed: 'maybe',
  isReached: cause !== 'unreachable' && !(UNSENT.has(cause) && details.billed === 'no'),
  upstreamStatus: null,
  retryAfterMs: null,
  upstreamRequestId: null,
  rejection: null,
  ...details,
})

/** Returns true if a request has reached the provider. `failure`: null if the call succeeded. */
export const wasReached = (failure: Failure | null): boolean =>
  failure === null || (failure.kind !== 'unsupported' && failure.isReached)

export function unsupported(param: string, message: string): Unsupported {
  return { kind: 'unsupported', param, message, retryable: false, billed: 'no' }
}

/** Stands for a request that was freed before its answer reported an error, so no member can be named. */
const UNKNOWN_SIZES: RequestSizes = { messages: 0, tools: 0, turnsAfter: null }

export function reportedFailure(body: unknown, readRejection: ReadRejection): UpstreamFailure {
  const hint = readRejection(body, UNKNOWN_SIZES)
  const isContent = hint !== 'access' && hint.reason === 'content'
  return upstreamFailure('error_event', isContent ? { rejection: { reason: 'content', member: null } } : {})
}
