// Defines what bias detection measures: outcomes compared between groups of calls, and kinds of alarms. Groups alarms into
// anomalies. Also names comparisons and alarms as subjects of people's statements. Pure.
import type { Proportion } from '../../reports/statistics/proportions.ts'
import {
  countCompared,
  RATED_OUTCOMES,
  rateKindOf,
  type ComparedCallOutcome,
  type ComparedOutcome,
  type Counts,
} from '../../reports/statistics/compared-outcomes.ts'
import type { Grouping } from '../../platform/groupings.ts'
import { DAY_MS } from '../../platform/time.ts'
import { ENDING_NAMES, type Endings } from '../../evidence/records/call-endings.ts'

/** Calls that name no key or use case. No name has brackets. */
export const UNNAMED_GROUP = '(none)'

/** Returns the share of an outcome among the calls of a group, however they ended. Calls that wait for a person have not ended. */
export const proportionOf = (counts: Counts, outcome: ComparedCallOutcome): Proportion => ({
  k: countCompared(counts, outcome),
  n: countCalls(counts) - counts.awaiting_approval,
})

export const countCalls = (counts: Endings): number => ENDING_NAMES.reduce((sum, ending) => sum + counts[ending], 0)

export const disparitySubject = (by: Grouping, outcome: ComparedOutcome, group: string): string =>
  `disparity:${by}:${outcome}:${group}`

/** Rates of calls: how many failed, were blocked or suppressed, or were refused by the model. */
export const RATE_KINDS = RATED_OUTCOMES.map(rateKindOf)
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
export type Alarm = {
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

/** `alarms`: all of the same cause, in the order of their beginning. The other members are those of the clearest alarm. */
export type Anomaly = Alarm & { alarms: readonly Alarm[] }

/** Returns the beginning of an alarm as text: the hour of a rate, the day of everything else. */
export function sinceText({ kind, since }: Pick<Alarm, 'kind' | 'since'>): string {
  const text = new Date(since).toISOString()
  return isRateKind(kind) ? `${text.slice(0, 13)}:00:00Z` : text.slice(0, 10)
}

export const alarmSubject = (alarm: Pick<Alarm, 'kind' | 'series' | 'since'>): string =>
  `anomaly:${alarm.kind}:${alarm.series}:${sinceText(alarm)}`

/** An alarm as responses and webhooks have it. */
export const presentAlarm = ({ kind, series, since, value, baseline, statistic, threshold, change }: Alarm) => {
  return { kind, series, since: sinceText({ kind, since }), value, baseline, statistic, threshold, change }
}

export const presentAnomaly = (anomaly: Anomaly) => {
  return { ...presentAlarm(anomaly), alarms: anomaly.alarms.map(presentAlarm) }
}

/** All alarms of an anomaly begin in this time, so that it cannot grow for ever. An outage of three days fits. */
const LONGEST_SPAN_MS = 3 * DAY_MS

/** Suppressed loops are more calls, of another cost and time. Other rates exclude one another: a blocked call cannot fail. */
const LOAD_KINDS: ReadonlySet<AnomalyKind> = new Set(['suppressed_rate', ...DAY_KINDS])

/**
 * Groups alarms into anomalies, in the order of their first alarm. The alarms of an anomaly are of related kinds, changed in one
 * direction, and can be the same calls.
 * @param alarms in any order
 */
export function groupAlarms(alarms: readonly Alarm[]): Anomaly[] {
  const related = Map.groupBy(
    alarms,
    ({ kind, statistic }) => `${LOAD_KINDS.has(kind) ? 'load' : kind} ${statistic < 0}`,
  )
  return [...related.values()].flatMap(splitByTime).toSorted((one, other) => byBeginning(firstOf(one), firstOf(other)))
}

/** Looks only at alarms near one another: it runs inside a turn, and thousands of alarms may be stored. */
function splitByTime(related: readonly Alarm[]): Anomaly[] {
  const sorted = related.toSorted(byBeginning)
  const bySeries = Map.groupBy(sorted, ({ series }) => series)
  const anomalies: Anomaly[] = []
  const rest = new Set(sorted)
  /** Those of the rest that begin in time, by dimension. */
  const near = new Map(DIMENSIONS.map((dimension) => [dimension, new Set<Alarm>()]))
  let end = 0
  for (const [at, first] of sorted.entries()) {
    if (!rest.has(first)) continue
    const isInTime = (one: Alarm | undefined): one is Alarm =>
      one !== undefined && one.since - first.since <= LONGEST_SPAN_MS
    for (let next = sorted[end]; isInTime(next); next = sorted[end]) {
      near.get(dimensionOf(next))?.add(next)
      end += 1
    }
    // Without a series of another dimension, nothing joins two names of this one.
    const hasOthers = [...near.values()].filter(({ size }) => size > 0).length > 1
    const those = hasOthers ? sorted.slice(at, end) : (bySeries.get(first.series) ?? []).filter(isInTime)
    const joined = joinAlarms(those.filter((one) => rest.has(one)))
    anomalies.push({ ...(joined.toSorted(byClarity)[0] ?? first), alarms: joined })
    for (const one of joined) {
      rest.delete(one)
      near.get(dimensionOf(one))?.delete(one)
    }
  }
  return anomalies
}

/** Returns the alarms that can be the same calls as the first. @param alarms that begin in time, in the order of their beginning */
function joinAlarms(alarms: readonly Alarm[]): Alarm[] {
  const earliest = new Map<string, Alarm>()
  return alarms.filter((alarm) => {
    const earlier = earliest.get(dimensionOf(alarm)) ?? alarm
    earliest.set(dimensionOf(alarm), earlier)
    // Two keys have no call in common. Only a cause that they share makes both change at nearly the same time.
    return alarm.series === earlier.series || alarm.since - earlier.since <= DAY_MS
  })
}

const DIMENSIONS = ['model', 'use_case', 'key', 'all']

const dimensionOf = ({ series }: Alarm): string => (series === 'all' ? series : series.slice(0, series.indexOf(':')))

const firstOf = (anomaly: Anomaly): Alarm => anomaly.alarms[0] ?? anomaly

const byName = (one: Alarm, other: Alarm): number =>
  one.kind === other.kind ? (one.series < other.series ? -1 : 1) : one.kind < other.kind ? -1 : 1

const byBeginning = (one: Alarm, other: Alarm): number => one.since - other.since || byName(one, other)

/** The clearest alarm comes first: a rate, then the largest change, which has the fewest calls that did not change. */
const byClarity = (one: Alarm, other: Alarm): number =>
  Number(isRateKind(other.kind)) - Number(isRateKind(one.kind)) ||
  sizeOf(other) - sizeOf(one) ||
  DIMENSIONS.indexOf(dimensionOf(one)) - DIMENSIONS.indexOf(dimensionOf(other)) ||
  byBeginning(one, other)

/** Compares rates by themselves: rare outcomes make a ratio large by chance. */
const sizeOf = ({ kind, value, baseline }: Alarm): number =>
  isRateKind(kind) ? value : Math.abs(Math.log(value / baseline))
