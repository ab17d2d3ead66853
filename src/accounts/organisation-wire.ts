// Between an organisation's record and its form on the wire.
import { AppError } from '../platform/errors.ts'
import type { CreateOrganisation, Organisation, UpdateOrganisation } from './organisation.schema.ts'
import type { OrganisationChange, SettingsChange } from './operator.service.ts'
import type { OrganisationRecord } from './organisations.store.ts'

const MICROEUR_PER_EUR = 1_000_000

const toMicroeur = (eur: number | null): number | null => (eur === null ? null : Math.round(eur * MICROEUR_PER_EUR))

export const presentOrganisation = (record: OrganisationRecord): Organisation => ({
  id: record.id,
  object: 'organisation',
  created_at: new Date(record.createdAt).toISOString(),
  name: record.name,
  tier: record.tier,
  jurisdiction: record.jurisdiction,
  enabled_providers: [...record.enabledProviders],
  requests_per_minute: record.requestsPerMinute,
  requests_per_month: record.requestsPerMonth,
  monthly_budget_eur: record.monthlyBudgetMicroeur === null ? null : record.monthlyBudgetMicroeur / MICROEUR_PER_EUR,
})

export const readNewOrganisation = (input: CreateOrganisation): Omit<OrganisationRecord, 'id' | 'createdAt'> => ({
  name: input.name,
  tier: input.tier,
  jurisdiction: input.jurisdiction,
  enabledProviders: input.enabled_providers,
  requestsPerMinute: input.requests_per_minute,
  requestsPerMonth: input.requests_per_month,
  monthlyBudgetMicroeur: toMicroeur(input.monthly_budget_eur),
})

/** Only what was sent: null takes a limit away, an absent member leaves it. */
export const readOrganisationChange = (input: UpdateOrganisation): OrganisationChange => ({
  ...(input.name !== undefined && { name: input.name }),
  ...(input.tier !== undefined && { tier: input.tier }),
  ...(input.enabled_providers !== undefined && { enabledProviders: input.enabled_providers }),
  ...(input.requests_per_minute !== undefined && { requestsPerMinute: input.requests_per_minute }),
  ...(input.requests_per_month !== undefined && { requestsPerMonth: input.requests_per_month }),
  ...(input.monthly_budget_eur !== undefined && { monthlyBudgetMicroeur: toMicroeur(input.monthly_budget_eur) }),
})

/** Throws `invalid_request` where the tier does not let a limit be set. */
export function changedOrganisation(change: SettingsChange): Organisation {
  if (change.outcome === 'done') return presentOrganisation(change.record)
  const param = LIMITS[change.limit]
  throw new AppError(
    'invalid_request',
    `Organisations of this tier have its own ${param}. Assign another tier first.`,
    {
      param,
      fields: [{ path: param, rule: 'not open to this tier' }],
    },
  )
}

const LIMITS = { requestsPerMinute: 'requests_per_minute', requestsPerMonth: 'requests_per_month' } as const
