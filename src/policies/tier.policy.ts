// What each tier of the gateway includes, and which of it an organisation may have otherwise. Pure.

export const TIERS = ['free', 'starter', 'pro', 'healthcare', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

/**
 * The highest rate that can be sold: what one object holds. An object takes about 1,000 simple calls a second, as the
 * platform says, and a chat is two of them (admitted, settled): 1,000 / 2 × 60.
 */
export const MOST_REQUESTS_PER_MINUTE = 30_000

/** Limits of the whole organisation, however many keys it has. */
export type Plan = {
  requestsPerMinute: number
  requestsPerMonth: number
  models: 'all' | 'cost_effective'
  /** How long the details of a chat decision are kept. */
  retentionDays: number
}

/** Enterprise has what is agreed; until something is, it has what Pro has. */
export const TIER_PLANS: Readonly<Record<Tier, Plan>> = {
  free: { requestsPerMinute: 5, requestsPerMonth: 500, models: 'cost_effective', retentionDays: 7 },
  starter: { requestsPerMinute: 100, requestsPerMonth: 100_000, models: 'all', retentionDays: 90 },
  pro: { requestsPerMinute: 1000, requestsPerMonth: 1_000_000, models: 'all', retentionDays: 365 },
  healthcare: { requestsPerMinute: 1000, requestsPerMonth: 1_000_000, models: 'all', retentionDays: 365 },
  enterprise: { requestsPerMinute: 1000, requestsPerMonth: 1_000_000, models: 'all', retentionDays: 365 },
}

/** Null: what the tier gives. */
export type CustomLimits = { requestsPerMinute: number | null; requestsPerMonth: number | null }

/** Which limits the operator may set for an organisation of this tier. */
const CUSTOM_LIMITS: Readonly<Record<Tier, ReadonlyArray<keyof CustomLimits>>> = {
  free: [],
  starter: [],
  pro: ['requestsPerMinute'],
  healthcare: [],
  enterprise: ['requestsPerMinute', 'requestsPerMonth'],
}

/** The first limit that is to be the organisation's own although the tier does not let it be. */
export function limitNotCustom(tier: Tier, wanted: Partial<CustomLimits>): keyof CustomLimits | null {
  const limits = ['requestsPerMinute', 'requestsPerMonth'] as const
  return limits.find((limit) => (wanted[limit] ?? null) !== null && !CUSTOM_LIMITS[tier].includes(limit)) ?? null
}

/** The days for which an organisation may choose to keep details. */
export type RetentionRange = { least: number; most: number }

/** Seven years, with the leap days that they can have. */
export const LONGEST_RETENTION_DAYS = 7 * 365 + 2

/** Details stay at hand for so long in any case. */
export const SHORTEST_RETENTION_DAYS = 7

const RETENTION_RANGES: Readonly<Record<Tier, RetentionRange>> = {
  free: { least: SHORTEST_RETENTION_DAYS, most: TIER_PLANS.free.retentionDays },
  starter: { least: SHORTEST_RETENTION_DAYS, most: TIER_PLANS.starter.retentionDays },
  pro: { least: SHORTEST_RETENTION_DAYS, most: TIER_PLANS.pro.retentionDays },
  // Sold with a year's record of what was decided: longer, never shorter.
  healthcare: { least: TIER_PLANS.healthcare.retentionDays, most: LONGEST_RETENTION_DAYS },
  enterprise: { least: SHORTEST_RETENTION_DAYS, most: LONGEST_RETENTION_DAYS },
}

export const retentionRange = (tier: Tier): RetentionRange => RETENTION_RANGES[tier]

/** The tier's plan with what is the organisation's own. What its tier does not allow (settled before that was refused) has no effect. */
export function planOf({ tier, retentionDays, ...custom }: PlanChoices): Plan {
  const plan = { ...TIER_PLANS[tier] }
  for (const limit of CUSTOM_LIMITS[tier]) plan[limit] = custom[limit] ?? plan[limit]
  const { least, most } = RETENTION_RANGES[tier]
  if (retentionDays !== null) plan.retentionDays = Math.min(Math.max(retentionDays, least), most)
  return plan
}

type PlanChoices = { tier: Tier; retentionDays: number | null } & CustomLimits
