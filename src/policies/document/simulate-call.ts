// Decides about an earlier call again by another policy, to show what that would change, as far as the record allows. Pure.
import type { RuleFacts } from '../facts.ts'
import { needsApproval } from '../rules/human-approval.rule.ts'
import { mayChangeAnswers } from '../rules/pii-scan.rule.ts'
import { POLICY_IDS, ruleOf, type PolicyId } from '../rules/index.ts'
import { findPolicyRefusal, type PolicyDocument } from './policy-document.ts'

export type DecidedCall = {
  facts: RuleFacts
  /** The most that the call could cost. */
  reserveMicroeur: number
  /** The policy by which its text was scanned; null if there was none, or it is no longer stored. */
  scannedBy: PolicyDocument | null
}

export const SIMULATED_RESULTS = ['passes', 'blocks', 'needs_approval', 'not_evaluated'] as const
export type SimulatedResult = (typeof SIMULATED_RESULTS)[number]

/** `policy`: for a call that is not evaluated, the rule that needs more facts. */
export type SimulatedCall = { result: SimulatedResult; policy: PolicyId | null; reason: string | null }

export function simulateCall(document: PolicyDocument, call: DecidedCall): SimulatedCall {
  const refused = findPolicyRefusal(document, call.facts)
  if (refused !== null) return { result: 'blocks', ...refused }
  const unseen = findUnseen(document, call)
  // The text is not stored, so what the scan did not look for is unknown.
  if (unseen !== undefined) return { result: 'not_evaluated', policy: unseen, reason: 'text_not_kept' }
  const { human_approval: approval } = document
  if (approval !== undefined && needsApproval(approval, { ...call.facts, reserveMicroeur: call.reserveMicroeur })) {
    return { result: 'needs_approval', policy: 'human_approval', reason: 'approval_required' }
  }
  return { result: 'passes', policy: null, reason: null }
}

/** Returns the first rule that might refuse the call by what its scan did not look for. */
const findUnseen = (document: PolicyDocument, { scannedBy }: DecidedCall): PolicyId | undefined =>
  POLICY_IDS.find(
    (id) => document[id] !== undefined && ruleOf(id).mayRefuseUnseen?.(document[id], scannedBy?.[id]) === true,
  )

/** The rules that decide by one call alone. The others depend on other calls too, so one call cannot be simulated by them. */
export const SIMULATED_RULES = POLICY_IDS.filter((id) => ruleOf(id).refuse !== undefined || id === 'human_approval')

export const rulesNotSimulated = (document: PolicyDocument): PolicyId[] =>
  POLICY_IDS.filter((id) => document[id] !== undefined && !SIMULATED_RULES.includes(id))

/** True if the document may change or stop answers. No call's answer is kept for this, so a call that passes may be one of these. */
export const areAnswersUnknown = ({ pii_scan: scan }: PolicyDocument): boolean =>
  scan?.answers !== undefined && mayChangeAnswers(scan.answers)
