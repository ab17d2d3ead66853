// Converts an organisation's own settings between their stored form and the form of the API.
import { presentIdentity, presentSettings, readSettingsChange } from '../../accounts/organisation-wire.ts'
import type { OrganisationChange } from '../../accounts/organisations.service.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { Settings, UpdateSettings } from './settings.schema.ts'

export function presentOwnSettings(record: OrganisationRecord): Settings {
  const { requestsPerMinute, requestsPerMonth, models, retentionDays } = planOf(record)
  return {
    ...presentIdentity(record, 'settings'),
    version: record.version,
    ...presentSettings(record),
    cache_ttl_seconds: null,
    limits: {
      requests_per_minute: requestsPerMinute,
      requests_per_month: requestsPerMonth,
      models,
      retention_days: retentionDays,
    },
  }
}

/** Returns only the members that were sent: null removes a limit, an absent member leaves it unchanged. */
export const readOwnSettingsChange = (input: UpdateSettings): OrganisationChange => ({
  ...(input.name !== undefined && { name: input.name }),
  ifVersion: input.if_version ?? null,
  settings: readSettingsChange(input),
})
