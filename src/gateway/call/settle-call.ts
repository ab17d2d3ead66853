// Ends an admitted call: computes its cost, stores its answer and records the settlement. The runtime keeps the call alive until
// then, so a caller who leaves cannot make the cost disappear.
import type { AnswerOutline } from '../../evidence/records/answer-hasher.ts'
import { answerHash, type AnswerCommitment } from '../../evidence/records/answer-outline.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { ClaimAndCacheUpdate } from '../../organisation/admit/answer-reuse.ts'
import type { ChatSettlement, RoutedCall } from '../../organisation/admit/settle-chat.ts'
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { log, logUnexpected, type LogLine } from '../../platform/log.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { Answer } from '../../providers/chat-answer.ts'
import { logRefusedAccess, type Completion, type OpenStream } from '../../providers/provider-client.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import { upstreamFailure, wasReached, type Failure } from '../../providers/failure.ts'
import { catalogueSha256, type Model } from '../../providers/model-catalogue.ts'
import type { AdmittedCall } from './admit-call.ts'
import type { AskedRoutes } from './asked-routes.ts'
import { billCall, NOTHING_PRODUCED, type Bill, type ProducedOutput } from './bill.ts'
import { describePassedCall } from './trace.ts'

export type SettleDeps = {
  readonly gate: Pick<ChatGate, 'noteChatCost' | 'settleChat'>
  readonly limits: Config['chatLimits']
}

/** Settles exactly once, however the answer ends. The returned promise never rejects: a fault of our own is settled too. */
export function settleWhenEnded(
  c: AppContext,
  call: AdmittedCall,
  ending: Promise<Ending>,
  { gate }: SettleDeps,
): Promise<Ending> {
  const concluded = ending.catch((thrown: unknown) => concludeCrash(c, call, thrown))
  const settle = async (): Promise<void> => {
    const ended = await concluded
    logEnding(c, call, ended)
    const answer = hashAnswered(c, ended)
    // Stored before the call is settled: from then on, a repeated call looks for the answer.
    const [content, after] = await Promise.all([
      call.content?.put((assembled) => presentAssembled(call, assembled, ended)),
      storeAnswer(call, ended, answer),
    ])
    const settlement = { ...ended.settlement, answer, ...(content !== undefined && { content }) }
    const settled = await gate.settleChat(call.key, settlement, after)
    await call.content?.deleteUnrecorded(settled)
    // The organisation may have been erased while the call ran.
    if (settled?.outcome === 'not_open') await call.recorder?.discard()
  }
  c.executionCtx.waitUntil(settle())
  return concluded
}

/**
 * Concludes a call after a fault of our own. The provider's work is unknown, so its input is billed as used.
 *
 * @param sentBill the bill that the caller has already seen, which is final; else null
 */
export function concludeCrash(
  c: AppContext,
  call: AdmittedCall,
  thrown: unknown,
  sentBill: Bill | null = null,
): Ending {
  logUnexpected(thrown, c.get('requestId'))
  const report = { failure: upstreamFailure('malformed'), upstreamMs: null, attempts: 1, upstreamRequestId: null }
  const ending = concludeCall(call, NOTHING_PRODUCED, report, sentBill)
  return { ...ending, settlement: { ...ending.settlement, errorCause: 'internal' } }
}

/** Hashes what the caller got. A fault must not stop the settlement: the answer is then not covered. */
function hashAnswered(c: AppContext, { answered }: Ending): AnswerCommitment | null {
  try {
    const outline = answered?.() ?? null
    return outline && commitToAnswer(outline)
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    return null
  }
}

const SALT_BYTES = 16

/** SECURITY: the salt is new for each answer, so nobody can guess a short answer from its hash. */
function commitToAnswer(outline: AnswerOutline): AnswerCommitment {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex()
  return { salt, sha256: answerHash(salt, outline, sha256Hex) }
}

/** Returns a streamed answer as the body that it would have had in one piece. */
function presentAssembled(call: AdmittedCall, answer: Answer, ending: Ending): string {
  const end = { bill: ending.bill, aqta: describePassedCall(call, ending), endedAt: systemRuntime.now() }
  return JSON.stringify(call.format.present(call, { answer, standardBody: null }, end))
}

function logEnding(c: AppContext, call: AdmittedCall, ending: Ending): void {
  const { settlement, failure, attempts, upstreamRequestId } = ending
  const { model } = call.routes.last
  const upstreamStatus = failure === null || failure.kind === 'unsupported' ? null : failure.upstreamStatus
  logCallEnded(c, call, {
    provider: model.provider,
    ended: settlement.ended,
    error_cause: settlement.errorCause,
    upstream_status: upstreamStatus,
    upstream_request_id: upstreamRequestId,
    attempts,
  })
  for (const attempt of call.routes.attempts) {
    if (attempt.cause === 'access') logRefusedAccess(c.get('requestId'), attempt.model, attempt.refused)
  }
}

