// Records a decision about a chat request in the log: the record that the Worker signs, as a leaf. Beside it are facts for which
// the record's format has no member; the record's id commits to them. Runs inside the turn that decides.
import type { RecordOutcome } from '../../evidence/records/call-endings.ts'
import { describeDecision, type UnsignedRecord } from '../../evidence/records/attestation-record.ts'
import { commitToFacts, FACTS_FORM } from '../../evidence/records/facts-commitment.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { writeFacts, type AskedFacts, type Findings } from '../../policies/facts.ts'
import type { RequestedOutput } from '../../policies/budget.policy.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import { describeContentPlan, type ContentPlan } from '../content/content-object.ts'
import type { CallerKey, CheckedCall } from './check-call.ts'
import type { ChosenRoutes, RouteFacts, UnfitRouteFacts } from './choose-routes.ts'
import { coverDecision } from '../coverage/cover-decision.ts'
import type { DecidingOperation } from '../coverage/surface.ts'
import type { Journal } from '../journal/journal.ts'

/** Facts about a request, whose `model` is one of the catalogue, as requested. Never its text. */
export type ChatFacts = CallerKey &
  AskedFacts & {
    organisationId: string
    requestId: string
    /** The key that the Worker signs the record with, in base64url. */
    publicKey: string
    costEffective: boolean
    /** The routes by which this deployment can send it, the preferred one first. */
    routes: readonly [RouteFacts, ...RouteFacts[]]
    /** Further routes of its model, which do not take the request. */
    unfitRoutes: readonly UnfitRouteFacts[]
    /** The region that the request’s header asks for; null if it names none. */
    dataRegion: DataRegion | null
    /** SHA-256, 64 hex digits, of the canonical JSON of the request body. */
    requestHash: string
    /** The hash of the request as it is sent, without its defaults. Loop detection compares this hash. */
    loopHash: string
    stream: boolean
    output: Omit<RequestedOutput, 'microeurPerMillion'>
    /** The cohort that the request is counted in, which the policy declares; null if it names none. */
    cohort: string | null
    /** The policy under which the text was scanned, and the findings; null if it was not scanned. */
    scan: Scan | null
    route: DecidingOperation
    /** The id of the Worker's version that read the request; null or absent if it is not known. */
    worker?: string | null
    /** SHA-256 of the caller's own idempotency key; null if it sent none. */
    idempotencyKeyHash: Uint8Array | null
    /** The approval that the request is sent with; null if it names none. */
    approval: ApprovalId | null
    temperature: number | null
    /** The betas that its provider is asked for. They make it another request, and are in no body. */
    betas?: string | null
    /** True if parameters that its model does not take are left out. */
    hasDropped: boolean
    /** The attestation id of this call's earlier receipt, if the cached answer could not be read; else null. */
    insteadOf: string | null
  }

/** Findings in a request's text: names and counts, never the text. `redacted`: how many values are not sent. */
export type Scan = { policy: string; findings: Findings; redacted: number }

type ChatDecision = {
  chosen: ChosenRoutes

  /** The most that the request can cost. If it is admitted, this is reserved until the call is settled. */
  reserveMicroeur: number
  outcome: RecordOutcome
  /** Names of the rules that were applied and passed, or of the one that refused. */
  policies: readonly string[]
  reason: string | null
  /** The hash by which loop detection knows the request; null if it was not watched. */
  loop: string | null
  /** How its content is stored; null if that is not stored. */
  contentPlan?: ContentPlan | null
  /** The approval that it waits for, or that it runs with; null if there is none. */
  approvalId?: ApprovalId | null
}

/**
 * A decision as it is in the log. For its settlement: `factsSha256`, the hash of its facts, 64 hex digits, and `retentionDays`, for
 * how long it is kept.
 */
export type RecordedDecision = { position: number; record: UnsignedRecord; factsSha256: string; retentionDays: number }

/** Records a decision. Throws TypeError if verifiers would not accept the record; the turn is then undone. */
export function recordChat(
  journal: Journal,
  checked: CheckedCall,
  facts: ChatFacts,
  now: number,
  decision: ChatDecision,
): RecordedDecision {
  const { key, plan, at } = checked
  const { organisationId, requestHash, model, publicKey } = facts
  const { outcome, policies, reserveMicroeur, loop } = decision
  const { retentionDays } = plan
  const covered = coverDecision(journal, { operation: facts.route, worker: facts.worker ?? null, retentionDays }, now)
  const described = { ...describeFacts(checked, facts, decision), ...covered }
  const { text, sha256: factsSha256, attestationId } = commitToFacts(described, sha256Hex)
  const costPreventedMicroeur = outcome === 'ALLOWED' ? 0 : preferredRoute(facts, decision).inputMicroeur
  const record = describeDecision(
    { attestationId, organisationId, requestHash, model, outcome, policies, costPreventedMicroeur, decidedAt: now },
    publicKey,
  )
  const fields = { keyId: key.id, outcome, loop, microeur: outcome === 'ALLOWED' ? reserveMicroeur : null }
  const position = journal.appendReceipt({ record, facts: text, at, fields, retentionDays }, now)
  return { position, record, factsSha256, retentionDays }
}

/** Returns the route that the request is sent by first. A refused request without a route is described by its first one. */
const preferredRoute = ({ routes: [first] }: ChatFacts, { chosen }: Pick<ChatDecision, 'chosen'>): RouteFacts =>
  chosen.routes[0] ?? first

/** Describes a decision in the form `facts-1`. Its salt keeps anyone from guessing erased facts from the record's id. */
const describeFacts = ({ key, plan, state, at }: CheckedCall, facts: ChatFacts, decision: ChatDecision) => ({
  v: FACTS_FORM,
  salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex(),
  at: new Date(at).toISOString(),
  retention_days: plan.retentionDays,
  reason: decision.reason,
  request_id: facts.requestId,
  provider: preferredRoute(facts, decision).provider,
  ...(decision.chosen.region !== 'any' && { data_region: decision.chosen.region }),
  stream: facts.stream,
  ...writeFacts({ ...facts, ...decision.chosen.rule, keyId: key.id, findings: facts.scan?.findings ?? {} }),
  // A refused request had nothing taken out.
  ...(decision.outcome === 'ALLOWED' &&
    facts.scan !== null &&
    facts.scan.redacted > 0 && { redacted: facts.scan.redacted }),
  reserve_microeur: decision.reserveMicroeur,
  // An estimate, for a call whose end nobody reports.
  ...(decision.outcome === 'ALLOWED' && { input_microeur: preferredRoute(facts, decision).inputMicroeur }),
  ...(facts.cohort !== null && { cohort: facts.cohort }),
  ...(facts.insteadOf !== null && { instead_of: facts.insteadOf }),
  ...describePlans(decision),
  ...(state.policy.version > 0 && { policy_version: state.policy.version }),
})

const describePlans = ({ approvalId = null, contentPlan = null }: ChatDecision) => ({
  ...(approvalId !== null && { approval_id: approvalId }),
  ...(contentPlan !== null && { content: describeContentPlan(contentPlan) }),
})

const SALT_BYTES = 16
