// What the operator has settled about an organisation, as its object keeps it and decides by it; and how a change of it is
// taken in. Pure.
import { limitNotCustom, type CustomLimits, type Tier } from './tier.policy.ts'

/** The providers an organisation can have enabled: those of the catalogue. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'perplexity'] as const
export type Provider = (typeof PROVIDERS)[number]

export type OrganisationSettings = CustomLimits & {
  tier: Tier
  /** Where its prompts may go. Nothing is enabled until it is chosen. */
  enabledProviders: readonly Provider[]
  /** The most it may spend on models in a UTC month; null: no such limit. */
  monthlyBudgetMicroeur: number | null
  /** How many tokens a model may write where the request does not say: sent to the provider, and held in the budget. */
  defaultMaxTokens: number
  /** Whether long instructions are kept by providers that want to be told so, though the request marks nothing. */
  cacheInstructions: boolean
}

/** `version` counts the changes: of two versions the higher one is the later one. */
export type VersionedSettings = OrganisationSettings & { version: number }

/** An organisation about which nothing has been settled. */
export const DEFAULT_SETTINGS: OrganisationSettings = {
  tier: 'free',
  enabledProviders: [],
  requestsPerMinute: null,
  requestsPerMonth: null,
  monthlyBudgetMicroeur: null,
  defaultMaxTokens: 16_384,
  cacheInstructions: false,
}

/** Only what is to change. */
export type SettingsChange = Partial<OrganisationSettings>

/** `not_custom`: the tier, as it then is, has no such limit of its own. Nothing is changed. */
export type ChangeDecision =
  | { outcome: 'changed'; settings: OrganisationSettings }
  | { outcome: 'not_custom'; limit: keyof CustomLimits; tier: Tier }

/** A change of neither tier nor limits is never refused for what was settled before. */
export function decideSettingsChange(current: OrganisationSettings, change: SettingsChange): ChangeDecision {
  const settings = { ...current, ...change }
  const { tier } = settings
  const wrong = limitNotCustom(tier, change.tier === undefined ? change : settings)
  return wrong === null ? { outcome: 'changed', settings } : { outcome: 'not_custom', limit: wrong, tier }
}