/** The end of a call: its bill, the settlement to record, and the failure, if it failed. */
export type Ending = {
  readonly bill: Bill
  readonly settlement: ChatSettlement
  readonly failure: Failure | null
  readonly attempts: number
  readonly upstreamRequestId: string | null
  /** Returns the outline of what the caller got. Absent after an error without an answer, and after a fault of our own. */
  readonly answered?: () => AnswerOutline | null
}

type ProviderReport = Pick<Ending, 'failure' | 'attempts' | 'upstreamRequestId'> & { upstreamMs: number | null }

/** Returns the provider's report of a call, successful or not. */
export function reportOf(outcome: Completion | OpenStream): ProviderReport {
  const { ms, attempts } = outcome
  // A time of 0 would count as a fast answer.
  const upstreamMs = attempts === 0 ? null : ms
  if (outcome.ok) return { failure: null, attempts, upstreamMs, upstreamRequestId: outcome.upstreamRequestId }
  const { failure } = outcome
  const upstreamRequestId = failure.kind === 'unsupported' ? null : failure.upstreamRequestId
  return { failure, attempts, upstreamMs, upstreamRequestId }
}

/** Returns the ending of a call. @param sentBill the bill that the caller has already seen, which is final; else null */
export function concludeCall(
  call: AdmittedCall,
  produced: ProducedOutput,
  report: ProviderReport,
  sentBill: Bill | null = null,
): Ending {
  const { failure, attempts, upstreamMs, upstreamRequestId } = report
  const bill = sentBill ?? billCall(call, produced, failure, call.eurRate)
  return {
    bill,
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
      finishReason: produced.finishReason,
      servedModel: bill.servedModel,
      errorCause: failure === null ? null : failure.kind === 'unsupported' ? failure.kind : failure.cause,
      isUnreached: !wasReached(failure),
      ...(wasReached(failure) && { routed: describeRouted(call.outline.model, call.routes) }),
    },
  }
}

/** Describes where the call was sent. Attempts are named only if there was more than one route. */
function describeRouted(requested: Model, { last: { model, access }, attempts }: AskedRoutes): RoutedCall {
  return {
    ...(model.id !== requested.id && { model: model.id }),
    route: model.endpoint,
    host: new URL(access.baseUrl).host,
    places: placesOf(attempts.length > 0 ? attempts.filter(({ isReached }) => isReached) : [{ model }]),
    catalogue: catalogueSha256(),
    attempts:
      attempts.length > 1
        ? attempts.map(({ model: { endpoint: route }, cause, billed }) => ({ route, cause, billed }))
        : null,
  }
}

/** Returns the countries of all routes that were reached; null if one of their providers names none. */
function placesOf(reached: readonly { model: Model }[]): string[] | null {
  const places = reached.map(({ model }) => model.places)
  return places.some((of) => of === null) ? null : [...new Set(places.flatMap((of) => of ?? []))]
}

function howEnded(failure: Failure | null): ChatSettlement['ended'] {
  if (failure === null) return 'completed'
  return failure.kind === 'cancelled' ? 'cancelled' : 'failed'
}

type EndingLogFields = Required<Pick<LogLine, 'ended'>> &
  Pick<LogLine, 'provider' | 'error_cause' | 'upstream_status' | 'upstream_request_id' | 'attempts'>

export function logCallEnded(c: AppContext, { key, outline, traceId }: AdmittedCall, fields: EndingLogFields): void {
  log({
    level: 'info',
    event: 'chat_ended',
    request_id: c.get('requestId'),
    organisation_id: key.organisationId,
    key_id: key.keyId,
    trace_id: traceId,
    model: outline.model.id,
    ...fields,
  })
}

type StoredEnding = Pick<Ending, 'failure'> & { settlement: Pick<Ending['settlement'], 'finishReason'> }

/** Stores the answer within seconds; never rejects. Call it after the answer is sent and before the call is settled. */
async function storeAnswer(
  { claim, recorder, attestation }: Pick<AdmittedCall, 'claim' | 'recorder' | 'attestation'>,
  { failure, settlement }: StoredEnding,
  answer: AnswerCommitment | null,
): Promise<ClaimAndCacheUpdate> {
  const released = mayHaveBegun(failure) ? null : claim
  if (recorder === null) return { released, cached: null }
  const { place, isReplayed, cacheEntry } = recorder.plan
  const isWhole = failure === null && CACHEABLE_FINISH_REASONS.has(settlement.finishReason)
  const isStored = await recorder.put((isReplayed && wasSent(failure)) || (cacheEntry !== null && isWhole))
  const attestationId = attestation.attestation_id
  const named = cacheEntry && { ...cacheEntry, object: place.name, attestationId, answer }
  return { released, cached: isStored && isWhole ? named : null }
}

/** The finish reasons of answers that the cache takes. */
const CACHEABLE_FINISH_REASONS: ReadonlySet<string | null> = new Set(['stop', 'length'])

/** True if the caller stayed to the end and a model may have begun. */
const wasSent = (failure: Failure | null): boolean =>
  failure === null || (mayHaveBegun(failure) && failure.kind !== 'cancelled')

/** True if a model may have begun with the call. */
const mayHaveBegun = (failure: Failure | null): boolean => failure?.billed !== 'no'
