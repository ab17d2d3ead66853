// Presents a bias report for the API and compliance reports, always with the limits of what it can show.
import { dateOf } from '../../platform/time.ts'
import { presentAnomaly } from '../../organisation/bias/bias-measures.ts'
import { MOST_APPROVALS, MOST_GROUPS } from '../../organisation/bias/group-counts.ts'
import type { BiasReport, BiasQuery } from '../../organisation/bias/bias.target.ts'
import type { Adjustment, Comparison, ShownGroup } from '../../reports/statistics/compare-groups.ts'
import type { Interval } from '../../reports/statistics/proportions.ts'
import { CANNOT_SHOW, NO_GROUND_TRUTH, type BiasDetection } from './bias.schema.ts'

export function presentBias({ first, last, by, outcome }: BiasQuery, report: BiasReport): BiasDetection {
  const { reference, groups, comparisons, parity, anomalies } = report
  return {
    object: 'bias_detection',
    start: dateOf(first),
    end: dateOf(last),
    by,
    outcome,
    method: 'parity-2',
    unit: outcome === 'approved' ? 'approval' : 'call',
    reference,
    groups: groups.map(presentGroup),
    comparisons: comparisons.map((one) => presentComparison(one, reference ?? '')),
    parity,
    anomalies: anomalies.map(presentAnomaly),
    cannot_show: cannotShow({ by, outcome }, report),
  }
}

const bounds = ({ lower, upper }: Interval): [number, number] => [lower, upper]

const presentGroup = ({ group, counts }: ShownGroup): BiasDetection['groups'][number] => ({
  group,
  n: counts?.n ?? null,
  k: counts?.k ?? null,
  rate: counts?.rate ?? null,
  interval: counts && bounds(counts.interval),
  dispersion: counts?.dispersion ?? null,
})

function presentComparison(
  { group, shown, adjustment, explainedBy, verdict }: Comparison,
  reference: string,
): BiasDetection['comparisons'][number] {
  const { favourable = null, unfavourable = null } = shown ?? {}
  return {
    group,
    reference,
    difference: shown?.difference ?? null,
    difference_interval: shown && bounds(shown.differenceInterval),
    ratio: favourable?.ratio ?? null,
    ratio_interval: favourable && bounds(favourable.interval),
    unfavourable_ratio: unfavourable?.ratio ?? null,
    unfavourable_ratio_interval: unfavourable && bounds(unfavourable.interval),
    p: shown?.p ?? null,
    p_adjusted: shown?.adjustedP ?? null,
    adjusted: shown === null || typeof adjustment === 'string' ? null : presentAdjustment(adjustment),
    not_adjusted: typeof adjustment === 'string' ? adjustment : null,
    verdict,
    explained_by: [...explainedBy],
  }
}

const presentAdjustment = ({ by, strata, favourable, unfavourable, p, adjustedP, verdict }: Adjustment) => ({
  by: [...by],
  strata,
  ratio: favourable.ratio,
  ratio_interval: bounds(favourable.interval),
  unfavourable_ratio: unfavourable.ratio,
  unfavourable_ratio_interval: bounds(unfavourable.interval),
  p,
  p_adjusted: adjustedP,
  verdict,
})

function cannotShow({ by, outcome }: Pick<BiasQuery, 'by' | 'outcome'>, { omitted, isCut }: BiasReport): string[] {
  const sentences = [CANNOT_SHOW, NO_GROUND_TRUTH]
  if (by === 'cohort') sentences.push('Calls that declare no cohort are in no group.')
  if (outcome === 'approved') sentences.push('Approvals that nobody decided, or not in time, are not counted.')
  if (omitted > 0)
    sentences.push(`${omitted} groups are left out: the ${MOST_GROUPS} with the most calls are compared.`)
  if (isCut) sentences.push(`Only the newest ${MOST_APPROVALS} approvals that have ended were looked at.`)
  return sentences
}
