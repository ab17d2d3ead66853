// Lists an organisation's approvals, records what its people decide, and opens the stored reasons of decisions. Each decision is
// one turn with its log entry, which has the record that the Worker signs. Nobody may decide about their own request, even one sent
// with a key that they made.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import {
  describeAcceptance,
  readAcceptance,
  type AcceptDecision,
  type UnsignedAcceptRecord,
} from '../../evidence/records/accept-record.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { ApprovalId, PersonId } from '../../platform/ids.ts'
import { contentExpiresAt } from '../../policies/organisation-settings.ts'
import { appendAct, type Act } from '../append-act.ts'
import { answerLogRead, type CallerKey, type LogAnswer } from '../admit/check-call.ts'
import { describeContentPlan, type ContentPlace } from '../content/content-object.ts'
import type { ApprovalState, ApprovalStep } from '../journal/state/approval.schema.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'
import {
  findApproval,
  listApprovals,
  personBehind,
  readApprovalWithRecords,
  type AnyApproval,
  type ApprovalWithRecords,
  type ApprovalsQuery,
  type AskedApproval,
  withAskingKey,
} from './read-approvals.ts'
import { endDueApprovals, takeStep } from './approval-steps.ts'

export type Decision = Extract<ApprovalStep, { step: 'decided' }>['decision']

export type DecisionRequest = {
  approvalId: ApprovalId
  decision: Decision
  actor: PersonId
  /** The right by which the person may decide. */
  authority: string
  /** What stood behind the person's session, and when it was proved; a Worker of before does not say. */
  proof?: { approver_acr: string; proved_at: string }
  organisationId: string
  requestId: string
  /** The id of this decision's record: a UUID of version 4. */
  acceptanceId: string
  /** The hash of salt and reason; empty if no reason was given. */
  reasonHash: string
  /** The key that the Worker signs the record with, in base64url. */
  publicKey: string
}

export type DecisionOutcome =
  /** `reasonPlace`: where to store the reason; null if the organisation stores no content, or no reason was given. */
  | { outcome: 'decided'; approval: AnyApproval; acceptance: UnsignedAcceptRecord; reasonPlace: ContentPlace | null }
  | { outcome: 'not_found' }
  | { outcome: 'not_pending'; state: ApprovalState }
  /** The person was removed, or their role changed after they were admitted. */
  | { outcome: 'may_not_decide' }
  | { outcome: 'own_request' }
  /** The person has already made this decision. */
  | { outcome: 'decided_before' }

/** `place`: null if the reason was not stored, has expired, or its key was destroyed. `reasonHash`: as in the decision's record. */
export type OpenedReason = { acceptanceId: string; decidedBy: string; reasonHash: string; place: ContentPlace | null }

/** The record of a decision is about the refusal, so an approval is recorded as overriding it. */
const RECORDED_DECISIONS: Readonly<Record<Decision, AcceptDecision>> = {
  approve: 'OVERRIDDEN',
  deny: 'ACCEPTED',
  escalate: 'ESCALATED',
}

/** The rule that a decision is about. */
const APPROVAL_POLICY = 'human_approval'

const StoredReasonSchema = once(() => z.object({ key: z.string(), expires_at: z.iso.datetime() }))

type AskedWithRecords = ApprovalWithRecords<AskedApproval>

