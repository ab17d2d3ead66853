// Lists, shows and decides approvals (requests that wait for a person of the organisation), and reads the reasons of decisions.
// Each reason is stored encrypted with its salt, so that it can be checked against its record.
import { actorOf, roleOrKeyOf, type Access } from '../../accounts/access/access-control.ts'
import { may } from '../../accounts/access/roles.policy.ts'
import { strengthOf, type SessionProof } from '../../accounts/access/session-proof.policy.ts'
import type { MembersStore } from '../../accounts/members/members.store.ts'
import { type Signer, noSigningKey } from '../../evidence/records/configured-keys.ts'
import type { ApprovalWithRecords, ApprovalsQuery, AskedApproval } from '../../organisation/approvals/read-approvals.ts'
import type { DecisionOutcome, Decision, OpenedReason } from '../../organisation/approvals/approvals.target.ts'
import { presentApproval, presentWithRecords, withNames } from '../../organisation/approvals/present-approval.ts'
import type { NamedApproval, NamedApprovalWithRecords } from '../../organisation/approvals/approval-response.schema.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import type { ApprovalId, PersonId } from '../../platform/ids.ts'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import { getContent, putContent } from '../../organisation/content/content-bucket.store.ts'
import { readJson } from '../../platform/json.ts'
import { logUnexpected } from '../../platform/log.ts'
import { sha256Hex } from '../../platform/sha256.ts'

type Deps = {
  open: OpenOrganisation
  signer: Signer | null
  members: Pick<MembersStore, 'namesOf'>
  /** Stores sealed reasons, for organisations that keep content. */
  bucket: Pick<R2Bucket, 'put' | 'get'>
  clock: Clock
}

export type PersonDecision = { decision: Decision; reason: string | null }

export type Decider = { id: PersonId; role: string; session: SessionProof }

/** `reasonSalt`: 64 hexadecimal digits; null if no reason was given. */
export type DecisionResult =
  | { outcome: 'decided'; approval: NamedApprovalWithRecords; reasonSalt: string | null }
  | Exclude<DecisionOutcome, { outcome: 'decided' }>

export type ApprovalsService = ReturnType<typeof createApprovalsService>

const SALT_BYTES = 32

export function createApprovalsService({ open, signer, members, bucket, clock }: Deps) {
  async function showApproval(access: Access, id: ApprovalId): Promise<NamedApprovalWithRecords | null> {
    const found: ApprovalWithRecords<AskedApproval> | null = await open(access.organisation).approvals.find(id)
    if (found === null) return null
    const [shown, people] = await Promise.all([presentWithRecords(found, signer), peopleIn(access, [found.approval])])
    return withNames(shown, found.approval, people)
  }

  /** Returns the names of the people of approvals for a caller who may decide; none for others, who see only ids. */
  async function peopleIn(
    { organisation, manager }: Access,
    approvals: readonly AskedApproval[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = approvals.flatMap(({ asking, decisions }) => [
      ...(asking === null ? [] : [asking.madeBy, asking.person ?? asking.madeBy]),
      ...decisions.map(({ by }) => by),
    ])
    if (ids.length === 0 || !may(roleOrKeyOf(manager), 'approvals:decide')) return new Map()
    return members.namesOf(organisation.id, ids)
  }

  return {
    showApproval,

    /** Returns the reasons of an approval, after the log has an entry about the read. Null if the approval does not exist. */
    async readReasons(
      { organisation, manager }: Access,
      id: ApprovalId,
      requestId: string,
    ): Promise<ShownReason[] | null> {
      const act = { actor: actorOf(manager), act: 'approval.reasons_read', requestId }
      const found: OpenedReason[] | null = await open(organisation).approvals.openReasons(id, act)
      return found && Promise.all(found.map((one) => readReason(bucket, one)))
    },

    async listApprovals(access: Access, query: ApprovalsQuery): Promise<NamedApproval[]> {
      const approvals: AskedApproval[] = await open(access.organisation).approvals.list(query)
      const people = await peopleIn(access, approvals)
      return approvals.map((one) => withNames(presentApproval(one), one, people))
    },

    /** Records a person's decision. Throws if no key can sign its record. */
    async decideApproval(
      { access, decider, requestId }: { access: Access; decider: Decider; requestId: string },
      approvalId: ApprovalId,
      { decision, reason }: PersonDecision,
    ): Promise<DecisionResult> {
      const { organisation } = access
      const publicKey = signer?.nameAt(clock()) ?? null
      if (publicKey === null) throw noSigningKey()
      const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex()
      const decided: DecisionOutcome = await open(organisation).approvals.decide({
        approvalId,
        decision,
        actor: decider.id,
        authority: `role:${decider.role}`,
        proof: proofOf(decider.session),
        organisationId: organisation.id,
        requestId,
        acceptanceId: crypto.randomUUID(),
        reasonHash: reason === null ? '' : reasonHashOf({ salt, reason }),
        publicKey,
      })
      if (decided.outcome !== 'decided') return decided
      if (decided.reasonPlace !== null && reason !== null) {
        await storeReason(bucket, decided.reasonPlace, { salt, reason }, requestId)
      }
      const approval = await showApproval(access, approvalId)
      if (approval === null) return { outcome: 'not_found' }
      return { outcome: 'decided', approval, reasonSalt: reason === null ? null : salt }
    },
  }
}

const proofOf = (session: SessionProof) => ({
  approver_acr: strengthOf(session).acr,
  proved_at: new Date(session.secondFactorAt ?? session.provedAt ?? session.createdAt).toISOString(),
})

const ReasonSchema = once(() => z.object({ salt: z.string().regex(/^[0-9a-f]{64}$/), reason: z.string() }))
type Reason = Infer<typeof ReasonSchema>

export type ShownReason = { acceptance_id: string; decided_by: string; reason: string | null; salt: string | null }

/** Returns the hash of a reason as its record contains it, in hex. */
export const reasonHashOf = ({ salt, reason }: Reason): string =>
  sha256Hex(concatBytes(Uint8Array.fromHex(salt), utf8ToBytes(reason)))

/** Stores a reason. Never rejects: the decision is already in the log, and the caller has the reason and the salt. */
export async function storeReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  place: ContentPlace,
  reason: Reason,
  requestId: string,
): Promise<void> {
  await putContent(bucket, place, new Uint8Array(utf8ToBytes(JSON.stringify(reason)))).catch((thrown: unknown) =>
    logUnexpected(thrown, requestId),
  )
}

export async function readReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  { acceptanceId, decidedBy, reasonHash, place }: OpenedReason,
): Promise<ShownReason> {
  const opened = place === null ? null : await getContent(bucket, place, null)
  const text = opened?.outcome === 'opened' ? new TextDecoder().decode(opened.plain) : ''
  const read = ReasonSchema().safeParse(readJson(text)).data
  const kept = read !== undefined && reasonHashOf(read) === reasonHash ? read : null
  return { acceptance_id: acceptanceId, decided_by: decidedBy, reason: kept?.reason ?? null, salt: kept?.salt ?? null }
}
