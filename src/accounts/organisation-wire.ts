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
import { fromWire } from '../platform/wire.ts'
import { isHigherTier, type Tier } from '../policies/tier.policy.ts'
import {
  DEFAULT_SETTINGS,
  toNamedSettings,
  type OrganisationSettings,
  type SettingsChange,
} from '../policies/organisation-settings.ts'
import { retentionWarningText, type RetentionWarning } from '../policies/log-retention.policy.ts'
import {
  rowsSetBy,
  type ChangeWarnings,
  type PresentedSettings,
  type SetBy,
  type SettingsInput,
} from './organisation-settings.schema.ts'

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
  ...presentSettings(record, 'operator'),
})

/** @param param the member of the request that the warnings are about */
export const presentWarnings = (warnings: readonly RetentionWarning[], param: string): ChangeWarnings =>
  warnings.map((warning) => ({ code: 'retention_below_six_months', message: retentionWarningText(warning), param }))

export function presentSettings<By extends SetBy>(settings: OrganisationSettings, by: By): PresentedSettings<By>
export function presentSettings(settings: OrganisationSettings, by: SetBy): object {
  const stored = new Map<string, unknown>(Object.entries(toNamedSettings(settings)))
  return Object.fromEntries(
    rowsSetBy(by).map(([apiName, name, row]) => {
      const value = stored.get(name)
      return [apiName, row.toApi === undefined ? value : row.toApi(value)]
    }),
  )
}

/** Reads a new organisation. If it names no region, one in the European Union gets the default region. */
export const readNewOrganisation = (input: CreateOrganisation): NewOrganisation => ({
  identity: {
    name: input.name,
    jurisdiction: input.jurisdiction,
    region: input.region ?? (input.jurisdiction === 'eu' ? EUROPEAN_REGIONS[0] : null),
  },
  settings: { ...DEFAULT_SETTINGS, ...readSettingsChange(input) },
  isDemo: input.demo,
})

/** Returns only the members that were sent: null removes a limit, an absent member leaves it unchanged. */
export const readOrganisationChange = (input: UpdateOrganisation): OrganisationChange => ({
  ...(input.name !== undefined && { name: input.name }),
  ifVersion: input.if_version ?? null,
  settings: readSettingsChange(input),
})

function readSettingsChange(input: SettingsInput): SettingsChange
function readSettingsChange(input: object): object {
  const sent = new Map<string, unknown>(Object.entries(input))
  const stored = rowsSetBy('operator').map(([apiName, name, row]): [string, unknown] => {
    const value = sent.get(apiName)
    return [name, value === undefined || row.fromApi === undefined ? value : row.fromApi(value)]
  })
  return fromWire(Object.fromEntries(stored))
}
