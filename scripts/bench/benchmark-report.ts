// Turns benchmark runs into tables and verdicts. Systems are compared by the rounds that they share.
import type { Timing } from './send-load.ts'
import type { CaseRuns, Measurement } from './measure-cases.ts'
import { estimate, exact, median, type Estimate } from './statistics.ts'

/** Returns a figure of a system in a case. Its value is NaN if the system was not run or does not report it. */
export type Figure = (one: CaseRuns, system: string) => Estimate

/** `baseline`: the system that the figure compares with, if it compares. */
export type Column = { title: string; figure: Figure; digits: number; baseline?: string }

/** A column whose figure must not exceed `most`, for one system in some cases. */
export type Target = Column & { appliesTo: RegExp; system: string; most: number; unit: string }

const runsOf = ({ runs }: CaseRuns, system: string): readonly Measurement[] => runs.get(system) ?? []

const sumOf = (runs: readonly Measurement[], measure: (run: Measurement) => number): number =>
  runs.reduce((sum, run) => sum + measure(run), 0)

const cpuPerCall = (runs: readonly Measurement[]): number =>
  sumOf(runs, (run) => run.cpuMicroseconds) / sumOf(runs, (run) => run.timings.length)

/** CPU microseconds of a call. */
export const cpu: Figure = (one, system) => exact(cpuPerCall(runsOf(one, system)))

type Pair = { run: Measurement; other: Measurement }

/** Returns the runs of both systems, round by round. */
function pairsOf(one: CaseRuns, system: string, baseline: string): Pair[] {
  const others = runsOf(one, baseline)
  return runsOf(one, system).flatMap((run, round) => {
    const other = others[round]
    return other === undefined ? [] : [{ run, other }]
  })
}

/** Divides the CPU of a call by that of the baseline. It is the ratio of sums: some rounds have more of the work of alarms. */
export const cpuRatioTo =
  (baseline: string): Figure =>
  (one, system) =>
    estimate(
      pairsOf(one, system, baseline),
      (pairs) => cpuPerCall(pairs.map(({ run }) => run)) / cpuPerCall(pairs.map(({ other }) => other)),
    )

const medianTime = ({ timings }: Measurement, measure: keyof Timing): number =>
  median(timings.map((timing) => timing[measure]))

/** Subtracts the baseline's median time of a round from the system's, and takes the median of the rounds. */
export const addedTo =
  (baseline: string, measure: keyof Timing): Figure =>
  (one, system) => {
    const pairs = pairsOf(one, system, baseline)
    return estimate(
      pairs.map(({ run, other }) => medianTime(run, measure) - medianTime(other, measure)),
      median,
    )
  }

/** Returns one table for each case, with a row for each system, without columns that no system has a figure for. */
export const reportCases = (measured: readonly CaseRuns[], columns: readonly Column[]): string =>
  measured
    .map((one) => {
      const systems = [...one.runs.keys()]
      const isMeasured = ({ figure }: Column): boolean => systems.some((name) => !Number.isNaN(figure(one, name).value))
      const filled = columns.filter(isMeasured)
      return plainTable([
        [one.name, ...filled.map(({ title }) => title)],
        ...systems.map((name) =>
          [name].concat(filled.map(({ figure, digits }) => estimateText(figure(one, name), digits))),
        ),
      ])
    })
    .join('\n\n')

/** Returns one line for each target of a measured system, if its baseline was measured too. */
export const checkTargets = (measured: readonly CaseRuns[], targets: readonly Target[]): string[] =>
  measured.flatMap((one) =>
    targets
      .filter(
        ({ appliesTo, system, baseline = system }) =>
          appliesTo.test(one.name) && one.runs.has(system) && one.runs.has(baseline),
      )
      .map(
        ({ title, system, figure, most, unit, digits }) =>
          verdict(`${one.name}: ${title}`, figure(one, system), most, unit, digits).line,
      ),
  )

/**
 * Judges a figure against its target. It is met if the whole interval is below, and missed if the whole interval is above. NaN is
 * no miss, because the system does not report it.
 */
export function verdict(
  what: string,
  measured: Estimate | number,
  most: number,
  unit = '',
  digits = 2,
): { line: string; holds: boolean } {
  const { value, low, high } = typeof measured === 'number' ? exact(measured) : measured
  if (Number.isNaN(value)) {
    return { line: `${what}: not measurable on this system (target ${most}${unit})`, holds: true }
  }
  const outcome =
    high <= most
      ? 'met'
      : low > most
        ? `MISSED by ${(value - most).toFixed(digits)}${unit}`
        : Number.isFinite(high)
          ? 'undecided, the target is within the interval'
          : 'undecided, too few rounds for an interval'
  const text = estimateText({ value, low, high }, digits)
  return { line: `${what}: ${text}${unit}, target at most ${most}${unit}: ${outcome}`, holds: !(low > most) }
}

/** Returns a figure with its interval, if it has one; an empty text for NaN. */
export function estimateText({ value, low, high }: Estimate, digits: number): string {
  if (Number.isNaN(value)) return ''
  const isCertain = low === high || !Number.isFinite(high)
  return isCertain
    ? value.toFixed(digits)
    : `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`
}

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
