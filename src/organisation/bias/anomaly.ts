// An anomaly as it is kept and told: a rate that has risen, or a figure of a day that is unusual. A reason to look, not a fault.

/** Rates of calls: how many failed, were blocked or suppressed, or were refused by the model. */
export const RATE_KINDS = ['failed_rate', 'blocked_rate', 'suppressed_rate', 'refused_rate'] as const
export type RateKind = (typeof RATE_KINDS)[number]

/** Figures of a day: how many calls came, how long they took at their providers (milliseconds), what one cost (EUR). */
export const DAY_KINDS = ['volume', 'p95_latency', 'cost_per_call'] as const
export type DayKind = (typeof DAY_KINDS)[number]

export type AnomalyKind = RateKind | DayKind

/**
 * `series`: `all`, or `key:`, `model:` or `use_case:` and a name. `since`: in milliseconds, of an hour, or of a day.
 * `baseline`: the usual value. `statistic`: the cumulative sum, or a z.
 */
export type FoundAnomaly = {
  kind: AnomalyKind
  series: string
  since: number
  value: number
  baseline: number
  statistic: number
  threshold: number
}

export const isRateKind = (kind: AnomalyKind): kind is RateKind => RATE_KINDS.some((one) => one === kind)

/** An hour of a rate, a day of all else. */
export function sinceText({ kind, since }: Pick<FoundAnomaly, 'kind' | 'since'>): string {
  const text = new Date(since).toISOString()
  return isRateKind(kind) ? `${text.slice(0, 13)}:00:00Z` : text.slice(0, 10)
}

export const anomalySubject = (anomaly: Pick<FoundAnomaly, 'kind' | 'series' | 'since'>): string =>
  `anomaly:${anomaly.kind}:${anomaly.series}:${sinceText(anomaly)}`
