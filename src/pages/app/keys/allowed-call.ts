// Finds a call that the policy in force allows a key: a model of the tier and the enabled providers, and a use case if one is needed.
import { ownMember } from '../../../platform/json.ts'
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'

export type AllowedCall = {
  model: string
  /** The use case to declare; null if none is needed. */
  useCase: string | null
  /** True if a person must approve it before it runs. */
  isHeld: boolean
}

type Subject = { id: string; name: string }

/** Returns a call that runs at once if there is one, else one that a person must approve; null if none is allowed. */
export function findAllowedCall(document: PolicyDocument, models: readonly string[], key: Subject): AllowedCall | null {
  const calls = useCasesFor(document, key.name).flatMap((useCase) =>
    models
      .filter((model) => isModelAllowed(document, { model, useCase, key: key.id }))
      .map((model) => ({ model, useCase, isHeld: isHeld(document, { model, useCase, key: key.id }) })),
  )
  return calls.find((call) => !call.isHeld) ?? calls[0] ?? null
}

/** The use cases that may be declared. The one that is called like the key comes first. */
function useCasesFor({ use_case_guard: guard, ...document }: PolicyDocument, keyName: string): (string | null)[] {
  const likeKey = keyName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const named = [
    ...(guard?.allow ?? document.medical_use_cases ?? []),
    ...(guard?.required === true && guard.allow === undefined ? ['first-call'] : []),
  ]
  const others = named.filter((name) => name !== likeKey)
  return [...(named.includes(likeKey) ? [likeKey] : []), ...(guard?.required === true ? others : [null, ...others])]
}

type Facts = { model: string; useCase: string | null; key: string }

function isModelAllowed({ model_allowlist: list = {} }: PolicyDocument, { model, useCase, key }: Facts): boolean {
  const lists = [list.models, ownMember(list.by_use_case, useCase), ownMember(list.by_key, key)]
  return lists.every((models) => models?.includes(model) !== false)
}

/** More than a short call without a limit of its own can cost. */
const SURELY_ABOVE_EUR = 1

const isHeld = ({ human_approval: rule }: PolicyDocument, { model, useCase, key }: Facts): boolean =>
  (rule?.when ?? []).some(
    (one) =>
      one.keys?.includes(key) !== false &&
      one.models?.includes(model) !== false &&
      (one.use_cases === undefined || (useCase !== null && one.use_cases.includes(useCase))) &&
      one.content_kinds?.includes('text') !== false &&
      (one.min_cost_eur ?? 0) < SURELY_ABOVE_EUR,
  )
