// The pages' words for the policy's rules, in the order of `RULES` in index.ts. Without zod, so that pages can load them.
import type { MemberId, PolicyId } from './index.ts'
import { budgetGuard } from './budget-guard.words.ts'
import { cache } from './cache.words.ts'
import { contentTypeGuard } from './content-type-guard.words.ts'
import { dataRegion } from './data-region.words.ts'
import { humanApproval } from './human-approval.words.ts'
import { bias, highRiskUseCases, medicalUseCases } from './labels.words.ts'
import { loopGuard } from './loop-guard.words.ts'
import { modelAllowlist } from './model-allowlist.words.ts'
import { piiScan } from './pii-scan.words.ts'
import { promptInjectionGuard } from './prompt-injection-guard.words.ts'
import { rateLimit } from './rate-limit.words.ts'
import type { RuleWords } from './rule-words.ts'
import { useCaseGuard } from './use-case-guard.words.ts'

/** The rules that may stop a call. */
const RULES: Readonly<Record<PolicyId, RuleWords>> = {
  model_allowlist: modelAllowlist,
  data_region: dataRegion,
  content_type_guard: contentTypeGuard,
  use_case_guard: useCaseGuard,
  pii_scan: piiScan,
  prompt_injection_guard: promptInjectionGuard,
  loop_guard: loopGuard,
  budget_guard: budgetGuard,
  rate_limit: rateLimit,
  human_approval: humanApproval,
}

const MEMBERS: Readonly<Record<MemberId, RuleWords>> = {
  ...RULES,
  cache,
  medical_use_cases: medicalUseCases,
  high_risk_use_cases: highRiskUseCases,
  bias,
}

export type NamedRuleWords = RuleWords & { id: MemberId }

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
export const STOPPING_RULES = Object.keys(RULES) as readonly PolicyId[]

export const RULE_WORDS: readonly NamedRuleWords[] = Object.entries(MEMBERS).map(([id, words]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
  Object.assign({ id: id as MemberId }, words),
)

export const wordsOf = (id: MemberId): RuleWords => MEMBERS[id]

export const findWords = (id: string): RuleWords | undefined => RULE_WORDS.find((rule) => rule.id === id)
