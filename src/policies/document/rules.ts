// The rules that facts about the request alone decide, in the order in which they are applied. Pure.
import { refuseContent } from './content-type-guard.policy.ts'
import { refuseModel } from './model-allowlist.policy.ts'
import { refusePii } from './pii-scan.policy.ts'
import type { PolicyDocument } from './policy-document.ts'
import { refuseInjection } from './prompt-injection-guard.policy.ts'
import type { PolicyId, PolicyRefusal, RuleFacts } from './rule.ts'
import { refuseUseCase } from './use-case-guard.policy.ts'

type Rule = {
  id: PolicyId & keyof PolicyDocument
  /** Null where the request passes, or the document has no such rule. */
  refuse: (document: PolicyDocument, facts: RuleFacts) => string | null
}

const RULES: readonly Rule[] = [
  {
    id: 'model_allowlist',
    refuse: ({ model_allowlist: rule }, facts) => (rule === undefined ? null : refuseModel(rule, facts)),
  },
  {
    id: 'content_type_guard',
    refuse: ({ content_type_guard: rule }, facts) => (rule === undefined ? null : refuseContent(rule, facts)),
  },
  {
    id: 'use_case_guard',
    refuse: ({ use_case_guard: rule }, facts) => (rule === undefined ? null : refuseUseCase(rule, facts)),
  },
  {
    id: 'pii_scan',
    refuse: ({ pii_scan: rule }, facts) => (rule === undefined ? null : refusePii(rule, facts)),
  },
  {
    id: 'prompt_injection_guard',
    refuse: ({ prompt_injection_guard: rule }, facts) => (rule === undefined ? null : refuseInjection(rule, facts)),
  },
]

/** By the first rule that refuses the request; null where all let it pass. */
export function findPolicyRefusal(document: PolicyDocument, facts: RuleFacts): PolicyRefusal | null {
  for (const { id, refuse } of RULES) {
    const reason = refuse(document, facts)
    if (reason !== null) return { policy: id, reason }
  }
  return null
}

/** Those of them that the document has. */
export const rulesApplied = (document: PolicyDocument): PolicyId[] =>
  RULES.filter(({ id }) => document[id] !== undefined).map(({ id }) => id)
