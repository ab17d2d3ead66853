// A reader's samples in, its reading out: what was answered most often, and how often. Pure.
import type { Reading, UnavailableReason } from '../read.schema.ts'
import type { Choice } from './sample.ts'

export type FailedReason = Exclude<UnavailableReason, 'no_majority'>

/** One sample, or why there is none. `ms` from the start of the reading. */
export type Sample = { choice: Choice; ms: number } | { failed: FailedReason; ms: number }

const FAILED_REASONS: readonly FailedReason[] = ['timeout', 'provider_error', 'invalid_answer']

export function tally(model: Reading['model'], samples: readonly Sample[]): Reading {
  const valid = choicesOf(samples).map(({ specialty, ageGroup, ms }) => ({ specialty, ageGroup, ms }))
  const unavailable = (reason: UnavailableReason, consistency = 0): Reading => ({
    model,
    available: false,
    reason,
    specialty: null,
    ageGroup: null,
    consistency,
    samples: valid,
  })
  if (!isEnough(valid.length, samples.length)) return unavailable(commonestFailure(samples))
  const mode = modeOf(valid.map(({ specialty }) => specialty))
  if (mode.isTied) return unavailable('no_majority', mode.count / samples.length)
  const naming = valid.filter(({ specialty }) => specialty === mode.value)
  return {
    model,
    available: true,
    reason: null,
    specialty: mode.value,
    ageGroup: commonest(naming.map(({ ageGroup }) => ageGroup)),
    consistency: mode.count / samples.length,
    samples: valid,
  }
}

/**
 * True if the reader finds that the letter asks about two problems: it names no specialty, and more of the samples that name
 * none say so than not. Either is none of the published entries, so for the mode they are one value.
 */
export function findsTwoProblems({ available, specialty }: Reading, samples: readonly Sample[]): boolean {
  if (!available || specialty !== null) return false
  const none = choicesOf(samples).filter((choice) => choice.specialty === null)
  return none.filter(({ twoProblems }) => twoProblems).length * 2 > none.length
}

const choicesOf = (samples: readonly Sample[]): (Choice & { ms: number })[] =>
  samples.flatMap((sample) => ('choice' in sample ? [{ ...sample.choice, ms: sample.ms }] : []))

/** Three of five: half or fewer say nothing about the letter. */
export const isEnough = (valid: number, asked: number): boolean => valid * 2 > asked

type Mode<T> = { isTied: true; count: number } | { isTied: false; count: number; value: T }

/** The value that stands there most often, and how often, unless two do so equally often. Null can be a value too. */
function modeOf<T>(values: readonly T[]): Mode<T> {
  const [first, second] = countByValue(values)
  if (first === undefined) return { isTied: true, count: 0 }
  const [value, count] = first
  return count === second?.[1] ? { isTied: true, count } : { isTied: false, count, value }
}

/** Each value that is there with how often it is, the commonest first. */
export function countByValue<T>(values: readonly T[]): (readonly [T, number])[] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

function commonest<T>(values: readonly T[]): T | null {
  const mode = modeOf(values)
  return mode.isTied ? null : mode.value
}

/** Of equally common failures the first in the order of FAILED_REASONS. */
function commonestFailure(samples: readonly Sample[]): FailedReason {
  const count = (reason: FailedReason): number =>
    samples.filter((sample) => 'failed' in sample && sample.failed === reason).length
  return FAILED_REASONS.toSorted((a, b) => count(b) - count(a))[0] ?? 'invalid_answer'
}
