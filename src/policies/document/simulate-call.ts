// Decides about an earlier call again by another policy, to show what that would change, as far as the record allows. Pure.
import { INJECTION_RULE_IDS } from '../../scanning/injection/rule-ids.ts'
import { SHAPES } from '../../scanning/identifiers/shapes/shape-table.ts'
import { needsApproval } from './human-approval.policy.ts'
import { actionFor } from './pii-scan.policy.ts'
import { findPolicyRefusal, REFUSING_RULES, type PolicyDocument } from './policy-document.ts'
import { actionOnInjection, rolesToScan } from './prompt-injection-guard.policy.ts'
import { POLICY_IDS, type PolicyId } from './policy-ids.ts'
import type { RuleFacts } from './policy-rule.ts'

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

/** The text is not stored, so what the scan did not look for is unknown. */
const TEXT_NOT_KEPT = 'text_not_kept'

export function simulateCall(document: PolicyDocument, call: DecidedCall): SimulatedCall {
  const refused = findPolicyRefusal(document, call.facts)
  if (refused !== null) return { result: 'blocks', ...refused }
  const unknown = findUnknownFact(document, call)
  if (unknown !== null) return { result: 'not_evaluated', ...unknown }
  const { human_approval: approval } = document
  if (approval !== undefined && needsApproval(approval, { ...call.facts, reserveMicroeur: call.reserveMicroeur })) {
    return { result: 'needs_approval', policy: 'human_approval', reason: 'approval_required' }
  }
  return { result: 'passes', policy: null, reason: null }
}

/** Returns the first rule that might refuse the call by a fact that is unknown. */
function findUnknownFact(
  document: PolicyDocument,
  { scannedBy }: DecidedCall,
): { policy: PolicyId; reason: string } | null {
  if (blocksUnseenShape(document, scannedBy)) return { policy: 'pii_scan', reason: TEXT_NOT_KEPT }
  if (blocksUnseenInjection(document, scannedBy)) return { policy: 'prompt_injection_guard', reason: TEXT_NOT_KEPT }
  return null
}

function blocksUnseenShape({ pii_scan: scan }: PolicyDocument, scannedBy: PolicyDocument | null): boolean {
  const then = scannedBy?.pii_scan
  const isSeen = (shape: (typeof SHAPES)[number]) => then !== undefined && actionFor(then, shape) !== 'ignore'
  return scan !== undefined && SHAPES.some((shape) => actionFor(scan, shape) === 'block' && !isSeen(shape))
}

function blocksUnseenInjection(
  { prompt_injection_guard: guard }: PolicyDocument,
  scannedBy: PolicyDocument | null,
): boolean {
  if (guard === undefined) return false
  const then = scannedBy?.prompt_injection_guard
  const wereRead = then !== undefined && rolesToScan(guard).every((role) => rolesToScan(then).includes(role))
  return INJECTION_RULE_IDS.some(
    (id) =>
      actionOnInjection(guard, id) === 'block' &&
      !(wereRead && then !== undefined && actionOnInjection(then, id) !== 'ignore'),
  )
}

/** Returns the rules that depend on other calls too. They cannot be simulated for one call. */
export const rulesNotSimulated = (document: PolicyDocument): PolicyId[] =>
  POLICY_IDS.filter((id) => document[id] !== undefined && !REFUSING_RULES.includes(id) && id !== 'human_approval')
