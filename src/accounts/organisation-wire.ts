// Converts between an organisation's record and its form on the wire.
import type { Organisation, CreateOrganisation, UpdateOrganisation } from './organisation.schema.ts'
import type { NewOrganisation, OrganisationChange } from './organisations.service.ts'
import type { OrganisationRecord } from './organisations.store.ts'
import { isDemoOrganisation } from '../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import { DEFAULT_SETTINGS } from '../policies/organisation-settings.ts'
import { presentSettings, readSettingsChange } from './settings-wire.ts'

/** The first members of every form of an organisation. */
export const presentIdentity = <T extends string>(record: OrganisationRecord, object: T) => ({
  id: record.id,
  object,
  created_at: new Date(record.createdAt).toISOString(),
  name: record.name,
  tier: record.tier,
  jurisdiction: record.jurisdiction,
  region: record.region,
  demo: isDemoOrganisation(record.id),
})

export const presentOrganisation = (record: OrganisationRecord): Organisation => ({
  ...presentIdentity(record, 'organisation'),
  version: record.version,
  ...presentSettings(record),
  requests_per_minute: record.requestsPerMinute,
  requests_per_month: record.requestsPerMonth,
  cache_ttl_seconds: null,
})

/** Reads a new organisation. One in the European Union gets the first region if it names none. */
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

/** Returns only the members sent: null removes a limit, an absent member leaves it unchanged. */
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
