// Checks each `hour_counts` entry of an audit export beside the decisions that the file has since the counts before.
// organisation/admit/hour-counts.ts writes these entries.
//
// SECURITY: leaves cover the counts. So a file cannot hide a decision behind a withheld line without a gap in the counts.
import { RECORD_OUTCOMES } from '../records/call-endings.ts'
import { COUNTS_RETENTION_DAYS, LEAST_RETENTION_DAYS } from '../records/facts-commitment.ts'
import { parseExactTime } from '../records/rfc3339.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { DAY_MS } from '../../platform/time.ts'
import { WithheldRuns, type Early, type WithheldRun } from './check-withheld.ts'

/** What must not be withheld yet, as the counts show. */
export type JudgedCounts = 'hour_counts_differ' | readonly Early[]

export class HourCountsCheck {
  /** The first position that the next counts may count; lower if the file begins within their hour. */
  #start: number
  #isStartKnown = false
  #isBroken = false
  /** The first call since the counts before; null if there is none. */
  uncounted: { index: number; time: number } | null = null
  #decisions: { index: number; outcome: string }[] = []
  #withheld = new WithheldRuns()

  /** @param first the first position of the file */
  constructor(first: number) {
    this.#start = first
  }

  takeCall({ index, time }: { index: number; time: number }, outcome: unknown): void {
    this.uncounted ??= { index, time }
    this.takeDecision(index, outcome)
  }

  takeDecision(index: number, outcome: unknown): void {
    this.#decisions.push({ index, outcome: String(outcome) })
  }

  /** @param time the time of the nearest known entry before */
  takeWithheld(index: number, time: number): void {
    this.#withheld.add(index, time)
  }

  takeTime(time: number): void {
    this.#withheld.meet(time)
  }

  /** A line that is wrong: nothing can be said of the counts over it. */
  takeWrongLine(): void {
    this.#isBroken = true
  }

  takeCounts(index: number, content: JsonObject): JudgedCounts {
    const judged = this.#isBroken ? [] : this.#judge(index, content)
    this.#start = index + 1
    this.#isStartKnown = true
    this.#isBroken = false
    this.uncounted = null
    this.#decisions = []
    this.#withheld = new WithheldRuns()
    return judged
  }

  #judge(index: number, content: JsonObject): JudgedCounts {
    const from = wholeNumberIn(content, 'from')
    const runs = this.#withheld.list()
    if (from === null || from > index) return 'hour_counts_differ'
    if (from < this.#start) return this.#isStartKnown ? 'hour_counts_differ' : []
    // Counts that are withheld themselves may be before.
    const before = runs.find(({ first, last }) => first < from && from <= last + 1)
    if (from > this.#start && before === undefined) return 'hour_counts_differ'
    const missing = missingIn(
      content,
      this.#decisions.filter((decision) => decision.index >= from),
    )
    const lines = runs.flatMap((run) => (run.last < from ? [] : [{ ...run, first: Math.max(run.first, from) }]))
    if (missing === null || missing.calls + missing.others > numberOf(lines)) return 'hour_counts_differ'
    const days = wholeNumberIn(content, 'retention_days') ?? LEAST_RETENTION_DAYS
    const time = timeOfNth(lines, missing.calls)
    // SECURITY: the leaf covers the hour, and nothing covers the first day of a file.
    const hour = parseExactTime(content['hour']) ?? Infinity
    return [
      ...(time === null ? [] : [{ index, until: Math.max(time, hour) + days * DAY_MS, why: 'counts' } as const]),
      // SECURITY: whoever hides a call hides the counts of its hour too. The next counts show where they are.
      ...(from > this.#start && before !== undefined && Object.hasOwn(content, 'facts_form')
        ? [{ index: from - 1, until: before.time + COUNTS_RETENTION_DAYS * DAY_MS, why: 'withheld_counts' } as const]
        : []),
    ]
  }
}

const numberOf = (runs: readonly WithheldRun[]): number =>
  runs.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Returns how many more decisions were counted than are shown; null if fewer, or if nothing was counted. */
function missingIn(
  content: JsonObject,
  shown: readonly { outcome: string }[],
): { calls: number; others: number } | null {
  const showing = (outcome: string): number => shown.filter((one) => one.outcome === outcome).length
  const differences = RECORD_OUTCOMES.map(
    (outcome) => (wholeNumberIn(content, outcome.toLowerCase()) ?? -1) - showing(outcome),
  )
  const others = (countReferrals(content) ?? -1) - showing(REFERRAL)
  if ([...differences, others].some((difference) => difference < 0)) return null
  return { calls: differences.reduce((sum, difference) => sum + difference, 0), others }
}

/** Stands for the outcome of a referral decision or reading: the counts of both are compared as one. */
export const REFERRAL = 'referral'

function countReferrals(content: JsonObject): number | null {
  const { referrals } = content
  const readings = wholeNumberIn(content, 'readings')
  if (!isJsonObject(referrals) || readings === null) return null
  return Object.keys(referrals).reduce((sum, name) => sum + (wholeNumberIn(referrals, name) ?? -Infinity), readings)
}

/** Returns the time before which `count` of the lines must be; null for none. */
function timeOfNth(runs: readonly WithheldRun[], count: number): number | null {
  let seen = 0
  if (count === 0) return null
  for (const run of runs.toSorted((one, other) => one.time - other.time)) {
    seen += numberOf([run])
    if (seen >= count) return run.time
  }
  return Infinity
}
