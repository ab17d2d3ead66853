// An organisation whose policy asks for people's approval, spoken to as the Worker does: one call to its object.
import { env } from 'cloudflare:workers'
import type {
  DecisionOutcome,
  Decision,
  DecisionRequest,
} from '../../../../src/organisation/approvals/approvals.target.ts'
import type { ApprovalWithRecords } from '../../../../src/organisation/approvals/read-approvals.ts'
import type { ChatAdmission } from '../../../../src/organisation/admit/admission-outcomes.ts'
import type { ApprovalId, PersonId } from '../../../../src/platform/ids.ts'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import {
  foundOrganisation,
  hashOf,
  PUBLIC_KEY,
  type ChatKey,
  type ChatOrganisation,
  type FactsChange,
} from '../chat-organisation.ts'

export const REQUEST = { requestHash: hashOf('the request'), model: 'gpt-4.1-mini' }

export async function withApprovals(rule: Partial<NonNullable<PolicyDocument['human_approval']>> = {}) {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
  const put = async (document: PolicyDocument) => {
    const act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' } as const
    return object().policy.change({ document, ifVersion: null, mayWithdraw: true }, act)
  }
  await put({ human_approval: { when: [{}], expires_seconds: 3600, approvals_required: 1, ...rule } })

  let persons = 0
  return {
    organisation,
    key,
    object,
    put,
    send: (facts: FactsChange = {}, of: ChatKey = key) => organisation.admit(of, { ...REQUEST, ...facts }),
    decide: async (
      approvalId: ApprovalId,
      decision: Decision = 'approve',
      actor: PersonId = `usr_${(persons += 1)}`,
      more: Partial<DecisionRequest> = {},
    ): Promise<DecisionOutcome> =>
      object().approvals.decide({
        approvalId,
        decision,
        actor,
        authority: 'role:admin',
        organisationId: organisation.id,
        requestId: 'req_decision',
        acceptanceId: crypto.randomUUID(),
        reasonHash: '',
        publicKey: PUBLIC_KEY,
        ...more,
      }),
    read: async (id: ApprovalId): Promise<ApprovalWithRecords | null> => object().approvals.find(id),
    stateOf: async (id: ApprovalId): Promise<string | null> => {
      const found: ApprovalWithRecords | null = await object().approvals.find(id)
      return found && found.approval.state
    },
  }
}

/** Returns the step of each entry about an approval, oldest first. */
export const stepsIn = async (organisation: ChatOrganisation): Promise<unknown[]> =>
  (await organisation.entries()).filter(({ kind }) => kind === 'approval').map(({ step }) => step)

/** Returns the id of the approval that a refused request waits for. Throws for any other outcome. */
export function approvalOf(admission: ChatAdmission): ApprovalId {
  if (admission.outcome !== 'approval_required' || admission.approval === null) {
    throw new Error(`nothing waits: ${admission.outcome}`)
  }
  return admission.approval.id
}
