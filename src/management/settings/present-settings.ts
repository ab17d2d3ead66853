// Presents the settings of an organisation to its people and keys, with the limits that are in force.
import { presentIdentity, presentSettings } from '../../accounts/organisation-wire.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { Settings } from './settings.schema.ts'

export function presentOwnSettings(record: OrganisationRecord): Settings {
  const { requestsPerMinute, requestsPerMonth, models, retentionDays } = planOf(record)
  return {
    ...presentIdentity(record, 'settings'),
    version: record.version,
    ...presentSettings(record, 'organisation'),
    limits: {
      requests_per_minute: requestsPerMinute,
      requests_per_month: requestsPerMonth,
      models,
      retention_days: retentionDays,
    },
  }
}
