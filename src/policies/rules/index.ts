// The members of the policy, in the order of the document, and of refusals. The document's schema, the names of rules, and what is
// refused, scanned and loosened follow from these tables.
import type * as z from 'zod'
import { budgetGuard } from './budget-guard.rule.ts'
import { cache } from './cache.rule.ts'
import { contentTypeGuard } from './content-type-guard.rule.ts'
import { dataRegion } from './data-region.rule.ts'
import { humanApproval } from './human-approval.rule.ts'
import { bias, highRiskUseCases, medicalUseCases } from './labels.rule.ts'
import { loopGuard } from './loop-guard.rule.ts'
import { modelAllowlist } from './model-allowlist.rule.ts'
import { piiScan } from './pii-scan.rule.ts'
import { promptInjectionGuard } from './prompt-injection-guard.rule.ts'
import { rateLimit } from './rate-limit.rule.ts'
import type { Rule } from './rule.ts'
import { useCaseGuard } from './use-case-guard.rule.ts'

/** The rules that may stop a call. Records list them by these names. */
const RULES = {
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

const MEMBERS = {
  ...RULES,
  cache,
  medical_use_cases: medicalUseCases,
  high_risk_use_cases: highRiskUseCases,
  bias,
}

export type PolicyId = keyof typeof RULES
export type MemberId = keyof typeof MEMBERS

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
export const POLICY_IDS = Object.keys(RULES) as PolicyId[]
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
export const MEMBER_IDS = Object.keys(MEMBERS) as MemberId[]

export const ruleOf = (id: MemberId): Rule<z.ZodType> => MEMBERS[id]

type Shape = { [Id in MemberId]: z.ZodOptional<ReturnType<(typeof MEMBERS)[Id]['schema']>> }

export const memberSchemas = (): Shape =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of the table
  Object.fromEntries(
    MEMBER_IDS.map((id) => {
      const { schema, meta } = ruleOf(id)
      return [id, meta === undefined ? schema().optional() : schema().optional().meta(meta)]
    }),
  ) as Shape
