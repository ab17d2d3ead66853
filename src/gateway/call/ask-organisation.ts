// Asks an organisation whether a call may run, under the policy that it has in force, and finds the answer that its cache names.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ChatGate, RequestFacts } from '../../organisation/admit/chat-gate.ts'
import type { Scan } from '../../organisation/admit/record-chat.ts'
import { BoundedMemory } from '../../platform/cache.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { runInSlices, SLICE } from '../../platform/steps.ts'
import type { ContentFacts } from '../../policies/document/content-type-guard.policy.ts'
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import { costMicroeur, outputMicroeurPerMillion, type EurRate } from '../../providers/cost.ts'
import { estimateUsage } from '../../providers/estimate.ts'
import type { ChatRequest } from '../../providers/request.ts'
import { countCharacters } from '../../scanning/texts/request-texts.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import type { Holding, MemoryPool } from '../memory/memory-pool.ts'
import type { CachedAnswer } from '../replay/answer-again.ts'
import type { StoredAnswersStore } from '../replay/stored-answers.store.ts'
import { scanInSteps, type ScannedRequest } from '../scan/scan-request.ts'
import type { CallInput } from './prepare-call.ts'
import type { ProcessorShare } from './processor-share.ts'
import { newTrace, traceIdOf, type TraceIds } from './trace.ts'

/** `answerMemory`: where an answer of the cache is read into. */
type AskedCall = CallerFacts & { input: CallInput; publicKey: string; answerMemory: AnswerMemory }

type Deps = {
  gate: Pick<ChatGate, 'admitChat'>
  storedAnswers: Pick<StoredAnswersStore, 'find'>
  eurRate: EurRate
  share: ProcessorShare
  pool: Pick<MemoryPool, 'enter' | 'limits'>
  /** Counts a call that is not run, and returns what it is answered with: a bad key or a limit outranks the fault. */
  refuse: (c: AppContext, key: ParsedKey, fault: AppError) => Promise<AppError>
}

/**
 * A longer text is not scanned before the organisation was asked whether the call is refused whatever the scan finds. To ask takes
 * about as long as to scan so much.
 */
const LONG_TEXT = 64 * 1024

/** Asks again after learning the current policy, and again if it changes in between. */
const MOST_ASKED = 4

const MOST_POLICIES = 200

/** The function that it returns throws every error of the organisation's object. */
export function createAskOrganisation({ gate, storedAnswers, eurRate, share, pool, refuse }: Deps) {
  /** The policies that ask for a scan, by organisation. The organisation's object notices an outdated one and returns the current one. */
  const policies = new BoundedMemory<VersionedPolicy>(MOST_POLICIES)

  /** In slices, with others let through in between. Throws where the organisation has had much scanned, or its caller has left. */
  async function scan(
    c: AppContext,
    key: ParsedKey,
    input: CallInput,
    policy: VersionedPolicy | null,
  ): Promise<ScannedRequest> {
    if (policy === null || !needsScan(policy.document)) return { input, scan: null }
    const owner = key.organisationId
    const holding = holdWaiting(owner, input)
    if (holding === null) throw await refuse(c, key, tooManyWaiting())
    const waitMs = share.take(owner, input.textBytes)
    if (waitMs > 0) {
      holding.leave()
      throw await refuse(c, key, tooMuchToScan(waitMs))
    }
    const turns = share.enter(owner)
    const { signal } = c.req.raw
    const nextTurn = async (): Promise<void> => {
      await turns.next()
      if (signal.aborted) throw await refuse(c, key, callerLeft())
    }
    try {
      return await runInSlices(scanInSteps(input, policy), nextTurn)
    } finally {
      turns.leave()
      holding.leave()
    }
  }

  /** The room of a text while it is scanned. A large body has its own, and a text of one slice waits for nobody. Null where there is no room. */
  function holdWaiting(owner: string, { outline, textBytes }: CallInput): Pick<Holding, 'leave'> | null {
    if (outline.bytes > pool.limits.largeBytes || textBytes <= SLICE) return { leave: () => undefined }
    return pool.enter(owner, { bytes: outline.bytes, answers: 0 })
  }

  /**
   * A policy that has changed since this isolate was told of it is told anew, and the request looked through again.
   * @param insteadOf the attestation_id of this same call, where the cache names an answer to it that cannot be read
   */
  async function askUnderPolicy(c: AppContext, key: ParsedKey, call: AskedCall, insteadOf: string | null) {
    const trace = newTrace()
    for (let asked = 1; asked <= MOST_ASKED; asked++) {
      const isFirstLook = asked === 1 && insteadOf === null && call.input.textBytes > LONG_TEXT
      const policy = isFirstLook ? null : (policies.get(key.organisationId) ?? null)
      const { input: scanned, scan: found } = await scan(c, key, call.input, policy)
      const told = { ...trace, ...call, eurRate, scan: found, insteadOf }
      const admission = await gate.admitChat(c, key, factsOf({ ...call.input, outline: scanned.outline }, told))
      if (admission.outcome !== 'policy_needed') return { trace, admission, scanned }
      if (needsScan(admission.policy.document)) policies.set(key.organisationId, admission.policy)
      else policies.delete(key.organisationId)
    }
    throw policyKeepsChanging()
  }

  /** `cached`: the answer, where the cache has it. Where it cannot be read, the call is admitted again, and is to be run. */
  return async (c: AppContext, key: ParsedKey, call: AskedCall) => {
    const asked = await askUnderPolicy(c, key, call, null)
    const { admission, trace } = asked
    const named = admission.outcome === 'admitted' ? admission.cached : null
    if (named === null) return { ...asked, cached: null }
    const { grow } = call.answerMemory
    const found = await c.get('timings').measure('storage', () => storedAnswers.find(named.place, grow))
    if (found.outcome !== 'found') return { ...(await askUnderPolicy(c, key, call, trace.attestationId)), cached: null }
    const cached: CachedAnswer = { answer: found.answer, firstTraceId: traceIdOf(named.attestationId) }
    return { ...asked, cached }
  }
}

