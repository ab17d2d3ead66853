// The outcomes that are compared between groups of calls, and the groupings. Pure.
import type { Proportion } from '../../reports/statistics/proportions.ts'
import type { Endings } from '../usage/tally.ts'

export const GROUPINGS = ['cohort', 'key', 'model', 'use_case'] as const
export type Grouping = (typeof GROUPINGS)[number]

export const OUTCOMES = ['answered', 'refused', 'blocked', 'suppressed', 'failed', 'approved'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Outcomes of calls. `approved` alone is of approvals that people decided. */
export type CallOutcome = Exclude<Outcome, 'approved'>

/** How many calls ended so, and how many of those completed the model refused to answer. */
export type Counts = Endings & { refused: number }

/** Calls that name no key or use case. No name has brackets. */
export const UNNAMED_GROUP = '(none)'

const FAVOURABLE: ReadonlySet<Outcome> = new Set(['answered', 'approved'])

export const isFavourable = (outcome: Outcome): boolean => FAVOURABLE.has(outcome)

/** Returns an outcome's share among all calls of a group, however they ended. */
export const proportionOf = (counts: Counts, outcome: CallOutcome): Proportion => ({
  k: countOf(counts, outcome),
  n: callsOf(counts),
})

export const callsOf = (counts: Endings): number =>
  counts.completed +
  counts.failed +
  counts.cancelled +
  counts.interrupted +
  counts.cached +
  counts.blocked +
  counts.suppressed

/** `answered`: the model answered, or the cache did, and it did not refuse. */
function countOf(counts: Counts, outcome: CallOutcome): number {
  return outcome === 'answered' ? Math.max(0, counts.completed + counts.cached - counts.refused) : counts[outcome]
}

export const disparitySubject = (by: Grouping, outcome: Outcome, group: string): string =>
  `disparity:${by}:${outcome}:${group}`
