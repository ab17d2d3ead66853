// The calls to models: their number, their endings and their cost.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable, type Column } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { CHART_HEIGHT, drawChart } from './charts.ts'
import type { Sections } from './sections.ts'
import { ACCENT, BODY, GAP, NOTE, TABLE } from './styles.ts'
import { count, day, euro, plural, share, monthName } from './formats.ts'
import { colour } from '../../pdf/pdf-file.ts'

type Usage = ComplianceReport['usage']

const FAILED = colour('#c8702a')
const BLOCKED = colour('#8b1e3f')
const SUPPRESSED = colour('#7d8ba1')

export function drawUsage(flow: Flow, sections: Sections, { usage }: ComplianceReport): void {
  sections.begin('Use of models', { room: CHART_HEIGHT + 60 })
  if (usage.totals.requests === 0) {
    flow.paragraph('No call was made in the period.', BODY)
    return
  }
  const periods = periodsOf(usage.by_day)
  const unit = isByMonth(usage.by_day) ? 'month' : 'day'
  flow.paragraph(summaryOf(usage), BODY)
  flow.space(GAP + 2)
  drawCharts(flow, periods, unit)
  drawTotals(flow, usage)
  if (unit === 'month') drawCounts(flow, { caption: 'By month', head: 'Month', rows: periods })
  const byModel = usage.by_model.map(({ name, ...counts }) => ({ title: name === '' ? 'none is known' : name, counts }))
  drawCounts(flow, { caption: 'By model', head: 'Model', rows: byModel })
  const byUseCase = usage.by_use_case.map(({ name, ...counts }) => ({ title: name ?? 'none was declared', counts }))
  drawCounts(flow, { caption: 'By use case', head: 'Use case', rows: byUseCase })
}

/** Separate from the section, so that its many rows come last. */
export function drawEveryDay(flow: Flow, sections: Sections, { usage }: ComplianceReport): void {
  if (usage.totals.requests === 0) return
  flow.newPage()
  sections.begin('Every day')
  flow.paragraph('The values that the charts are drawn from. Days are those of UTC.', BODY)
  const rows = usage.by_day.map(({ date, ...counts }) => ({ title: date, counts }))
  drawCounts(flow, { head: 'Day', rows })
}

function summaryOf({ totals, by_day: days }: Usage): string {
  const { requests, blocked, suppressed, cost_eur: cost, cost_prevented_eur: prevented } = totals
  const busiest = days.reduce((most, one) => (one.requests > most.requests ? one : most))
  return `${plural(requests, 'call was', 'calls were')} decided in the period, ${plural(busiest.requests, 'call', 'calls')} on the busiest day (${day(busiest.date)}). ${plural(blocked, 'was', 'were')} blocked by policy and ${plural(suppressed, 'was', 'were')} suppressed as loops. The calls cost ${euro(cost)}; what was blocked or suppressed would have cost about ${euro(prevented)} more.`
}

function drawCharts(flow: Flow, periods: readonly Period[], unit: 'day' | 'month'): void {
  const labels = periods.map(({ label }) => label)
  const counts = periods.map((one) => one.counts)
  const most = periods.reduce((best, one) => (one.counts.requests > best.counts.requests ? one : best))
  const dearest = periods.reduce((best, one) => (one.counts.cost_eur > best.counts.cost_eur ? one : best))
  const total = sumOf(counts)
  drawChart(flow, {
    title: `Requests by ${unit}`,
    alt: `Bars: requests by ${unit}, ${count(total.requests)} in all, most in ${most.title} with ${count(most.counts.requests)}. In each bar, from below: let pass, failed (${count(total.failed)} in all), blocked (${count(total.blocked)}), suppressed (${count(total.suppressed)}). The values are in the table Every day.`,
    shape: 'bars',
    isWhole: true,
    format: count,
    labels,
    series: [
      {
        name: 'Let pass, and not failed',
        ink: ACCENT,
        values: counts.map(({ requests, failed, blocked, suppressed }) => requests - failed - blocked - suppressed),
      },
      { name: 'Failed', ink: FAILED, values: counts.map(({ failed }) => failed) },
      { name: 'Blocked', ink: BLOCKED, values: counts.map(({ blocked }) => blocked) },
      { name: 'Suppressed', ink: SUPPRESSED, values: counts.map(({ suppressed }) => suppressed) },
    ],
  })
  flow.space(GAP)
  drawChart(flow, {
    title: `Cost by ${unit}, in euro`,
    alt: `${unit === 'day' ? 'Line' : 'Bars'}: cost by ${unit}, ${euro(total.cost_eur)} in all, most in ${dearest.title} with ${euro(dearest.counts.cost_eur)}. The values are in the table Every day.`,
    shape: unit === 'day' && periods.length > 1 ? 'line' : 'bars',
    isWhole: false,
    format: euroMark,
    labels,
    series: [{ name: 'Cost', ink: ACCENT, values: counts.map(({ cost_eur: cost }) => cost) }],
  })
}

