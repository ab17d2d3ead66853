// Asks the organisation's object if a call may run, after a scan if its policy wants one, and signs the record.
import {
  signRecord,
  traceIdOf,
  type AttestationRecord,
  type UnsignedRecord,
} from '../../evidence/records/attestation-record.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ChatGate, RequestFacts } from '../../organisation/admit/chat-gate.ts'
import type { RouteFacts } from '../../organisation/admit/choose-routes.ts'
import type { Scan } from '../../organisation/admit/record-chat.ts'
import type { AnswerPlan, ReleasedClaim, SealedAnswer } from '../../organisation/admit/answer-reuse.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import { refusalError } from '../../organisation/refusal-errors.ts'
import { errorFormOf } from '../../platform/render-error.ts'
import { LruCache } from '../../platform/cache.ts'
import { setHeaders, type AppContext } from '../../platform/context.ts'
import type { ContentFacts } from '../../policies/facts.ts'
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import { costMicroeur, outputMicroeurPerMillion, type EurRate } from '../../providers/call-cost.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import type { EndpointsSettings } from '../../providers/endpoint-settings.ts'
import type { AllowedEndpoint } from '../../organisation/admit/admission-outcomes.ts'
import { estimateUsage } from '../../providers/estimate-tokens.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import { countCharacters } from '../../scanning/texts/request-texts.ts'
import { createContentRecorder, type ContentRecorder } from '../content/content-recorder.ts'
import { openAnswerBuffer, type AnswerMemory } from '../memory/answer-memory.ts'
import type { MemoryPool } from '../memory/memory-pool.ts'
import { createAnswerRecorder, type AnswerRecorder } from '../replay/answer-recorder.ts'
import type { CachedAnswer, StoredAnswersStore } from '../replay/stored-answers.store.ts'
import { createAnswerReader, type AnswerReader } from '../scan/answer-reader.ts'
import { isJsonWanted, type createScanner } from '../scan/scan-request.ts'
import {
  adaptedHeaders,
  cohortNotDeclared,
  DATA_REGION_HEADER,
  dataRegionWider,
  lifecycleHeaders,
} from './call-headers.ts'
import type { AllowedRoute, AllowedRoutes, RouteOutline } from './asked-routes.ts'
import type { AnsweredCall, AnswerFormat, CallOutline, ChatOutline } from './answer-format.ts'
import { decisionError, storedAnswerOf } from './decision-errors.ts'
import { callError } from './call-errors.ts'
import type { FairQueue } from './fair-queue.ts'
import { refuseAdapted, refuseUnfit, type CallInput } from './prepare-call.ts'
import type { CallerFacts, ValidCall } from './read-call.ts'
import { traceHeaders } from './trace.ts'
import { recordStatusOf } from '../../evidence/records/call-endings.ts'

/** A call that the organisation has admitted and recorded. It lives until the answer ends, so the request is not in it. */
export type AdmittedCall = AnsweredCall & {
  readonly key: ParsedKey
  readonly allowed: AllowedRoutes
  readonly dataRegion: DataRegion
  /** True if it belongs to a loop that its key for evaluation only reports. */
  readonly isLoop: boolean
  readonly format: AnswerFormat
  readonly adapted: CallInput['adapted']
  readonly maxTokens: number
  /** True if the organisation wants long instructions cached by the provider. */
  readonly cacheInstructions: boolean
  readonly mostOutputTokens: number
  readonly attestation: AttestationRecord
  readonly position: number
  /** The hash of the decision's facts, which its settlement repeats. */
  readonly factsSha256: string
  /** The days for which the decision is kept. */
  readonly retentionDays: number
  readonly eurRate: EurRate
  /** The memory for its answer. The answer releases it. */
  readonly memory: AnswerMemory
  /** The claim of its idempotency key; null if it has no key. */
  readonly claim: ReleasedClaim | null
  /** Stores its answer; null if the answer is not stored. */
  readonly recorder: AnswerRecorder | null
  /** The copy for the organisation's people; null if no copy is stored. */
  readonly content: ContentRecorder | null
  /** Searches its answer; null if the policy asks for no search. */
  readonly reader: AnswerReader | null
}

/** `answerMemory`: the memory into which a cached answer is read. */
type CallToDecide = CallerFacts & { input: CallInput; publicKey: string; answerMemory: AnswerMemory }

type DecideDeps = {
  gate: Pick<ChatGate, 'admitChat'>
  storedAnswers: Pick<StoredAnswersStore, 'find'>
  eurRate: EurRate
  scan: ReturnType<typeof createScanner>
}

type Deps = Omit<DecideDeps, 'storedAnswers'> & {
  storedAnswers: StoredAnswersStore
  pool: MemoryPool
  queue: FairQueue
  bucket: R2Bucket
  endpoints: EndpointsSettings
}

/**
 * `scanned`: the redacted request, which is sent. `cached`: the answer, if the cache has it. `stored`: where the first answer of
 * the same idempotency key is stored.
 */
export type AdmitCallResult =
  | { call: AdmittedCall; scanned: CallInput; cached: CachedAnswer | null }
  | { stored: SealedAnswer }

