// Defines the settings of an organisation, and decides which changes of them are allowed. The operator and its own people set
// them; its object decides calls by them. Pure.
import * as z from '../platform/zod.ts'
import { DAY_MS } from '../platform/time.ts'
import { fromWire, toWire, type FromWire } from '../platform/wire.ts'
import { PROVIDER_IDS, type ProviderId } from '../providers/provider-registry.ts'
import { LOOP_DEFAULTS } from './loops.policy.ts'
import {
  findForbiddenLimit,
  planOf,
  retentionRange,
  TIERS,
  type CustomLimits,
  type RetentionRange,
  type Tier,
} from './tier.policy.ts'

/** How to treat sampling parameters that a model does not support, and an output limit above its own. */
export const UNSUPPORTED_ACTIONS = ['drop', 'refuse'] as const

export type UnsupportedAction = (typeof UNSUPPORTED_ACTIONS)[number]

const whole = z.int().nonnegative()

/** Returns the provider ids among these names. A provider that was removed is no longer enabled. */
export const knownProviders = (names: readonly string[]): ProviderId[] =>
  PROVIDER_IDS.filter((id) => names.includes(id))

/** Reads stored names. A provider that no longer exists is omitted. */
export const EnabledProvidersSchema = z.array(z.string()).transform(knownProviders)

/** The settings by their names in log entries, in D1 and on the wire. */
export const NamedSettingsSchema = z.object({
  tier: z.enum(TIERS),
  /** The providers that may get the organisation's prompts. None is enabled until somebody chooses it. */
  enabled_providers: EnabledProvidersSchema,
  requests_per_minute: whole.nullable(),
  requests_per_month: whole.nullable(),
  /** The most that may be spent on models in a UTC month; null: no limit. */
  monthly_budget_microeur: whole.nullable(),
  /** The most tokens that a model may write if the request sets no limit: sent to the provider, and reserved in the budget. */
  default_max_tokens: whole,
  /** True if long instructions are marked for caching at providers that need a mark, although the request marks nothing. */
  cache_instructions: z.boolean(),
  /** True if answers to requests with an idempotency key are stored, sealed, and replayed. */
  idempotent_replays: z.boolean(),
  unsupported: z.enum(UNSUPPORTED_ACTIONS),
  /** How many days the details of new decisions are stored; null: as long as the tier stores them. */
  retention_days: whole.nullable(),
  /** For how many days prompts and answers are stored, sealed; null: they are not stored. */
  content_logging: z.object({ retention_days: whole }).nullable(),
  /** This many equal requests within so many seconds are a loop. */
  loop_repeats: whole,
  loop_window_seconds: whole,
  /** This many rounds of a few requests in turn within so many seconds are also a loop. */
  loop_cycle_rounds: whole,
  loop_cycle_window_seconds: whole,
  /** Counts the changes: a higher version is later. */
  version: whole,
})

export type NamedSettings = z.infer<typeof NamedSettingsSchema>

export type VersionedSettings = Omit<FromWire<NamedSettings>, 'contentLogging'> & {
  contentRetentionDays: number | null
}

export type OrganisationSettings = Omit<VersionedSettings, 'version'>

const UnversionedSchema = NamedSettingsSchema.omit({ version: true })

/** Converts settings to their names and forms in log entries, in D1 and on the wire. */
export const toNamedSettings = (settings: OrganisationSettings): Omit<NamedSettings, 'version'> =>
  toWire(UnversionedSchema, { ...settings, contentLogging: nameContentLogging(settings.contentRetentionDays) })

/** Converts named settings back. */
export const fromNamedSettings = ({ content_logging: content, ...named }: NamedSettings): VersionedSettings => ({
  ...fromWire(named),
  contentRetentionDays: content?.retention_days ?? null,
})

export const nameContentLogging = (days: number | null): NamedSettings['content_logging'] =>
  days === null ? null : { retention_days: days }

/** The settings of a new organisation. */
export const DEFAULT_SETTINGS: OrganisationSettings = {
  tier: 'free',
  enabledProviders: [],
  requestsPerMinute: null,
  requestsPerMonth: null,
  monthlyBudgetMicroeur: null,
  defaultMaxTokens: 16_384,
  cacheInstructions: false,
  idempotentReplays: false,
  unsupported: 'drop',
  retentionDays: null,
  contentRetentionDays: null,
  loopRepeats: LOOP_DEFAULTS.repeats,
  loopWindowSeconds: LOOP_DEFAULTS.repeatWindowMs / 1000,
  loopCycleRounds: LOOP_DEFAULTS.cycleRepeats,
  loopCycleWindowSeconds: LOOP_DEFAULTS.cycleWindowMs / 1000,
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
 * `content_retention`: content would be stored for longer than details, which are stored for `most` days.
 */
export type ChangeDecision =
  | { outcome: 'changed'; settings: OrganisationSettings }
  | { outcome: 'stale'; version: number }
  | { outcome: 'not_custom'; limit: keyof CustomLimits; tier: Tier }
  | { outcome: 'retention'; range: RetentionRange; tier: Tier }
  | { outcome: 'content_retention'; most: number }

/** Decides a change by the settings that it sends. A change of the tier is checked together with all other settings. */
export function decideSettingsChange(
  current: VersionedSettings,
  { change, ifVersion = null }: Pick<SettingsChangeRequest, 'change' | 'ifVersion'>,
): ChangeDecision {
  const { version, ...before } = current
  if (ifVersion !== null && ifVersion !== version) return { outcome: 'stale', version }
  const settings = { ...before, ...change }
  const { tier } = settings
  const checked = change.tier === undefined ? change : settings
  const limit = findForbiddenLimit(tier, checked)
  if (limit !== null) return { outcome: 'not_custom', limit, tier }
  const range = retentionRange(tier)
  if (!isWithin(range, checked.retentionDays ?? null)) return { outcome: 'retention', range, tier }
  const { retentionDays: most } = planOf(settings)
  if (
    CONTENT_RETENTION_SETTINGS.some((name) => change[name] !== undefined) &&
    (settings.contentRetentionDays ?? 0) > most
  ) {
    return { outcome: 'content_retention', most }
  }
  return { outcome: 'changed', settings }
}

const CONTENT_RETENTION_SETTINGS = ['tier', 'retentionDays', 'contentRetentionDays'] as const

/** Returns when the content of a call admitted now expires: no later than its details. Null if content is not stored. */
export function contentExpiresAt(settings: OrganisationSettings, now: number): number | null {
  const { contentRetentionDays: days } = settings
  return days === null ? null : now + Math.min(days, planOf(settings).retentionDays) * DAY_MS
}

const isWithin = ({ least, most }: RetentionRange, days: number | null): boolean =>
  days === null || (days >= least && days <= most)
