// The settings of an organisation, which the operator and its own people make and its object decides by; and which change of
// them is allowed. Pure.
import { DAY_MS } from '../platform/time.ts'
import type { ProviderId } from '../providers/registry.ts'
import { LOOP_DEFAULTS } from './loops.policy.ts'
import {
  limitNotCustom,
  planOf,
  retentionRange,
  type CustomLimits,
  type RetentionRange,
  type Tier,
} from './tier.policy.ts'

/** The two ways to treat sampling parameters that a model does not take. */
export const UNSUPPORTED = ['drop', 'refuse'] as const

export type Unsupported = (typeof UNSUPPORTED)[number]

export type OrganisationSettings = CustomLimits & {
  tier: Tier
  /** The providers that may get its prompts. Nothing is enabled until it is chosen. */
  enabledProviders: readonly ProviderId[]
  /** The most it may spend on models in a UTC month; null: no such limit. */
  monthlyBudgetMicroeur: number | null
  /** How many tokens a model may write where the request does not say: sent to the provider, and held in the budget. */
  defaultMaxTokens: number
  /** True if providers that need a mark cache long instructions although the request marks nothing. */
  cacheInstructions: boolean
  /** True if answers to requests with an idempotency key are stored, sealed, and replayed. */
  idempotentReplays: boolean
  unsupported: Unsupported
  /** How long the details of decisions are kept that are made from then on; null: as long as the tier keeps them. */
  retentionDays: number | null
  /** For how many days prompts and answers are kept, sealed; null: they are not kept. */
  contentRetentionDays: number | null
  /** The same request this often within so many seconds is a loop. */
  loopRepeats: number
  loopWindowSeconds: number
  /** A few requests in turn, so many rounds of them within so many seconds, are one too. */
  loopCycleRounds: number
  loopCycleWindowSeconds: number
}

/** `version` counts the changes: of two versions the higher one is the later one. */
export type VersionedSettings = OrganisationSettings & { version: number }

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

/** Only what is to change. */
export type SettingsChange = Partial<OrganisationSettings>

/** A request to change an organisation's settings. */
export type WantedSettings = {
  change: SettingsChange
  /** The version of the organisation's row in D1; 0 without a row. */
  knownVersion: number
  /** The change is made only where this is the version in force; null: in any case. */
  ifVersion?: number | null
  /** True if its name changes too: only D1 has the name. */
  isRenamed?: boolean
}

/**
 * `stale`: another version is in force than was meant. `not_custom`: the tier, as it then is, has no such limit of its own.
 * `retention`: it does not let details be kept for so long, or so short. `content_retention`: content would be kept for longer than
 * the details are, for `most` days. Nothing is changed.
 */
export type ChangeDecision =
  | { outcome: 'changed'; settings: OrganisationSettings }
  | { outcome: 'stale'; version: number }
  | { outcome: 'not_custom'; limit: keyof CustomLimits; tier: Tier }
  | { outcome: 'retention'; range: RetentionRange; tier: Tier }
  | { outcome: 'content_retention'; most: number }

/** A change of neither tier nor limits is never refused because of settings that were made before it. */
export function decideSettingsChange(
  current: VersionedSettings,
  { change, ifVersion = null }: Pick<WantedSettings, 'change' | 'ifVersion'>,
): ChangeDecision {
  const { version, ...before } = current
  if (ifVersion !== null && ifVersion !== version) return { outcome: 'stale', version }
  const settings = { ...before, ...change }
  const { tier } = settings
  const asked = change.tier === undefined ? change : settings
  const limit = limitNotCustom(tier, asked)
  if (limit !== null) return { outcome: 'not_custom', limit, tier }
  const range = retentionRange(tier)
  if (!isWithin(range, asked.retentionDays ?? null)) return { outcome: 'retention', range, tier }
  const { retentionDays: most } = planOf(settings)
  if (MATTERS_TO_CONTENT.some((name) => change[name] !== undefined) && (settings.contentRetentionDays ?? 0) > most) {
    return { outcome: 'content_retention', most }
  }
  return { outcome: 'changed', settings }
}

const MATTERS_TO_CONTENT = ['tier', 'retentionDays', 'contentRetentionDays'] as const

/** Until when the content of a call is kept that is admitted now: no longer than its details. Null where it is not kept. */
export function contentExpiresAt(settings: OrganisationSettings, now: number): number | null {
  const { contentRetentionDays: days } = settings
  return days === null ? null : now + Math.min(days, planOf(settings).retentionDays) * DAY_MS
}

const isWithin = ({ least, most }: RetentionRange, days: number | null): boolean =>
  days === null || (days >= least && days <= most)
