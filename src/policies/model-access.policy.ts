// Whether an organisation may use a model. Pure.
import { tierPlan, type Tier } from './tier.policy.ts'

export type ModelAccess = { allowed: true } | { allowed: false; reason: 'tier' | 'provider' }

/** The tier is looked at first: enabling a provider would not help an organisation whose tier lacks the model. */
export function decideModelAccess(
  organisation: { tier: Tier; enabledProviders: readonly string[] },
  model: { provider: string; costEffective: boolean },
): ModelAccess {
  if (tierPlan(organisation.tier).models === 'cost_effective' && !model.costEffective) {
    return { allowed: false, reason: 'tier' }
  }
  if (!organisation.enabledProviders.includes(model.provider)) return { allowed: false, reason: 'provider' }
  return { allowed: true }
}
