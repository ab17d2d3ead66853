// The names of the policy's rules.
export const POLICY_IDS = [
  'model_allowlist',
  'data_region',
  'content_type_guard',
  'use_case_guard',
  'pii_scan',
  'prompt_injection_guard',
  'loop_guard',
  'budget_guard',
  'rate_limit',
  'human_approval',
] as const

/** The names under which records list the rules that were applied. */
export type PolicyId = (typeof POLICY_IDS)[number]
