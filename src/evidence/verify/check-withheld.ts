// Judges withheld lines of an audit export by their age: a line is not proven while no entry of its time can have expired.
//
// SECURITY: a withheld line says nothing, so its time is bounded by the known entries around it. Nothing that the sender may write
// freely counts: not the `at` of a line, only what leaves cover.
import { COUNTS_RETENTION_DAYS, LEAST_RETENTION_DAYS } from '../records/facts-commitment.ts'
import { parseExactTime } from '../records/rfc3339.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { MOST_LISTED } from './findings-report.ts'
import { judged, unproven, type Finding } from './verification-finding.ts'

/** Withheld lines one after the other, with the earliest time that they can have, in milliseconds. */
export type WithheldRun = { readonly first: number; readonly last: number; readonly time: number }

/** Collects withheld lines. A run costs memory only until the caller begins anew. */
export class WithheldRuns {
  /** `after`: the earliest time of the known entries between this run and the next. */
  readonly #runs: { first: number; last: number; time: number; after: number }[] = []

  /** @param time the time of the nearest known entry before the line */
  add(index: number, time: number): void {
    const run = this.#runs.at(-1)
    if (run?.last === index - 1 && run.after === Infinity && run.time === time) run.last = index
    else this.#runs.push({ first: index, last: index, time, after: Infinity })
  }

  /** A known entry comes after all these lines. If its clock stepped back, they may be as early as it is. */
  meet(time: number): void {
    const run = this.#runs.at(-1)
    if (run !== undefined) run.after = Math.min(run.after, time)
  }

  list(): WithheldRun[] {
    let earliest = Infinity
    const backwards = this.#runs.toReversed().map(({ first, last, time, after }) => {
      earliest = Math.min(earliest, after)
      return { first, last, time: Math.min(time, earliest) }
    })
    return backwards.toReversed()
  }
}

/** Clocks differ by at most this. */
const MOST_AHEAD_MS = MINUTE_MS

const dayOf = (day: unknown): number | null => parseExactTime(`${String(day)}T00:00:00.000Z`)

const EARLY_REASONS = {
  line: `It is withheld, but every entry is kept for at least ${LEAST_RETENTION_DAYS} days.`,
  counts: 'It counts more calls than are shown here, and their retention has not ended.',
  withheld_counts: 'The counts of an hour are here, as the next counts show, and their retention has not ended.',
  uncounted: 'The counts of its hour are not shown, and their retention has not ended.',
  settlement: 'Its settlement is not shown, and its retention has not ended.',
} as const

/** Something that must not be withheld before `until`. */
export type Early = { readonly index: number; readonly until: number; readonly why: keyof typeof EARLY_REASONS }

/** An allowed call whose settlement has not come. `until`: its retention ends. */
export type UnsettledCall = { readonly sha256: string; readonly time: number; readonly until: number }

export class WithheldCheck {
  readonly #createdAt: number
  readonly #runs = new WithheldRuns()
  readonly #early: Early[] = []
  /** The time of the nearest known entry before; at first the beginning of the export's first day. */
  #before: number
  readonly #end: number
  #latest = -Infinity
  #lastWithheld = -1

  constructor(head: JsonObject) {
    // SECURITY: without these two times everything withheld counts as young.
    this.#createdAt = parseExactTime(head['created_at']) ?? -Infinity
    this.#before = dayOf(head['start']) ?? Infinity
    this.#end = (dayOf(head['end']) ?? Infinity) + DAY_MS
  }

  /** The time of the nearest known entry before the next line. */
  get before(): number {
    return this.#before
  }

  takeWithheld(index: number): void {
    this.#lastWithheld = index
    if (this.#before + LEAST_RETENTION_DAYS * DAY_MS > this.#createdAt) this.#runs.add(index, this.#before)
  }

  takeKnown(time: number): void {
    this.#before = time
    this.#latest = Math.max(this.#latest, time)
    this.#runs.meet(time)
  }

  require(early: Early): void {
    if (early.until > this.#createdAt) this.#early.push(early)
  }

  /** A call is counted within two hours. So the counts are withheld if the file goes on and has withheld lines after it. */
  requireCounts({ index, time }: { index: number; time: number }, end: JsonObject | null): void {
    const isLate = index < this.#lastWithheld && this.#goesOnUntil(end) >= time + 2 * HOUR_MS
    if (isLate) this.require({ index, until: time + COUNTS_RETENTION_DAYS * DAY_MS, why: 'uncounted' })
  }

  /**
   * Returns true if the file was made before it was signed, and before `now`. SECURITY: in a file of a later time everything
   * withheld would count as expired.
   */
  isDatedBy(end: JsonObject, now: number): boolean {
    const issuedAt = parseExactTime(end['issued_at']) ?? Infinity
    return this.#createdAt <= issuedAt + MOST_AHEAD_MS && this.#createdAt <= now + MOST_AHEAD_MS
  }

  /** Returns the time up to which the file has every entry: one that goes on elsewhere ends with its last known entry. */
  #goesOnUntil(end: JsonObject | null): number {
    const isWhole = end?.['next_cursor'] === null
    return isWhole ? Math.max(this.#latest, Math.min(this.#end, this.#createdAt)) : this.#latest
  }

  /** Returns findings on what was withheld too early, by position, and at most as many as a report lists. */
  finish(end: JsonObject | null, unsettled: ReadonlyMap<number, UnsettledCall> = new Map()): Finding[] {
    const madeUntil = this.#madeUntil(end)
    const isEarly = ({ until }: Early): boolean => until > madeUntil
    const found = [...this.#early, ...this.#withheldSettlements(unsettled)].filter(isEarly)
    for (const { first, last, time } of this.#runs.list()) {
      for (let index = first; index <= last && found.length < 2 * MOST_LISTED; index += 1) {
        const line: Early = { index, until: time + LEAST_RETENTION_DAYS * DAY_MS, why: 'line' }
        if (!isEarly(line)) break
        found.push(line)
      }
    }
    return found
      .toSorted((one, other) => one.index - other.index)
      .slice(0, MOST_LISTED)
      .map(({ index, why }) => judged('audit entry', `leaf ${index}`, unproven(EARLY_REASONS[why])))
  }

  /** An entry may expire while the file is written, which takes minutes: SECURITY: at most a day counts for that. */
  #madeUntil(end: JsonObject | null): number {
    const issuedAt = isJsonObject(end) ? parseExactTime(end['issued_at']) : null
    return Math.min(Math.max(this.#createdAt, issuedAt ?? -Infinity), this.#createdAt + DAY_MS)
  }

  /** A call is settled within minutes. So its settlement is withheld if the file goes on and has withheld lines after it. */
  *#withheldSettlements(unsettled: ReadonlyMap<number, UnsettledCall>): Generator<Early> {
    for (const [index, { time, until }] of unsettled) {
      if (index < this.#lastWithheld && this.#latest >= time + HOUR_MS) yield { index, until, why: 'settlement' }
    }
  }
}
