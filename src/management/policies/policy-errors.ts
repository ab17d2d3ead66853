// The errors of a policy that was not changed.
import type { PolicyChangeResult } from '../../organisation/policies/policy.target.ts'
import { checkBySchema } from '../../platform/check-by-schema.ts'
import { AppError } from '../../platform/errors.ts'
import { findUnknownModel, PolicyDocumentSchema, type PolicyDocument } from '../../policies/document/policy-document.ts'
import type { NamedModel } from '../../policies/rules/rule.ts'
import { SIX_MONTHS_DAYS } from '../../policies/log-retention.policy.ts'
import { TIERS_WITH_APPROVAL, type Tier } from '../../policies/tier.policy.ts'
import { findGoneModel } from '../../providers/model-catalogue.ts'

/**
 * Throws `invalid_request` for an unknown model, because the policy would allow less than its author meant.
 * @param at the path of the document in the body
 */
export function refuseUnknownModel(document: PolicyDocument, at: string): void {
  const unknown = findUnknownModel(document)
  if (unknown !== null) throw unknownModel({ ...unknown, path: at + unknown.path })
}

function unknownModel({ path, model }: NamedModel): AppError {
  const gone = findGoneModel(model)
  const message =
    gone === null
      ? 'The policy names a model that is not in the catalogue. GET /v1/models lists the models.'
      : `The policy names ${gone.id}, which was replaced on ${gone.since}. Name ${gone.replacement} instead.`
  return new AppError('invalid_request', message, { param: path, fields: [{ path, rule: 'a model of the catalogue' }] })
}

export function policyNotChanged(refused: Exclude<PolicyChangeResult, { outcome: 'changed' }>): AppError {
  switch (refused.outcome) {
    case 'stale':
      return stale(refused.version)
    case 'invalid':
      return invalidDocument(refused.document)
    case 'unknown_model':
      return unknownModel(refused)
    case 'tier_required':
      return approvalNotInTier(refused.tier)
    case 'person_required':
      return personRequired(refused.rule)
    case 'high_risk_retention':
      return retentionTooShort(refused.retentionDays)
    case 'waiting':
      return requestsWait(refused.requests)
  }
}

const stale = (version: number): AppError =>
  new AppError(
    'conflict',
    `The policy was changed in the meantime: version ${version} is in force. Read it again, then send your change.`,
    { param: 'if-match' },
  )

const requestsWait = (requests: number): AppError =>
  new AppError(
    'conflict',
    `${requests} ${requests === 1 ? 'request waits' : 'requests wait'} for approval or to run, and the change would withdraw ${requests === 1 ? 'it' : 'them'}. Decide first, or send withdraw_waiting: true.`,
    { param: 'withdraw_waiting', fields: [{ path: 'withdraw_waiting', rule: `true, to withdraw ${requests}` }] },
  )

const retentionTooShort = (days: number): AppError =>
  new AppError(
    'invalid_request',
    `Details of calls are stored for ${days} days, and AI Act 19(1) and 26(6) want six months for high-risk systems. Set retention_days to at least ${SIX_MONTHS_DAYS}, or leave high_risk_use_cases out.`,
    {
      param: 'high_risk_use_cases',
      fields: [{ path: 'high_risk_use_cases', rule: `retention_days of at least ${SIX_MONTHS_DAYS}` }],
    },
  )

const approvalNotInTier = (tier: Tier): AppError =>
  new AppError(
    'tier_required',
    `Approval by people needs one of the tiers ${TIERS_WITH_APPROVAL.join(', ')}; yours is ${tier}. Leave human_approval out.`,
    { param: 'human_approval' },
  )

const PERSON_REQUIRED = {
  human_approval: 'A key cannot change human_approval, or the use_case_guard that it depends on.',
  data_region: 'A key cannot remove or widen data_region. It can narrow it.',
} as const

const personRequired = (rule: keyof typeof PERSON_REQUIRED): AppError =>
  new AppError('role_required', `${PERSON_REQUIRED[rule]} Sign in as an owner or admin.`, { param: rule })

/** Returns the error for the document that a patch would make. The fault can be in a rule that the patch leaves as it is. */
function invalidDocument(document: unknown): AppError {
  const checked = checkBySchema(PolicyDocumentSchema(), document, 'body')
  if (checked instanceof AppError) return checked
  return new AppError('payload_too_large', 'The policy would be over 16 KiB. Remove rules first.')
}