const policyKeepsChanging = (): AppError =>
  new AppError(
    'service_unavailable',
    'Your organisation’s policy was changed several times while this request was looked at. Send it again in a moment.',
  )

const tooMuchToScan = (waitMs: number): AppError =>
  new AppError(
    'service_unavailable',
    'Your organisation has sent more text within a minute than can be scanned here for its policy. Try again when retry-after says so, or send shorter texts.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  )

const tooManyWaiting = (): AppError =>
  new AppError(
    'service_unavailable',
    'Too many texts are waiting to be scanned at this moment. Try again in a few seconds, or send fewer at once.',
    { retryAfterSeconds: 5 },
  )

/** Nobody reads it: it ends the work. */
const callerLeft = (): AppError =>
  new AppError('service_unavailable', 'The connection was closed before the request was looked through.')

/** The facts of the request's headers. */
type CallerFacts = Pick<RequestFacts, 'useCase' | 'cohort' | 'idempotencyKeyHash' | 'approval'>

export function factsOf(
  { outline, request, form, dropped }: CallInput,
  call: TraceIds &
    CallerFacts &
    Pick<RequestFacts, 'insteadOf'> & { publicKey: string; eurRate: EurRate; scan: Scan | null },
): RequestFacts {
  const { model, hashes, bytes, upFront, choices } = outline
  const input = estimateUsage(outline.inputTokens, 0, 0)
  return {
    traceId: call.traceId,
    attestationId: call.attestationId,
    publicKey: call.publicKey,
    model: model.id,
    provider: model.provider,
    costEffective: model.costEffective,
    ...hashes,
    stream: request.stream === true,
    content: contentOf(request, bytes),
    upFrontMicroeur: costMicroeur(upFront, model, call.eurRate),
    output: {
      tokens: outline.maxTokens,
      most: model.limits.maxOutputTokens,
      choices,
      microeurPerMillion: outputMicroeurPerMillion(upFront, model, call.eurRate),
    },
    inputMicroeur: costMicroeur(input, model, call.eurRate),
    useCase: call.useCase,
    cohort: call.cohort,
    scan: call.scan,
    route: form.route,
    idempotencyKeyHash: call.idempotencyKeyHash,
    approval: call.approval,
    temperature: outline.temperature,
    hasDropped: dropped.length > 0,
    insteadOf: call.insteadOf,
  }
}

/** A search of the web is a tool, however it is asked for. */
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
