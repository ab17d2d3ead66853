// Makes the concordance of readings and choices from the closed months: by chosen specialty, in blocks of at least ten outcomes, with
// 95% intervals. It compares and ranks nobody: rows are in the order of the published file. Pure.
import type { CountedMonth, CountRow } from '../../organisation/outcomes/outcomes.store.ts'
import { utcMonthName } from '../../platform/time.ts'
import { INDEPENDENT, wilsonInterval } from '../../reports/statistics/proportions.ts'

/** Fewer outcomes are joined with those of later months, so that a block does not show a single choice. */
export const LEAST_OUTCOMES = 10

type Share = { k: number; n: number; interval: [number, number] }

export type ConcordanceCounts = {
  n: number
  accepted: number
  overridden: number
  chosen: number
  reader_a_same: Share
  reader_b_same: Share
}

/** `from`, `to`: the first and the last month, such as `2026-09`. */
export type ConcordanceBlock = ConcordanceCounts & { from: string; to: string }

/** `specialty`: null for none. */
export type SpecialtyConcordance = { specialty: string | null; blocks: ConcordanceBlock[] }

type Span = { first: number; last: number; rows: CountRow[] }

/**
 * Lists the specialties that have a block. SECURITY: to name others would tell who was chosen in a quiet month.
 * @param months closed ones, the oldest first
 * @param order the names of the published file in its order; others follow, and none comes last
 */
export function concordanceOf(months: readonly CountedMonth[], order: readonly string[]): SpecialtyConcordance[] {
  const counted = new Set(months.flatMap(({ rows }) => rows.map(({ specialty }) => specialty)))
  const others = [...counted].filter((name) => name !== '' && !order.includes(name)).toSorted()
  return [...order, ...others, '']
    .filter((name) => counted.has(name))
    .map((name) => specialtyOf(months, name))
    .filter(({ blocks }) => blocks.length > 0)
}

/** SECURITY: blocks never overlap and never change, so no two answers subtract to fewer outcomes than a block has. */
function specialtyOf(months: readonly CountedMonth[], specialty: string): SpecialtyConcordance {
  const blocks: ConcordanceBlock[] = []
  let open: Span | null = null
  for (const { month, rows: all } of months) {
    const rows = all.filter((row) => row.specialty === specialty)
    if (rows.length === 0) continue
    open = extend(open, month, rows)
    if (sumOf(open.rows) < LEAST_OUTCOMES) continue
    blocks.push({ from: utcMonthName(open.first), to: utcMonthName(open.last), ...countsOf(open.rows) })
    open = null
  }
  return { specialty: specialty === '' ? null : specialty, blocks }
}

const extend = (span: Span | null, month: number, rows: CountRow[]): Span => ({
  first: span?.first ?? month,
  last: month,
  rows: [...(span?.rows ?? []), ...rows],
})

/** Adds up the blocks that are shown; null without one. */
export function totalsOf(specialties: readonly SpecialtyConcordance[]): ConcordanceCounts | null {
  const blocks = specialties.flatMap((one) => one.blocks)
  if (blocks.length === 0) return null
  const sum = (of: (block: ConcordanceBlock) => number): number => blocks.reduce((total, block) => total + of(block), 0)
  const n = sum((block) => block.n)
  return {
    n,
    accepted: sum(({ accepted }) => accepted),
    overridden: sum(({ overridden }) => overridden),
    chosen: sum(({ chosen }) => chosen),
    reader_a_same: shareOf(
      sum(({ reader_a_same }) => reader_a_same.k),
      n,
    ),
    reader_b_same: shareOf(
      sum(({ reader_b_same }) => reader_b_same.k),
      n,
    ),
  }
}

/** Returns how many readings of the closed months have an outcome. */
export const coverageOf = (months: readonly CountedMonth[]) => ({
  from: months[0] === undefined ? null : utcMonthName(months[0].month),
  to: months.length === 0 ? null : utcMonthName(months.at(-1)?.month ?? 0),
  readings: months.reduce((sum, { readings }) => sum + readings, 0),
  with_outcome: months.reduce((sum, { rows }) => sum + sumOf(rows), 0),
})

const sumOf = (rows: readonly CountRow[], has: (cell: string) => boolean = () => true): number =>
  rows.reduce((sum, { cell, n }) => (has(cell) ? sum + n : sum), 0)

/** A cell is a decision, a blank, and a digit for each reader. */
function countsOf(rows: readonly CountRow[]): ConcordanceCounts {
  const n = sumOf(rows)
  return {
    n,
    accepted: sumOf(rows, (cell) => cell.startsWith('ACCEPTED ')),
    overridden: sumOf(rows, (cell) => cell.startsWith('OVERRIDDEN ')),
    chosen: sumOf(rows, (cell) => cell.startsWith('CHOSEN ')),
    reader_a_same: shareOf(
      sumOf(rows, (cell) => cell.at(-2) === '1'),
      n,
    ),
    reader_b_same: shareOf(
      sumOf(rows, (cell) => cell.at(-1) === '1'),
      n,
    ),
  }
}

function shareOf(k: number, n: number): Share {
  const { lower, upper } = wilsonInterval({ k, n, ...INDEPENDENT })
  return { k, n, interval: [round(lower), round(upper)] }
}

const round = (share: number): number => Math.round(share * 1000) / 1000
