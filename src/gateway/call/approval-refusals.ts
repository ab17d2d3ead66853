// The error for requests that a person must approve before they run.
import type { ApprovalRefusal, RefusedApproval } from '../../organisation/approvals/ask-approval.ts'
import { AppError } from '../../platform/errors.ts'
import type { Aqta } from './aqta.schema.ts'
import { APPROVAL_HEADER } from './call-headers.ts'
import { withAqta } from './model-refusals.ts'

/** The program goes by `reason`, which is in the record's entry too. */
export function approvalRequired({ reason, approval }: RefusedApproval, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const told = approval && {
    approval_id: approval.id,
    expires_at: new Date(approval.expiresAt).toISOString(),
    location: `/v1/approvals/${approval.id}`,
  }
  return new AppError('approval_required', `${SENTENCES[reason]} No provider saw the request.`, {
    members: { ...members, policy: 'human_approval', reason, ...told },
    beside,
  })
}

const ANEW = `Send the request without ${APPROVAL_HEADER} to ask for another.`

const SENTENCES: Readonly<Record<ApprovalRefusal, string>> = {
  approval_required: `A person of your organisation must approve this request. Once the approval at location is approved, send the very same request with the header ${APPROVAL_HEADER}.`,
  approvals_full:
    'As many requests wait for a person as may, of this key or of your organisation. Ask again once some are decided.',
  not_found: `There is no such approval. ${ANEW}`,
  in_use: 'Another call runs with this approval at this moment.',
  used: `This approval was used: a request runs with it once. ${ANEW}`,
  denied: 'A person of your organisation has decided that this request does not run.',
  expired: `The time of this approval is over. ${ANEW}`,
  withdrawn: `This approval does not count any more: the policy or the key has changed. ${ANEW}`,
  key_id_differs: 'This approval is of a request with another key.',
  request_hash_differs: `This approval is of a request with another body. Send the very body that was approved, or: ${ANEW}`,
  use_case_differs: 'This approval is of a request with another use case (x-aqta-use-case).',
  policy_version_differs: `This approval was asked for under another policy. ${ANEW}`,
}
