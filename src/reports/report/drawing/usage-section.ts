// The report's sections on usage: the number of calls to models, their endings and their cost.
import { parseColour } from '../../pdf/pdf-file.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { column, numericColumn, type Block, type Section } from './section-blocks.ts'
import { CHART_HEIGHT, type Chart } from './draw-chart.ts'
import { count, day, euro, monthName, plural, share } from './report-formats.ts'
import {
  ENDINGS,
  membersOf,
  NOT_PASSED,
  outcomeName,
  SHOWN_OUTCOMES,
  type ShownOutcome,
} from '../../../evidence/records/call-endings.ts'
import { ACCENT, GAP, NOTE } from './report-styles.ts'
import { toEur, toMicroeur } from '../../../platform/money.ts'

type Usage = ComplianceReport['usage']

export function usageSection({ usage }: ComplianceReport): Section {
  const title = 'Use of models'
  const follows = CHART_HEIGHT + 60
  if (usage.totals.requests === 0) {
    return { title, follows, blocks: [{ paragraph: 'No call was made in the period.' }] }
  }
  const periods = periodsOf(usage.by_day)
  const unit = isByMonth(usage.by_day) ? 'month' : 'day'
  const byModel = usage.by_model.map(({ name, ...counts }) => ({ title: name === '' ? 'none is known' : name, counts }))
  const byUseCase = usage.by_use_case.map(({ name, ...counts }) => ({ title: name ?? 'none was declared', counts }))
  return {
    title,
    follows,
    blocks: [
      { paragraph: summaryOf(usage) },
      { chart: requestsChart(periods, unit), gap: GAP + 2 },
      { chart: costChart(periods, unit), gap: GAP },
      { paragraph: 'The values of each day are in the report’s JSON, as usage.by_day.', style: NOTE, gap: 4 },
      ...endings(usage),
      ...(unit === 'month' ? countsTable({ caption: 'By month', head: 'Month', rows: periods }) : []),
      ...countsTable({ caption: 'By model', head: 'Model', rows: byModel }),
      ...countsTable({ caption: 'By use case', head: 'Use case', rows: byUseCase }),
    ],
  }
}

function summaryOf({ totals, by_day: days }: Usage): string {
  const { requests, held, blocked, suppressed, cost_eur: cost, cost_prevented_eur: prevented } = totals
  const busiest = days.reduce((most, one) => (one.requests > most.requests ? one : most))
  return `${plural(requests, 'call was', 'calls were')} decided in the period, ${plural(busiest.requests, 'call', 'calls')} on the busiest day (${day(busiest.date)}). ${plural(held, 'was', 'were')} held for a person and did not run, ${plural(blocked, 'was', 'were')} blocked by policy and ${plural(suppressed, 'was', 'were')} suppressed as loops. The calls cost ${euro(cost)}; what was not run would have cost about ${euro(prevented)} more.`
}

function requestsChart(periods: readonly Period[], unit: 'day' | 'month'): Chart {
  const counts = periods.map((one) => one.counts)
  const total = sumOf(counts)
  const most = periods.reduce((best, one) => (one.counts.requests > best.counts.requests ? one : best))
  return {
    title: `Requests by ${unit}`,
    alt: `Bars: requests by ${unit}, ${count(total.requests)} in all, most in ${most.title} with ${count(most.counts.requests)}. In each bar, from below: ${SHOWN_OUTCOMES.map(({ name }) => `${name} (${count(countOf(total, name))})`).join(', ')}. The values of each day are in the report’s JSON.`,
    shape: 'bars',
    isWhole: true,
    format: count,
    labels: periods.map(({ label }) => label),
    series: SHOWN_OUTCOMES.map(({ name, says, ink }) => ({
      name: says,
      ink: parseColour(ink),
      values: counts.map((one) => countOf(one, name)),
    })),
  }
}

const countOf = (counts: Counts, group: ShownOutcome): number =>
  group === 'passed'
    ? NOT_PASSED.reduce((rest, name) => rest - (counts[name] ?? 0), counts.requests)
    : (counts[group] ?? 0)

function costChart(periods: readonly Period[], unit: 'day' | 'month'): Chart {
  const counts = periods.map((one) => one.counts)
  const most = periods.reduce((best, one) => (one.counts.cost_eur > best.counts.cost_eur ? one : best))
  return {
    title: `Cost by ${unit}, in euro`,
    alt: `${unit === 'day' ? 'Line' : 'Bars'}: cost by ${unit}, ${euro(sumOf(counts).cost_eur)} in all, most in ${most.title} with ${euro(most.counts.cost_eur)}. The values of each day are in the report’s JSON.`,
    shape: unit === 'day' && periods.length > 1 ? 'line' : 'bars',
    isWhole: false,
    format: euroMark,
    labels: periods.map(({ label }) => label),
    series: [{ name: 'Cost', ink: ACCENT, values: counts.map(({ cost_eur: cost }) => cost) }],
  }
}

