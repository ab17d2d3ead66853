// One call in either wire format: reads the request, asks the organisation, asks the provider, answers and settles. No provider gets a
// request before the decision about it is in the organisation's ledger.
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { signRecord } from '../../evidence/records/record.ts'
import { bearerKey } from '../../keys/bearer.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { KeptAnswerPlan } from '../../organisation/admit/stored-answers.ts'
import type { KeptPlace } from '../../organisation/admit/repeated-chat.ts'
import type { Clock } from '../../platform/time.ts'
import { ConfigError, type Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { complete, openStream } from '../../providers/client.ts'
import { parseEurRate, type EurRate } from '../../providers/cost.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import type { ProvidersSettings } from '../../providers/provider-settings.ts'
import type { AdmittedCall } from './admitted-call.ts'
import { keepContent, type CallContent } from '../content/call-content.ts'
import { openAnswerBuffer } from '../memory/answer-memory.ts'
import { leaveCallBody, openBodyMemory, type BodyMemory } from '../memory/body-memory.ts'
import { createAskOrganisation } from './ask-organisation.ts'
import { cohortNotDeclared, droppedHeader } from './call-headers.ts'
import { refusalError } from '../../organisation/errors.ts'
import { decisionError, keptAnswerOf } from './errors.ts'
import { refuseDropped, type CallInput, type ReadCall } from './prepare-call.ts'
import { createMemoryPool } from '../memory/memory-pool.ts'
import { providerCall } from './settle-call.ts'
import { createProcessorShare } from './processor-share.ts'
import { createRequestReader, type Arrival, type ValidCall } from './read-call.ts'
import { answerAgain, answerCached, type CachedAnswer } from '../replay/answer-again.ts'
import { createAnswerRecorder, type AnswerRecorder } from '../replay/answer-recorder.ts'
import type { StoredAnswersStore } from '../replay/stored-answers.store.ts'
import { answerStreamed } from './streamed-answer.ts'
import { traceHeaders, type Aqta, type TraceIds } from './trace.ts'
import { answerWhole } from './whole-answer.ts'

type Deps = {
  gate: ChatGate
  /** null where this deployment has no keys: then nothing is asked of a model. */
  signer: Signer | null
  peppers: Config['peppers']
  providers: ProvidersSettings
  limits: Config['chatLimits']
  eurPerUsd: Config['eurPerUsd']
  /** Stores answers that can be replayed. */
  storedAnswers: StoredAnswersStore
  clock: Clock
  /** Stores prompts and answers of organisations that want that. */
  bucket: R2Bucket
}

/** `sent` is settled when the provider has begun to answer, or never will: until then the request's bytes are kept. */
type Started = { answer: Promise<Response>; sent: Promise<unknown> }

export type CallService = ReturnType<typeof createCallService>

/** Throws ConfigError. */
export function createCallService({
  gate,
  signer,
  peppers,
  providers,
  limits,
  eurPerUsd,
  storedAnswers,
  bucket,
  clock,
}: Deps) {
  const eurRate = readRate(eurPerUsd.rate)
  const pool = createMemoryPool(systemRuntime)
  const share = createProcessorShare(systemRuntime)
  const readRequest = createRequestReader({ pool, share, signer, providers, clock })
  const askOrganisation = createAskOrganisation({ gate, storedAnswers, eurRate, share, pool, refuse: refuseInvalid })

  /** Throws every error of the routes. */
  async function answerCall(c: AppContext, readCall: ReadCall): Promise<Response> {
    const arrivedAt = clock()
    const key = bearerKey(c, 'gateway', peppers)
    const known = gate.recall(c, key)
    if (known !== null) throw await leaveCallBody(c.req.raw, refusalError(known))
    // The runtime is asked to keep the call alive until its room is given back, should its caller leave.
    const memory = openBodyMemory(pool, key.organisationId, (released) => c.executionCtx.waitUntil(released))
    let sent: Promise<unknown> = Promise.resolve()
    try {
      const started = await start(c, key, { readCall, arrivedAt }, memory)
      ;({ sent } = started)
      return await started.answer
    } finally {
      // A stream's head can go out long before its provider has taken the request, which may have to be sent again.
      void sent.then(memory.release, memory.release)
    }
  }

  /** Over as soon as the provider is asked: what it has read is not kept until the answer is there. */
  async function start(c: AppContext, key: ParsedKey, arrival: Arrival, bodyMemory: BodyMemory): Promise<Started> {
    const valid = await readRequest(c, key, arrival, bodyMemory)
    if (valid instanceof AppError) throw await refuseInvalid(c, key, valid)
    const { provider, input, deadline, answerMemory: memory } = valid
    const admitted = await admit(c, key, valid).catch((thrown: unknown) => {
      memory.release()
      throw thrown
    })
    if ('kept' in admitted) {
      const again = { memory, store: storedAnswers, stallMs: limits.stallMs }
      return { sent: Promise.resolve(), answer: answerAgain(c, admitted.kept, again) }
    }
    const { call, scanned, cached } = admitted
    if (cached !== null) {
      const answer = answerCached(c, call, cached, limits.stallMs)
      return { sent: Promise.resolve(), answer: Promise.resolve(answer) }
    }
    const { outline } = input
    const request = {
      ...scanned.request,
      maxTokens: call.maxTokens,
      cacheInstructions: call.cacheInstructions,
      cacheGroup: cacheGroup(key.organisationId, input.request.cacheKey),
    }
    const deps = { gate, limits }
    const leftMs = deadline === null ? Infinity : deadline - clock()
    const toAsk = providerCall(c, { provider, model: outline.model, request }, { limits, leftMs })
    if (request.stream === true) {
      const sent = openStream(toAsk)
      return { sent, answer: answerStreamed(c, call, sent, deps) }
    }
    const sent = complete({ ...toAsk, hasRoom: call.memory.grow })
    return { sent, answer: answerWhole(c, call, sent, deps) }
  }

  /** The error for a request that cannot be run. A bad key and a limit outrank its fault. */
  async function refuseInvalid(c: AppContext, key: ParsedKey, fault: AppError): Promise<AppError> {
    const counted = await gate.admitInvalid(c, key)
    const isLimited = counted.outcome === 'rate_limit_exceeded' || counted.outcome === 'quota_exceeded'
    if (counted.outcome === 'admitted' || (isLimited && fault.code === 'payload_too_large')) return fault
    return refusalError(counted)
  }

  /**
   * Throws where the call is refused. `scanned`: the request as the policy lets it be sent, and answered. `cached`: the answer, where
   * the cache has it. Of a repeated call, where its answer is kept.
   */
  async function admit(
    c: AppContext,
    key: ParsedKey,
    valid: ValidCall,
  ): Promise<{ call: AdmittedCall; scanned: CallInput; cached: CachedAnswer | null } | { kept: KeptPlace }> {
    const { idempotencyKeyHash, signingKey, answerMemory: memory } = valid
    const startedAt = clock()
    const asked = await askOrganisation(c, key, { ...valid, publicKey: signingKey.publicKey })
    const { trace, admission, scanned, cached } = asked
    if (admission.outcome === 'repeated' || admission.outcome === 'other_request') {
      return { kept: keptAnswerOf(admission) }
    }
    if (admission.outcome === 'cohort_not_declared') throw cohortNotDeclared()
    if (admission.outcome === 'unsupported') throw refuseDropped(valid.input) ?? new TypeError('nothing was left out')
    if (!('position' in admission)) throw refusalError(admission)
    setTraceHeaders(c, trace, STATUSES[admission.outcome])
    const attestation = await signRecord(admission.record, signingKey)
    if (admission.outcome !== 'admitted') throw decisionError(admission, attestation)
    const { outline, form, dropped } = scanned
    const unsent = droppedHeader(dropped)
    for (const [name, value] of Object.entries(unsent)) c.header(name, value)
    const { position, maxTokens, cacheInstructions, keep, contentPlace } = admission
    const { route } = form
    const made = trace.attestationId
    const claimant = key.keyId
    const mostOutputTokens = maxTokens * outline.choices
    const call = {
      key,
      outline,
      form,
      maxTokens,
      cacheInstructions,
      mostOutputTokens,
      traceId: trace.traceId,
      attestation,
      position,
      eurRate,
      startedAt,
      memory,
      claim: idempotencyKeyHash && { claimant, route, keyHash: idempotencyKeyHash, made },
      recorder: keep && openRecorder(c, key, keep, { ...traceHeaders(trace, 'passed'), ...unsent }),
      content: contentPlace && openContent(c, key, contentPlace, valid),
    }
    return { call, scanned, cached }
  }

  function openRecorder(
    c: AppContext,
    key: ParsedKey,
    plan: KeptAnswerPlan,
    headers: Record<string, string>,
  ): AnswerRecorder {
    const openBuffer = () => openAnswerBuffer(pool, key.organisationId)
    return createAnswerRecorder({ plan, store: storedAnswers, openBuffer, requestId: c.get('requestId'), headers })
  }

  function openContent(c: AppContext, key: ParsedKey, place: ContentPlace, { input, bytes }: ValidCall): CallContent {
    const isStreamed = input.request.stream === true
    const whose = { owner: key.organisationId, requestId: c.get('requestId') }
    return keepContent({ place, request: bytes, isStreamed, pool, bucket, ...whose })
  }

  return { answerCall }
}

/**
 * For clients that drop members they do not know, and for all before a stream's first byte: a stream that is cut leaves its
 * caller no other way to the record.
 */
function setTraceHeaders(c: AppContext, ids: TraceIds, status: Aqta['status']): void {
  for (const [name, value] of Object.entries(traceHeaders(ids, status))) c.header(name, value)
  c.get('logged').outcome = status
}

const STATUSES = {
  admitted: 'passed',
  model_not_allowed: 'blocked',
  policy_blocked: 'blocked',
  approval_required: 'blocked',
  loop_detected: 'suppressed',
} as const

function readRate(text: string): EurRate {
  const rate = parseEurRate(text)
  if (rate === null) throw new ConfigError(['EUR_PER_USD'])
  return rate
}

/**
 * The name by which OpenAI keeps prompts together, as long as it takes one. All organisations share the service's own account
 * there: were their names sent as they are, whoever guesses another's could tell by the time what that one has sent.
 */
function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))
}
