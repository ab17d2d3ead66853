// One call, whichever wire format it comes in: read what is asked, have it admitted and written down, ask the provider, answer, settle. Nothing
// reaches a provider before its decision is in the organisation's ledger.
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { noSigningKey } from '../../evidence/records/configured-keys.ts'
import { signRecord } from '../../evidence/records/sign-record.ts'
import type { SigningKey } from '../../evidence/records/signing-key.ts'
import { bearerKey } from '../../keys/bearer.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { KeptAnswerPlan } from '../../organisation/admit/keep-answer.ts'
import type { KeptPlace } from '../../organisation/admit/repeated-chat.ts'
import type { Clock } from '../../platform/clock.ts'
import { ConfigError, type Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readIdempotencyKey } from '../../platform/form.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { sha256, sha256Hex } from '../../platform/sha256.ts'
import { complete, openStream, type ProviderSettings } from '../../providers/client.ts'
import { parseEurRate, type EurRate } from '../../providers/cost.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import type { ProvidersSettings } from '../../providers/provider-settings.ts'
import type { AdmittedCall } from './admitted-call.ts'
import { keepContent, type CallContent } from '../content/call-content.ts'
import { openAnswerPlace, type AnswerPlace } from '../memory/answer-place.ts'
import { openAnswerCopy } from '../memory/answer-copy.ts'
import { openBodyPlace, type BodyPlace } from '../memory/body-place.ts'
import { leaveCallBody, readCallBody } from '../memory/call-body.ts'
import { createAskOrganisation } from './ask-organisation.ts'
import {
  cohortNotDeclared,
  droppedHeader,
  readApproval,
  readCohort,
  readUnsupported,
  readUseCase,
} from './call-headers.ts'
import { readDeadline } from './deadline.ts'
import { refusalError } from '../../organisation/errors.ts'
import { decisionError, noRoomForAnswer } from './call-refusals.ts'
import { refuseDropped, type CallInput, type ReadCall } from './prepare-call.ts'
import { createMemoryPool } from '../memory/memory-pool.ts'
import { openOutlet } from './open-outlet.ts'
import { providerCall } from './provider-call.ts'
import { createProcessorShare } from './processor-share.ts'
import { answerAgain } from '../replay/answer-again.ts'
import { answerCached, type CachedAnswer } from '../replay/answer-cached.ts'
import { createAnswerKeeper, type AnswerKeeper } from '../replay/answer-keeper.ts'
import type { KeptAnswersStore } from '../replay/kept-answers.store.ts'
import { keptAnswerOf } from '../replay/repeat-refusals.ts'
import { answerStreamed } from './streamed-answer.ts'
import { setTraceHeaders, traceHeaders } from './trace.ts'
import { answerWhole } from './whole-answer.ts'

type Deps = {
  gate: ChatGate
  /** null where this deployment has no keys: then nothing is asked of a model. */
  signer: Signer | null
  peppers: Config['peppers']
  providers: ProvidersSettings
  limits: Config['chatLimits']
  eurPerUsd: Config['eurPerUsd']
  /** Where answers are kept that are to be given again. */
  keptAnswers: KeptAnswersStore
  clock: Clock
  /** Where content is kept, for those who want that. */
  bucket: R2Bucket
}

type ValidCall = {
  input: CallInput
  useCase: string | null
  cohort: string | null
  idempotencyKeyHash: Uint8Array | null
  approval: ApprovalId | null
  /** Unix milliseconds; null where the caller sets none. */
  deadline: number | null
  provider: ProviderSettings
  signingKey: SigningKey
  answerPlace: AnswerPlace
  /** The body as it was sent. */
  bytes: Uint8Array
}

