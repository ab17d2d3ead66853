// The tables of anomalies and of group comparisons, and the words in them, for the anomalies page and reports. Verdicts are shown
// in the API's exact words.
import type { BiasDetection, AnomalySchema } from '../../../management/bias/bias.schema.ts'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatEuro, formatNumber, formatPercent, formatDay } from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import { inOrganisation } from '../session.ts'
import type * as z from 'zod'

export type Comparison = BiasDetection['comparisons'][number]
export type Verdict = Comparison['verdict']
type By = BiasDetection['by']
type Outcome = BiasDetection['outcome']

export const GROUPING_WORDS: Readonly<Record<By, string>> = {
  cohort: 'cohort',
  key: 'key',
  model: 'model',
  use_case: 'use case',
}

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  answered: 'answered',
  refused: 'refused by the model',
  held: 'held for a person, never run',
  blocked: 'blocked',
  suppressed: 'suppressed as a loop',
  failed: 'failed at the provider',
  approved: 'approved by people',
}

/** Returns the outcome with a capital letter, for a heading or the title of a chart. */
export const outcomeTitle = (outcome: Outcome): string =>
  `${OUTCOME_WORDS[outcome].slice(0, 1).toUpperCase()}${OUTCOME_WORDS[outcome].slice(1)}`

/** The meaning of each verdict (docs/bias-detection.md). */
export const VERDICTS: Readonly<Record<Verdict, { look: 'soft' | 'bad' | 'good' | 'warn'; means: string }>> = {
  not_enough_data: { look: 'soft', means: 'There are too few calls to say anything.' },
  disparity: { look: 'bad', means: 'A difference is shown, and it is large. It is a reason to look.' },
  within: { look: 'good', means: 'Both intervals lie inside 0.8 to 1.25.' },
  uncertain: { look: 'warn', means: 'No difference is shown, and none excluded.' },
}

type Interval = readonly [number, number] | readonly number[] | null

export const intervalText = (interval: Interval, format: (value: number) => string): string | null => {
  const [from, to] = interval ?? []
  return from === undefined || to === undefined ? null : `${format(from)} to ${format(to)}`
}

/** The table cell for a value that is missing, because there were too few calls. */
const NO_VALUE = '–'

/** Formats a value with its interval: “0.85 (0.72 to 1.01)”. */
export function withInterval(value: number | null, interval: Interval, format: (value: number) => string): string {
  if (value === null) return NO_VALUE
  const range = intervalText(interval, format)
  return range === null ? format(value) : `${format(value)} (${range})`
}

export const formatPValue = (p: number | null): string =>
  p === null ? NO_VALUE : p < 0.001 ? 'below 0.001' : formatNumber(p)

/** Formats a value in the unit of its kind: a share, calls, milliseconds, euro. */
export function anomalyValue(kind: string, value: number): string {
  if (kind.endsWith('_rate')) return formatPercent(value)
  if (kind === 'p95_latency') return `${formatNumber(Math.round(value))} ms`
  if (kind === 'cost_per_call') return formatEuro(value)
  return `${formatNumber(value)} calls`
}

/** An anomaly in a report. An old report may have kinds that this version does not know. */
export type Anomaly = Omit<z.infer<typeof AnomalySchema>, 'kind'> & { kind: string }

type Props = {
  anomalies: readonly Anomaly[]
  seriesName?: (series: string) => string
}

/** Returns the name of an anomaly: “failed rate of model gpt-4.1-mini”. */
export const anomalyName = ({ kind, series }: Anomaly, seriesName: (series: string) => string): string =>
  `${withSpaces(kind)} of ${series === 'all' ? 'all calls' : seriesName(series)}`

export const anomalyKey = ({ kind, series, since }: Anomaly): string => `${kind}:${series}:${since}`

export function AnomalyTable({ anomalies, seriesName = (series) => series }: Props) {
  const columns: readonly Column<Anomaly>[] = [
    { name: 'What', cell: (anomaly) => anomalyName(anomaly, seriesName) },
    { name: 'Since', cell: ({ since }) => sinceText(since) },
    figures('Expected', ({ kind, baseline }) => anomalyValue(kind, baseline)),
    figures('Seen', ({ kind, value }) => anomalyValue(kind, value)),
    figures(
      'Statistic, threshold',
      ({ statistic, threshold }) => `${formatNumber(statistic)}, ${formatNumber(threshold)}`,
    ),
    {
      name: 'Calls',
      cell: (anomaly) => <a href={inOrganisation(auditTrailUrl(anomaly))}>See the calls</a>,
    },
  ]
  return <Table caption="What was unusual" columns={columns} rows={anomalies} keyOf={anomalyKey} />
}

/** Formats the start of an anomaly, UTC: an hour for a rate, a day for any other kind. */
export const sinceText = (since: string): string =>
  since.length > 10 ? `${formatDay(since.slice(0, 10))}, ${since.slice(11, 16)} UTC` : formatDay(since)

const DAY_MS = 86_400_000
const WATCHED_DAYS = 7

/** Returns the URL of the calls with the series' calls, from the anomaly's day to the watched week's end. */
function auditTrailUrl({ series, since }: Anomaly): string {
  const from = since.slice(0, 10)
  const to = new Date(Date.parse(from) + (WATCHED_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const at = series.indexOf(':')
  const name = series.slice(at + 1)
  const member = { key: 'key', model: 'model', use_case: 'use_case' }[series.slice(0, Math.max(0, at))]
  const narrowed = member === undefined || name === UNNAMED ? {} : { [member]: name }
  return `/app/calls?${new URLSearchParams({ from, to, ...narrowed }).toString()}`
}

/** The series of calls without a key or use case. No filter of the calls can select them. */
const UNNAMED = '(none)'

type ComparisonTableProps = {
  caption: string
  comparisons: readonly Comparison[]
  /** Returns the name of a group. */
  nameOf?: (group: string) => string
}

/** A table that compares each group with the reference: the difference of their rates, intervals and verdict. */
export function ComparisonTable({ caption, comparisons, nameOf = (group) => group }: ComparisonTableProps) {
  const columns: readonly Column<Comparison>[] = [
    { name: 'Group', cell: ({ group, reference }) => `${nameOf(group)}, beside ${nameOf(reference)}` },
    {
      name: 'Verdict',
      cell: ({ verdict }) => <span class={`badge ${VERDICTS[verdict].look}`}>{verdict}</span>,
    },
    figures('Difference of the rates', ({ difference, difference_interval: interval }) =>
      withInterval(difference, interval, formatPercent),
    ),
    figures('Ratio, favourable', ({ ratio, ratio_interval: interval }) => withInterval(ratio, interval, formatNumber)),
    figures('Ratio, not favourable', ({ unfavourable_ratio: ratio, unfavourable_ratio_interval: interval }) =>
      withInterval(ratio, interval, formatNumber),
    ),
    figures('p, adjusted', ({ p_adjusted }) => formatPValue(p_adjusted)),
  ]
  return <Table caption={caption} columns={columns} rows={comparisons} keyOf={({ group }) => group} />
}
