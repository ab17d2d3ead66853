// Turns benchmark runs into tables and verdicts. Differences and ratios are computed within each round, then their median is
// taken. The 99th percentile is over all rounds' requests, because a single run has too few.
import type { Timing } from './send-load.ts'
import { median, percentile, type CaseRuns, type Measurement } from './measure-cases.ts'

type RunFigure = (run: Measurement) => number

/** Returns one number of a system in a case. NaN if the system was not run or does not report it. */
export type Figure = (one: CaseRuns, system: string) => number

export type Column = { title: string; figure: Figure; digits: number }

export type Target = {
  appliesTo: (caseName: string) => boolean
  system: string
  what: string
  figure: Figure
  most: number
  unit: string
}

export const cpuOf: RunFigure = ({ cpuMicroseconds }) => cpuMicroseconds
export const medianTiming =
  (measure: keyof Timing): RunFigure =>
  ({ timings }) =>
    median(timings.map((timing) => timing[measure]))

export const medianOf =
  (measure: RunFigure): Figure =>
  (one, system) =>
    median(runsOf(one, system).map(measure))

export const ratioTo = (baseline: string, measure: RunFigure): Figure => byRound(baseline, measure, (a, b) => a / b)
export const addedTo = (baseline: string, measure: RunFigure): Figure => byRound(baseline, measure, (a, b) => a - b)

export const addedP99To =
  (baseline: string): Figure =>
  (one, system) =>
    p99(runsOf(one, system)) - p99(runsOf(one, baseline))

const runsOf = ({ runs }: CaseRuns, system: string): readonly Measurement[] => runs.get(system) ?? []

const byRound =
  (baseline: string, measure: RunFigure, compare: (a: number, b: number) => number): Figure =>
  (one, system) => {
    const others = runsOf(one, baseline)
    return median(
      runsOf(one, system).flatMap((run, round) => {
        const other = others[round]
        return other === undefined ? [] : [compare(measure(run), measure(other))]
      }),
    )
  }

const p99 = (runs: readonly Measurement[]): number =>
  percentile(
    runs.flatMap(({ timings }) => timings.map(({ elapsedMs }) => elapsedMs)),
    0.99,
  )

/** Returns one table for each case, with a row for each system. */
export const reportCases = (measured: readonly CaseRuns[], columns: readonly Column[]): string =>
  measured
    .map((one) =>
      plainTable([
        [one.name, ...columns.map(({ title }) => title)],
        ...[...one.runs.keys()].map((system) =>
          [system].concat(columns.map(({ figure, digits }) => numberText(figure(one, system), digits))),
        ),
      ]),
    )
    .join('\n\n')

/** Returns one line for each target of a measured system, and whether all targets are met. */
export function checkTargets(
  measured: readonly CaseRuns[],
  targets: readonly Target[],
): { lines: string[]; holds: boolean } {
  const judged = measured.flatMap((one) =>
    targets
      .filter(({ appliesTo, system }) => appliesTo(one.name) && one.runs.has(system))
      .map(({ what, system, figure, most, unit }) => verdict(`${one.name}: ${what}`, figure(one, system), most, unit)),
  )
  return { lines: judged.map(({ line }) => line), holds: judged.every(({ holds }) => holds) }
}

/** Judges a number against its target. NaN passes, because the system does not report it. */
export function verdict(what: string, measured: number, most: number, unit = ''): { line: string; holds: boolean } {
  if (Number.isNaN(measured)) {
    return { line: `${what}: not measurable on this system (target ${most}${unit})`, holds: true }
  }
  const holds = measured <= most
  const outcome = holds ? 'met' : `MISSED by ${(measured - most).toFixed(2)}${unit}`
  return { line: `${what}: ${measured.toFixed(2)}${unit}, target at most ${most}${unit}: ${outcome}`, holds }
}

export const numberText = (value: number, digits: number): string =>
  Number.isNaN(value) ? 'not measurable' : value.toFixed(digits)

export function plainTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n')
}
