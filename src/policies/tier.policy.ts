// Defines the tiers of the gateway: the limits, models and features of each, and what the operator may adjust. A new tier is a
// name and a row here: schemas, checks and texts follow. Pure.

export const TIERS = ['free', 'starter', 'pro', 'healthcare', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

/**
 * The highest rate that can be sold: what one object can serve. The platform says an object serves about 1,000 simple calls a
 * second, and a chat is two of them (admitted, settled): 1,000 / 2 × 60.
 */
export const MOST_REQUESTS_PER_MINUTE = 30_000

/** Limits of the whole organisation, however many keys it has. */
export type Plan = {
  requestsPerMinute: number
  requestsPerMonth: number
  models: 'all' | 'cost_effective'
  /** How long the details of a chat decision are stored. */
  retentionDays: number
}

/** Null: the tier's limit. */
export type CustomLimits = { requestsPerMinute: number | null; requestsPerMonth: number | null }

/** The range of days for which an organisation may choose to store details. */
export type RetentionRange = { least: number; most: number }

/** Seven years with at most two leap days. */
export const LONGEST_RETENTION_DAYS = 7 * 365 + 2

/** Details stay in the database for at least this long. */
export const SHORTEST_RETENTION_DAYS = 7

/** Acts of management stay for at least a year, in every tier. */
const LEAST_ACT_RETENTION_DAYS = 365

/** The most calls of a list without filters, and how many days back they may be. */
export const RECENT_CALLS = { most: 50, days: 7 } as const

export type Feature =
  | 'human_approval'
  | 'analytics'
  | 'all_calls'
  | 'audit_trail'
  | 'bias_detection'
  | 'compliance_report'
  | 'pdf_report'
  | 'medical_receipts'

type Terms = {
  plan: Plan
  /** The limits that the operator may set for an organisation of this tier. */
  customLimits: ReadonlyArray<keyof CustomLimits>
  retention: RetentionRange
  features: readonly Feature[]
}

const PRO: Plan = { requestsPerMinute: 1000, requestsPerMonth: 1_000_000, models: 'all', retentionDays: 365 }

export const EVERY_FEATURE: readonly Feature[] = [
  'human_approval',
  'analytics',
  'all_calls',
  'audit_trail',
  'bias_detection',
  'compliance_report',
  'pdf_report',
  'medical_receipts',
]

const TERMS: Readonly<Record<Tier, Terms>> = {
  free: {
    plan: { requestsPerMinute: 5, requestsPerMonth: 500, models: 'cost_effective', retentionDays: 7 },
    customLimits: [],
    retention: { least: SHORTEST_RETENTION_DAYS, most: 7 },
    features: [],
  },
  starter: {
    plan: { requestsPerMinute: 100, requestsPerMonth: 100_000, models: 'all', retentionDays: 90 },
    customLimits: [],
    retention: { least: SHORTEST_RETENTION_DAYS, most: 90 },
    features: ['analytics', 'all_calls'],
  },
  pro: {
    plan: PRO,
    customLimits: ['requestsPerMinute'],
    retention: { least: SHORTEST_RETENTION_DAYS, most: PRO.retentionDays },
    features: ['human_approval', 'analytics', 'all_calls', 'pdf_report'],
  },
  healthcare: {
    plan: PRO,
    customLimits: [],
    // Sold with a year's record of decisions: it may be longer, never shorter.
    retention: { least: PRO.retentionDays, most: LONGEST_RETENTION_DAYS },
    features: EVERY_FEATURE,
  },
  // Terms are agreed individually; until then those of Pro apply.
  enterprise: {
    plan: PRO,
    customLimits: ['requestsPerMinute', 'requestsPerMonth'],
    retention: { least: SHORTEST_RETENTION_DAYS, most: LONGEST_RETENTION_DAYS },
    features: EVERY_FEATURE,
  },
}

export const tierPlan = (tier: Tier): Plan => TERMS[tier].plan

export const hasFeature = (tier: Tier, feature: Feature): boolean => TERMS[tier].features.includes(feature)

export const tiersWith = (feature: Feature): readonly Tier[] => TIERS.filter((tier) => hasFeature(tier, feature))

/** The permission to list every call of a tier: with an audit trail, that of the trail. Null: the tier has the last calls only. */
export const permissionForAllCalls = (tier: Tier): 'audit:read' | 'usage:read' | null =>
  hasFeature(tier, 'audit_trail') ? 'audit:read' : hasFeature(tier, 'all_calls') ? 'usage:read' : null

export const isHigherTier = (tier: Tier, than: Tier): boolean => TIERS.indexOf(tier) > TIERS.indexOf(than)

/** The tiers whose policy may require people's approval. */
export const TIERS_WITH_APPROVAL: readonly Tier[] = tiersWith('human_approval')

export const retentionRange = (tier: Tier): RetentionRange => TERMS[tier].retention

export const maySetLimit = (tier: Tier, limit: keyof CustomLimits): boolean => TERMS[tier].customLimits.includes(limit)

/** Reads a tier from a database, which does not check it. Throws for a name that is not a tier of this version. */
export function readTier(text: string): Tier {
  const tier = TIERS.find((name) => name === text)
  if (tier === undefined) throw new Error('a stored tier is none of those that this version knows')
  return tier
}

/** Returns the first limit that the organisation would set although its tier does not allow that; null if there is none. */
export function findForbiddenLimit(tier: Tier, wanted: Partial<CustomLimits>): keyof CustomLimits | null {
  const limits = ['requestsPerMinute', 'requestsPerMonth'] as const
  return limits.find((limit) => (wanted[limit] ?? null) !== null && !maySetLimit(tier, limit)) ?? null
}

/** `7`, or `7 to 90`. */
export const rangeText = ({ least, most }: RetentionRange): string =>
  least === most ? String(least) : `${least} to ${most}`

/** Returns the tier's plan with the organisation's own limits. A limit that the tier does not allow has no effect. */
export function planOf({ tier, retentionDays, ...custom }: PlanChoices): Plan {
  const { customLimits, retention } = TERMS[tier]
  const plan = { ...TERMS[tier].plan }
  for (const limit of customLimits) plan[limit] = custom[limit] ?? plan[limit]
  if (retentionDays !== null) plan.retentionDays = Math.min(Math.max(retentionDays, retention.least), retention.most)
  return plan
}

/** Returns for how many days an act of management is stored: as long as a decision that is made then, and a year at least. */
export const actRetentionDays = ({ retentionDays }: Pick<Plan, 'retentionDays'>): number =>
  Math.max(retentionDays, LEAST_ACT_RETENTION_DAYS)

export type PlanChoices = { tier: Tier; retentionDays: number | null } & CustomLimits

type ModelAccess = { allowed: true } | { allowed: false; reason: 'tier' | 'provider' }

/**
 * `providers`: who serves the model. Checks the tier first: enabling a provider would not help an organisation whose tier excludes the
 * model.
 */
export function decideModelAccess(
  organisation: { tier: Tier; enabledProviders: readonly string[] },
  model: { providers: readonly string[]; costEffective: boolean },
): ModelAccess {
  if (tierPlan(organisation.tier).models === 'cost_effective' && !model.costEffective) {
    return { allowed: false, reason: 'tier' }
  }
  if (!model.providers.some((provider) => organisation.enabledProviders.includes(provider)))
    return { allowed: false, reason: 'provider' }
  return { allowed: true }
}
