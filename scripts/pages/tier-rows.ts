// The rows of the page /tiers: what each tier has, and the limits of every tier, read from the code that enforces them.
import { REFERRAL_LIMITS } from '../../src/keys/rate-limits.policy.ts'
import { formatBytes, formatNumber, plural } from '../../src/pages/text/format.ts'
import {
  MAX_CALL_BODY_BYTES,
  MOST_ACTIVE_KEYS,
  MOST_EXPORTS_AN_HOUR,
  MOST_OPEN_INVITATIONS,
  MOST_OWNED_ORGANISATIONS,
  MOST_PENDING_APPROVALS,
  MOST_POLICY_VERSIONS,
  MOST_REPORTS_A_DAY,
} from '../../src/policies/organisation-limits.policy.ts'
import {
  EVERY_FEATURE,
  hasFeature,
  LONGEST_RETENTION_DAYS,
  maySetLimit,
  MOST_REQUESTS_PER_MINUTE,
  RECENT_CALLS,
  retentionRange,
  tierPlan,
  TIERS,
  type CustomLimits,
  type Feature,
  type Tier,
} from '../../src/policies/tier.policy.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { CONTROLS } from '../../src/reports/controls/checklist.ts'

export type TierRow = {
  name: string
  /** What the tier has: a text of the table, or whether it has it at all. */
  cellOf: (tier: Tier) => string | boolean
  /** What the tier has, where no row's name is beside it. Absent: the name of the row. */
  textOf?: (tier: Tier) => string
}

export type TierGroup = { title: string; rows: readonly TierRow[] }

/** `without`: what a tier has in the place of the feature. */
export const FEATURES: Readonly<Record<Feature, { name: string; without?: string; as?: string }>> = {
  all_calls: {
    name: 'Calls that can be listed',
    as: 'All, with filters',
    without: `The last ${RECENT_CALLS.most} of ${plural(RECENT_CALLS.days, 'day')}`,
  },
  audit_trail: { name: 'Audit trail as JSON' },
  medical_receipts: { name: 'Medical receipts' },
  pdf_report: { name: 'Compliance report as a PDF' },
  compliance_report: { name: 'Compliance report as JSON' },
  human_approval: { name: 'Approval by people' },
  analytics: { name: 'Analytics' },
  bias_detection: { name: 'Comparison groups and anomalies' },
}

function featureRow(feature: Feature): TierRow {
  const { name, as, without } = FEATURES[feature]
  const cellOf: TierRow['cellOf'] = (tier) => (hasFeature(tier, feature) ? (as ?? true) : (without ?? false))
  return as === undefined ? { name, cellOf } : { name, cellOf, textOf: (tier) => `${name}: ${lowered(cellOf(tier))}` }
}

const lowered = (cell: string | boolean): string => String(cell).replace(/^./, (first) => first.toLowerCase())

const inEveryTier = (name: string): TierRow => ({ name, cellOf: () => true })

/** A limit on what only some tiers have. */
const limitRow = (feature: Feature, name: string, limit: string): TierRow => ({
  name,
  cellOf: (tier) => hasFeature(tier, feature) && limit,
  textOf: () => `${name}: ${limit}`,
})

/** The most that can be agreed, where that is known. */
const MOST_AGREED: Readonly<Record<keyof CustomLimits, string>> = {
  requestsPerMinute: `up to ${formatNumber(MOST_REQUESTS_PER_MINUTE)} if agreed`,
  requestsPerMonth: 'as agreed',
}

const rateRow = (limit: keyof CustomLimits, period: 'minute' | 'month'): TierRow => {
  const cellOf = (tier: Tier): string =>
    `${formatNumber(tierPlan(tier)[limit])}${maySetLimit(tier, limit) ? `, or ${MOST_AGREED[limit]}` : ''}`
  return {
    name: `Calls a ${period}`,
    cellOf,
    textOf: (tier) => cellOf(tier).replace(/, or|$/, ` calls a ${period}$&`),
  }
}

const OFFERED = catalogueModels().filter(({ gateway }) => gateway)
const COST_EFFECTIVE = OFFERED.filter(({ costEffective }) => costEffective)

const modelsOf = (tier: Tier): string =>
  tierPlan(tier).models === 'all' ? `All ${OFFERED.length}` : `${COST_EFFECTIVE.length} cost-effective`

const DAYS_A_YEAR = 365

const daysText = (days: number): string =>
  days === LONGEST_RETENTION_DAYS ? plural(Math.floor(days / DAYS_A_YEAR), 'year') : plural(days, 'day')

