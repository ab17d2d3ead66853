// The words for rules and for the reasons why they stop calls, wherever calls are shown.
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'
import { capitalised, listed, withSpaces } from '../../text/reword-text.ts'
import { shapeName } from '../../text/shape-names.ts'

const RULE_NAMES: Readonly<Record<keyof PolicyDocument, string>> = {
  model_allowlist: 'Models allowed',
  data_region: 'Data region',
  content_type_guard: 'Content types',
  use_case_guard: 'Use cases',
  budget_guard: 'Budgets',
  loop_guard: 'Loops',
  pii_scan: 'Personal identifiers',
  prompt_injection_guard: 'Prompt injection',
  rate_limit: 'Rate limits',
  human_approval: 'Approval by people',
  cache: 'Stored answers',
  medical_use_cases: 'Medical use cases',
  high_risk_use_cases: 'High-risk use cases',
  bias: 'Comparison groups',
}

const BY_RULE: ReadonlyMap<string, string> = new Map(Object.entries(RULE_NAMES))

export const ruleName = (rule: string): string => BY_RULE.get(rule) ?? capitalised(withSpaces(rule))

const REASON_NAMES: Readonly<Record<string, string>> = {
  model_not_in_policy: 'Model not allowed',
  model_not_for_use_case: 'Model not allowed for this use case',
  model_not_for_key: 'Model not allowed for this key',
  use_case_required: 'No use case declared',
  no_route: 'No route in the region',
}

const FOUND = 'found: '

/** Returns a reason in words: `model_not_in_policy` is “Model not allowed”, `found: iban` is “IBAN found”. */
export function reasonName(reason: string): string {
  if (!reason.startsWith(FOUND)) return REASON_NAMES[reason] ?? capitalised(withSpaces(reason))
  const names = reason.slice(FOUND.length).split(', ').map(shapeName)
  return `${capitalised(listed(names))} found`
}
