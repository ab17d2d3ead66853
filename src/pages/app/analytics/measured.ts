// What the chart of analytics draws and its table lists, for each measure (calls, cost, tokens) and each tab (outcome, model, key,
// use case).
import { endingsIn, SHOWN_OUTCOMES, type Ending } from '../../../evidence/records/call-endings.ts'
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { NEUTRAL_STYLES, OUTCOME_STYLES, type Mark, type Point } from '../../charts/chart-marks.ts'
import type { Key } from '../../../keys/key.schema.ts'
import { countedBy, type Group, type Measure } from './analytics-query.ts'
import {
  chartByGroup,
  outcomeValues,
  OUTCOME_MARKS,
  sumsByGroup,
  type Costs,
  type GroupRow,
  type Requests,
} from './chart-data.ts'
import type { AnalyticsCounts, PeriodCounts } from './load-analytics.ts'

type RequestRow = Requests['data'][number]
type CostRow = Costs['data'][number]

/** The kinds of tokens, which have no outcome. */
const TOKEN_KINDS = ['Sent', 'Sent, from a provider’s cache', 'Answered'] as const

const tokenValues = (row: RequestRow): number[] => [
  row.input_tokens - row.cached_input_tokens,
  row.cached_input_tokens,
  row.output_tokens,
]

const groupOf = (group: Group, row: RequestRow | CostRow): string | null => {
  const by = countedBy(group)
  if (by !== '') return row[GROUPING_TABLE[by].member]
  return row.ending === null ? ALL_COSTS : outcomeName(row.ending)
}

/** The one mark of costs that are not known by outcome. */
const ALL_COSTS = 'Cost'

const outcomeName = (ending: Ending): string =>
  SHOWN_OUTCOMES.find(({ name }) => endingsIn(name).includes(ending))?.says ?? ending

/** Returns the values of a period: one for each day or month and group. */
export function rowsOf(measure: Measure, group: Group, { requests, costs, grouped }: PeriodCounts): GroupRow[] {
  if (measure === 'cost')
    return costs.data.map((row) => ({ date: row.date, group: groupOf(group, row), value: row.cost_eur }))
  if (grouped !== null)
    return grouped.data.map((row) => ({
      date: row.date,
      group: groupOf(group, row),
      value: measure === 'tokens' ? row.input_tokens + row.output_tokens : row.requests,
    }))
  const [names, valuesOf] =
    measure === 'tokens' ? [TOKEN_KINDS, tokenValues] : [OUTCOME_MARKS.map(({ name }) => name), outcomeValues]
  return requests.data.flatMap((row) =>
    valuesOf(row).map((value, at) => ({ date: row.date, group: names[at] ?? '', value })),
  )
}

/** Returns the groups in the order of their marks: outcomes as everywhere, others with the most first. */
function groupsOf(measure: Measure, counts: AnalyticsCounts): string[] {
  const { group } = counts.query
  const rows = rowsOf(measure, group, counts)
  if (group !== '') return sumsByGroup(rows).map(({ name }) => name)
  if (measure === 'tokens') return [...TOKEN_KINDS]
  const there = new Set(sumsByGroup(rows).flatMap(({ name, value }) => (value > 0 || measure === '' ? [name] : [])))
  const outcomes = OUTCOME_MARKS.map(({ name }) => name).filter((name) => there.has(name))
  return outcomes.length > 0 ? outcomes : [ALL_COSTS]
}

/** Returns the marks and points of the chart. An outcome keeps its colour, whichever others are there. */
export function chartOf(
  counts: AnalyticsCounts,
  nameOf: (group: string) => string,
): { marks: Mark[]; points: Point[] } {
  const { group, show } = counts.query
  const groups = groupsOf(show, counts)
  // Outcomes alone can be more than the styles that mean nothing.
  const styles = group === '' && groups.length > NEUTRAL_STYLES.length ? OUTCOME_STYLES : NEUTRAL_STYLES
  const { marks, points } = chartByGroup(rowsOf(show, group, counts), groups, nameOf, styles)
  if (group !== '') return { marks, points }
  return { marks: marks.map((mark) => OUTCOME_MARKS.find(({ name }) => name === mark.name) ?? mark), points }
}

/** Returns the sums of each day or month, in their order. */
export function sumsByDate(rows: readonly GroupRow[]): number[] {
  const sums = new Map<string | null, number>()
  for (const { date, value } of rows) sums.set(date, (sums.get(date) ?? 0) + value)
  return [...sums.values()]
}

const sumOf = (sums: ReadonlyMap<string, number>): number => [...sums.values()].reduce((sum, one) => sum + one, 0)

export type ListedGroup = { group: string; now: number; before: number; cost: number; calls: number }

/** Returns the rows of the table below the chart, and their sum. */
export function listedGroups(counts: AnalyticsCounts): { rows: ListedGroup[]; sum: ListedGroup } {
  const { query, previous } = counts
  const { group, show } = query
  const sumsIn = (period: PeriodCounts | null, measure: Measure): ReadonlyMap<string, number> =>
    new Map(
      (period === null ? [] : sumsByGroup(rowsOf(measure, group, period))).map(({ name, value }) => [name, value]),
    )
  const [now, before] = [sumsIn(counts, show), sumsIn(previous, show)]
  const [cost, calls] = [sumsIn(counts, 'cost'), sumsIn(counts, '')]
  const groups = groupsOf(show, counts)
  const known = new Set([...groups, ...before.keys()])
  const listed = (name: string, of: (sums: ReadonlyMap<string, number>) => number): ListedGroup => ({
    group: name,
    now: of(now),
    before: of(before),
    cost: of(cost),
    calls: of(calls),
  })
  return { rows: [...known].map((name) => listed(name, (sums) => sums.get(name) ?? 0)), sum: listed('All', sumOf) }
}

/** Returns the row for the person who made a key, or who made the key that made it. */
export function makerOf(id: string, keys: ReadonlyMap<string, Key>): string {
  const maker = keys.get(id)?.created_by
  return maker === undefined ? id : makerOf(maker, keys)
}

/** Returns the counts by key with another row in the place of each key. */
export function withRows(counts: AnalyticsCounts, rowOf: (key: string) => string): AnalyticsCounts {
  const made = <Row extends { key_id: string | null }>(row: Row): Row => ({
    ...row,
    key_id: row.key_id === null ? null : rowOf(row.key_id),
  })
  const periodBy = <Period extends PeriodCounts>(period: Period): Period => ({
    ...period,
    costs: { ...period.costs, data: period.costs.data.map(made) },
    grouped: period.grouped && { ...period.grouped, data: period.grouped.data.map(made) },
  })
  return { ...periodBy(counts), previous: counts.previous && periodBy(counts.previous) }
}
