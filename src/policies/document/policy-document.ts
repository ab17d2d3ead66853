// Defines the policy document, in which an organisation sets rules for its calls beyond its tier and settings. A missing rule is
// not applied. Finds the rule that refuses a call, and converts a policy to and from its members in log entries (`NamedPolicy`).
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { findModel } from '../../providers/model-catalogue.ts'
import type { RuleFacts } from '../facts.ts'
import { MEMBER_IDS, memberSchemas, POLICY_IDS, ruleOf, type PolicyId } from '../rules/index.ts'
import type { NamedModel } from '../rules/rule.ts'

export const PolicyDocumentSchema = once(() =>
  z.strictObject(memberSchemas()).meta({
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

const modelsIn = (document: PolicyDocument): NamedModel[] =>
  MEMBER_IDS.flatMap((id) => {
    const models = document[id] === undefined ? [] : (ruleOf(id).listModels?.(document[id]) ?? [])
    return models.map(({ path, model }) => ({ path: `${id}.${path}`, model }))
  })

/** As long as a body may be, so that patches cannot make a policy that no PUT could. */
const MOST_BYTES = 16 * 1024

/** Returns the document; null if it is too long or has a fault. */
export function readPolicyDocument(value: unknown): PolicyDocument | null {
  const { data = null } = PolicyDocumentSchema().safeParse(value)
  if (data === null) return null
  return new TextEncoder().encode(canonicalJson(data)).length > MOST_BYTES ? null : data
}

/** True if a request's text must be scanned before its decision. */
export const needsScan = (document: PolicyDocument): boolean =>
  POLICY_IDS.some((id) => document[id] !== undefined && ruleOf(id).mayRefuseUnseen !== undefined)

export const NO_POLICY: VersionedPolicy = versionPolicy(0, {})

/** `reason`: a word of a closed list, sometimes with its subject, such as `found: eircode`. Never text of the request. */
export type PolicyRefusal = { policy: PolicyId; reason: string }

/** Returns the refusal by the first rule that refuses the request; null if all allow it. */
export function findPolicyRefusal(document: PolicyDocument, facts: RuleFacts): PolicyRefusal | null {
  for (const id of POLICY_IDS) {
    const rule = ruleOf(id)
    const said = document[id] ?? rule.unset?.()
    const reason = said === undefined ? null : (rule.refuse?.(said, facts) ?? null)
    if (reason !== null) return { policy: id, reason }
  }
  return null
}

/** Returns the ids of the rules that the document has, and that refuse by a call's own facts. */
export const rulesApplied = (document: PolicyDocument): PolicyId[] =>
  POLICY_IDS.filter((id) => document[id] !== undefined && ruleOf(id).refuse !== undefined)

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