export class ApprovalsTarget extends FeatureTarget<'stores' | 'turns' | 'archive'> {
  /** Returns approvals, newest first. */
  list(query: ApprovalsQuery): AskedApproval[] {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => listApprovals(stores, query, Date.now()))
  }

  /** Returns null if there is no such approval. */
  find(id: ApprovalId): Promise<AskedWithRecords | null> {
    return this.#find(id, null)
  }

  /** Returns an approval to the key that asked for it, and null to any other key. */
  findForKey(caller: CallerKey, id: ApprovalId | null): Promise<LogAnswer<ApprovalWithRecords | null>> {
    return answerLogRead(this.parts.turns, caller, async () => (id === null ? null : this.#find(id, caller.keyId)))
  }

  decide(request: DecisionRequest): DecisionOutcome {
    return this.parts.turns.change((stores, now) => decideApproval(stores, request, now))
  }

  /**
   * Returns where the reasons of an approval's decisions are stored, with the keys that open them; null if there is no such
   * approval. The Worker seals each reason under a key that is derived in the decision's turn, so no text enters the object. The
   * act is in the log before anything is returned.
   */
  async openReasons(id: ApprovalId, act: Act): Promise<OpenedReason[] | null> {
    const { stores, turns, archive } = this.parts
    const now = Date.now()
    const approval = turns.takeUntilClosed(() => this.#show(id, null, now))
    if (approval === null) return null
    const entries = await Promise.all(approval.decisions.map(({ position }) => archive.findEntry(position, now)))
    const found = entries.flatMap((entry) => (entry.outcome === 'found' ? readReason(entry.entry) : []))
    return turns.takeUntilClosed(() => {
      appendAct(stores.journal, { ...act, content: { approval_id: id } }, now)
      return found.map(({ kept, acceptanceId, decidedBy, reasonHash }) => {
        const isKept = kept !== null && kept.expiresAt > now
        const query = { attestationId: acceptanceId, kind: 'reason', expiresAt: kept?.expiresAt ?? 0 } as const
        const place = isKept ? stores.content.find(query, kept.fingerprint) : null
        return { acceptanceId, decidedBy, reasonHash, place }
      })
    })
  }

  async #find(id: ApprovalId, keyId: string | null): Promise<AskedWithRecords | null> {
    const { turns, archive } = this.parts
    const now = Date.now()
    const approval = turns.takeUntilClosed(() => this.#show(id, keyId, now))
    return approval && readApprovalWithRecords(archive, approval, now)
  }

  /** @param keyId the key that asks, which sees only its own approvals; null for people, who see all */
  #show(id: ApprovalId, keyId: string | null, now: number): AskedApproval | null {
    const { stores } = this.parts
    endDueApprovals(stores, now)
    const approval = findApproval(stores, id)
    if (approval === null || (keyId !== null && approval.key_id !== keyId)) return null
    return withAskingKey(stores.keys, approval)
  }
}

function decideApproval(stores: Stores, request: DecisionRequest, now: number): DecisionOutcome {
  endDueApprovals(stores, now)
  const { approvalId, decision, actor } = request
  if (!stores.memberRights.mayStillDecide(actor)) return { outcome: 'may_not_decide' }
  const approval = stores.journal.state.approvals.get(approvalId)
  if (approval === undefined) {
    const ended = stores.endedApprovals.find(approvalId)
    return ended === null ? { outcome: 'not_found' } : { outcome: 'not_pending', state: ended.state }
  }
  if (personBehind(stores.keys, approval.key_id) === actor) return { outcome: 'own_request' }
  if (approval.state !== 'pending') return { outcome: 'not_pending', state: approval.state }
  if (approval.decisions.some((one) => one.counts && one.by === actor && one.decision === decision)) {
    return { outcome: 'decided_before' }
  }
  const acceptance = describeAcceptance(
    {
      acceptanceId: request.acceptanceId,
      subject: {
        organisationId: request.organisationId,
        attestationId: approval.attestation_id,
        hash: approval.subject_hash,
      },
      decision: RECORDED_DECISIONS[decision],
      reasonHash: request.reasonHash,
      reviewer: actor,
      authority: request.authority,
      policies: [APPROVAL_POLICY],
      decidedAt: now,
    },
    request.publicKey,
  )
  const step = { step: 'decided', approval_id: approvalId, decision, actor } as const
  const reasonPlace = request.reasonHash === '' ? null : placeForReason(stores, request.acceptanceId, now)
  const kept =
    reasonPlace === null ? {} : { reason_content: describeContentPlan(stores.content.plan(reasonPlace.expiresAt, now)) }
  takeStep(stores, step, now, { acceptance, request_id: request.requestId, ...request.proof, ...kept })
  const decided = findApproval(stores, approvalId)
  if (decided === null) throw new Error('what was decided is not there')
  return { outcome: 'decided', approval: decided, acceptance, reasonPlace }
}

function placeForReason({ journal, content }: Stores, attestationId: string, now: number): ContentPlace | null {
  const expiresAt = contentExpiresAt(journal.state.settings, now)
  return expiresAt === null ? null : content.place({ attestationId, kind: 'reason', expiresAt }, now)
}

type LoggedReason = Omit<OpenedReason, 'place'> & { kept: { fingerprint: string; expiresAt: number } | null }

function readReason(entry: Uint8Array): LoggedReason[] {
  const content = contentOf(entry)
  const record = readAcceptance(content['acceptance'])
  if (record === null || record.reason_hash === '') return []
  const kept = StoredReasonSchema().safeParse(content['reason_content']).data
  return [
    {
      acceptanceId: record.acceptance_id,
      decidedBy: record.reviewer_ref,
      reasonHash: record.reason_hash,
      kept: kept === undefined ? null : { fingerprint: kept.key, expiresAt: Date.parse(kept.expires_at) },
    },
  ]
}
