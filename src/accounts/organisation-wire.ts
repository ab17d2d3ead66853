// Converts an organisation's record and settings between their stored form and the form of the API.
import type {
  CreateOrganisation,
  Organisation,
  PresentedTierRequest,
  UpdateOrganisation,
} from './organisation.schema.ts'
import type { NewOrganisation, OrganisationChange } from './organisations.service.ts'
import type { OrganisationRecord, TierRequest } from './organisations.store.ts'
import { isDemoOrganisation } from '../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import { isHigherTier, type Tier } from '../policies/tier.policy.ts'
import {
  DEFAULT_SETTINGS,
  toNamedSettings,
  type OrganisationSettings,
  type SettingsChange,
} from '../policies/organisation-settings.ts'
import type { SettingsInput, SettingsShape } from './organisation-settings.schema.ts'

/** Returns the members that every response about an organisation begins with. */
export const presentIdentity = <T extends string>(record: OrganisationRecord, object: T) => ({
  id: record.id,
  object,
  created_at: new Date(record.createdAt).toISOString(),
  name: record.name,
  tier: record.tier,
  jurisdiction: record.jurisdiction,
  region: record.region,
  demo: isDemoOrganisation(record.id),
  tier_request: presentOpenRequest(record),
})

export const presentTierRequest = ({ tier, requestedAt, requestedBy }: TierRequest): PresentedTierRequest => ({
  object: 'tier_request',
  tier,
  requested_at: new Date(requestedAt).toISOString(),
  requested_by: requestedBy,
})

/** Returns the open request; null if there is none, or if the organisation has come to that tier or a higher one. */
export const presentOpenRequest = (of: { tier: Tier; tierRequest: TierRequest | null }): PresentedTierRequest | null =>
  of.tierRequest !== null && isHigherTier(of.tierRequest.tier, of.tier) ? presentTierRequest(of.tierRequest) : null

export const presentOrganisation = (record: OrganisationRecord): Organisation => ({
  ...presentIdentity(record, 'organisation'),
  version: record.version,
  ...presentSettings(record),
  requests_per_minute: record.requestsPerMinute,
  requests_per_month: record.requestsPerMonth,
  cache_ttl_seconds: null,
})

/** Reads a new organisation. If it names no region, one in the European Union gets the default region. */
export const readNewOrganisation = (input: CreateOrganisation): NewOrganisation => ({
  identity: {
    name: input.name,
    jurisdiction: input.jurisdiction,
    region: input.region ?? (input.jurisdiction === 'eu' ? EUROPEAN_REGIONS[0] : null),
  },
  settings: {
    ...DEFAULT_SETTINGS,
    ...readSettingsChange(input),
    tier: input.tier,
    requestsPerMinute: input.requests_per_minute,
    requestsPerMonth: input.requests_per_month,
  },
  isDemo: input.demo,
})

/** Returns only the members that were sent: null removes a limit, an absent member leaves it unchanged. */
export const readOrganisationChange = (input: UpdateOrganisation): OrganisationChange => ({
  ...(input.name !== undefined && { name: input.name }),
  ifVersion: input.if_version ?? null,
  settings: {
    ...readSettingsChange(input),
    ...(input.tier !== undefined && { tier: input.tier }),
    ...(input.requests_per_minute !== undefined && { requestsPerMinute: input.requests_per_minute }),
    ...(input.requests_per_month !== undefined && { requestsPerMonth: input.requests_per_month }),
  },
})

const MICROEUR_PER_EUR = 1_000_000

export const toMicroeur = (eur: number | null): number | null =>
  eur === null ? null : Math.round(eur * MICROEUR_PER_EUR)

export const toEur = (microeur: number | null): number | null =>
  microeur === null ? null : microeur / MICROEUR_PER_EUR

export function presentSettings(settings: OrganisationSettings): SettingsShape {
  const { enabled_providers, monthly_budget_microeur, tier: _, ...others } = toNamedSettings(settings)
  const { requests_per_minute: _minute, requests_per_month: _month, ...shown } = others
  return { enabled_providers, monthly_budget_eur: toEur(monthly_budget_microeur), ...shown }
}

/** Returns only the members that were sent: null removes a limit, an absent member leaves it unchanged. */
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
