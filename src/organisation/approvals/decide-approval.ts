// A person's decision about an approval, in one turn with its entry, which has the record of it to be signed. Nobody decides
// about what they asked for themselves, be it through a key that they made.
import {
  describeAcceptance,
  type AcceptDecision,
  type UnsignedAcceptRecord,
} from '../../evidence/records/accept-record.ts'
import type { KeyMaker, KeysStore } from '../../keys/keys.store.ts'
import type { ApprovalId, PersonId } from '../../platform/ids.ts'
import { contentExpiresAt } from '../../policies/organisation-settings.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import { describePlace, type ContentPlace } from '../content/content-object.ts'
import type { ApprovalState, ApprovalStep, EndedApproval, OpenApproval } from '../journal/state/approval.schema.ts'
import { endOver, takeStep, type ApprovalStores } from './steps.ts'

export type Decision = Extract<ApprovalStep, { step: 'decided' }>['decision']

export type DecisionRequest = {
  approvalId: ApprovalId
  decision: Decision
  actor: PersonId
  /** Under which the person may decide. */
  authority: string
  organisationId: string
  requestId: string
  /** Of the record of this decision: a UUID of version 4. */
  acceptanceId: string
  /** Of salt and reason; empty where none was given. */
  reasonHash: string
  /** The key that the Worker signs the record with, in base64url. */
  publicKey: string
}

export type ApprovalDecided =
  /** `reasonPlace`: where the reason is to be kept; null where the organisation keeps no content, or none was given. */
  | { outcome: 'decided'; approval: AnyApproval; acceptance: UnsignedAcceptRecord; reasonPlace: ContentPlace | null }
  | { outcome: 'not_found' }
  | { outcome: 'not_pending'; state: ApprovalState }
  /** The person was removed, or has another role since they were let in. */
  | { outcome: 'may_not_decide' }
  /** The person asked for it. */
  | { outcome: 'own_request' }
  /** The person has decided so before. */
  | { outcome: 'decided_before' }

export type AnyApproval = OpenApproval | EndedApproval

/** What is decided is about the refusal: who lets the request pass sets that aside. */
const RECORDED_AS: Readonly<Record<Decision, AcceptDecision>> = {
  approve: 'OVERRIDDEN',
  deny: 'ACCEPTED',
  escalate: 'ESCALATED',
}

/** The rule that a decision is about. */
export const APPROVAL_POLICY = 'human_approval'

export function decideApproval(
  stores: ApprovalStores & { content: Pick<ContentKeys, 'place'> },
  request: DecisionRequest,
  now: number,
): ApprovalDecided {
  endOver(stores, now)
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
      decision: RECORDED_AS[decision],
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
  const kept = reasonPlace === null ? {} : { reason_content: describePlace(reasonPlace) }
  takeStep(stores, step, now, { acceptance, request_id: request.requestId, ...kept })
  const decided = findApproval(stores, approvalId)
  if (decided === null) throw new Error('what was decided is not there')
  return { outcome: 'decided', approval: decided, acceptance, reasonPlace }
}

function placeForReason(
  { journal, content }: Pick<ApprovalStores, 'journal'> & { content: Pick<ContentKeys, 'place'> },
  attestationId: string,
  now: number,
): ContentPlace | null {
  const expiresAt = contentExpiresAt(journal.state.settings, now)
  return expiresAt === null ? null : content.place({ attestationId, kind: 'reason', expiresAt }, now)
}

export const findApproval = (
  { journal, endedApprovals }: Pick<ApprovalStores, 'journal' | 'endedApprovals'>,
  id: ApprovalId,
): AnyApproval | null => journal.state.approvals.get(id) ?? endedApprovals.find(id)

/** Who made a key, or the key that made it, and so on; null where that was the operator, or is not known. */
export function personBehind(keys: Pick<KeysStore, 'findKey'>, keyId: string): PersonId | null {
  const seen = new Set<string>()
  let maker: KeyMaker | undefined = keys.findKey(keyId)?.createdBy
  while (maker !== undefined && isKey(maker) && !seen.has(maker)) {
    seen.add(maker)
    maker = keys.findKey(maker)?.createdBy
  }
  return maker !== undefined && isPerson(maker) ? maker : null
}

const isKey = (maker: KeyMaker): boolean => maker.startsWith('key_')
const isPerson = (maker: KeyMaker): maker is PersonId => maker.startsWith('usr_')
