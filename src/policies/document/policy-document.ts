// Defines the policy document, in which an organisation sets rules for its calls beyond its tier and settings. A missing rule is
// not applied. Finds the rule that refuses a call, and converts a policy to and from its members in log entries (`NamedPolicy`).
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { findModel } from '../../providers/model-catalogue.ts'
import { CacheSchema } from './cache.policy.ts'
import { ContentTypeGuardSchema, refuseContent } from './content-type-guard.policy.ts'
import { DataRegionRuleSchema, refuseRegion } from './data-region.policy.ts'
import { HumanApprovalSchema, modelsInCases } from './human-approval.policy.ts'
import { BudgetGuardSchema, LoopGuardSchema, RateLimitSchema } from './chat-limits.policy.ts'
import { ModelAllowlistSchema, listNamedModels, refuseModel, type NamedModel } from './model-allowlist.policy.ts'
import { BiasSchema, refuseUseCase, UseCaseGuardSchema, UseCasesSchema } from './use-cases-and-cohorts.policy.ts'
import { PiiScanSchema, refusePii } from './pii-scan.policy.ts'
import { PromptInjectionGuardSchema, refuseInjection } from './prompt-injection-guard.policy.ts'
import type { PolicyId } from './policy-ids.ts'
import type { PolicyRefusal, RuleFacts } from './policy-rule.ts'

export const PolicyDocumentSchema = once(() =>
  z
    .strictObject({
      model_allowlist: ModelAllowlistSchema().optional(),
      data_region: DataRegionRuleSchema().optional(),
      content_type_guard: ContentTypeGuardSchema().optional(),
      use_case_guard: UseCaseGuardSchema().optional(),
      pii_scan: PiiScanSchema().optional(),
      prompt_injection_guard: PromptInjectionGuardSchema().optional(),
      loop_guard: LoopGuardSchema().optional(),
      budget_guard: BudgetGuardSchema().optional(),
      rate_limit: RateLimitSchema().optional(),
      human_approval: HumanApprovalSchema().optional(),
      cache: CacheSchema().optional(),
      medical_use_cases: UseCasesSchema()
        .optional()
        .meta({
          description: 'The use cases whose calls are medical receipts. Left out: all calls are.',
          example: ['triage-notes'],
        }),
      high_risk_use_cases: UseCasesSchema()
        .optional()
        .meta({
          description:
            'The use cases that the organisation holds to be high-risk. The compliance score asks whether people approve them.',
          example: ['triage-notes'],
        }),
      bias: BiasSchema().optional(),
    })
    .meta({
      id: 'PolicyDocument',
      description:
        'Each member is a rule, or what those who oversee the calls go by. One that is left out is not applied.',
    }),
)

export type PolicyDocument = Infer<typeof PolicyDocumentSchema>

/** Version 0: nobody has made a policy, and the document is empty. `sha256`: 64 hexadecimal digits, of its canonical JSON. */
export type VersionedPolicy = { version: number; sha256: string; document: PolicyDocument }

export const versionPolicy = (version: number, document: PolicyDocument): VersionedPolicy => ({
  version,
  sha256: sha256Hex(canonicalJson(document)),
  document,
})

/**
 * Returns the first model that the catalogue does not have, and its path; null if it has all.
 * @param inForce the policy that the document replaces. Its models are known, also if they have left the catalogue since.
 */
export function findUnknownModel(document: PolicyDocument, inForce: PolicyDocument = {}): NamedModel | null {
  const known = new Set(modelsIn(inForce).map(({ model }) => model))
  return modelsIn(document).find(({ model }) => !known.has(model) && findModel(model) === null) ?? null
}

const modelsIn = ({ model_allowlist: allowed = {}, human_approval: approval }: PolicyDocument): NamedModel[] => [
  ...listNamedModels(allowed).map(({ path, model }) => ({ path: `model_allowlist.${path}`, model })),
  ...modelsInCases(approval).map(({ path, model }) => ({ path: `human_approval.${path}`, model })),
]

/** As long as a body may be, so that patches cannot make a policy that no PUT could. */
const MOST_BYTES = 16 * 1024

/** Returns the document; null if it is too long or has a fault. */
export function readPolicyDocument(value: unknown): PolicyDocument | null {
  const { data = null } = PolicyDocumentSchema().safeParse(value)
  if (data === null) return null
  return new TextEncoder().encode(canonicalJson(data)).length > MOST_BYTES ? null : data
}

/** True if a request's text must be scanned before its decision. */
export const needsScan = (document: PolicyDocument): boolean => SCANNING_RULES.some((id) => document[id] !== undefined)

const SCANNING_RULES: ReadonlyArray<keyof PolicyDocument> = ['pii_scan', 'prompt_injection_guard']

export const NO_POLICY: VersionedPolicy = versionPolicy(0, {})

type Rule = {
  id: PolicyId & keyof PolicyDocument
  /** Returns null if the request passes. */
  refuse: (document: PolicyDocument, facts: RuleFacts) => string | null
}

function rule<Id extends Rule['id']>(
  id: Id,
  refuse: (rule: NonNullable<PolicyDocument[Id]>, facts: RuleFacts) => string | null,
): Rule {
  return {
    id,
    refuse: ({ [id]: said }, facts) => (said === undefined ? null : refuse(said, facts)),
  }
}

/** The rules that decide about one call by its own facts. */
const RULES: readonly Rule[] = [
  rule('model_allowlist', refuseModel),
  { id: 'data_region', refuse: ({ data_region: region }, facts) => refuseRegion(region, facts) },
  rule('content_type_guard', refuseContent),
  rule('use_case_guard', refuseUseCase),
  rule('pii_scan', refusePii),
  rule('prompt_injection_guard', refuseInjection),
]

export const REFUSING_RULES: readonly PolicyId[] = RULES.map(({ id }) => id)

/** Returns the refusal by the first rule that refuses the request; null if all allow it. */
export function findPolicyRefusal(document: PolicyDocument, facts: RuleFacts): PolicyRefusal | null {
  for (const { id, refuse } of RULES) {
    const reason = refuse(document, facts)
    if (reason !== null) return { policy: id, reason }
  }
  return null
}

/** Returns the ids of the refusing rules that the document has. */
export const rulesApplied = (document: PolicyDocument): PolicyId[] =>
  RULES.filter(({ id }) => document[id] !== undefined).map(({ id }) => id)

export const NamedPolicySchema = once(() =>
  z.object({ policy_version: z.int().min(1), document: PolicyDocumentSchema() }),
)

export const fromNamedPolicy = ({
  policy_version: version,
  document,
}: Infer<typeof NamedPolicySchema>): VersionedPolicy => versionPolicy(version, document)

export const toNamedPolicy = ({ version, document }: VersionedPolicy) => ({
  policy_version: version,
  document: z.json().parse(document),
})
