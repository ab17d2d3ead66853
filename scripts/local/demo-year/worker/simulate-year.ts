// Fills the demo year in the organisation's object: calls, their endings, decisions and policies. The object's own turns record
// all of it, one after the other, each at its invented time.
import { NOT_SEARCHED } from '../../../../src/evidence/records/answer-scan.ts'
import { chatOperation } from '../../../../src/gateway/operations/chat/operation.ts'
import { factsOf } from '../../../../src/gateway/call/admit-call.ts'
import { scanInSteps } from '../../../../src/gateway/scan/scan-request.ts'
import { runSteps } from '../../../../src/platform/computation-steps.ts'
import type { RequestFacts } from '../../../../src/organisation/admit/chat-gate.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import {
  catalogueModels,
  catalogueSha256,
  findModel,
  pricesAt,
  type Model,
} from '../../../../src/providers/model-catalogue.ts'
import { endpointNamed, type EndpointId } from '../../../../src/providers/provider-registry.ts'
import { estimateOneSearch } from '../../../../src/providers/estimate-tokens.ts'
import type { Act } from '../../../../src/organisation/append-act.ts'
import type { ChatAdmission } from '../../../../src/organisation/admit/admission-outcomes.ts'
import type { ClaimAndCacheUpdate } from '../../../../src/organisation/admit/answer-reuse.ts'
import type { ChatFacts } from '../../../../src/organisation/admit/record-chat.ts'
import type { ChatSettlement, DecidedCall, RoutedCall } from '../../../../src/organisation/admit/settle-chat.ts'
import type { PolicyChangeRequest } from '../../../../src/organisation/policies/policy.target.ts'
import type { Decision, DecisionRequest } from '../../../../src/organisation/approvals/approvals.target.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { newRequestId, type ApprovalId } from '../../../../src/platform/ids.ts'
import type { VersionedPolicy } from '../../../../src/policies/document/policy-document.ts'
import { type EurRate, costMicroeur } from '../../../../src/providers/call-cost.ts'
import type { ApprovedCall, FillYearRequest, KeyChange } from '../fill-year-protocol.ts'
import { callsOfDay, type InventedCall } from './calls-of-day.ts'
import { createRandom, type Random } from '../../../seeded-random.ts'
import { EventQueue, atTime } from './simulated-time.ts'
import { FOUND_IN_ANSWERS, policiesFor } from './year-table.ts'

/** The object's turns that fill the year. */
export type ObjectTurns = {
  admitChat: (facts: ChatFacts) => ChatAdmission
  settleChat: (settlement: ChatSettlement, after?: ClaimAndCacheUpdate) => unknown
  decideApproval: (request: DecisionRequest) => { outcome: string }
  changePolicy: (wanted: PolicyChangeRequest, act: Act) => { outcome: string }
  readPolicy: () => VersionedPolicy
  /** Does the alarm's hourly work. */
  tidy: (now: number) => void
  secretHashOf: (keyId: string) => Uint8Array
}

export type SimulationDeps = {
  order: FillYearRequest
  turns: ObjectTurns
  eurRate: EurRate
  publicKeyAt: (time: number) => string
}

const HOUR_MS = 3_600_000
const OPENS_AT_HOUR = 8
const CLOSES_AT_HOUR = 18

export class YearSimulation {
  readonly #deps: SimulationDeps
  readonly #agenda = new EventQueue()
  readonly #random: Random
  readonly #hashes = new Map<string, Uint8Array>()
  /** The latest first. */
  readonly #keyChanges: KeyChange[]
  #policy: VersionedPolicy
  #decisions = 0
  #approved: ApprovedCall = null
  #tidiedAt: number

  constructor(deps: SimulationDeps) {
    const { order, turns } = deps
    this.#deps = deps
    this.#random = createRandom(order.days)
    this.#policy = turns.readPolicy()
    this.#tidiedAt = order.begins
    this.#keyChanges = [{ from: order.begins, keys: order.keys }]
    for (const { after, document } of policiesFor(order.callsADay)) {
      const at = order.begins + Math.floor(after * order.days) * DAY_MS + (after === 0 ? 0 : 10 * HOUR_MS)
      this.#agenda.add({ at, run: () => this.#putPolicy(document, at) })
    }
  }

  changeKeys(change: KeyChange): void {
    this.#keyChanges.unshift(change)
  }

  /** Runs the day's events before a time. Returns the number of recorded decisions. */
  runDay(index: number, before: number): number {
    const { order } = this.#deps
    const decided = this.#decisions
    const end = Math.min(order.begins + (index + 1) * DAY_MS, before)
    // A call begins only if it can end before that time.
    for (const call of callsOfDay(order, index).filter(({ at }) => at < before - 5 * MINUTE_MS)) {
      this.#agenda.add({ at: call.at, run: () => this.#ask(call, call.at, null) })
    }
    for (let event = this.#agenda.next(end); event !== null; event = this.#agenda.next(end)) {
      this.#tidyUntil(event.at)
      event.run()
    }
    this.#tidyUntil(end)
    return this.#decisions - decided
  }

