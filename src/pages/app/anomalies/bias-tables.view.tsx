// The table of group comparisons, and the words for groups, outcomes and results, for the anomalies page and reports.
import { Fragment } from 'preact'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { shownRateDifference } from '../../../platform/shown-difference.ts'
import { Note } from '../../parts/layout.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatNumber, formatPercent } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { callsPathOf, seenIn, type Anomaly, type KeyNameOf } from './anomaly-words.ts'

export type Comparison = BiasDetection['comparisons'][number]
type Verdict = Comparison['verdict']
/** The results in words (docs/compare-groups.md). No result is green, since none proves anything. */
export const RESULTS: Readonly<Record<Verdict, { name: string; tone?: 'warn'; means: string }>> = {
  disparity: {
    name: 'Differs',
    tone: 'warn',
    means:
      'The interval of either ratio lies wholly below 0.8 or above 1.25, and the adjusted p is below 0.05. A reason to look.',
  },
  explained: {
    name: 'Explained',
    means: 'The groups differ. Calls of the same use case or model do not, or less than half as much.',
  },
  uncertain: { name: 'Uncertain', means: 'No difference is shown, and none is excluded. The usual result.' },
  within: { name: 'Similar', means: 'The intervals of both ratios lie inside 0.8 to 1.25.' },
  not_enough_data: {
    name: 'Too few calls',
    means: 'Fewer than 100, or on fewer than seven days, or fewer than five expected of either kind.',
  },
}

/** Returns what explains a difference: “Explained by use case”. */
export const resultName = ({ verdict, explained_by: by }: Pick<Comparison, 'verdict' | 'explained_by'>): string =>
  verdict === 'explained'
    ? `Explained by ${by.map((one) => GROUPING_TABLE[one].name).join(' and ')}`
    : RESULTS[verdict].name

export const ResultBadge = ({ comparison }: { comparison: Comparison }) => {
  const { tone } = RESULTS[comparison.verdict]
  return <Badge {...(tone && { tone })}>{resultName(comparison)}</Badge>
}

type Interval = readonly number[] | null

const intervalText = (interval: Interval, format: (value: number) => string): string | null => {
  const [from, to] = interval ?? []
  return from === undefined || to === undefined ? null : `${format(from)} to ${format(to)}`
}

/** The table cell for a value that is missing, because there were too few calls. */
export const NO_VALUE = '–'

/** Formats a value with its interval: “0.85 (0.72 to 1.01)”. */
function withInterval(value: number | null, interval: Interval, format: (value: number) => string): string {
  if (value === null) return NO_VALUE
  const range = intervalText(interval, format)
  return range === null ? format(value) : `${format(value)} (${range})`
}

/** Formats a difference of shares in points of a percentage: “−16.7”. */
export function formatPoints(difference: number): string {
  const points = Math.round(difference * 1000) / 10
  return `${points > 0 ? '+' : points < 0 ? '−' : ''}${formatNumber(Math.abs(points))}`
}

const formatPValue = (p: number | null): string => (p === null ? NO_VALUE : p < 0.001 ? 'below 0.001' : formatNumber(p))

const MOST_SEEN = 3

/** The other alarms of an anomaly, each with a link to its calls. */
export function AlsoSeen({ anomaly, keyName }: { anomaly: Anomaly; keyName: KeyNameOf }) {
  const seen = new Map((anomaly.alarms ?? []).map((alarm) => [seenIn(alarm, anomaly, keyName), alarm]))
  seen.delete(seenIn(anomaly, anomaly, keyName))
  if (seen.size === 0) return null
  const more = seen.size - MOST_SEEN
  return (
    <Note as="p">
      Also seen in:{' '}
      {[...seen].slice(0, MOST_SEEN).map(([name, alarm], at) => (
        <Fragment key={name}>
          {at > 0 && ', '}
          <a href={inOrganisation(callsPathOf(alarm))}>{name}</a>
        </Fragment>
      ))}
      {more > 0 && `, ${formatNumber(more)} more`}
    </Note>
  )
}

type ComparisonTableProps = {
  caption: string
  comparisons: readonly Comparison[]
  groups: readonly Pick<BiasDetection['groups'][number], 'group' | 'rate'>[]
  nameOf?: (group: string) => string
}

/** A table that compares each group with the reference: the difference of their rates, intervals and result. */
export function ComparisonTable({ caption, comparisons, groups, nameOf = String }: ComparisonTableProps) {
  const columns: readonly Column<Comparison>[] = [
    { name: 'Group', cell: ({ group, reference }) => `${nameOf(group)}, against ${nameOf(reference)}` },
    { name: 'Result', cell: (comparison) => <ResultBadge comparison={comparison} /> },
    figures('Difference, in points', (one) =>
      withInterval(shownRateDifference(groups, one, formatPercent), one.difference_interval, formatPoints),
    ),
    figures('Ratio, favourable', ({ ratio, ratio_interval: interval }) => withInterval(ratio, interval, formatNumber)),
    figures('Ratio, not favourable', ({ unfavourable_ratio: ratio, unfavourable_ratio_interval: interval }) =>
      withInterval(ratio, interval, formatNumber),
    ),
    figures('Both ratios, like calls', ({ adjusted }) => {
      if (adjusted === null) return NO_VALUE
      return (
        <>
          {withInterval(adjusted.ratio, adjusted.ratio_interval, formatNumber)}
          <br />
          {withInterval(adjusted.unfavourable_ratio, adjusted.unfavourable_ratio_interval, formatNumber)}
        </>
      )
    }),
    figures('p, adjusted', ({ p_adjusted }) => formatPValue(p_adjusted)),
  ]
  return <Table caption={caption} columns={columns} rows={comparisons} keyOf={({ group }) => group} />
}
