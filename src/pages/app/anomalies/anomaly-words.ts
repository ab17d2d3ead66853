// The words for an anomaly: what changed, since when, its value in the unit of its kind, and the address of the calls behind it.
import { SHOWN_OUTCOMES, type ShownOutcome } from '../../../evidence/records/call-endings.ts'
import { ratedOutcomeOf } from '../../../reports/statistics/compared-outcomes.ts'
import type { AnomalySchema } from '../../../management/bias/bias.schema.ts'
import {
  formatDay,
  formatEuro,
  formatExactEuro,
  formatExactPercent,
  formatMilliseconds,
  formatNumber,
  formatPercent,
  formatShortDay,
} from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import { COUNTED_GROUPINGS, GROUPING_TABLE, type CountedGrouping } from '../../../platform/groupings.ts'
import type { Infer } from '../../../platform/once.ts'
import { dayAfter } from '../../text/day.ts'

/** An alarm in a report. An old report may have kinds that this version does not know. */
export type Alarm = Omit<Infer<typeof AnomalySchema>, 'kind' | 'alarms'> & { kind: string }

/** In an old report, each alarm is an anomaly and has no `alarms`. */
export type Anomaly = Alarm & { alarms?: readonly Alarm[] | undefined }

export const anomalyKey = ({ kind, series, since }: Alarm): string => `${kind}:${series}:${since}`

/** The subject of a statement about an alarm. */
export const alarmSubject = (alarm: Alarm): string => `anomaly:${anomalyKey(alarm)}`

export type KeyNameOf = (id: string) => string

/** The series of calls without a key or use case. No filter of the calls can select them. */
const UNNAMED = '(none)'

export type Series = { by: 'all' } | { by: CountedGrouping; name: string }

export function seriesOf({ series }: Pick<Alarm, 'series'>): Series {
  const at = series.indexOf(':')
  const by = COUNTED_GROUPINGS.find((one) => one === series.slice(0, Math.max(0, at)))
  return by === undefined ? { by: 'all' } : { by, name: series.slice(at + 1) }
}

/** Returns the filter of the calls that selects the series, or null if none does. @param key the name of the filter by key */
export function seriesFilter(anomaly: Alarm, key: 'key' | 'key_id'): Readonly<Record<string, string>> | null {
  const series = seriesOf(anomaly)
  if (series.by === 'all') return {}
  return series.name === UNNAMED ? null : { [series.by === 'key' ? key : series.by]: series.name }
}

/** Returns what the series is: “Calls”, “triage-notes”, “Key Ward 4”. */
function subjectOf(anomaly: Alarm, keyName: KeyNameOf): string {
  const series = seriesOf(anomaly)
  if (series.by === 'all') return 'Calls'
  if (series.name === UNNAMED) return `Calls without a ${GROUPING_TABLE[series.by].name}`
  return series.by === 'key' ? `Key ${keyName(series.name)}` : series.name
}

type KindWords = readonly [measure: string, one: string, many: string, more?: string, less?: string]

/** Each kind: what is measured, its verb of one and of many, and the comparatives of more and of less: “more often” if it has none. */
const KINDS: Readonly<Record<string, KindWords>> = {
  failed_rate: ['Calls that failed', 'fails', 'fail'],
  blocked_rate: ['Calls that were blocked', 'is blocked', 'are blocked'],
  suppressed_rate: ['Calls that were suppressed', 'is suppressed as a loop', 'are suppressed as a loop'],
  refused_rate: ['Calls that the model refused', 'is refused by the model', 'are refused by the model'],
  volume: ['Calls', 'has', 'are', 'more calls than usual', 'fewer calls than usual'],
  p95_latency: ['95% of calls answered within', 'answers', 'take', 'more slowly', 'faster'],
  cost_per_call: ['Cost of a call', 'costs', 'cost', 'more a call', 'less a call'],
}

/** Returns what changed, in words: “triage-notes fails more often”. */
export function anomalyTitle(anomaly: Alarm, keyName: KeyNameOf): string {
  const { kind, value, baseline } = anomaly
  const isMore = value >= baseline
  const subject = subjectOf(anomaly, keyName)
  const isMany = subject.startsWith('Calls')
  if (kind === 'volume' && subject === 'Calls') return `${isMore ? 'More' : 'Fewer'} calls than usual`
  if (kind === 'p95_latency' && isMany) return `${subject} take ${isMore ? 'longer' : 'less time'}`
  if (kind === 'refused_rate' && seriesOf(anomaly).by === 'model')
    return `${subject} refuses ${isMore ? 'more' : 'less'} often`
  const words = KINDS[kind]
  if (words === undefined) return `${subject}: ${withSpaces(kind)}`
  const [, one, many, more = 'more often', less = 'less often'] = words
  return `${subject} ${isMany ? many : one} ${isMore ? more : less}`
}

/** Returns the series of an alarm of the anomaly, or what changed in it if that is of another kind. */
export function seenIn(alarm: Alarm, { kind }: Alarm, keyName: KeyNameOf): string {
  if (alarm.kind !== kind) return anomalyTitle(alarm, keyName)
  const name = subjectOf(alarm, keyName)
  return name === 'Calls' ? 'all calls' : name.replace(/^(?:Calls|Key) /, (first) => first.toLowerCase())
}

export const measureName = ({ kind }: Pick<Alarm, 'kind'>): string => KINDS[kind]?.[0] ?? withSpaces(kind)

export const isRate = ({ kind }: Pick<Alarm, 'kind'>): boolean => kind.endsWith('_rate')

type Format = (value: number) => string

/** The formats of a kind in its unit: a share, calls, milliseconds, euro. The second is more exact. */
function formatsOf(kind: string): Format[] {
  if (isRate({ kind })) return [formatPercent, formatExactPercent]
  if (kind === 'p95_latency') return [formatMilliseconds, (value) => `${formatNumber(value)} ms`]
  return kind === 'cost_per_call' ? [formatEuro, formatExactEuro] : [(value) => `${formatNumber(value)} calls`]
}

/** Returns the format of the alarm's values: the usual one and the one seen differ in it. */
export function valueFormat({ kind, value, baseline }: Alarm): Format {
  const formats = formatsOf(kind)
  return formats.find((format) => format(value) !== format(baseline)) ?? formats.at(-1) ?? String
}

/** Formats the start of an anomaly, UTC: an hour for a rate, a day for any other kind. */
export const sinceText = (since: string): string =>
  since.length > 10 ? `${formatDay(since.slice(0, 10))}, ${since.slice(11, 16)} UTC` : formatDay(since)

const WATCHED_DAYS = 7

/** The days that the calls of an anomaly are looked up in: its first day to the end of the watched week. */
export const daysOf = ({ since }: Alarm): { from: string; to: string } => ({
  from: since.slice(0, 10),
  to: dayAfter(since, WATCHED_DAYS - 1),
})

export function daysText(anomaly: Alarm): string {
  const { from, to } = daysOf(anomaly)
  return `${formatShortDay(from)} to ${formatShortDay(to)}`
}

/** Returns what people see of the calls that the anomaly is about; undefined if the page of calls does not tell them apart. */
export const outcomeOf = ({ kind }: Alarm): ShownOutcome | undefined =>
  SHOWN_OUTCOMES.find(({ name }) => name === ratedOutcomeOf(kind))?.name

export function callsPathOf(anomaly: Alarm): string {
  const outcome = outcomeOf(anomaly)
  const narrowed = { ...(outcome !== undefined && { outcome }), ...seriesFilter(anomaly, 'key') }
  return `/app/calls?${new URLSearchParams({ ...daysOf(anomaly), ...narrowed }).toString()}`
}
