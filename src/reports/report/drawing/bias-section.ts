// The report's section on bias: the comparisons between groups of calls, and the anomalies over time.
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { comparedOutcome, ratedOutcomeOf } from '../../statistics/compared-outcomes.ts'
import { shownRateDifference } from '../../../platform/shown-difference.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { TextRun } from '../../pdf/layout/break-lines.ts'
import { column, numericColumn, type Block, type Section } from './section-blocks.ts'
import { callCost, count, threeDigits, percent } from './report-formats.ts'
import { readNames, type Readable } from './readable-names.ts'
import { GAP, NOTE, SMALL, SMALL_STRONG, STRONG } from './report-styles.ts'

type Parity = ComplianceReport['bias'][number]
type Anomaly = NonNullable<ComplianceReport['anomalies']>[number]
type Interval = readonly [number, number] | null

const VERDICTS: Readonly<Record<Parity['parity']['verdict'], string>> = {
  not_enough_data: 'not enough data',
  disparity: 'a difference to look into',
  explained: 'a difference that like calls do not show',
  within: 'within 0.8 to 1.25, both ways',
  uncertain: 'no difference shown, and none excluded',
}

/** The format of an anomaly's value, by kind. Rates are percent. */
const VALUE_FORMATS: Readonly<Record<string, (value: number) => string>> = {
  p95_latency: (value) => `${count(value)} ms`,
  cost_per_call: callCost,
}

export function biasSection(report: ComplianceReport): Section {
  const { bias, anomalies, retention } = report
  const readable = readNames(report)
  return {
    title: 'Comparison of groups, and anomalies',
    follows: 160,
    blocks: [
      { paragraph: bias.length === 0 ? 'No groups were compared.' : limitsOf(bias) },
      ...bias.flatMap((one) => comparisonBlocks(one, readable)),
      { part: 'Anomalies' },
      ...anomalyBlocks(anomalies, retention.tier, readable),
    ],
  }
}

/** Returns the limits of the comparisons, each sentence once. */
const limitsOf = (bias: readonly Parity[]): string => [...new Set(bias.flatMap((one) => one.cannot_show))].join(' ')

function anomalyBlocks(anomalies: ComplianceReport['anomalies'], tier: string, readable: Readable): Block[] {
  if (anomalies === null) return [{ paragraph: `Nobody has looked for any: the tier ${tier} has no bias detection.` }]
  if (anomalies.length === 0) return [{ paragraph: 'None began in the period.' }]
  return [
    { paragraph: 'What was unusual beside the weeks before. It is a reason to look, not a fault.' },
    {
      table: {
        hasRowHeads: true,
        columns: [
          column('Kind', 20),
          column('Series', 28),
          column('Since', 20),
          numericColumn('Value', 12),
          numericColumn('Before', 12),
          numericColumn('Statistic', 13),
          numericColumn('Alarm at', 12),
        ],
        rows: anomalies.map((anomaly) => [
          anomaly.kind.replaceAll('_', ' '),
          [{ text: readable.series(anomaly.series), type: SMALL }, ...alsoSeen(anomaly, readable)],
          anomaly.since.replace('T', ' ').replace(':00Z', ''),
          ...[anomaly.value, anomaly.baseline].map(valueFormat(anomaly)),
          ...[anomaly.statistic, anomaly.threshold].map(threeDigits),
        ]),
      },
    },
  ]
}

/** Returns a format in which the value and the usual one differ. */
function valueFormat({ kind, value, baseline }: Anomaly): (value: number) => string {
  const format = ratedOutcomeOf(kind) === undefined ? (VALUE_FORMATS[kind] ?? threeDigits) : percent
  const isSame = format(value) === format(baseline)
  return isSame && format === percent ? (share) => `${threeDigits(100 * share)}%` : format
}

const MOST_SEEN = 6