/** Formats the marks of an axis, which are round numbers. */
function euroMark(value: number): string {
  if (value >= 10 || value === 0) return `€${Number.isInteger(value) ? count(value) : String(value)}`
  return value < 0.01 ? `€${String(value)}` : `€${value.toFixed(2)}`
}

const ENDING_ROWS = SHOWN_OUTCOMES.flatMap((group) =>
  ENDINGS.flatMap(({ name, shown, says, means }) =>
    shown === group.name ? [[group.says, name, says, means] as const] : [],
  ),
)

/** The rows of the table: what people see, the member of the totals, its name and its meaning. */
const TABLE_ROWS = [
  ...ENDING_ROWS,
  ['', 'in_flight', 'In flight', 'Not over when the report was made.'],
  ['', 'requests', 'All', ''],
] as const

const endings = ({ totals }: Usage): Block[] => [
  {
    gap: GAP + 4,
    table: {
      caption: 'How calls ended',
      hasRowHeads: true,
      hasTotal: true,
      columns: [
        column('Ending', 19),
        column('Outcome', 12),
        column('What it means', 43),
        numericColumn('Requests', 12),
        numericColumn('Share', 14),
      ],
      rows: TABLE_ROWS.map(([group, name, says, means]) => [
        says,
        group,
        means,
        count(totals[name] ?? 0),
        share(totals[name] ?? 0, totals.requests),
      ]),
    },
  },
  {
    paragraph: `In ${count(totals.refused)} of the answered calls the model declined to answer. ${count(totals.input_tokens)} tokens were sent and ${count(totals.output_tokens)} received. The cost of ${plural(totals.cost_estimated_requests, 'call', 'calls')} is an estimate.${totals.in_flight === 0 ? '' : ' Calls in flight are in this table alone.'}`,
    style: NOTE,
    gap: 4,
  },
]

/** Returns a table with a row of sums, or nothing if there are no rows. */
function countsTable({
  head,
  rows,
  ...caption
}: {
  caption?: string
  head: string
  rows: readonly TitledCounts[]
}): Block[] {
  if (rows.length === 0) return []
  const hasTotal = rows.length > 1
  const total = { title: 'All', counts: sumOf(rows.map((row) => row.counts)) }
  return [
    {
      gap: GAP + 4,
      table: {
        ...caption,
        hasRowHeads: true,
        hasTotal,
        columns: [
          { head, share: 28 },
          ...['Requests', ...NOT_PASSED.map(outcomeName), 'Cost'].map((name) => numericColumn(name, 12)),
        ],
        rows: (hasTotal ? [...rows, total] : rows).map(cellsOf),
      },
    },
  ]
}

const cellsOf = ({ title, counts }: TitledCounts): string[] => [
  title,
  ...[counts.requests, ...NOT_PASSED.map((name) => counts[name] ?? 0)].map(count),
  euro(counts.cost_eur),
]

type Day = ComplianceReport['usage']['by_day'][number]

export type Counts = Omit<Day, 'date'>
/** `title`: names a row in a table. The title of an incomplete month also names its first and last day. */
export type TitledCounts = { title: string; counts: Counts }
export type Period = TitledCounts & { label: string }

/** More days would be too narrow in a chart. */
const MOST_DAYS = 92

export const isByMonth = (days: readonly Day[]): boolean => days.length > MOST_DAYS

export function periodsOf(days: readonly Day[]): Period[] {
  if (!isByMonth(days)) {
    return days.map(({ date, ...counts }) => ({
      counts,
      label: `${Number(date.slice(8, 10))} ${monthName(date).slice(0, 3)}`,
      title: day(date),
    }))
  }
  return [...Map.groupBy(days, ({ date }) => date.slice(0, 7))].map(([month, members]) => ({
    counts: sumOf(members),
    label: `${monthName(month).slice(0, 3)} ${month.slice(2, 4)}`,
    title: titleOf(members),
  }))
}

export function sumOf(members: readonly Counts[]): Counts {
  const sum = { requests: 0, ...membersOf(NOT_PASSED, () => 0), cost_eur: 0 }
  for (const member of members) {
    for (const name of ['requests', ...NOT_PASSED] as const) sum[name] += member[name] ?? 0
    sum.cost_eur = toEur(toMicroeur(sum.cost_eur) + toMicroeur(member.cost_eur))
  }
  return sum
}

function titleOf(members: readonly Day[]): string {
  const [first, last] = [members[0]?.date ?? '', members.at(-1)?.date ?? '']
  const name = `${monthName(first)} ${first.slice(0, 4)}`
  const [from, to] = [Number(first.slice(8, 10)), Number(last.slice(8, 10))]
  const length = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 0)).getUTCDate()
  return from === 1 && to === length ? name : `${name}, ${from} to ${to}`
}
