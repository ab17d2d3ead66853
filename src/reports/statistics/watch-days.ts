// Compares a daily figure, such as calls or cost, with the days before.

/** A day is compared with this many days before it. */
export const BASELINE_DAYS = 28
const LEAST_BASELINE_DAYS = 14

/** `isUsual`: the day had enough calls to belong to a baseline. */
export type DayFigure = { day: number; value: number; isUsual: boolean }

/** Two days in a row that are unusual in the same direction. `value`, `usual` and `z` are those of the second. */
export type UnusualDays = { since: number; value: number; usual: number; z: number }

type Judged = DayFigure & { usual: number; z: number }

/**
 * Finds runs of two unusual days, because a single one may be chance. A run that began before `first` was reported already.
 * @param figures in the order of their days; all values above 0. Two neighbours in the list count as in a row
 */
export function findUnusualDays(figures: readonly DayFigure[], { first, last }: { first: number; last: number }) {
  const runs: UnusualDays[] = []
  let run: Judged[] = []
  for (const figure of figures) {
    if (figure.day < first || figure.day > last) continue
    const judged = judge(figure, figures)
    const goesOn = judged !== null && run.every(({ z }) => z > 0 === judged.z > 0)
    run = judged === null ? [] : goesOn ? [...run, judged] : [judged]
    const [since, second] = run
    if (run.length !== 2 || since === undefined || second === undefined) continue
    if (!isTold(since, figures)) runs.push({ since: since.day, value: second.value, usual: second.usual, z: second.z })
  }
  return runs
}

/** True if the day before the run was unusual in the same direction, so the run was reported then. */
function isTold({ day, z }: Judged, figures: readonly DayFigure[]): boolean {
  const before = figures.findLast((one) => one.day < day)
  const judged = before === undefined ? null : judge(before, figures)
  return judged !== null && judged.z > 0 === z > 0
}

/** Returns null if the day is usual or the baseline is too short. */
function judge(figure: DayFigure, figures: readonly DayFigure[]): Judged | null {
  const baseline = figures
    .filter(({ day, isUsual }) => isUsual && day < figure.day && day >= figure.day - BASELINE_DAYS)
    .map(({ value }) => value)
  if (baseline.length < LEAST_BASELINE_DAYS) return null
  const z = robustZ(figure.value, baseline)
  return Math.abs(z) < UNUSUAL_Z ? null : { ...figure, z, usual: medianOf(baseline) }
}

/** Converts the median absolute deviation to the standard deviation of a normal variable. */
const TO_DEVIATIONS = 0.6744897501960817

/** The width of a latency bucket: closer values cannot be told apart. */
const LEAST_DEVIATION = Math.log(17 / 16)

/** A value this far out, or further, is called unusual. */
export const UNUSUAL_Z = 3.5

/**
 * Measures the distance of a value from the usual ones, by median and median absolute deviation of the logarithms. One odd day
 * among the usual ones moves neither.
 * @param usual at least one; all values above 0
 */
export function robustZ(value: number, usual: readonly number[]): number {
  const logs = usual.map(Math.log)
  const centre = medianOf(logs)
  const deviation = medianOf(logs.map((one) => Math.abs(one - centre)))
  return (TO_DEVIATIONS * (Math.log(value) - centre)) / Math.max(deviation, LEAST_DEVIATION)
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] = sorted.slice(sorted.length % 2 === 0 ? middle - 1 : middle, middle + 1)
  return (low + high) / 2
}
