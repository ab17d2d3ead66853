// Settles an admitted call: stores its answer and records how it ended. The runtime keeps the call alive until then, so a caller who
// leaves cannot make the cost disappear.
import { NOT_SEARCHED, type AnswerScan } from '../../evidence/records/answer-scan.ts'
import { answerHash, outlineOf, type AnswerCommitment } from '../../evidence/records/answer-outline.ts'
import type { AnswerOutline } from '../../evidence/records/answer-hasher.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { ClaimAndCacheUpdate } from '../../organisation/admit/answer-reuse.ts'
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { log, logUnexpected, type LogLine } from '../../platform/log.ts'
import { hashFunctions, sha256Hex } from '../../platform/sha256.ts'
import type { Answer } from '../../providers/chat-answer.ts'
import { logRefusedAccess } from '../../providers/provider-client.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import type { Failure } from '../../providers/failure.ts'
import type { AdmittedCall } from './admit-call.ts'
import { noneAsked } from './asked-routes.ts'
import { concludeCrash, type Ending } from './conclude-call.ts'

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
  const concluded = ending.catch((thrown: unknown) => {
    logUnexpected(thrown, c.get('requestId'))
    return concludeCrash({ ...call, routes: noneAsked(call.allowed) })
  })
  const settle = async (): Promise<void> => {
    const ended = await concluded
    logEnding(c, call, ended)
    const answer = hashAnswered(c, ended)
    // Stored before the call is settled: from then on, a repeated call looks for the answer.
    const answerScan = await finishReading(c, call)
    const [content, after] = await Promise.all([
      call.content?.put(ended.body ?? null, (assembled) => presentAssembled(call, assembled, ended)),
      storeAnswer(call, ended, { answer, answerScan }),
    ])
    const settlement = { ...ended.settlement, answer, answerScan, ...(content !== undefined && { content }) }
    const settled = await gate.settleChat(call.key, settlement, after)
    await call.content?.deleteUnrecorded(settled)
    // The organisation may have been erased while the call ran.
    if (settled?.outcome === 'not_open') await call.recorder?.discard()
  }
  c.executionCtx.waitUntil(settle())
  return concluded
}

/** Ends the search of the answer. After a fault in it, nobody can say what was read. */
async function finishReading(c: AppContext, { reader }: AdmittedCall): Promise<AnswerScan> {
  try {
    return (await reader?.finish()) ?? NOT_SEARCHED
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    return NOT_SEARCHED
  }
}

/** Hashes what the caller got. A fault must not stop the settlement: the answer is then not covered. */
function hashAnswered(c: AppContext, { answered }: Ending): AnswerCommitment | null {
  try {
    const outline = typeof answered === 'function' ? answered() : answered && outlineOf(answered, hashFunctions)
    return outline ? commitToAnswer(outline) : null
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
function presentAssembled(call: AdmittedCall, answer: Answer, { bill, aqta }: Ending): string {
  const end = { bill, aqta: aqta(), endedAt: systemRuntime.now() }
  return JSON.stringify(call.format.present(call, { answer, passedBody: null }, end))
}

function logEnding(c: AppContext, call: AdmittedCall, ending: Ending): void {
  const { settlement, failure, attempts, upstreamRequestId, routes } = ending
  const { model } = routes.last
  const upstreamStatus = failure === null || failure.kind === 'unsupported' ? null : failure.upstreamStatus
  logCallEnded(c, call, {
    provider: model.provider,
    ended: settlement.ended,
    error_cause: settlement.errorCause,
    upstream_status: upstreamStatus,
    upstream_request_id: upstreamRequestId,
    attempts,
  })
  for (const attempt of routes.attempts) {
    if (attempt.cause === 'access') logRefusedAccess(c.get('requestId'), attempt.model, attempt.refused)
  }
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
  { claim, recorder, attestation, reader }: Pick<AdmittedCall, 'claim' | 'recorder' | 'attestation' | 'reader'>,
  { failure, settlement }: StoredEnding,
  { answer, answerScan }: { answer: AnswerCommitment | null; answerScan: AnswerScan },
): Promise<ClaimAndCacheUpdate> {
  const released = mayHaveBegun(failure) ? null : claim
  if (recorder === null) return { released, cached: null }
  const { place, isReplayed, cacheEntry } = recorder.plan
  const isClean = answerScan.coverage === 'full' && Object.keys(answerScan.found).length === 0
  const isWhole =
    failure === null && CACHEABLE_FINISH_REASONS.has(settlement.finishReason) && (reader === null || isClean)
  const isStored = await recorder.put((isReplayed && wasSent(failure)) || (cacheEntry !== null && isWhole))
  const attestationId = attestation.attestation_id
  const named = cacheEntry && { ...cacheEntry, object: place.name, attestationId, answer }
  return { released, cached: isStored && isWhole ? named : null }
}

const CACHEABLE_FINISH_REASONS: ReadonlySet<string | null> = new Set(['stop', 'length'])

/** True if the caller stayed to the end and a model may have begun. */
const wasSent = (failure: Failure | null): boolean =>
  failure === null || (mayHaveBegun(failure) && failure.kind !== 'cancelled')

/** True if a model may have begun with the call. */
const mayHaveBegun = (failure: Failure | null): boolean => failure?.billed !== 'no'