  /** The latest call that was approved. */
  get approvedCall(): ApprovedCall {
    return this.#approved
  }

  #tidyUntil(time: number): void {
    for (; this.#tidiedAt + HOUR_MS <= time; this.#tidiedAt += HOUR_MS) {
      const now = this.#tidiedAt + HOUR_MS
      atTime(now, () => this.#deps.turns.tidy(now))
    }
  }

  #putPolicy(document: VersionedPolicy['document'], at: number): void {
    const { order, turns } = this.#deps
    const act = { actor: order.owner, act: 'policy.put', requestId: newRequestId(at) }
    const { outcome } = atTime(at, () => turns.changePolicy({ document, ifVersion: null, mayWithdraw: true }, act))
    if (outcome !== 'changed') throw new Error(`the policy of the demo is refused: ${outcome}`)
    this.#policy = turns.readPolicy()
  }

  #ask(asked: InventedCall, at: number, approval: ApprovalId | null): void {
    const { order, turns, eurRate, publicKeyAt } = this.#deps
    // Callers state a cohort as soon as the policy declares it.
    const { bias } = this.#policy.document
    const call = bias === undefined ? { ...asked, cohort: null } : asked
    const keyId = this.#keyOf(call)
    const facts = {
      ...readFacts(call, { at, publicKey: publicKeyAt(at), eurRate, policy: this.#policy, approval }),
      keyId,
      secretHash: this.#secretHash(keyId),
      organisationId: order.organisationId,
      requestId: newRequestId(at),
    }
    const admission = atTime(at, () => turns.admitChat(facts))
    if ('position' in admission) this.#decisions += 1
    if (admission.outcome === 'admitted' && approval !== null) {
      this.#approved = { attestationId: admission.record.attestation_id, body: { ...call.body } }
    }
    if (admission.outcome === 'admitted' && admission.cached === null) this.#settleLater(call, at, admission)
    if (admission.outcome === 'approval_required' && admission.approval !== null) {
      this.#scheduleDecision(call, at, admission.approval.id)
    }
  }

  #settleLater(call: InventedCall, at: number, admission: Extract<ChatAdmission, { outcome: 'admitted' }>): void {
    const { turns, eurRate } = this.#deps
    const { ending, useCase } = call
    if (ending.ended === 'lost') return
    const { position, factsSha256, retentionDays, keep, record } = admission
    const searched = ending.ended === 'completed' && admission.answers !== null ? searchedAnswer(position) : {}
    const isClean = Object.keys(searched.answerScan?.found ?? {}).length === 0
    const isKept = ending.ended === 'completed' && useCase === 'appointment-texts' && isClean
    const cached =
      isKept && keep?.cacheEntry
        ? { ...keep.cacheEntry, object: keep.place.name, attestationId: record.attestation_id, answer: null }
        : null
    const endsAt = at + ending.ms + 8
    const settle = () =>
      turns.settleChat(
        { ...settlementOf(call, { position, factsSha256, retentionDays, at, eurRate }), ...searched },
        { released: null, cached },
      )
    this.#agenda.add({ at: endsAt, run: () => atTime(endsAt, settle) })
  }

  /** Schedules decisions in opening hours. Most requests are approved and sent again; some are denied, passed on or expire. */
  #scheduleDecision(call: InventedCall, askedAt: number, id: ApprovalId): void {
    const [first, second] = this.#deps.order.approvers
    if (first === undefined || second === undefined) throw new Error('two people decide')
    const random = this.#random
    const [decider, other] = random.happens(0.7) ? [first, second] : [second, first]
    const at = nextOpenTime(askedAt + random.between(2, 55) * MINUTE_MS)
    const decide = (by: typeof decider, decision: Decision, when: number) => ({
      at: when,
      run: () => this.#decide({ id, by, decision, at: when }),
    })
    const sentAgainAt = at + random.between(1, 20) * MINUTE_MS
    const again = { at: sentAgainAt, run: () => this.#ask(call, sentAgainAt, id) }
    const kind = random.weigh([
      ['approve', 88],
      ['deny', 7],
      ['escalate', 3],
      ['nobody', 2],
    ] as const)
    if (kind === 'approve') this.#agenda.add(decide(decider, 'approve', at), again)
    if (kind === 'deny') this.#agenda.add(decide(decider, 'deny', at))
    if (kind === 'escalate') {
      this.#agenda.add(decide(decider, 'escalate', at - MINUTE_MS), decide(other, 'approve', at), again)
    }
  }

  /** Records a decision, unless the approval has ended, such as after a change of policy. */
  #decide(decided: { id: ApprovalId; by: FillYearRequest['approvers'][number]; decision: Decision; at: number }): void {
    const { id, by, decision, at } = decided
    const { order, turns, publicKeyAt } = this.#deps
    const request = {
      approvalId: id,
      decision,
      actor: by.id,
      authority: `role:${by.role}`,
      organisationId: order.organisationId,
      requestId: newRequestId(at),
      acceptanceId: crypto.randomUUID(),
      reasonHash: '',
      publicKey: publicKeyAt(at),
    }
    const { outcome } = atTime(at, () => turns.decideApproval(request))
    if (outcome !== 'decided' && outcome !== 'not_pending') throw new Error(`nobody could decide: ${outcome}`)
  }

  /** A request that is sent again has the key with which it asked first, because its approval belongs to that key. */
  #keyOf({ key, at }: InventedCall): `key_${string}` {
    const { order } = this.#deps
    return (this.#keyChanges.find(({ from }) => from <= at)?.keys ?? order.keys)[key]
  }

  #secretHash(keyId: string): Uint8Array {
    const known = this.#hashes.get(keyId)
    if (known !== undefined) return known
    const read = this.#deps.turns.secretHashOf(keyId)
    this.#hashes.set(keyId, read)
    return read
  }
}