export function createAdmitCall(deps: Deps) {
  const { eurRate, storedAnswers, pool, queue, bucket, endpoints } = deps
  const decide = createDecideCall(deps)

  function openRecorder(
    c: AppContext,
    key: ParsedKey,
    plan: AnswerPlan,
    headers: Record<string, string>,
  ): AnswerRecorder {
    const openBuffer = () => openAnswerBuffer(pool, key.organisationId)
    return createAnswerRecorder({
      plan,
      store: storedAnswers,
      openBuffer,
      requestId: c.get('requestId'),
      errors: errorFormOf(c),
      headers,
    })
  }

  function openContent(
    c: AppContext,
    key: ParsedKey,
    place: ContentPlace,
    { input, bytes }: ValidCall,
  ): ContentRecorder {
    const isStreamed = input.request.stream === true
    const caller = { owner: key.organisationId, requestId: c.get('requestId') }
    return createContentRecorder({ place, request: bytes, isStreamed, pool, bucket, ...caller })
  }

  /** Returns a function that waits for the organisation's turn, in the middle of a long search. */
  const turnsOf = (owner: string) => async (): Promise<void> => {
    const turn = queue.enter(owner)
    await turn.next().finally(turn.leave)
  }

  return async (c: AppContext, key: ParsedKey, valid: ValidCall): Promise<AdmitCallResult> => {
    const { idempotencyKeyHash, signingKey, answerMemory: memory, startedAt } = valid
    const decided = await decide(c, key, { ...valid, publicKey: signingKey.publicKey })
    const { admission, scanned, cached } = decided
    if (admission.outcome === 'repeated' || admission.outcome === 'other_request') {
      return { stored: storedAnswerOf(admission) }
    }
    if (admission.outcome === 'cohort_not_declared') throw cohortNotDeclared()
    if (admission.outcome === 'data_region_wider') throw dataRegionWider()
    if (admission.outcome === 'unfit') throw refuseUnfit(valid.input, admission.endpoint)
    if (admission.outcome === 'unsupported') throw refuseAdapted(valid.input) ?? new TypeError('nothing was left out')
    if (!('position' in admission)) throw refusalError(admission)
    const { record, position, factsSha256, retentionDays } = admission
    setTraceHeaders(c, record)
    setHeaders(c, lifecycleHeaders(valid.input.outline.model))
    const attestation = await signRecord(record, signingKey)
    if (admission.outcome !== 'admitted') throw decisionError(admission, attestation)
    const { outline, format } = scanned
    const allowed = allowedRoutes(outline, admission.routes, endpoints)
    const adapted = adaptedHeaders(scanned.adapted, allowed[0].model.endpoint)
    setHeaders(c, adapted)
    const { maxTokens, cacheInstructions, dataRegion, isLoop, keep, contentPlace, answers } = admission
    c.header(DATA_REGION_HEADER, dataRegion)
    const claim = { claimant: key.keyId, route: valid.route, made: record.attestation_id }
    const call = {
      key,
      outline,
      allowed,
      adapted: scanned.adapted,
      dataRegion,
      isLoop,
      format,
      maxTokens,
      cacheInstructions,
      mostOutputTokens: maxTokens * (outline.chat?.choices ?? 0),
      traceId: record.trace_id,
      attestation,
      position,
      factsSha256,
      retentionDays,
      eurRate,
      startedAt,
      memory,
      claim: idempotencyKeyHash && { ...claim, keyHash: idempotencyKeyHash },
      recorder:
        keep &&
        openRecorder(c, key, keep, {
          ...traceHeaders(record),
          ...adapted,
          [DATA_REGION_HEADER]: dataRegion,
        }),
      content: contentPlace && openContent(c, key, contentPlace, valid),
      reader: answers && createAnswerReader(answers, isJsonWanted(scanned.request), turnsOf(key.organisationId)),
    }
    return { call, scanned, cached }
  }
}

/**
 * A longer text is not scanned before the first question to the object. The question takes about as long as the scan, and may
 * refuse the call.
 */
const LONG_TEXT = 64 * 1024

/** Asks again after learning the current policy, and again if it changes in between. */
const MOST_QUESTIONS = 4

const MOST_POLICIES = 200

