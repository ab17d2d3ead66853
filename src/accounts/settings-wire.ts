// Converts between settings and their form on the wire.
import { nameSettings, type OrganisationSettings, type SettingsChange } from '../policies/organisation-settings.ts'
import type { SettingsInput, SettingsShape } from './settings.schema.ts'

const MICROEUR_PER_EUR = 1_000_000

export const toMicroeur = (eur: number | null): number | null =>
  eur === null ? null : Math.round(eur * MICROEUR_PER_EUR)

export const toEur = (microeur: number | null): number | null =>
  microeur === null ? null : microeur / MICROEUR_PER_EUR

export function presentSettings(settings: OrganisationSettings): SettingsShape {
  const { enabled_providers, monthly_budget_microeur, tier: _, ...others } = nameSettings(settings)
  const { requests_per_minute: _minute, requests_per_month: _month, ...shown } = others
  return { enabled_providers, monthly_budget_eur: toEur(monthly_budget_microeur), ...shown }
}

/** Returns only the members sent: null removes a limit, an absent member leaves it unchanged. */
export const readSettingsChange = (input: SettingsInput): SettingsChange => ({
  ...(input.enabled_providers !== undefined && { enabledProviders: input.enabled_providers }),
  ...(input.monthly_budget_eur !== undefined && { monthlyBudgetMicroeur: toMicroeur(input.monthly_budget_eur) }),
  ...(input.default_max_tokens !== undefined && { defaultMaxTokens: input.default_max_tokens }),
  ...(input.cache_instructions !== undefined && { cacheInstructions: input.cache_instructions }),
  ...(input.idempotent_replays !== undefined && { idempotentReplays: input.idempotent_replays }),
  ...(input.unsupported !== undefined && { unsupported: input.unsupported }),
  ...(input.retention_days !== undefined && { retentionDays: input.retention_days }),
  ...(input.content_logging !== undefined && { contentRetentionDays: input.content_logging?.retention_days ?? null }),
  ...(input.loop_repeats !== undefined && { loopRepeats: input.loop_repeats }),
  ...(input.loop_window_seconds !== undefined && { loopWindowSeconds: input.loop_window_seconds }),
  ...(input.loop_cycle_rounds !== undefined && { loopCycleRounds: input.loop_cycle_rounds }),
  ...(input.loop_cycle_window_seconds !== undefined && { loopCycleWindowSeconds: input.loop_cycle_window_seconds }),
})