/** Returns the other series of an anomaly, each with its kind if that is another. */
function alsoSeen(anomaly: Anomaly, readable: Readable): TextRun[] {
  const nameOf = ({ kind, series }: Pick<Anomaly, 'kind' | 'series'>): string =>
    `${kind === anomaly.kind ? '' : `${kind.replaceAll('_', ' ')}, `}${readable.series(series)}`
  const names = new Set((anomaly.alarms ?? []).map(nameOf))
  names.delete(nameOf(anomaly))
  if (names.size === 0) return []
  const more = names.size > MOST_SEEN ? `; ${count(names.size - MOST_SEEN)} more` : ''
  return [{ text: `, also ${[...names].slice(0, MOST_SEEN).join('; ')}${more}`, type: NOTE }]
}

function comparisonBlocks({ by, outcome, groups, comparisons, method, parity }: Parity, readable: Readable): Block[] {
  const unit = outcome === 'approved' ? 'Approvals' : 'Calls'
  const blocks: Block[] = [
    { part: `${unit} that ${comparedOutcome(outcome).says}, by ${GROUPING_TABLE[by].plural}`, follows: 150 },
    { paragraph: `${capitalised(VERDICTS[parity.verdict])}.`, style: STRONG },
    {
      table: {
        caption: `Groups: share of ${unit.toLowerCase()} that ${comparedOutcome(outcome).says}`,
        hasRowHeads: true,
        columns: [
          column('Group', 40),
          numericColumn(unit, 15),
          numericColumn(capitalised(outcome), 15),
          numericColumn('Share', 12),
          numericColumn('95% interval', 24),
        ],
        rows: groups.map(({ group, n, k, rate, interval }) => [
          readable.text(group),
          n === null ? 'too few' : count(n),
          k === null ? '–' : count(k),
          rate === null ? '–' : percent(rate),
          interval === null ? '–' : `${percent(interval[0])} to ${percent(interval[1])}`,
        ]),
      },
    },
  ]
  if (comparisons.length === 0) return blocks
  return [
    ...blocks,
    {
      gap: GAP + 4,
      table: {
        caption: 'Each group beside the reference',
        hasRowHeads: true,
        columns: [
          column('Group, reference', 24),
          numericColumn('Difference', 19),
          numericColumn('Favourable ratio', 17),
          numericColumn('Unfavourable ratio', 17),
          numericColumn('p, adjusted', 11),
          column('Verdict', 19),
        ],
        rows: comparisons.map((one) => [
          [
            { text: `${readable.text(one.group)}\n`, type: SMALL_STRONG },
            { text: `beside ${readable.text(one.reference)}`, type: NOTE },
          ],
          withInterval(shownRateDifference(groups, one, percent), one.difference_interval, percentSigned),
          withInterval(one.ratio, one.ratio_interval, ratio) + adjustedText(one.adjusted?.ratio),
          withInterval(one.unfavourable_ratio, one.unfavourable_ratio_interval, ratio) +
            adjustedText(one.adjusted?.unfavourable_ratio),
          one.p_adjusted === null ? '–' : probability(one.p_adjusted),
          resultOf(one),
        ]),
      },
    },
    {
      paragraph: `Favourable: answered, approved; not refused, blocked, suppressed or failed. Both ratios are judged against 0.8 and 1.25. Intervals are of 95% and have each group’s dispersion. Adjusted: among calls of the same use case, model or both. Method ${method}.`,
      style: NOTE,
      gap: 4,
    },
  ]
}

const capitalised = (text: string): string => text.replace(/^./, (first) => first.toUpperCase())

function withInterval(value: number | null, interval: Interval, show: (value: number) => string): string {
  if (value === null) return '–'
  return interval === null ? show(value) : `${show(value)}\n${show(interval[0])} to ${show(interval[1])}`
}

/** Returns the line below a ratio: that of like calls. */
const adjustedText = (adjusted: number | null | undefined): string =>
  adjusted == null ? '' : `\nadjusted ${ratio(adjusted)}`

const resultOf = ({ verdict, explained_by: by }: Parity['comparisons'][number]): string =>
  verdict === 'explained' ? `explained by ${by.join(' and ').replaceAll('_', ' ')}` : VERDICTS[verdict]

const percentSigned = (value: number): string => (value < 0 ? `−${percent(-value)}` : percent(value))

const ratio = (value: number): string => value.toFixed(3)

const probability = (value: number): string => (value < 0.001 ? '< 0.001' : value.toFixed(3))
