// Decides about changes by which details of calls would expire before six months, for which AI Act 19(1) and 26(6) want logs of
// high-risk systems kept. Such a change is warned about, and refused if the policy declares high-risk use cases. Pure.
import { planOf, retentionRange, type PlanChoices, type Tier } from './tier.policy.ts'

/** The most days from a day to the same day six months later are 184, as from 1 March to 1 September. The day of the event is one more. */
export const SIX_MONTHS_DAYS = 185

/** Details of new calls expire after `retentionDays`, before six months. `isHighRisk`: the policy declares high-risk use cases. */
export type RetentionWarning = { retentionDays: number; isHighRisk: boolean }

/** `least`: the days from which the change would be allowed. */
export type RetentionDecision =
  | { outcome: 'allowed'; warnings: readonly RetentionWarning[] }
  | { outcome: 'refused'; retentionDays: number; least: number }

type Change = {
  before: PlanChoices
  after: PlanChoices
  /** True if the retention itself is set, and not only a tier. */
  setsRetention: boolean
}

const SILENT: RetentionDecision = { outcome: 'allowed', warnings: [] }

const canKeepSixMonths = (tier: Tier): boolean => retentionRange(tier).most >= SIX_MONTHS_DAYS

/**
 * Decides a change of the retention or the tier. A change of the tier is never refused, because only the operator makes it. A tier
 * that cannot store details for six months may not get a shorter retention.
 */
export function decideRetention(
  { before, after, setsRetention }: Change,
  highRiskUseCases: readonly string[],
): RetentionDecision {
  const [daysBefore, retentionDays] = [planOf(before).retentionDays, planOf(after).retentionDays]
  if (retentionDays >= SIX_MONTHS_DAYS) return SILENT
  const isHighRisk = highRiskUseCases.length > 0
  const least = canKeepSixMonths(after.tier) ? SIX_MONTHS_DAYS : daysBefore
  if (isHighRisk && setsRetention && after.tier === before.tier && retentionDays < least) {
    return { outcome: 'refused', retentionDays, least }
  }
  return { outcome: 'allowed', warnings: [{ retentionDays, isHighRisk }] }
}

/** Decides a change of the policy. Use cases that were declared already may be sent again, so that other rules can change. */
export function decideHighRiskUseCases(
  settings: PlanChoices,
  wanted: readonly string[],
  before: readonly string[],
): RetentionDecision {
  const { retentionDays } = planOf(settings)
  if (wanted.length === 0 || retentionDays >= SIX_MONTHS_DAYS) return SILENT
  const isNew = wanted.some((useCase) => !before.includes(useCase))
  if (isNew && canKeepSixMonths(settings.tier)) return { outcome: 'refused', retentionDays, least: SIX_MONTHS_DAYS }
  return { outcome: 'allowed', warnings: [{ retentionDays, isHighRisk: true }] }
}

export const retentionWarningText = ({ retentionDays, isHighRisk }: RetentionWarning): string =>
  `${isHighRisk ? 'The policy declares high-risk use cases, and details' : 'Details'} of new calls are stored for ${retentionDays} days. ` +
  `AI Act 19(1) and 26(6), once they apply, want logs of high-risk systems kept for six months: ${SIX_MONTHS_DAYS} days.`
