// What a rule of a policy is: facts in, a refusal by name out. Pure.
import type { ContentFacts } from './content-type-guard.policy.ts'

export const POLICY_IDS = [
  'model_allowlist',
  'content_type_guard',
  'use_case_guard',
  'pii_scan',
  'prompt_injection_guard',
  'loop_guard',
  'budget_guard',
  'rate_limit',
  'human_approval',
] as const

/** As records name the rules that were applied. */
export type PolicyId = (typeof POLICY_IDS)[number]

/** What a rule is told of a request. Never its text. */
export type RuleFacts = {
  keyId: string
  model: string
  /** As declared; null where it is not. */
  useCase: string | null
  content: ContentFacts
  findings: Findings
}

/** What was found in the text, by the rule that looks for it: how often each shape, and which patterns. Never the text. */
export type Findings = {
  readonly pii_scan?: Readonly<Record<string, number>>
  /** How many of each stand where nothing can be taken out. */
  readonly pii_fixed?: Readonly<Record<string, number>>
  readonly prompt_injection_guard?: readonly string[]
}

/** `reason`: a word of a closed list, and what it is about where that is not text of the request. */
export type PolicyRefusal = { policy: PolicyId; reason: string }
