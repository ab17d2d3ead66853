// What the operator has settled about an organisation, as its object keeps it and decides by it.
import type { CustomLimits, Tier } from './tier.policy.ts'

/** The providers an organisation can have enabled: those of the catalogue. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'perplexity'] as const
export type Provider = (typeof PROVIDERS)[number]

export type OrganisationSettings = CustomLimits & {
  tier: Tier
  /** Where its prompts may go. Nothing is enabled until it is chosen. */
  enabledProviders: readonly Provider[]
  /** The most it may spend on models in a UTC month; null: no such limit. */
  monthlyBudgetMicroeur: number | null
}

/** An organisation about which nothing has been settled. */
export const DEFAULT_SETTINGS: OrganisationSettings = {
  tier: 'free',
  enabledProviders: [],
  requestsPerMinute: null,
  requestsPerMonth: null,
  monthlyBudgetMicroeur: null,
}
