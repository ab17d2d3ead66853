// Sends a call by its first route, and by the next one if that certainly did no work. INVARIANT: a call is only sent
// by the routes that its decision allowed.
import type { Prices } from '../../providers/catalogue.schema.ts'
import type { Usage } from '../../providers/chat-answer.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import type { RetryPolicy } from '../../providers/call-retry.policy.ts'
import { wasReached, type Failure, type FailureCause } from '../../providers/failure.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import type { Completion, OpenStream, ProviderAccess, RefusedAccess } from '../../providers/provider-client.ts'

/** A route by which a request can be sent. `upFront`: the most that it can use there before the model writes anything. */
export type RouteOutline = { readonly model: Model; readonly prices: Prices; readonly upFront: Usage }

/** A route that the decision allowed, with the key of its endpoint. */
export type AllowedRoute = RouteOutline & { readonly access: ProviderAccess }

/** `cause`: null if the provider answered. */
export type RouteAttempt = {
  readonly model: Model
  readonly isReached: boolean
  readonly cause: FailureCause | 'unsupported' | null
  readonly billed: 'no' | 'maybe'
  readonly refused: RefusedAccess
}

export type AllowedRoutes = readonly [AllowedRoute, ...AllowedRoute[]]

/** The last route that was reached, else the last that was asked. It has the prices. Also every attempt. */
export type AskedRoutes = { readonly last: AllowedRoute; readonly attempts: readonly RouteAttempt[] }

/** The outcome of the last attempt, or a fault of our own in it, and what was asked until then. */
export type Asked<T> = { readonly routes: AskedRoutes } & (
  | { readonly outcome: T }
  | { readonly outcome: null; readonly thrown: unknown }
)

/** The routes of a call that a fault of our own ends before the first was asked. */
export const noneAsked = ([first]: AllowedRoutes): AskedRoutes => ({ last: first, attempts: [] })

/**
 * Returns the routes in the order in which they are asked: the first two of the first model, and one of each further model that the
 * caller lists. Only the first, for a large request and for one with thoughts that another provider sealed.
 */
export function orderOfRoutes([first, ...others]: AllowedRoutes, request: ChatRequest, bytes: number): AllowedRoutes {
  if (bytes > MOST_BYTES_TO_ASK_AGAIN || carriesThoughts(request)) return [first]
  const counts = new Map([[first.model.id, 1]])
  const next = others.filter(({ model: { id } }) => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count <= (id === first.model.id ? 2 : 1)
  })
  return [first, ...next]
}

/** A larger request would stay in memory twice until its provider takes it. */
const MOST_BYTES_TO_ASK_AGAIN = 1024 * 1024

const carriesThoughts = ({ messages }: ChatRequest): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      ((message.thinking ?? []).length > 0 ||
        message.signature !== undefined ||
        (message.toolCalls ?? []).some(({ signature }) => signature !== undefined)),
  )

/** Waiting for a busy provider is of no use while another route is free. */
const AT_ONCE: RetryPolicy = { retries: 0, baseMs: 0, capMs: 0, mostWaitedMs: 0 }

/** One attempt. `spentMs`: what earlier ones have used of the call's time. */
export type Turn = { readonly route: AllowedRoute; readonly retry?: RetryPolicy; readonly spentMs: number }

/** Asks one route after the other while each one certainly did nothing. The request stays in memory until one begins to answer. */
export async function askInTurn<T extends Completion | OpenStream>(
  order: AllowedRoutes,
  ask: (turn: Turn) => Promise<T>,
): Promise<Asked<T>> {
  const attempts: RouteAttempt[] = []
  let spent = { ms: 0, attempts: 0 }
  let reached: AllowedRoute | null = null
  for (const [at, route] of order.entries()) {
    const isLast = at === order.length - 1
    const turn = { route, ...(!isLast && { retry: AT_ONCE }), spentMs: spent.ms }
    const { outcome: answered, thrown } = await attempt(() => ask(turn))
    if (answered === null) return { outcome: null, thrown, routes: { last: route, attempts } }
    attempts.push(attemptBy(route, answered))
    spent = { ms: spent.ms + answered.ms, attempts: spent.attempts + answered.attempts }
    if (answered.ok) return { outcome: { ...answered, ...spent }, routes: { last: route, attempts } }
    const { failure } = answered
    if (wasReached(failure)) reached = route
    if (isLast || !isSafeToAskNext(failure)) {
      const outcome = { ...answered, ...spent, failure: reachedBefore(failure, reached !== null) }
      return { outcome, routes: { last: reached ?? route, attempts } }
    }
  }
  throw new TypeError('a call without a route')
}

/** Waits for the only attempt of a call. It has no reference to the request, which is freed before the answer comes. */
export async function askOnly<T extends Completion | OpenStream>(
  route: AllowedRoute,
  sent: Promise<T>,
): Promise<Asked<T>> {
  const { outcome, thrown } = await attempt(() => sent)
  if (outcome === null) return { outcome, thrown, routes: { last: route, attempts: [] } }
  return { outcome, routes: { last: route, attempts: [attemptBy(route, outcome)] } }
}

/** A fault of our own must not lose what was asked: the settlement says where the prompt went. */
const attempt = <T>(
  ask: () => Promise<T>,
): Promise<{ outcome: T; thrown: null } | { outcome: null; thrown: unknown }> =>
  ask().then(
    (outcome) => ({ outcome, thrown: null }),
    (thrown: unknown) => ({ outcome: null, thrown }),
  )

const attemptBy = ({ model }: AllowedRoute, outcome: Completion | OpenStream): RouteAttempt => ({
  model,
  ...(outcome.ok ? ANSWERED : describeFailure(outcome.failure)),
})

const NOT_REFUSED: RefusedAccess = { upstreamStatus: null, upstreamRequestId: null }
const ANSWERED = { isReached: true, cause: null, billed: 'maybe', refused: NOT_REFUSED } as const

const describeFailure = (failure: Failure): Omit<RouteAttempt, 'model'> =>
  failure.kind === 'unsupported'
    ? { isReached: false, cause: failure.kind, billed: failure.billed, refused: NOT_REFUSED }
    : { isReached: failure.isReached, cause: failure.cause, billed: failure.billed, refused: failure }

/** Causes after which a provider has certainly done nothing, and another endpoint may. */
const SAFE: ReadonlySet<FailureCause> = new Set(['unreachable', 'rate', 'overloaded', 'access'])

const isSafeToAskNext = (failure: Failure): boolean =>
  failure.kind !== 'unsupported' && failure.billed === 'no' && SAFE.has(failure.cause)

/** A call that reached one provider has reached a provider, even if the last one was not. */
const reachedBefore = (failure: Failure, isReached: boolean): Failure =>
  failure.kind === 'unsupported' ? failure : { ...failure, isReached: failure.isReached || isReached }
