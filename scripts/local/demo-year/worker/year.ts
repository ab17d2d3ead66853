// Fills the demo year in the organisation's object: calls, their endings, decisions and policies. The object's own turns record
// all of it, one after the other, each at its invented time.
import { readChatRequest } from '../../../../src/gateway/chat/read-chat-request.ts'
import { factsOf } from '../../../../src/gateway/call/admit-call.ts'
import { scanRequest } from '../../../../src/gateway/scan/scan-request.ts'
import { newTrace } from '../../../../src/gateway/call/trace.ts'
import type { RequestFacts } from '../../../../src/organisation/admit/chat-gate.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { findModel } from '../../../../src/providers/catalogue.ts'
import { estimateSearch } from '../../../../src/providers/estimate.ts'
import type { Act } from '../../../../src/organisation/acts.ts'
import type { ChatAdmission } from '../../../../src/organisation/admit/chat-admission.ts'
import type { AfterCall } from '../../../../src/organisation/admit/stored-answers.ts'
import type { ChatFacts } from '../../../../src/organisation/admit/record-chat.ts'
import type { ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import type { WantedPolicy } from '../../../../src/organisation/policy/policy.target.ts'
import type { Decision, DecisionRequest } from '../../../../src/organisation/approvals/approvals.target.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { newRequestId, type ApprovalId } from '../../../../src/platform/ids.ts'
import type { VersionedPolicy } from '../../../../src/policies/document/policy-document.ts'
import { type EurRate, costMicroeur } from '../../../../src/providers/cost.ts'
import type { ApprovedCall, KeyName, YearOrder } from '../year-order.ts'
import { callsOfDay, type InventedCall } from './calls-of-day.ts'
import { createRandom, type Random } from '../../../seeded-random.ts'
import { Agenda, atTime } from './simulated-time.ts'
import { POLICIES } from './hospital.ts'

/** The object's turns that fill the year. */
export type Turns = {
  admitChat: (facts: ChatFacts) => ChatAdmission
  settleChat: (settlement: ChatSettlement, after?: AfterCall) => unknown
  decideApproval: (request: DecisionRequest) => { outcome: string }
  changePolicy: (wanted: WantedPolicy, act: Act) => { outcome: string }
  readPolicy: () => VersionedPolicy
  /** Does the alarm's hourly work. */
  tidy: (now: number) => void
  secretHashOf: (keyId: string) => Uint8Array
}

export type Means = { order: YearOrder; turns: Turns; eurRate: EurRate; publicKeyAt: (time: number) => string }

const HOUR_MS = 3_600_000
const OPENS_AT_HOUR = 8
const CLOSES_AT_HOUR = 18

export class Year {
  readonly #means: Means
  readonly #agenda = new Agenda()
  readonly #random: Random
  readonly #hashes = new Map<KeyName, Uint8Array>()
  #policy: VersionedPolicy
  #decisions = 0
  #approved: ApprovedCall = null
  #tidiedAt: number

  constructor(means: Means) {
    const { order, turns } = means
    this.#means = means
    this.#random = createRandom(order.days)
    this.#policy = turns.readPolicy()
    this.#tidiedAt = order.begins
    for (const { after, document } of POLICIES) {
      const at = order.begins + Math.floor(after * order.days) * DAY_MS + (after === 0 ? 0 : 10 * HOUR_MS)
      this.#agenda.add({ at, happen: () => this.#putPolicy(document, at) })
    }
  }

  /** Runs the day's events before a time. Returns the number of recorded decisions. */
  runDay(index: number, before: number): number {
    const { order } = this.#means
    const decided = this.#decisions
    const end = Math.min(order.begins + (index + 1) * DAY_MS, before)
    // A call begins only if it can end before that time.
    for (const call of callsOfDay(order, index).filter(({ at }) => at < before - 5 * MINUTE_MS)) {
      this.#agenda.add({ at: call.at, happen: () => this.#ask(call, call.at, null) })
    }
    for (let event = this.#agenda.next(end); event !== null; event = this.#agenda.next(end)) {
      this.#tidyUntil(event.at)
      event.happen()
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
      atTime(now, () => this.#means.turns.tidy(now))
    }
  }

  #putPolicy(document: VersionedPolicy['document'], at: number): void {
    const { order, turns } = this.#means
    const act = { actor: order.owner, act: 'policy.put', requestId: newRequestId(at) }
    const { outcome } = atTime(at, () => turns.changePolicy({ document, ifVersion: null }, act))
    if (outcome !== 'changed') throw new Error(`the policy of the invented year is refused: ${outcome}`)
    this.#policy = turns.readPolicy()
  }

  #ask(asked: InventedCall, at: number, approval: ApprovalId | null): void {
    const { order, turns, eurRate, publicKeyAt } = this.#means
    // Callers state a cohort as soon as the policy declares it.
    const { bias } = this.#policy.document
    const call = bias === undefined ? { ...asked, cohort: null } : asked
    const facts = {
      ...readFacts(call, { publicKey: publicKeyAt(at), eurRate, policy: this.#policy, approval }),
      keyId: order.keys[call.key],
      secretHash: this.#secretHash(call.key),
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
      this.#bringToPeople(call, at, admission.approval.id)
    }
  }

  #settleLater(call: InventedCall, at: number, admission: Extract<ChatAdmission, { outcome: 'admitted' }>): void {
    const { turns, eurRate } = this.#means
    const { ending, useCase } = call
    if (ending.ended === 'lost') return
    const { position, keep, record } = admission
    const isKept = ending.ended === 'completed' && useCase === 'appointment-texts'
    const cached =
      isKept && keep?.cacheEntry
        ? { ...keep.cacheEntry, object: keep.place.name, attestationId: record.attestation_id }
        : null
    const endsAt = at + ending.ms + 8
    const settle = () => turns.settleChat(settlementOf(call, position, eurRate), { released: null, cached })
    this.#agenda.add({ at: endsAt, happen: () => atTime(endsAt, settle) })
  }

  /** Schedules decisions by day. Most requests are approved and sent again; some are denied, passed on or left to expire. */
  #bringToPeople(call: InventedCall, askedAt: number, id: ApprovalId): void {
    const [first, second] = this.#means.order.approvers
    if (first === undefined || second === undefined) throw new Error('two people decide')
    const random = this.#random
    const [decider, other] = random.happens(0.7) ? [first, second] : [second, first]
    const at = nextOpenTime(askedAt + random.between(2, 55) * MINUTE_MS)
    const decide = (by: typeof decider, decision: Decision, when: number) => ({
      at: when,
      happen: () => this.#decide({ id, by, decision, at: when }),
    })
    const sentAgainAt = at + random.between(1, 20) * MINUTE_MS
    const again = { at: sentAgainAt, happen: () => this.#ask(call, sentAgainAt, id) }
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
  #decide(decided: { id: ApprovalId; by: YearOrder['approvers'][number]; decision: Decision; at: number }): void {
    const { id, by, decision, at } = decided
    const { order, turns, publicKeyAt } = this.#means
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

  #secretHash(name: KeyName): Uint8Array {
    const known = this.#hashes.get(name)
    if (known !== undefined) return known
    const read = this.#means.turns.secretHashOf(this.#means.order.keys[name])
    this.#hashes.set(name, read)
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

type Reading = { publicKey: string; eurRate: EurRate; policy: VersionedPolicy; approval: ApprovalId | null }

/** Reads, scans and describes an invented request as the gateway does. Throws if the request is invalid. */
function readFacts({ body, useCase, cohort }: InventedCall, { policy, ...call }: Reading): RequestFacts {
  const read = readChatRequest(JSON_HEADERS, new TextEncoder().encode(JSON.stringify(body)))
  if (read instanceof AppError) throw new Error(`an invented request cannot be asked: ${read.message}`)
  const { input, scan } = scanRequest(read, policy)
  const told = { ...newTrace(), ...call, useCase, cohort, scan, idempotencyKeyHash: null, insteadOf: null }
  return factsOf({ ...read, outline: input.outline }, told)
}

/** Returns the settlement of the call at this position of the log. */
function settlementOf({ body, ending }: InventedCall, position: number, eurRate: EurRate): ChatSettlement {
  const { ended, ms, inputTokens, outputTokens, ...said } = ending
  const model = findModel(body.model)
  if (model === null || ended === 'lost') throw new Error('this call has no end')
  const nothing = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0 }
  const usage = { ...nothing, inputUncached: inputTokens, outputVisible: outputTokens }
  const { feesMicrousd } = estimateSearch(model)
  const isUsed = ended !== 'failed'
  return {
    ...said,
    position,
    ended,
    costMicroeur: isUsed ? costMicroeur({ ...usage, feesMicrousd }, model, eurRate) : 0,
    usage: isUsed ? usage : null,
    upstreamMs: ms,
    isUnreached: false,
  }
}
