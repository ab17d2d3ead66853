// The words for rules and for the reasons why they stop calls, wherever calls are shown.
import { withSpaces } from '../../text/reword-text.ts'

const RULE_NAMES: Readonly<Record<string, string>> = {
  model_allowlist: 'Models allowed',
  content_type_guard: 'Content types',
  use_case_guard: 'Use cases',
  budget_guard: 'Budgets',
  loop_guard: 'Loops',
  pii_scan: 'Personal identifiers',
  prompt_injection_guard: 'Prompt injection',
  rate_limit: 'Rate limits',
  human_approval: 'Approval by people',
}

export const ruleName = (rule: string): string => RULE_NAMES[rule] ?? capitalised(withSpaces(rule))

/** A reason such as `model_not_in_policy`, in words. */
export const reasonName = (reason: string): string => capitalised(withSpaces(reason))

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
