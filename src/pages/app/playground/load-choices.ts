// Playground: the models and use cases that a person chooses from, by the tier, the settings and the policy in force.
import type { Infer } from '../../../platform/once.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Provider } from '../../../management/providers.schema.ts'
import type { SettingsSchema } from '../../../management/settings/settings.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { callApi, hasPermission, organisation } from '../session.ts'

export type Choices = {
  /** The models that the tier includes at the enabled providers. */
  models: readonly string[]
  /** At the provider that is asked first. None for a model whose calls cost more than their tokens. */
  prices: ReadonlyMap<string, Provider['models'][number]['eur_per_million']>
  /** The use cases that the policy names; empty if any may be declared. */
  useCases: readonly string[]
  isUseCaseRequired: boolean
  policy: PolicyDocument
}

/** A policy that says nothing, for roles that may not read theirs. */
const NO_POLICY: PolicyDocument = {}

export async function loadChoices(signal: AbortSignal): Promise<Answer<Choices>> {
  const [providers, settings, policy] = await Promise.all([
    callApi<List<Provider>>('GET', '/api/providers', { signal }),
    callApi<Infer<typeof SettingsSchema>>('GET', '/api/settings', { signal }),
    hasPermission('policies:read') ? callApi<Policy>('GET', '/api/policies', { signal }) : null,
  ])
  if (providers.outcome === 'refused') return providers
  if (settings.outcome === 'refused') return settings
  if (policy?.outcome === 'refused') return policy
  const { tier } = organisation()
  const { enabled_providers: enabled } = settings.body
  const document = policy?.body.document ?? NO_POLICY
  return answered({
    models: providers.body.data
      .filter(({ id }) => enabled.includes(id))
      .flatMap(({ models }) => models.filter(({ tiers }) => tiers.includes(tier)).map(({ id }) => id)),
    prices: new Map(
      // The first enabled provider of a model is asked first: it stands last here. Searches of Perplexity cost more than their tokens.
      providers.body.data
        .filter(({ id }) => enabled.includes(id) && id !== 'perplexity')
        .flatMap(({ models }) => models.map(({ id, eur_per_million: price }) => [id, price] as const))
        .toReversed(),
    ),
    useCases: useCasesOf(document),
    isUseCaseRequired: document.use_case_guard?.required === true,
    policy: document,
  })
}

function useCasesOf({ use_case_guard: guard, ...document }: PolicyDocument): readonly string[] {
  if (guard?.allow !== undefined) return guard.allow
  const named = [
    ...(document.medical_use_cases ?? []),
    ...(document.high_risk_use_cases ?? []),
    ...Object.keys(document.model_allowlist?.by_use_case ?? {}),
    ...(document.human_approval?.when ?? []).flatMap(({ use_cases: cases = [] }) => cases),
  ]
  return [...new Set(named)]
}

/** True if the policy's lists let the model through for this use case. The key is new, so no rule names it. */
export function isModelAllowed({ policy }: Choices, model: string, useCase: string): boolean {
  const { models, by_use_case: byUseCase } = policy.model_allowlist ?? {}
  const ofUseCase = new Map(Object.entries(byUseCase ?? {})).get(useCase)
  return models?.includes(model) !== false && ofUseCase?.includes(model) !== false
}
