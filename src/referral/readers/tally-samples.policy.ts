// Turns a reader's samples into its reading: the most frequent answer and its share. Also decides whether outstanding samples can
// still change the reading. Pure.
import type { Reading, UnavailableReason } from '../read.schema.ts'
import type { ReaderChoice } from './reader-prompt.ts'

export type FailedReason = Exclude<UnavailableReason, 'no_majority'>

/** One sample, or the reason why there is none. `ms` counts from the start of the reading. */
export type Sample = { choice: ReaderChoice; ms: number } | { failed: FailedReason; ms: number }

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
    taken: samples.length,
    samples: valid,
  })
  if (!isMajority(valid.length, samples.length)) return unavailable(commonestFailure(samples))
  const mode = modeOf(valid.map(({ specialty }) => specialty))
  if (mode.isTied) return unavailable('no_majority', mode.count / samples.length)
  const withSpecialty = valid.filter(({ specialty }) => specialty === mode.value)
  return {
    model,
    available: true,
    reason: null,
    specialty: mode.value,
    ageGroup: commonest(withSpecialty.map(({ ageGroup }) => ageGroup)),
    consistency: mode.count / samples.length,
    taken: samples.length,
    samples: valid,
  }
}

/**
 * Returns true if the reader names no specialty, and most samples without a specialty say "two problems". `tally` counts "two
 * problems" and "none of these" as one value.
 */
export function findsTwoProblems({ available, specialty }: Reading, samples: readonly Sample[]): boolean {
  if (!available || specialty !== null) return false
  return leadOfTwoProblems(choicesOf(samples)) > 0
}

/** Returns how many more of the samples without a specialty say "two problems" than "none of these". */
const leadOfTwoProblems = (choices: readonly ReaderChoice[]): number =>
  choices.reduce((lead, { specialty, twoProblems }) => lead + (specialty !== null ? 0 : twoProblems ? 1 : -1), 0)

const choicesOf = (samples: readonly Sample[]): (ReaderChoice & { ms: number })[] =>
  samples.flatMap((sample) => ('choice' in sample ? [{ ...sample.choice, ms: sample.ms }] : []))

/** Returns true for more than half, such as three of five; fewer say nothing about the letter. */
export const isMajority = (valid: number, sampleCount: number): boolean => valid * 2 > sampleCount

type Mode<T> = { isTied: true; count: number } | { isTied: false; count: number; value: T }

/** Returns the most frequent value and its count, unless two are equally frequent. Null can be a value too. */
function modeOf<T>(values: readonly T[]): Mode<T> {
  const [first, second] = countByValue(values)
  if (first === undefined) return { isTied: true, count: 0 }
  const [value, count] = first
  return count === second?.[1] ? { isTied: true, count } : { isTied: false, count, value }
}

/** Returns each value with its count, the most frequent first. */
export function countByValue<T>(values: readonly T[]): (readonly [T, number])[] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

function commonest<T>(values: readonly T[]): T | null {
  const mode = modeOf(values)
  return mode.isTied ? null : mode.value
}

/** Returns the first in the order of FAILED_REASONS if several are equally frequent. */
function commonestFailure(samples: readonly Sample[]): FailedReason {
  const count = (reason: FailedReason): number =>
    samples.filter((sample) => 'failed' in sample && sample.failed === reason).length
  return FAILED_REASONS.toSorted((a, b) => count(b) - count(a))[0] ?? 'invalid_answer'
}

type AgeGroup = ReaderChoice['ageGroup']

/**
 * Returns true if outstanding samples can still change the reader's specialty, its age group, or that it finds two problems.
 * Changes of its consistency or of its failure reason alone do not count.
 * @param samples those that have arrived, including failures
 * @param outstanding the number that have not arrived
 */
export function canReadingChange(samples: readonly Sample[], outstanding: number): boolean {
  if (outstanding === 0) return false
  const sampleCount = samples.length + outstanding
  const valid = samples.flatMap((sample) => ('choice' in sample ? [sample.choice] : []))
  if (!isMajority(valid.length + outstanding, sampleCount)) return false
  if (!isMajority(valid.length, sampleCount)) return true
  const [first, second] = countByValue(valid.map(({ specialty }) => specialty))
  if (first === undefined) return true
  const [specialty, count] = first
  // The second value could catch up, and so could a new one.
  if ((second?.[1] ?? 0) + outstanding >= count) return true
  if (specialty === null && canLeadChange(leadOfTwoProblems(valid), outstanding)) return true
  const withSpecialty = valid.filter((choice) => choice.specialty === specialty)
  return canAgeGroupChange(new Map(countByValue(withSpecialty.map(({ ageGroup }) => ageGroup))), outstanding)
}

/** A tie and "not stated" are the same: the reader names no age group. */
function canAgeGroupChange(counts: ReadonlyMap<AgeGroup, number>, outstanding: number): boolean {
  const mostOfOthers = (ageGroup: AgeGroup): number =>
    Math.max(...AGE_GROUPS.map((other) => (other === ageGroup ? 0 : (counts.get(other) ?? 0))))
  const lead = (ageGroup: AgeGroup): number => (counts.get(ageGroup) ?? 0) - mostOfOthers(ageGroup)
  return STATED.some((ageGroup) => canLeadChange(lead(ageGroup), outstanding))
}

/** Returns true if a lead can end, or begin. */
const canLeadChange = (lead: number, outstanding: number): boolean =>
  lead > 0 ? lead <= outstanding : lead + outstanding > 0

const STATED = ['Adult', 'Child'] as const
const AGE_GROUPS: readonly AgeGroup[] = [...STATED, null]
