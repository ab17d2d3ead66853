// Between an organisation's record and its form on the wire.
import type { Organisation, CreateOrganisation, UpdateOrganisation } from './organisation.schema.ts'
import type { OrganisationChange } from './operator/operator.service.ts'
import type { NewOrganisation } from './organisations.service.ts'
import type { OrganisationRecord } from './organisations.store.ts'
import { EUROPEAN_REGIONS } from '../platform/regions.ts'

const MICROEUR_PER_EUR = 1_000_000

const toMicroeur = (eur: number | null): number | null => (eur === null ? null : Math.round(eur * MICROEUR_PER_EUR))

export const presentOrganisation = (record: OrganisationRecord): Organisation => ({
  id: record.id,
  object: 'organisation',
  created_at: new Date(record.createdAt).toISOString(),
  name: record.name,
  tier: record.tier,
  jurisdiction: record.jurisdiction,
  region: record.region,
  enabled_providers: [...record.enabledProviders],
  requests_per_minute: record.requestsPerMinute,
  requests_per_month: record.requestsPerMonth,
  monthly_budget_eur: record.monthlyBudgetMicroeur === null ? null : record.monthlyBudgetMicroeur / MICROEUR_PER_EUR,
  default_max_tokens: record.defaultMaxTokens,
  cache_instructions: record.cacheInstructions,
})

/** Within the European Union somewhere is asked for even where nobody says where. */
export const readNewOrganisation = (input: CreateOrganisation): NewOrganisation => ({
  identity: {
    name: input.name,
    jurisdiction: input.jurisdiction,
    region: input.region ?? (input.jurisdiction === 'eu' ? EUROPEAN_REGIONS[0] : null),
  },
  settings: {
    tier: input.tier,
    enabledProviders: input.enabled_providers,
    requestsPerMinute: input.requests_per_minute,
    requestsPerMonth: input.requests_per_month,
    monthlyBudgetMicroeur: toMicroeur(input.monthly_budget_eur),
    defaultMaxTokens: input.default_max_tokens,
    cacheInstructions: input.cache_instructions,
  },
})

/** Only what was sent: null takes a limit away, an absent member leaves it. */
export const readOrganisationChange = (input: UpdateOrganisation): OrganisationChange => ({
  ...(input.name !== undefined && { name: input.name }),
  settings: {
    ...(input.tier !== undefined && { tier: input.tier }),
    ...(input.enabled_providers !== undefined && { enabledProviders: input.enabled_providers }),
    ...(input.requests_per_minute !== undefined && { requestsPerMinute: input.requests_per_minute }),
    ...(input.requests_per_month !== undefined && { requestsPerMonth: input.requests_per_month }),
    ...(input.monthly_budget_eur !== undefined && { monthlyBudgetMicroeur: toMicroeur(input.monthly_budget_eur) }),
    ...(input.default_max_tokens !== undefined && { defaultMaxTokens: input.default_max_tokens }),
    ...(input.cache_instructions !== undefined && { cacheInstructions: input.cache_instructions }),
  },
})
