// What the runs of a case amount to. A difference or a ratio is taken within each round before its median, save p99, which
// is told from the calls of all rounds together: a single run has too few.
import type { Timing } from '../workerd/load.ts'
import { median, type Run } from '../workerd/rounds.ts'
import type { CaseRuns } from './measure.ts'
import type { SystemName } from './systems.ts'

export type Figures = {
  requestsPerSecond: number
  /** Milliseconds beside the direct way. */
  addedP50: number
  addedP99: number
  addedFirstByte: number
  addedLongestGap: number
  cpuMicroseconds: number | null
}

export function figuresOf({ runs }: CaseRuns, name: SystemName): Figures | null {
  const own = runs.get(name)
  const direct = runs.get('direct')
  if (own === undefined || direct === undefined) return null
  const added = (measure: keyof Timing): number =>
    medianByRound(own, direct, (run, other) => medianOf(run, measure) - medianOf(other, measure))
  return {
    requestsPerSecond: median(own.map((run) => run.requestsPerSecond)),
    addedP50: added('elapsedMs'),
    addedP99: percentile99(own) - percentile99(direct),
    addedFirstByte: added('firstByteMs'),
    addedLongestGap: added('longestGapMs'),
    cpuMicroseconds: known(median(own.map((run) => run.cpuMicroseconds ?? Number.NaN))),
  }
}

/** What a request costs one way beside the other; null where CPU time is not told or a way was not run. */
export function cpuRatio({ runs }: CaseRuns, name: SystemName, beside: SystemName): number | null {
  return known(medianByRound(runs.get(name) ?? [], runs.get(beside) ?? [], quotientOf(cpuOf)))
}

/** Of one way beside the other, over the rounds; `figures`: the median of each way by itself. */
export type Compared = { figures: [number, number]; ratio: number; lowest: number; highest: number }

/** Null where CPU time is not told or a way was not run. */
export const compareCpu = (one: CaseRuns, name: SystemName, beside: SystemName): Compared | null =>
  compareWays(one, [name, beside], cpuOf)

/** Milliseconds until the first byte; null where a way was not run. */
export const compareFirstByte = (one: CaseRuns, name: SystemName, beside: SystemName): Compared | null =>
  compareWays(one, [name, beside], (run) => medianOf(run, 'firstByteMs'))

type Measure = (run: Run) => number

function compareWays({ runs }: CaseRuns, [name, beside]: [SystemName, SystemName], measure: Measure): Compared | null {
  const own = runs.get(name) ?? []
  const other = runs.get(beside) ?? []
  const ratios = byRound(own, other, quotientOf(measure))
  const ratio = median(ratios)
  if (Number.isNaN(ratio)) return null
  const figures: [number, number] = [median(own.map(measure)), median(other.map(measure))]
  return { figures, ratio, lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}

const cpuOf: Measure = ({ cpuMicroseconds }) => cpuMicroseconds ?? Number.NaN
const quotientOf =
  (measure: Measure): Compare =>
  (run, base) =>
    measure(run) / measure(base)

type Compare = (run: Run, base: Run) => number

const medianByRound = (own: readonly Run[], other: readonly Run[], compare: Compare): number =>
  median(byRound(own, other, compare))

function byRound(own: readonly Run[], other: readonly Run[], compare: Compare): number[] {
  return own.flatMap((run, round) => {
    const base = other[round]
    return base === undefined ? [] : [compare(run, base)]
  })
}

const medianOf = ({ timings }: Run, measure: keyof Timing): number => median(timings.map((timing) => timing[measure]))

function percentile99(runs: readonly Run[]): number {
  const sorted = runs.flatMap(({ timings }) => timings.map(({ elapsedMs }) => elapsedMs)).toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
