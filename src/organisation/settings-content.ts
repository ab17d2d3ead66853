// The settings as the ledger's entries tell them, and read back: an entry of a change has all of them.
import { z } from 'zod'
import type { EntryContent } from '../ledger/entry.ts'
import type { OrganisationSettings, VersionedSettings } from '../policies/organisation-settings.ts'
import { TIERS } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/registry.ts'

export const describeSettings = (settings: OrganisationSettings): EntryContent => ({
  tier: settings.tier,
  enabled_providers: settings.enabledProviders,
  requests_per_minute: settings.requestsPerMinute,
  requests_per_month: settings.requestsPerMonth,
  monthly_budget_microeur: settings.monthlyBudgetMicroeur,
  default_max_tokens: settings.defaultMaxTokens,
  cache_instructions: settings.cacheInstructions,
  retention_days: settings.retentionDays,
  loop_repeats: settings.loopRepeats,
  loop_window_seconds: settings.loopWindowSeconds,
  loop_cycle_rounds: settings.loopCycleRounds,
  loop_cycle_window_seconds: settings.loopCycleWindowSeconds,
})

const whole = z.int().nonnegative()

const ToldSettingsSchema = z.object({
  tier: z.enum(TIERS),
  enabled_providers: z.array(z.enum(PROVIDER_IDS)),
  requests_per_minute: whole.nullable(),
  requests_per_month: whole.nullable(),
  monthly_budget_microeur: whole.nullable(),
  default_max_tokens: whole,
  cache_instructions: z.boolean(),
  retention_days: whole.nullable(),
  loop_repeats: whole,
  loop_window_seconds: whole,
  loop_cycle_rounds: whole,
  loop_cycle_window_seconds: whole,
  version: whole,
})

/** Throws for an entry that tells no settings. */
export function settingsIn(content: EntryContent): VersionedSettings {
  const told = ToldSettingsSchema.parse(content)
  return {
    tier: told.tier,
    enabledProviders: told.enabled_providers,
    requestsPerMinute: told.requests_per_minute,
    requestsPerMonth: told.requests_per_month,
    monthlyBudgetMicroeur: told.monthly_budget_microeur,
    defaultMaxTokens: told.default_max_tokens,
    cacheInstructions: told.cache_instructions,
    retentionDays: told.retention_days,
    loopRepeats: told.loop_repeats,
    loopWindowSeconds: told.loop_window_seconds,
    loopCycleRounds: told.loop_cycle_rounds,
    loopCycleWindowSeconds: told.loop_cycle_window_seconds,
    version: told.version,
  }
}
