// Concludes a call: from how it ended and its bill follow its `aqta`, its settlement and the headers of its answer. Pure.
import type { AnswerOutline } from '../../evidence/records/answer-hasher.ts'
import type { ChatSettlement, RoutedCall } from '../../organisation/admit/settle-chat.ts'
import type { JsonObject } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import { upstreamFailure, wasReached, type Failure } from '../../providers/failure.ts'
import { catalogueSha256, type Model } from '../../providers/model-catalogue.ts'
import type { Completion, OpenStream } from '../../providers/provider-client.ts'
import type { AdmittedCall } from './admit-call.ts'
import type { AskedRoutes } from './asked-routes.ts'
import { billCall, NOTHING_PRODUCED, type Bill } from './bill.ts'
import { adaptedHeaders, ROUTE_ATTEMPTS_HEADER_NAME } from './call-headers.ts'
import { buildAqta, type Aqta } from './trace.ts'

export type AskedCall = AdmittedCall & { readonly routes: AskedRoutes }

/** The end of a call: what was asked of its routes, its bill, the settlement to record, and the failure, if it failed. */
export type Ending = {
  readonly routes: AskedRoutes
  readonly headers: Readonly<Record<string, string>>
  readonly bill: Bill
  /** Returns what its answer or its error says about it. A fault in that must not stop the settlement. */
  readonly aqta: () => Aqta
  readonly settlement: ChatSettlement
  readonly failure: Failure | null
  readonly attempts: number
  readonly upstreamRequestId: string | null
  /** An answer in one piece as it is sent, for the organisation's copy. */
  readonly body?: string
  /**
   * What the caller got: the answer in one piece, or the outline of a stream. Absent after an error without an answer, and after a
   * fault of our own.
   */
  readonly answered?: JsonObject | (() => AnswerOutline | null)
}

type ProviderReport = Pick<Ending, 'failure' | 'attempts' | 'upstreamRequestId'> & { upstreamMs: number | null }

export function reportOf(outcome: Completion | OpenStream): ProviderReport {
  const { ms, attempts } = outcome
  // A time of 0 would count as a fast answer.
  const upstreamMs = attempts === 0 ? null : ms
  if (outcome.ok) return { failure: null, attempts, upstreamMs, upstreamRequestId: outcome.upstreamRequestId }
  const { failure } = outcome
  const upstreamRequestId = failure.kind === 'unsupported' ? null : failure.upstreamRequestId
  return { failure, attempts, upstreamMs, upstreamRequestId }
}

export function concludeCall(
  call: AskedCall,
  bill: Bill,
  { failure, attempts, upstreamMs, upstreamRequestId }: ProviderReport,
): Ending {
  const isReached = wasReached(failure)
  return {
    routes: call.routes,
    headers: routeHeaders(call.adapted, call.routes),
    bill,
    aqta: once(() => describeCall(call, bill, isReached)),
    failure,
    attempts,
    upstreamRequestId,
    settlement: {
      position: call.position,
      factsSha256: call.factsSha256,
      retentionDays: call.retentionDays,
      ended: howEnded(failure),
      costMicroeur: bill.costMicroeur,
      usage: bill.usage,
      estimated: bill.estimated,
      upstreamMs: upstreamMs === null ? null : Math.round(upstreamMs),
      finishReason: bill.finishReason,
      servedModel: bill.servedModel,
      errorCause: failure === null ? null : failure.kind === 'unsupported' ? failure.kind : failure.cause,
      isUnreached: !isReached,
      ...(isReached && { routed: describeRouted(call.outline.model, call.routes) }),
    },
  }
}

/**
 * Concludes a call after a fault of our own. The provider's work is unknown, so its input is billed as used.
 *
 * @param sentBill the bill that the caller has already seen, which is final; else null
 */
export function concludeCrash(call: AskedCall, sentBill: Bill | null = null): Ending {
  const report = { failure: upstreamFailure('malformed'), upstreamMs: null, attempts: 1, upstreamRequestId: null }
  const bill = sentBill ?? billCall(call, NOTHING_PRODUCED, report.failure, call.eurRate)
  const ending = concludeCall(call, bill, report)
  return { ...ending, settlement: { ...ending.settlement, finishReason: null, errorCause: 'internal' } }
}

/** Describes a call that passed. @param isReached whether a provider was reached */
export function describeCall(
  { attestation, dataRegion, isLoop, outline, reader, routes: { last, attempts } }: AskedCall,
  bill: Bill,
  isReached: boolean,
): Aqta {
  const { model } = last
  const reached = attempts.flatMap((attempt) => (attempt.isReached ? [attempt.model] : []))
  const isSchemaOutside =
    outline.chat?.hasSchema === true &&
    dataRegion !== 'any' &&
    [model, ...reached].some(({ promise }) => promise?.outside.includes('schema') === true)
  return buildAqta({
    attestation,
    provider: isReached ? model.provider : null,
    model: model.id === outline.model.id ? undefined : model.id,
    route: isReached ? model.endpoint : null,
    dataRegion,
    ...(isReached && isSchemaOutside && { outside: ['schema'] }),
    costMicroeur: bill.costMicroeur,
    estimated: bill.estimated,
    isLoop,
    answerRedacted: reader?.redacted() ?? 0,
    served: { named: bill.servedModel, wireModel: model.wire.model },
  })
}

/** Returns the headers of what depends on the route that was asked last; none if that is the only one. */
export const routeHeaders = (
  adapted: AdmittedCall['adapted'],
  { attempts, last }: AskedRoutes,
): Record<string, string> =>
  attempts.length > 1
    ? { [ROUTE_ATTEMPTS_HEADER_NAME]: String(attempts.length), ...adaptedHeaders(adapted, last.model.endpoint) }
    : {}

/** Describes where the call was sent. Attempts are named only if there was more than one route. */
const describeRouted = (requested: Model, { last: { model, access }, attempts }: AskedRoutes): RoutedCall => ({
  ...(model.id !== requested.id && { model: model.id }),
  route: model.endpoint,
  host: new URL(access.baseUrl).host,
  places: placesOf(attempts.length > 0 ? attempts.filter(({ isReached }) => isReached) : [{ model }]),
  catalogue: catalogueSha256(),
  attempts:
    attempts.length > 1
      ? attempts.map(({ model: { endpoint: route }, cause, billed }) => ({ route, cause, billed }))
      : null,
})

/** Returns the countries of all routes that were reached; null if one of their providers names none. */
function placesOf(reached: readonly { model: Model }[]): string[] | null {
  const places = reached.map(({ model }) => model.places)
  return places.some((of) => of === null) ? null : [...new Set(places.flatMap((of) => of ?? []))]
}

function howEnded(failure: Failure | null): ChatSettlement['ended'] {
  if (failure === null) return 'completed'
  if (failure.kind !== 'unsupported' && failure.cause === 'withheld') return 'withheld'
  return failure.kind === 'cancelled' ? 'cancelled' : 'failed'
}
