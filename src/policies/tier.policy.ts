// The tiers of the gateway, each with all that it includes and what an organisation may have otherwise. A new one is a name and
// a row here: schemas, checks and texts follow. Pure.

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

/** Null: what the tier gives. */
export type CustomLimits = { requestsPerMinute: number | null; requestsPerMonth: number | null }

/** The days for which an organisation may choose to keep details. */
export type RetentionRange = { least: number; most: number }

/** Seven years, with the leap days that they can have. */
export const LONGEST_RETENTION_DAYS = 7 * 365 + 2

/** Details stay at hand for so long in any case. */
export const SHORTEST_RETENTION_DAYS = 7

/** Features that a tier may have. */
export type Feature =
  | 'human_approval'
  | 'analytics'
  | 'audit_trail'
  | 'bias_detection'
  | 'compliance_report'
  | 'pdf_report'
  | 'medical_receipts'

type Terms = {
  plan: Plan
  /** Which limits the operator may set for an organisation of this tier. */
  customLimits: ReadonlyArray<keyof CustomLimits>
  retention: RetentionRange
  features: readonly Feature[]
}

const PRO: Plan = { requestsPerMinute: 1000, requestsPerMonth: 1_000_000, models: 'all', retentionDays: 365 }

const EVERY_FEATURE: readonly Feature[] = [
  'human_approval',
  'analytics',
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
    features: ['analytics'],
  },
  pro: {
    plan: PRO,
    customLimits: ['requestsPerMinute'],
    retention: { least: SHORTEST_RETENTION_DAYS, most: PRO.retentionDays },
    features: ['human_approval', 'analytics', 'pdf_report'],
  },
  healthcare: {
    plan: PRO,
    customLimits: [],
    // Sold with a year's record of what was decided: longer, never shorter.
    retention: { least: PRO.retentionDays, most: LONGEST_RETENTION_DAYS },
    features: EVERY_FEATURE,
  },
  // Terms are agreed one by one; until then those of Pro apply.
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

/** Those whose policy may ask for people's approval. */
export const TIERS_WITH_APPROVAL: readonly Tier[] = tiersWith('human_approval')

export const retentionRange = (tier: Tier): RetentionRange => TERMS[tier].retention

/** As a database has it, which does not check it. Throws for what is no tier of this version. */
export function readTier(text: string): Tier {
  const tier = TIERS.find((name) => name === text)
  if (tier === undefined) throw new Error('a stored tier is none of those that this version knows')
  return tier
}

/** The first limit that is to be the organisation's own although the tier does not let it be. */
export function limitNotCustom(tier: Tier, wanted: Partial<CustomLimits>): keyof CustomLimits | null {
  const limits = ['requestsPerMinute', 'requestsPerMonth'] as const
  return limits.find((limit) => (wanted[limit] ?? null) !== null && !TERMS[tier].customLimits.includes(limit)) ?? null
}

/** `7`, or `7 to 90`. */
export const rangeText = ({ least, most }: RetentionRange): string =>
  least === most ? String(least) : `${least} to ${most}`

/** The tier's plan with what is the organisation's own. A limit that the tier does not allow (set before such limits were refused) has no effect. */
export function planOf({ tier, retentionDays, ...custom }: PlanChoices): Plan {
  const { customLimits, retention } = TERMS[tier]
  const plan = { ...TERMS[tier].plan }
  for (const limit of customLimits) plan[limit] = custom[limit] ?? plan[limit]
  if (retentionDays !== null) plan.retentionDays = Math.min(Math.max(retentionDays, retention.least), retention.most)
  return plan
}

type PlanChoices = { tier: Tier; retentionDays: number | null } & CustomLimits

type ModelAccess = { allowed: true } | { allowed: false; reason: 'tier' | 'provider' }

/** The tier is looked at first: enabling a provider would not help an organisation whose tier lacks the model. */
export function decideModelAccess(
  organisation: { tier: Tier; enabledProviders: readonly string[] },
  model: { provider: string; costEffective: boolean },
): ModelAccess {
  if (tierPlan(organisation.tier).models === 'cost_effective' && !model.costEffective) {
    return { allowed: false, reason: 'tier' }
  }
  if (!organisation.enabledProviders.includes(model.provider)) return { allowed: false, reason: 'provider' }
  return { allowed: true }
}
