// Derives the types, schemas and forms of an organisation's settings from the table, and decides which changes are allowed. Pure.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { DAY_MS } from '../platform/time.ts'
import { fromWire, toWire, type FromWire } from '../platform/wire.ts'
import { decideRetention, type RetentionWarning } from './log-retention.policy.ts'
import { changedRequirement } from './second-factor.policy.ts'
import { SETTINGS, type AnySetting, type SettingName, type Settings } from './settings-table.ts'
import {
  findForbiddenLimit,
  planOf,
  retentionRange,
  type CustomLimits,
  type RetentionRange,
  type Tier,
} from './tier.policy.ts'

export const settingRows = (): [name: string, row: AnySetting][] => Object.entries<AnySetting>(SETTINGS)

type StoredShape = { [Name in SettingName]: z.ZodDefault<ReturnType<Settings[Name]['stored']>> }

/** Each setting as it is stored. One that was not stored has its initial value. */
function storedShape(): StoredShape
function storedShape(): Record<string, z.ZodType> {
  return Object.fromEntries(settingRows().map(([name, { stored, initial }]) => [name, stored().default(initial)]))
}

const UnversionedSchema = once(() => z.object(storedShape()))

/**
 * The settings by their names in log entries, D1 and snapshots. The tier is always stored, which tells an entry with settings from
 * others. `version` counts the changes: a higher version is later.
 */
export const NamedSettingsSchema = once(() =>
  z.object({
    ...storedShape(),
    tier: SETTINGS.tier.stored(),
    version: z.int().nonnegative(),
  }),
)

export type NamedSettings = Infer<typeof NamedSettingsSchema>

export type VersionedSettings = FromWire<NamedSettings>

export type OrganisationSettings = Omit<VersionedSettings, 'version'>

/** Converts settings to their names in log entries, D1 and snapshots. */
export const toNamedSettings = (settings: OrganisationSettings): Omit<NamedSettings, 'version'> =>
  toWire(UnversionedSchema(), settings)

export const fromNamedSettings = (named: NamedSettings): VersionedSettings => fromWire(named)

export const DEFAULT_SETTINGS: OrganisationSettings = initialSettings()

function initialSettings(): OrganisationSettings
function initialSettings(): object {
  return fromWire(Object.fromEntries(settingRows().map(([name, { initial }]) => [name, initial])))
}

export type SettingsChange = Partial<OrganisationSettings>

export type SettingsChangeRequest = {
  change: SettingsChange
  /** The version of the organisation's row in D1; 0 without a row. */
  knownVersion: number
  /** Change only if this version is in force; null: in any case. */
  ifVersion?: number | null
  /** True if the name changes too, which only D1 has. */
  isRenamed?: boolean
}

/**
 * Nothing changes unless the outcome is `changed`. `stale`: another version than expected is in force. `not_custom`: the resulting
 * tier has no custom limit of this name. `retention`: the tier does not allow storing details for so many days, or for so few.
 * `content_retention`: content would be stored for longer than details, which are stored for `most` days. `high_risk_retention`: the
 * policy declares high-risk use cases, and details would be stored for less than `least` days. `second_factor_from`: the requirement
 * would begin too late.
 */
export type ChangeDecision =
  | { outcome: 'changed'; settings: OrganisationSettings; warnings: readonly RetentionWarning[] }
  | { outcome: 'stale'; version: number }
  | { outcome: 'not_custom'; limit: keyof CustomLimits; tier: Tier }
  | { outcome: 'retention'; range: RetentionRange; tier: Tier }
  | { outcome: 'content_retention'; most: number }
  | { outcome: 'high_risk_retention'; least: number }
  | { outcome: 'second_factor_from' }

/**
 * Decides a change by the settings that it sends. A change of the tier is checked together with all other settings.
 * @param highRiskUseCases of the policy in force
 */
export function decideSettingsChange(
  current: VersionedSettings,
  { change, ifVersion = null }: Pick<SettingsChangeRequest, 'change' | 'ifVersion'>,
  highRiskUseCases: readonly string[],
  now: number,
): ChangeDecision {
  const { version, ...before } = current
  if (ifVersion !== null && ifVersion !== version) return { outcome: 'stale', version }
  const requirement = changedRequirement(before, change, now)
  if (requirement === null) return { outcome: 'second_factor_from' }
  const settings = { ...before, ...change, ...requirement }
  const { tier } = settings
  const checked = change.tier === undefined ? change : settings
  const limit = findForbiddenLimit(tier, checked)
  if (limit !== null) return { outcome: 'not_custom', limit, tier }
  const range = retentionRange(tier)
  if (!isWithin(range, checked.retentionDays ?? null)) return { outcome: 'retention', range, tier }
  const { retentionDays: most } = planOf(settings)
  if (
    CONTENT_RETENTION_SETTINGS.some((name) => change[name] !== undefined) &&
    (settings.contentLogging?.retention_days ?? 0) > most
  ) {
    return { outcome: 'content_retention', most }
  }
  const setsRetention = change.retentionDays !== undefined
  if (!setsRetention && change.tier === undefined) return { outcome: 'changed', settings, warnings: [] }
  const retention = decideRetention({ before, after: settings, setsRetention }, highRiskUseCases)
  if (retention.outcome === 'refused') return { outcome: 'high_risk_retention', least: retention.least }
  return { outcome: 'changed', settings, warnings: retention.warnings }
}

const CONTENT_RETENTION_SETTINGS = ['tier', 'retentionDays', 'contentLogging'] as const

/** Returns when the content of a call admitted now expires: no later than its details. Null if content is not stored. */
export function contentExpiresAt(settings: OrganisationSettings, now: number): number | null {
  const { contentLogging } = settings
  if (contentLogging === null) return null
  return now + Math.min(contentLogging.retention_days, planOf(settings).retentionDays) * DAY_MS
}

const isWithin = ({ least, most }: RetentionRange, days: number | null): boolean =>
  days === null || (days >= least && days <= most)
