// An organisation's settings by the names that they have outside the code: in entries of the ledger, in D1 and on the wire.
import { z } from 'zod'
import { PROVIDER_IDS, type ProviderId } from '../providers/registry.ts'
import { UNSUPPORTED, type OrganisationSettings, type VersionedSettings } from './organisation-settings.ts'
import { TIERS } from './tier.policy.ts'

const whole = z.int().nonnegative()

/** A provider that is known no more is enabled no more. */
export const knownAmong = (names: readonly string[]): ProviderId[] => PROVIDER_IDS.filter((id) => names.includes(id))

/** Reads recorded names. A provider that does not exist any more is left out. */
export const EnabledProvidersSchema = z.array(z.string()).transform(knownAmong)

export const NamedSettingsSchema = z.object({
  tier: z.enum(TIERS),
  enabled_providers: EnabledProvidersSchema,
  requests_per_minute: whole.nullable(),
  requests_per_month: whole.nullable(),
  monthly_budget_microeur: whole.nullable(),
  default_max_tokens: whole,
  cache_instructions: z.boolean(),
  idempotent_replays: z.boolean(),
  unsupported: z.enum(UNSUPPORTED),
  retention_days: whole.nullable(),
  content_logging: z.object({ retention_days: whole }).nullable(),
  loop_repeats: whole,
  loop_window_seconds: whole,
  loop_cycle_rounds: whole,
  loop_cycle_window_seconds: whole,
  version: whole,
})

export type NamedSettings = z.infer<typeof NamedSettingsSchema>

export const nameSettings = (settings: OrganisationSettings): Omit<NamedSettings, 'version'> => ({
  tier: settings.tier,
  enabled_providers: [...settings.enabledProviders],
  requests_per_minute: settings.requestsPerMinute,
  requests_per_month: settings.requestsPerMonth,
  monthly_budget_microeur: settings.monthlyBudgetMicroeur,
  default_max_tokens: settings.defaultMaxTokens,
  cache_instructions: settings.cacheInstructions,
  idempotent_replays: settings.idempotentReplays,
  unsupported: settings.unsupported,
  retention_days: settings.retentionDays,
  content_logging: nameContentLogging(settings.contentRetentionDays),
  loop_repeats: settings.loopRepeats,
  loop_window_seconds: settings.loopWindowSeconds,
  loop_cycle_rounds: settings.loopCycleRounds,
  loop_cycle_window_seconds: settings.loopCycleWindowSeconds,
})

export const settingsNamed = (named: NamedSettings): VersionedSettings => ({
  tier: named.tier,
  enabledProviders: named.enabled_providers,
  requestsPerMinute: named.requests_per_minute,
  requestsPerMonth: named.requests_per_month,
  monthlyBudgetMicroeur: named.monthly_budget_microeur,
  defaultMaxTokens: named.default_max_tokens,
  cacheInstructions: named.cache_instructions,
  idempotentReplays: named.idempotent_replays,
  unsupported: named.unsupported,
  retentionDays: named.retention_days,
  contentRetentionDays: named.content_logging?.retention_days ?? null,
  loopRepeats: named.loop_repeats,
  loopWindowSeconds: named.loop_window_seconds,
  loopCycleRounds: named.loop_cycle_rounds,
  loopCycleWindowSeconds: named.loop_cycle_window_seconds,
  version: named.version,
})

export const nameContentLogging = (days: number | null): NamedSettings['content_logging'] =>
  days === null ? null : { retention_days: days }