/** Returns a function that decides a call and reads its cached answer. It throws every error of the organisation's object. */
export function createDecideCall({ gate, storedAnswers, eurRate, scan }: DecideDeps) {
  /** Policies that ask for a scan, by organisation. The object notices an outdated one and returns the current one. */
  const policies = new LruCache<VersionedPolicy>(MOST_POLICIES)

  /**
   * Scans the request and asks the object. Repeats both if this isolate has an outdated policy.
   * @param insteadOf the attestation_id of this call, if the cache named an answer to it that cannot be read
   */
  async function askUnderPolicy(c: AppContext, key: ParsedKey, call: CallToDecide, insteadOf: string | null) {
    for (let question = 1; question <= MOST_QUESTIONS; question++) {
      const isUnscanned = question === 1 && insteadOf === null && call.input.textBytes > LONG_TEXT
      const policy = isUnscanned ? null : (policies.get(key.organisationId) ?? null)
      const { input: scanned, scan: findings } = await scan(c, key, call.input, policy)
      const facts = { ...call, eurRate, scan: findings, insteadOf }
      const admission = await gate.admitChat(c, key, factsOf({ ...call.input, outline: scanned.outline }, facts))
      if (admission.outcome !== 'scan_needed') return { admission, scanned }
      if (needsScan(admission.policy.document)) policies.set(key.organisationId, admission.policy)
      else policies.delete(key.organisationId)
    }
    throw callError('policy_changing')
  }

  /** `cached`: the answer, if the cache has it. If it cannot be read, the call is admitted again, and must be run. */
  return async (c: AppContext, key: ParsedKey, call: CallToDecide) => {
    const decided = await askUnderPolicy(c, key, call, null)
    const { admission } = decided
    if (admission.outcome !== 'admitted' || admission.cached === null) return { ...decided, cached: null }
    const named = admission.cached
    const { grow } = call.answerMemory
    const stored = await c.get('timings').measure('storage', () => storedAnswers.find(named.place, grow))
    if (stored.outcome !== 'found') {
      return { ...(await askUnderPolicy(c, key, call, admission.record.attestation_id)), cached: null }
    }
    const cached: CachedAnswer = { answer: stored.answer, firstTraceId: traceIdOf(named.attestationId) }
    return { ...decided, cached }
  }
}

/**
 * Sets the trace headers, for clients that drop unknown members. They go out before a stream's first byte, so the caller of a cut
 * stream can still find the record.
 */
function setTraceHeaders(c: AppContext, record: UnsignedRecord): void {
  setHeaders(c, traceHeaders(record))
  c.get('logged').outcome = recordStatusOf(record.outcome)
}

/** Returns the routes that the decision allows, with their endpoints' keys. Throws if there is none, which is a bug. */
function allowedRoutes(
  { routes }: CallOutline,
  allowed: readonly AllowedEndpoint[],
  endpoints: EndpointsSettings,
): AllowedRoutes {
  const [first, ...others] = routes.flatMap((route): AllowedRoute[] => {
    const { baseUrl, apiKey } = endpoints[route.model.endpoint]
    const isAllowed = allowed.some(
      ({ model, endpoint }) => model === route.model.id && endpoint === route.model.endpoint,
    )
    if (apiKey === null || !isAllowed) return []
    return [{ ...route, access: { baseUrl, apiKey } }]
  })
  if (first === undefined) throw new TypeError('an admitted call without a route')
  return [first, ...others]
}

const NOTHING_WRITTEN: ChatOutline = { maxTokens: 0, choices: 0, hasSchema: false, temperature: null }

export function factsOf(
  { outline, request, adapted, unfit }: CallInput,
  call: CallerFacts & Pick<RequestFacts, 'insteadOf'> & { publicKey: string; eurRate: EurRate; scan: Scan | null },
): RequestFacts {
  const { model, hashes, bytes, chat = NOTHING_WRITTEN } = outline
  const input = estimateUsage(outline.inputTokens, 0, 0)
  const [first, ...others] = outline.routes
  const describeRoute = ({ model: route, prices, upFront }: RouteOutline): RouteFacts => ({
    model: route.id,
    costEffective: route.costEffective,
    endpoint: route.endpoint,
    provider: route.provider,
    dataRegion: route.dataRegion,
    upFrontMicroeur: costMicroeur(upFront, prices, call.eurRate),
    inputMicroeur: costMicroeur(input, prices, call.eurRate),
    microeurPerMillion: outputMicroeurPerMillion(upFront, prices, call.eurRate),
  })
  return {
    publicKey: call.publicKey,
    model: model.id,
    routes: [describeRoute(first), ...others.map(describeRoute)],
    unfitRoutes: unfit.map(({ model: { endpoint, provider, dataRegion } }) => ({ endpoint, provider, dataRegion })),
    dataRegion: call.dataRegion,
    costEffective: model.costEffective,
    ...hashes,
    stream: request.stream === true,
    content: contentOf(request, bytes),
    output: {
      tokens: chat.maxTokens,
      most: model.limits.maxOutputTokens,
      choices: chat.choices,
    },
    useCase: call.useCase,
    cohort: call.cohort,
    scan: call.scan,
    route: call.route,
    idempotencyKeyHash: call.idempotencyKeyHash,
    approval: call.approval,
    temperature: chat.temperature,
    betas: request.native?.headers['anthropic-beta'] ?? null,
    hasDropped: adapted.length > 0,
    insteadOf: call.insteadOf,
  }
}

/** Counts the parts of a request. A web search counts as a tool, however it is asked for. */
function contentOf(request: ChatRequest, bytes: number): ContentFacts {
  const { messages, tools = [], webSearch } = request
  const toolCount = tools.length + (webSearch === undefined ? 0 : 1)
  const content = { bytes, characters: countCharacters(request), texts: 0, images: 0, files: 0, tools: toolCount }
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text') content.texts += part.text === '' ? 0 : 1
      else if (part.type === 'image') content.images += 1
      else content.files += 1
    }
  }
  return content
}
