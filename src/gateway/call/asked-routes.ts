// Sends a call by its first route, and once more by the next one if the first certainly did no work. INVARIANT: a call is only sent
// by the routes that its decision allowed.
import type { Prices } from '../../providers/catalogue.schema.ts'
import type { Usage } from '../../providers/chat-answer.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import type { RetryPolicy } from '../../providers/call-retry.policy.ts'
import type { Failure, FailureCause } from '../../providers/failure.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import type { Completion, OpenStream, ProviderAccess, RefusedAccess } from '../../providers/provider-client.ts'

/** A route by which a request can be sent. `upFront`: the most that it can use there before the model writes anything. */
export type RouteOutline = { readonly model: Model; readonly prices: Prices; readonly upFront: Usage }

/** A route that the decision allowed, with the key of its endpoint. */
export type AllowedRoute = RouteOutline & { readonly access: ProviderAccess }

/** `cause`: null if the provider answered. */
export type RouteAttempt = {
  readonly model: Model
  readonly cause: FailureCause | 'unsupported' | null
  readonly billed: 'no' | 'maybe'
  readonly refused: RefusedAccess
}

/** The routes of a call: those allowed, the one that it was sent by last, and every route that it was sent by so far. */
export type AskedRoutes = {
  readonly allowed: readonly [AllowedRoute, ...AllowedRoute[]]
  last: AllowedRoute
  readonly attempts: RouteAttempt[]
}

export const routesToAsk = (allowed: AskedRoutes['allowed']): AskedRoutes => ({
  allowed,
  last: allowed[0],
  attempts: [],
})

/** Waiting for a busy provider is of no use while another route is free. */
const AT_ONCE: RetryPolicy = { retries: 0, baseMs: 0, capMs: 0, mostWaitedMs: 0 }

type Ask<T> = (route: AllowedRoute, retry: RetryPolicy | undefined, spentMs: number) => Promise<T>

/** @param mayAskAgain false if the request must not be sent by another route */
export async function askByRoutes<T extends Completion | OpenStream>(
  routes: AskedRoutes,
  mayAskAgain: boolean,
  ask: Ask<T>,
): Promise<T> {
  const [first, second] = routes.allowed
  const next = mayAskAgain ? second : undefined
  const answered = note(routes, first, await ask(first, next && AT_ONCE, 0))
  if (next === undefined || answered.ok || !isSafeToAskNext(answered.failure)) return answered
  routes.last = next
  const again = note(routes, next, await ask(next, undefined, answered.ms))
  const sums = { ms: answered.ms + again.ms, attempts: answered.attempts + again.attempts }
  return { ...again, ...sums, ...reachedBefore(again, answered.failure) }
}

function note<T extends Completion | OpenStream>(routes: AskedRoutes, { model }: AllowedRoute, outcome: T): T {
  routes.attempts.push({ model, ...(outcome.ok ? ANSWERED : describeFailure(outcome.failure)) })
  return outcome
}

const NOT_REFUSED: RefusedAccess = { upstreamStatus: null, upstreamRequestId: null }
const ANSWERED = { cause: null, billed: 'maybe', refused: NOT_REFUSED } as const

const describeFailure = (failure: Failure): Omit<RouteAttempt, 'model'> =>
  failure.kind === 'unsupported'
    ? { cause: failure.kind, billed: failure.billed, refused: NOT_REFUSED }
    : { cause: failure.cause, billed: failure.billed, refused: failure }

/** Causes after which a provider has certainly done nothing, and another endpoint may. */
const SAFE: ReadonlySet<FailureCause> = new Set(['unreachable', 'rate', 'overloaded', 'access'])

const isSafeToAskNext = (failure: Failure): boolean =>
  failure.kind !== 'unsupported' && failure.billed === 'no' && SAFE.has(failure.cause)

/** A call whose first provider was reached has reached a provider, even if the second was not. */
function reachedBefore(again: Completion | OpenStream, before: Failure): object {
  if (again.ok || again.failure.kind === 'unsupported' || before.kind === 'unsupported') return {}
  return { failure: { ...again.failure, isReached: again.failure.isReached || before.isReached } }
}

/** A larger request would stay in memory twice until its provider takes it. */
const MOST_BYTES_TO_ASK_AGAIN = 1024 * 1024

/** Returns false for a large request, and for one with thoughts that another provider sealed. */
export const mayAskAgain = ({ messages }: ChatRequest, bytes: number): boolean =>
  bytes <= MOST_BYTES_TO_ASK_AGAIN &&
  messages.every(
    (message) =>
      message.role !== 'assistant' ||
      ((message.thinking ?? []).length === 0 &&
        message.signature === undefined &&
        (message.toolCalls ?? []).every(({ signature }) => signature === undefined)),
  )