/** Formats the marks of an axis, which are round numbers. */
function euroMark(value: number): string {
  if (value >= 10 || value === 0) return `€${Number.isInteger(value) ? count(value) : String(value)}`
  return value < 0.01 ? `€${String(value)}` : `€${value.toFixed(2)}`
}

function drawTotals(flow: Flow, { totals }: Usage): void {
  flow.space(GAP + 4)
  const { requests } = totals
  const ending = (name: string, meaning: string, value: number): string[] => [
    name,
    meaning,
    count(value),
    share(value, requests),
  ]
  drawTable(
    flow,
    {
      caption: 'How calls ended',
      hasRowHeads: true,
      hasTotal: true,
      columns: [
        { head: 'Ending', share: 18 },
        { head: 'What it means', share: 50 },
        { head: 'Requests', share: 18, align: 'right' },
        { head: 'Share', share: 14, align: 'right' },
      ],
      rows: [
        ending('Completed', 'The model’s answer was passed on to its end', totals.completed),
        ending('Cached', 'Answered by an answer that was kept', totals.cached),
        ending('Failed', 'The provider failed, or could not be reached', totals.failed),
        ending('Cancelled', 'Whoever asked left before the end', totals.cancelled),
        ending('Interrupted', 'No ending was written down', totals.interrupted),
        ending('Blocked', 'A policy refused it', totals.blocked),
        ending('Suppressed', 'Stopped as one of a loop', totals.suppressed),
        ending('In flight', 'Not over when the report was made', totals.in_flight),
        ending('All', '', requests),
      ],
    },
    TABLE,
  )
  flow.space(4)
  flow.paragraph(
    `In ${count(totals.refused)} of the completed calls the model declined to answer. ${count(totals.input_tokens)} tokens were sent and ${count(totals.output_tokens)} received. The cost of ${plural(totals.cost_estimated_requests, 'call', 'calls')} is an estimate.${totals.in_flight === 0 ? '' : ' Calls in flight are in this table alone.'}`,
    NOTE,
  )
}

const cellsOf = ({ title, counts: { requests, blocked, suppressed, failed, cost_eur: cost } }: Titled): string[] => [
  title,
  count(requests),
  count(blocked),
  count(suppressed),
  count(failed),
  euro(cost),
]

const number = (title: string): Column => ({ head: title, share: 14, align: 'right' })

function drawCounts(
  flow: Flow,
  { caption, head, rows }: { caption?: string; head: string; rows: readonly Titled[] },
): void {
  if (rows.length === 0) return
  flow.space(GAP + 4)
  drawTable(
    flow,
    {
      ...(caption !== undefined && { caption }),
      hasRowHeads: true,
      hasTotal: rows.length > 1,
      columns: [
        { head, share: 34 },
        number('Requests'),
        number('Blocked'),
        number('Suppressed'),
        number('Failed'),
        number('Cost'),
      ],
      rows: [
        ...rows.map(cellsOf),
        ...(rows.length > 1 ? [cellsOf({ title: 'All', counts: sumOf(rows.map((row) => row.counts)) })] : []),
      ],
    },
    TABLE,
  )
}

type Day = ComplianceReport['usage']['by_day'][number]

export type Counts = Omit<Day, 'date'>
/** `title`: names a row in a table; a month that is not whole has its days. */
export type Titled = { title: string; counts: Counts }
/** `label`: names a mark in a chart. */
export type Period = Titled & { label: string }

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
  const sum = { requests: 0, blocked: 0, suppressed: 0, failed: 0, cost_eur: 0 }
  for (const member of members) {
    sum.requests += member.requests
    sum.blocked += member.blocked
    sum.suppressed += member.suppressed
    sum.failed += member.failed
    // Adds in millionths, the smallest unit, because fractions of a float do not add up.
    sum.cost_eur = (Math.round(sum.cost_eur * 1e6) + Math.round(member.cost_eur * 1e6)) / 1e6
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
