// Finds anomalies in counts over time for bias detection. It compares a day's figure, such as calls or cost, with the days
// before. It compares an outcome's hourly rate with its usual rate, by a cumulative sum.
import { sumProportions, rateOf, type Proportion, spreadOf } from './proportions.ts'

/** A day is compared with this many days before it. */
export const BASELINE_DAYS = 28
const LEAST_BASELINE_DAYS = 14

/** `isUsual`: whether the day had enough calls to belong to a baseline. */
export type DayFigure = { day: number; value: number; isUsual: boolean }

/** Two days in a row that are unusual in the same direction. `value`, `usual` and `z` are those of the second. */
export type UnusualDays = { since: number; value: number; usual: number; z: number }

type ScoredDay = DayFigure & { usual: number; z: number }

/**
 * Finds runs of two unusual days, because a single one may be chance. A run that began before `first` was reported already.
 * @param figures in the order of their days; all values above 0. Two neighbours in the list count as in a row
 */
export function findUnusualDays(figures: readonly DayFigure[], { first, last }: { first: number; last: number }) {
  const runs: UnusualDays[] = []
  let run: ScoredDay[] = []
  for (const figure of figures) {
    if (figure.day < first || figure.day > last) continue
    const judged = scoreDay(figure, figures)
    const goesOn = judged !== null && run.every(({ z }) => z > 0 === judged.z > 0)
    run = judged === null ? [] : goesOn ? [...run, judged] : [judged]
    const [since, second] = run
    if (run.length !== 2 || since === undefined || second === undefined) continue
    if (!wasReported(since, figures))
      runs.push({ since: since.day, value: second.value, usual: second.usual, z: second.z })
  }
  return runs
}

/** Returns true if the day before the run was unusual in the same direction, so the run was reported then. */
function wasReported({ day, z }: ScoredDay, figures: readonly DayFigure[]): boolean {
  const before = figures.findLast((one) => one.day < day)
  const judged = before === undefined ? null : scoreDay(before, figures)
  return judged !== null && judged.z > 0 === z > 0
}

/** Returns null if the day is usual or the baseline is too short. */
function scoreDay(figure: DayFigure, figures: readonly DayFigure[]): ScoredDay | null {
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
 * Returns the distance of a value from the usual ones, by median and median absolute deviation of the logarithms. One odd day
 * among the usual ones changes neither.
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

export type CountedHour = Proportion & { hour: number }

/**
 * `since`: the hour from which the sum rose to the alarm, in hour `at`. `rate`: the rate from `since` to `at`. `change`: how many
 * times the usual rate the sum looked for.
 */
export type Alarm = { since: number; at: number; rate: number; sum: number; change: Change }

/**
 * Returns the usual rate and the dispersion. Null without a baseline: too few calls or days, or too high a rate.
 * @param days those that have calls
 */
export function rateBaselineOf(days: readonly Proportion[]): RateBaseline | null {
  const counted = sumProportions(days)
  if (counted.n < LEAST_BASELINE_CALLS) return null
  const spread = spreadOf(days)
  // Jeffreys' prior, so that the rate is above 0 even if nothing was counted.
  const usual = (counted.k + 0.5) / (counted.n + 1)
  if (spread === null || usual >= RAISED_AT_MOST) return null
  return { usual, dispersion: counted.k === 0 ? 1 : spread.dispersion }
}

/** Returns the first alarm for any change; null if all sums stay below the threshold. */
export function findAlarm(hours: readonly CountedHour[], usual: RateBaseline, threshold: number): Alarm | null {
  const alarms = CHANGES.map((change) => findChange(hours, usual, { change, threshold })).filter((one) => one !== null)
  return alarms.toSorted((one, other) => one.at - other.at || other.sum - one.sum)[0] ?? null
}

function findChange(
  hours: readonly CountedHour[],
  usual: RateBaseline,
  { change, threshold }: { change: Change; threshold: number },
): Alarm | null {
  let sum = 0
  let rise = null as CountedHour | null
  for (const { hour, ...counted } of hours) {
    sum = nextSum(sum, counted, usual, change)
    if (sum === 0) rise = null
    else
      rise = { hour: rise === null ? hour : rise.hour, ...sumProportions(rise === null ? [counted] : [rise, counted]) }
    if (rise !== null && sum >= threshold) return { since: rise.hour, at: hour, rate: rateOf(rise), sum, change }
  }
  return null
}

/** A baseline needs at least this many calls. */
const LEAST_BASELINE_CALLS = 500

/** An alarm looks for a rate that has doubled, and for one eight times as high: an outage, which few calls show. */
export const CHANGES = [2, 8] as const
export type Change = (typeof CHANGES)[number]
const RAISED_AT_MOST = 0.5

export type RateBaseline = { usual: number; dispersion: number }

export const raisedRateOf = (usual: number, change: Change): number => Math.min(RAISED_AT_MOST, change * usual)

/**
 * Returns the sum after the next counts: Page's cumulative sum of the log-likelihood ratio of the raised rate, never below 0. The
 * dispersion divides it, because clustered calls would otherwise raise an alarm by themselves.
 */
export function nextSum(
  sum: number,
  { k, n }: Proportion,
  { usual, dispersion }: RateBaseline,
  change: Change,
): number {
  const raised = raisedRateOf(usual, change)
  const gain = k * Math.log(raised / usual) + (n - k) * Math.log((1 - raised) / (1 - usual))
  return Math.max(0, sum + gain / dispersion)
}

/** Returns the threshold by Lorden's bound: about one false alarm a year over all sums, if calls are independent. */
export const alarmThreshold = (callsAYear: number, sums: number): number => Math.log(callsAYear * sums)