/** A call that has just come, and how its body is read. */
type Arrival = { readCall: ReadCall; arrivedAt: number }

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
  keptAnswers,
  bucket,
  clock,
}: Deps) {
  const eurRate = readRate(eurPerUsd.rate)
  const pool = createMemoryPool(systemRuntime)
  const share = createProcessorShare(systemRuntime)
  const askOrganisation = createAskOrganisation({ gate, keptAnswers, eurRate, share, pool, refuse: refuseInvalid })

  /** Throws every error of the routes. */
  async function answerCall(c: AppContext, readCall: ReadCall): Promise<Response> {
    const arrivedAt = clock()
    const key = bearerKey(c, 'gateway', peppers)
    const known = gate.recall(c, key)
    if (known !== null) throw await leaveCallBody(c.req.raw, refusalError(known))
    // The runtime is asked to keep the call alive until its room is given back, should its caller leave.
    const place = openBodyPlace(pool, key.organisationId, (released) => c.executionCtx.waitUntil(released))
    let sent: Promise<unknown> = Promise.resolve()
    try {
      const started = await start(c, key, { readCall, arrivedAt }, place)
      ;({ sent } = started)
      return await started.answer
    } finally {
      // A stream's head can go out long before its provider has taken the request, which may have to be sent again.
      void sent.then(place.release, place.release)
    }
  }

  /** Over as soon as the provider is asked: what it has read is not kept until the answer is there. */
  async function start(c: AppContext, key: ParsedKey, arrival: Arrival, bodyPlace: BodyPlace): Promise<Started> {
    const valid = await readValidCall(c, key, arrival, bodyPlace)
    if (valid instanceof AppError) throw await refuseInvalid(c, key, valid)
    const { provider, input, deadline, answerPlace: place } = valid
    const admitted = await admit(c, key, valid).catch((thrown: unknown) => {
      place.release()
      throw thrown
    })
    if ('kept' in admitted) {
      const again = { place, store: keptAnswers, openOutlet: () => openOutlet(c, { place }, { limits }) }
      return { sent: Promise.resolve(), answer: answerAgain(c, admitted.kept, again) }
    }
    const { call, scanned, cached } = admitted
    if (cached !== null) {
      const answer = answerCached(c, call, cached, () => openOutlet(c, call, { limits }))
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
    const sent = complete({ ...toAsk, hasRoom: call.place.grow })
    return { sent, answer: answerWhole(c, call, sent, deps) }
  }

  async function readValidCall(
    c: AppContext,
    key: ParsedKey,
    { readCall, arrivedAt }: Arrival,
    place: BodyPlace,
  ): Promise<ValidCall | AppError> {
    const bytes = await readCallBody(c.req.raw, place)
    if (bytes instanceof AppError) return bytes
    const input = await readInTurn(key, bytes, () => readCall(c.req.raw.headers, bytes))
    if (input instanceof AppError) return input
    const useCase = readUseCase(c)
    if (useCase instanceof AppError) return useCase
    const approval = readApproval(c)
    if (approval instanceof AppError) return approval
    const cohort = readCohort(c)
    if (cohort instanceof AppError) return cohort
    const unsupported = readUnsupported(c)
    if (unsupported instanceof AppError) return unsupported
    const refused = unsupported === 'refuse' ? refuseDropped(input) : null
    if (refused !== null) return refused
    const idempotencyKey = readIdempotencyKey(c.req.raw.headers)
    if (idempotencyKey instanceof AppError) return idempotencyKey
    const deadline = readDeadline(c, arrivedAt)
    if (deadline instanceof AppError) return deadline
    const { baseUrl, apiKey } = providers[input.outline.model.provider]
    if (apiKey === null) return notConfigured()
    const signingKey = (await signer?.keyAt(clock())) ?? null
    if (signingKey === null) return noSigningKey()
    const answerPlace = openAnswerPlace(pool, key.organisationId)
    if (answerPlace === null) return noRoomForAnswer()
    const idempotencyKeyHash = idempotencyKey === null ? null : sha256(idempotencyKey)
    const asked = { input, useCase, cohort, approval, idempotencyKeyHash, deadline }
    return { ...asked, provider: { baseUrl, apiKey }, signingKey, answerPlace, bytes }
  }

  /** To read a large body takes the processor for some milliseconds: of many that come at once, one a turn is read. */
  async function readInTurn<T>(key: ParsedKey, bytes: Uint8Array, read: () => T): Promise<T> {
    if (bytes.length <= pool.limits.largeBytes) return read()
    const turns = share.enter(key.organisationId)
    try {
      await turns.next()
      return read()
    } finally {
      turns.leave()
    }
  }

  /** What a request that cannot be run is answered with: a bad key and a limit outrank what is wrong with it. */
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
    const { idempotencyKeyHash, signingKey, answerPlace: place } = valid
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
      place,
      claim: idempotencyKeyHash && { claimant, route, keyHash: idempotencyKeyHash, made },
      keeper: keep && openKeeper(c, key, keep, { ...traceHeaders(trace, 'passed'), ...unsent }),
      content: contentPlace && openContent(c, key, contentPlace, valid),
    }
    return { call, scanned, cached }
  }

  function openKeeper(
    c: AppContext,
    key: ParsedKey,
    plan: KeptAnswerPlan,
    headers: Record<string, string>,
  ): AnswerKeeper {
    const openCopy = () => openAnswerCopy(pool, key.organisationId)
    return createAnswerKeeper({ plan, store: keptAnswers, openCopy, requestId: c.get('requestId'), headers })
  }

  function openContent(c: AppContext, key: ParsedKey, place: ContentPlace, { input, bytes }: ValidCall): CallContent {
    const isStreamed = input.request.stream === true
    const whose = { owner: key.organisationId, requestId: c.get('requestId') }
    return keepContent({ place, request: bytes, isStreamed, pool, bucket, ...whose })
  }

  return { answerCall }
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

const notConfigured = (): AppError =>
  new AppError(
    'service_unavailable',
    'This model’s provider is not set up at this address. Choose another model, or tell the operator.',
    { headers: { 'x-should-retry': 'false' } },
  )

/**
 * The name by which OpenAI keeps prompts together, as long as it takes one. All organisations share the service's own account
 * there: were their names sent as they are, whoever guesses another's could tell by the time what that one has sent.
 */
function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))
}
