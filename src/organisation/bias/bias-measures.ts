// Defines what bias detection measures: outcomes compared between groups of calls, and kinds of anomalies. Also names both as
// subjects of people's statements. Pure.
import type { Proportion } from '../../reports/statistics/proportions.ts'
import type { Grouping, Outcome } from '../../reports/statistics/compare-groups.ts'
import { countHeld, ENDINGS, type Endings } from '../usage/tally.ts'

/** Outcomes of calls. `approved` is an outcome of approvals only. */
export type ComparedCallOutcome = Exclude<Outcome, 'approved'>

/** Calls by how they ended; `refused`: the completed ones that the model refused to answer. */
export type Counts = Endings & { refused: number }

/** Calls that name no key or use case. No name has brackets. */
export const UNNAMED_GROUP = '(none)'

const FAVOURABLE: ReadonlySet<Outcome> = new Set(['answered', 'approved'])

export const isFavourable = (outcome: Outcome): boolean => FAVOURABLE.has(outcome)

/** Returns the share of an outcome among the calls of a group, however they ended. Calls that wait for a person have not ended. */
export const proportionOf = (counts: Counts, outcome: ComparedCallOutcome): Proportion => ({
  k: countOf(counts, outcome),
  n: countCalls(counts) - counts.awaiting_approval,
})

export const countCalls = (counts: Endings): number => ENDINGS.reduce((sum, ending) => sum + counts[ending], 0)

/**
 * Counts calls with an outcome. `answered`: the model or the cache answered, and it was not a refusal. `held`: they waited for a
 * person and never ran.
 */
function countOf(counts: Counts, outcome: ComparedCallOutcome): number {
  if (outcome === 'answered') return Math.max(0, counts.completed + counts.cached - counts.refused)
  return outcome === 'held' ? countHeld(counts) - counts.awaiting_approval : counts[outcome]
}

export const disparitySubject = (by: Grouping, outcome: Outcome, group: string): string =>
  `disparity:${by}:${outcome}:${group}`

/** Rates of calls: how many failed, were blocked or suppressed, or were refused by the model. */
export const RATE_KINDS = ['failed_rate', 'blocked_rate', 'suppressed_rate', 'refused_rate'] as const
export type RateKind = (typeof RATE_KINDS)[number]

/** Daily measures: calls, how long they took at their providers (milliseconds), and the cost of one (EUR). */
export const DAY_KINDS = ['volume', 'p95_latency', 'cost_per_call'] as const
export type DayKind = (typeof DAY_KINDS)[number]

export type AnomalyKind = RateKind | DayKind

/**
 * `series`: `all`, or `key:`, `model:` or `use_case:` and a name. `since`: milliseconds, the start of an hour or a day.
 * `baseline`: the usual value. `statistic`: the cumulative sum, or a z. `change`: how many times the usual rate the sum looked for;
 * null for a daily measure.
 */
export type Anomaly = {
  kind: AnomalyKind
  series: string
  since: number
  value: number
  baseline: number
  statistic: number
  threshold: number
  change: number | null
}

export const isRateKind = (kind: AnomalyKind): kind is RateKind => RATE_KINDS.some((one) => one === kind)

/** Returns the beginning of an anomaly as text: the hour of a rate, the day of everything else. */
export function sinceText({ kind, since }: Pick<Anomaly, 'kind' | 'since'>): string {
  const text = new Date(since).toISOString()
  return isRateKind(kind) ? `${text.slice(0, 13)}:00:00Z` : text.slice(0, 10)
}

export const anomalySubject = (anomaly: Pick<Anomaly, 'kind' | 'series' | 'since'>): string =>
  `anomaly:${anomaly.kind}:${anomaly.series}:${sinceText(anomaly)}`

/** An anomaly as responses, reports, exports and webhooks have it. */
export const presentAnomaly = (anomaly: Anomaly) => ({ ...anomaly, since: sinceText(anomaly) })