/** `7 to 90 days`, `365 days to 7 years`. */
function rangeOf(tier: Tier): string {
  const { least, most } = retentionRange(tier)
  if (least === most) return daysText(most)
  return `${daysText(most) === plural(most, 'day') ? formatNumber(least) : daysText(least)} to ${daysText(most)}`
}

export const TIER_GROUPS: readonly TierGroup[] = [
  {
    title: 'Calls',
    rows: [
      rateRow('requestsPerMinute', 'minute'),
      rateRow('requestsPerMonth', 'month'),
      { name: 'Models', cellOf: modelsOf, textOf: (tier) => `${modelsOf(tier)} models` },
    ],
  },
  {
    title: 'Evidence',
    rows: [
      inEveryTier('Signed record of each decided call'),
      {
        name: 'Details kept',
        cellOf: (tier) => daysText(tierPlan(tier).retentionDays),
        textOf: (tier) => `Details kept for ${daysText(tierPlan(tier).retentionDays)}`,
      },
      {
        name: 'Days that you may choose instead',
        cellOf: (tier) => retentionRange(tier).least !== retentionRange(tier).most && rangeOf(tier),
        textOf: (tier) => `Details kept as you choose: ${rangeOf(tier)}`,
      },
      featureRow('all_calls'),
      featureRow('audit_trail'),
      inEveryTier('Export of the log, with proofs'),
      featureRow('medical_receipts'),
    ],
  },
  {
    title: 'Control',
    rows: [
      inEveryTier('Policy, loops and budgets'),
      featureRow('human_approval'),
      limitRow(
        'human_approval',
        'Requests that may wait',
        `${MOST_PENDING_APPROVALS.ofAll}, ${MOST_PENDING_APPROVALS.ofKey} a key`,
      ),
    ],
  },
  {
    title: 'Analytics and compliance',
    rows: [
      featureRow('analytics'),
      inEveryTier(`Checklist of ${CONTROLS.length} controls`),
      featureRow('pdf_report'),
      featureRow('compliance_report'),
      limitRow('pdf_report', 'Compliance reports in 24 hours', formatNumber(MOST_REPORTS_A_DAY)),
      featureRow('bias_detection'),
    ],
  },
]

/** Returns what differs from the tier before: all that it has, for the first. `isLess`: the tier before has more of it. */
export function changedBy(tier: Tier): { text: string; isLess: boolean }[] {
  const before = TIERS[TIERS.indexOf(tier) - 1]
  return TIER_GROUPS.flatMap(({ rows }) => rows).flatMap(({ name, cellOf, textOf }) => {
    const [cell, earlier] = [cellOf(tier), before !== undefined && cellOf(before)]
    if (cell === earlier) return []
    if (cell === false) return [{ text: `Not: ${name}`, isLess: true }]
    const text = textOf?.(tier) ?? name
    const isLess = String(earlier).startsWith(`${cell}, or `)
    return [{ text: isLess ? `No more than ${text}` : text, isLess }]
  })
}

/** The first tier that has every feature. */
export const FIRST_WITH_ALL: Tier | undefined = TIERS.find((tier) =>
  EVERY_FEATURE.every((feature) => hasFeature(tier, feature)),
)

const referralLimits = (prefix: keyof typeof REFERRAL_LIMITS): string => {
  const { perMinute, perDay } = REFERRAL_LIMITS[prefix]
  return `${formatNumber(perMinute)} a minute, ${formatNumber(perDay)} a day`
}

/** Limits of an organisation that are the same in every tier. */
export const COMMON_LIMITS: ReadonlyArray<readonly [name: string, value: string]> = [
  ['Active keys', formatNumber(MOST_ACTIVE_KEYS)],
  ['Body of a call', formatBytes(MAX_CALL_BODY_BYTES).replace('.0 ', ' ')],
  ['Versions of the policy kept', formatNumber(MOST_POLICY_VERSIONS)],
  [
    'Exports of the organisation',
    `${MOST_EXPORTS_AN_HOUR.ofAll} an hour, ${MOST_EXPORTS_AN_HOUR.ofActor} by one person or key`,
  ],
  ['Open invitations', formatNumber(MOST_OPEN_INVITATIONS)],
  ['Organisations that one person owns', formatNumber(MOST_OWNED_ORGANISATIONS)],
  ['Readings with a sandbox key', referralLimits('vk_test_')],
  ['Readings with a live key', referralLimits('vk_live_')],
]