function nextOpenTime(time: number): number {
  const day = Math.floor(time / DAY_MS) * DAY_MS
  const [opens, closes] = [day + OPENS_AT_HOUR * HOUR_MS, day + CLOSES_AT_HOUR * HOUR_MS]
  if (time < opens) return opens + Math.floor((time - day) / 10)
  return time < closes ? time : opens + DAY_MS + Math.floor((time - closes) / 10)
}

const JSON_HEADERS = new Headers({ 'content-type': 'application/json' })

type CallContext = {
  at: number
  publicKey: string
  eurRate: EurRate
  policy: VersionedPolicy
  approval: ApprovalId | null
}

/** Reads, scans and describes an invented request as the gateway does. Throws if the request is invalid. */
function readFacts({ body, useCase, cohort }: InventedCall, { at, policy, ...call }: CallContext): RequestFacts {
  const read = chatOperation.read(JSON_HEADERS, new TextEncoder().encode(JSON.stringify(body)), {
    at,
    canUse: isPreferred,
  })
  if (read instanceof AppError) throw new Error(`an invented request cannot be asked: ${read.message}`)
  const { input, scan } = runSteps(scanInSteps(read, policy))
  const { operationId: route } = chatOperation
  const details = { ...call, route, useCase, cohort, dataRegion: null, scan, idempotencyKeyHash: null, insteadOf: null }
  return factsOf({ ...read, outline: input.outline }, details)
}

type AdmittedAt = DecidedCall & { at: number; eurRate: EurRate }

/** The year came before the endpoints in Europe were used. */
const isPreferred = (endpoint: EndpointId): boolean => catalogueModels().some((model) => model.endpoint === endpoint)

const routedTo = ({ endpoint, places }: Model): RoutedCall => ({
  route: endpoint,
  host: new URL(endpointNamed(endpoint).baseUrl).host,
  places,
  catalogue: catalogueSha256(),
  attempts: null,
})

/** Returns what a search found in the answer to the call at this position, and how that ended it. */
function searchedAnswer(position: number): Pick<ChatSettlement, 'answerScan'> & Partial<ChatSettlement> {
  const found = FOUND_IN_ANSWERS.find(({ oneIn }) => position % oneIn === 0)
  const read = { ...NOT_SEARCHED, coverage: 'full' } as const
  if (found === undefined) return { answerScan: read }
  const answerScan = { ...read, found: { [found.shape]: 1 } }
  if (!found.stops) return { answerScan }
  const stopped = { ...answerScan, coverage: 'none', stopped: [found.shape] } as const
  return { answerScan: stopped, ended: 'withheld', errorCause: 'withheld' }
}

/** Returns the settlement of the call at this position of the log, which was asked at this time. */
function settlementOf(
  { body, ending }: InventedCall,
  { position, factsSha256, retentionDays, at, eurRate }: AdmittedAt,
): ChatSettlement {
  const { ended, ms, inputTokens, outputTokens, ...otherFields } = ending
  const model = findModel(body.model)
  if (model === null || ended === 'lost') throw new Error('this call has no end')
  const nothing = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0 }
  const usage = { ...nothing, inputUncached: inputTokens, outputVisible: outputTokens }
  const { feesMicrousd } = estimateOneSearch(model)
  const isUsed = ended !== 'failed'
  return {
    ...otherFields,
    position,
    factsSha256,
    retentionDays,
    ended,
    costMicroeur: isUsed ? costMicroeur({ ...usage, feesMicrousd }, pricesAt(model, at), eurRate) : 0,
    usage: isUsed ? usage : null,
    upstreamMs: ms,
    servedModel: isUsed ? model.wire.model : null,
    isUnreached: false,
    routed: routedTo(model),
  }
}
