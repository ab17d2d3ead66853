// Medians and percentiles, and the 95% interval of a figure of several rounds.
import { createRandom } from '../seeded-random.ts'

/** A figure with the ends of its 95% interval, which are infinite if there are too few rounds to tell. */
export type Estimate = { value: number; low: number; high: number }

/** A number that was not measured in rounds. */
export const exact = (value: number): Estimate => ({ value, low: value, high: value })

const RESAMPLES = 2000
/** Below this, a resample has too few different rounds to say anything. */
const LEAST_ROUNDS = 5
const SEED = 1

/**
 * Estimates a figure of whole rounds by bootstrap: it is computed from as many rounds, drawn at random with repeats, again and again.
 * The draws are the same in every run.
 */
export function estimate<T>(rounds: readonly T[], figure: (drawn: readonly T[]) => number): Estimate {
  const value = figure(rounds)
  if (rounds.length < LEAST_ROUNDS || Number.isNaN(value)) return { value, low: -Infinity, high: Infinity }
  const { choose } = createRandom(SEED)
  const figures = Array.from({ length: RESAMPLES }, () => figure(rounds.map(() => choose(rounds))))
  return { value, low: percentile(figures, 0.025), high: percentile(figures, 0.975) }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
}
