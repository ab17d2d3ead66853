// The comparisons between groups of calls, and the anomalies over time.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, NOTE, SMALL_STRONG, STRONG, TABLE } from './styles.ts'
import { costOfOne, count, figure, percent, smallPercent } from './formats.ts'

type Parity = ComplianceReport['bias'][number]
type Verdict = Parity['parity']['verdict']
type Interval = readonly [number, number] | null

const GROUPINGS: Readonly<Record<Parity['by'], string>> = {
  cohort: 'cohorts that callers declared',
  key: 'API keys',
  model: 'models',
  use_case: 'use cases',
}

const WERE: Readonly<Record<Parity['outcome'], string>> = {
  answered: 'were answered',
  refused: 'the model refused',
  blocked: 'were blocked',
  suppressed: 'were suppressed',
  failed: 'failed',
  approved: 'people granted',
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  not_enough_data: 'not enough data',
  disparity: 'a difference to look into',
  within: 'within 0.8 to 1.25, both ways',
  uncertain: 'no difference shown, and none excluded',
}

const milliseconds = (value: number): string => `${count(value)} ms`

/** The unit of an anomaly's value, by kind. */
const VALUES: Readonly<Record<string, (value: number) => string>> = {
  failed_rate: smallPercent,
  blocked_rate: smallPercent,
  suppressed_rate: smallPercent,
  refused_rate: smallPercent,
  p95_latency: milliseconds,
  cost_per_call: costOfOne,
}

export function drawParity(flow: Flow, sections: Sections, { bias, anomalies, retention }: ComplianceReport): void {
  sections.begin('Comparison of groups, and anomalies', { room: 160 })
  if (bias.length === 0) flow.paragraph('No groups were compared.', BODY)
  else flow.paragraph(limitsOf(bias), BODY)
  for (const parity of bias) drawComparison(flow, sections, parity)
  sections.part('Anomalies')
  if (anomalies === null) {
    flow.paragraph(`Nobody has looked for any: the tier ${retention.tier} has no bias detection.`, BODY)
    return
  }
  if (anomalies.length === 0) {
    flow.paragraph('None began in the period.', BODY)
    return
  }
  flow.paragraph('What was unusual beside the weeks before. It is a reason to look, not a fault.', BODY)
  flow.space(GAP)
  drawTable(
    flow,
    {
      hasRowHeads: true,
      columns: [
        { head: 'Kind', share: 20 },
        { head: 'Series', share: 28 },
        { head: 'Since', share: 20 },
        { head: 'Value', share: 12, align: 'right' },
        { head: 'Before', share: 12, align: 'right' },
        { head: 'Statistic', share: 13, align: 'right' },
        { head: 'Alarm at', share: 12, align: 'right' },
      ],
      rows: anomalies.map(({ kind, series, since, value, baseline, statistic, threshold }) => [
        kind.replaceAll('_', ' '),
        series.replace(':', ': '),
        since.replace('T', ' ').replace(':00Z', ''),
        ...[value, baseline].map(VALUES[kind] ?? figure),
        ...[statistic, threshold].map(figure),
      ]),
    },
    TABLE,
  )
}

/** The limits of the comparisons, each sentence once. */
const limitsOf = (bias: readonly Parity[]): string => [...new Set(bias.flatMap((one) => one.cannot_show))].join(' ')

function drawComparison(flow: Flow, sections: Sections, parity: Parity): void {
  const { by, outcome, groups, comparisons, dispersion, method } = parity
  const unit = outcome === 'approved' ? 'Approvals' : 'Calls'
  sections.part(`${unit} that ${WERE[outcome]}, by ${GROUPINGS[by]}`, { room: 150 })
  flow.paragraph(`${VERDICTS[parity.parity.verdict].replace(/^./, (first) => first.toUpperCase())}.`, STRONG)
  flow.space(GAP)
  drawTable(
    flow,
    {
      caption: `Groups: share of ${unit.toLowerCase()} that ${WERE[outcome]}`,
      hasRowHeads: true,
      columns: [
        { head: 'Group', share: 40 },
        { head: unit, share: 15, align: 'right' },
        { head: outcome.replace(/^./, (first) => first.toUpperCase()), share: 15, align: 'right' },
        { head: 'Share', share: 12, align: 'right' },
        { head: '95% interval', share: 24, align: 'right' },
      ],
      rows: groups.map(({ group, n, k, rate, interval }) => [
        group,
        n === null ? 'too few' : count(n),
        k === null ? '–' : count(k),
        rate === null ? '–' : percent(rate),
        interval === null ? '–' : `${percent(interval[0])} to ${percent(interval[1])}`,
      ]),
    },
    TABLE,
  )
  if (comparisons.length === 0) return
  flow.space(GAP + 4)
  drawTable(
    flow,
    {
      caption: 'Each group beside the reference',
      hasRowHeads: true,
      columns: [
        { head: 'Group, reference', share: 24 },
        { head: 'Difference', share: 19, align: 'right' },
        { head: 'Favourable ratio', share: 17, align: 'right' },
        { head: 'Unfavourable ratio', share: 17, align: 'right' },
        { head: 'p, adjusted', share: 11, align: 'right' },
        { head: 'Verdict', share: 19 },
      ],
      rows: comparisons.map((one) => [
        [
          { text: `${one.group}\n`, type: SMALL_STRONG },
          { text: `beside ${one.reference}`, type: NOTE },
        ],
        withInterval(one.difference, one.difference_interval, percentSigned),
        withInterval(one.ratio, one.ratio_interval, ratio),
        withInterval(one.unfavourable_ratio, one.unfavourable_ratio_interval, ratio),
        one.p_adjusted === null ? '–' : probability(one.p_adjusted),
        VERDICTS[one.verdict],
      ]),
    },
    TABLE,
  )
  flow.space(4)
  const spread = dispersion === null ? '' : ` Dispersion ${figure(dispersion)}.`
  flow.paragraph(
    `Favourable: answered, approved; not refused, blocked, suppressed or failed. Both ratios are judged against 0.8 and 1.25. Intervals are of 95%.${spread} Method ${method}.`,
    NOTE,
  )
}

function withInterval(value: number | null, interval: Interval, show: (value: number) => string): string {
  if (value === null) return '–'
  return interval === null ? show(value) : `${show(value)}\n${show(interval[0])} to ${show(interval[1])}`
}

const percentSigned = (value: number): string => (value < 0 ? `−${percent(-value)}` : percent(value))

const ratio = (value: number): string => value.toFixed(3)

const probability = (value: number): string => (value < 0.001 ? '< 0.001' : value.toFixed(3))
