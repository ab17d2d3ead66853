// Counts the calls of each closed day again from the entries of an audit export, and compares the counts with those in the entry that
// closed the day. docs/see-usage.md describes how they are made.
import type { EntryObserver, SeenEntry } from '../../src/evidence/verify/check-options.ts'
import { MOST_LISTED } from '../../src/evidence/verify/findings-report.ts'
import { failed, passed, toPrintable, type Finding } from '../../src/evidence/verify/verification-finding.ts'
import { wholeNumberIn } from '../../src/evidence/records/number-text.ts'
import { canonicalRows, CLOSING_FORM, totalOf } from '../../src/organisation/usage/day-rows.ts'
import { readContent, SettlementJoiner, type OpenCall } from '../../src/organisation/usage/join-settlements.ts'
import { getOrCreate, MOST_USE_CASES, Tally } from '../../src/organisation/usage/tally.ts'
import type { JsonObject } from '../../src/platform/json.ts'
import { sha256Hex } from '../../src/platform/sha256.ts'

export const USAGE_FAULTS = {
  usage_differs: 'Its counts are not those of the calls in the file.',
} as const

export const USAGE_NOTES = {
  usage_not_recounted: 'The file does not have all entries of these days, or uses a use case’s name for several.',
} as const

export class ClosedDaysCheck implements EntryObserver {
  readonly #days = new Map<number, Tally>()
  readonly #open = new Map<number, OpenCall>()
  readonly #joiner: SettlementJoiner
  readonly #faults: Finding[] = []
  #agreeing = 0
  #passedOver = 0
  /** From this position on, the file has shown every entry. */
  #shownFrom = 0
  #next = 0
  readonly #asked = new Set<unknown>()
  /** Positions of refusals whose approval was asked for before the file begins: another one may be the call of its own. */
  readonly #repeated = new Map<unknown, number>()

  constructor() {
    const tallyOf = (day: number): Tally => getOrCreate(this.#days, day, () => new Tally())
    this.#joiner = new SettlementJoiner({
      open: {
        insert: (call) => void this.#open.set(call.position, call),
        take: (position) => this.#take(position),
        takeWaiting: (approval) => {
          const waiting = this.#open.values().find((call) => call.approval === approval)
          return waiting === undefined ? null : this.#take(waiting.position)
        },
      },
      count: (call) => tallyOf(call.day).add(call),
      correct: (row) => tallyOf(row.day).addToDay(row),
      countFurtherRecord: (decision) => tallyOf(decision.day).addFurtherRecord(decision),
      index: () => undefined,
      unindex: () => undefined,
      closedThrough: -1,
      nameUseCase: (useCase) => useCase,
    })
  }

  begin(): void {
    return undefined
  }

  take({ index: position, kind, content, facts }: SeenEntry): void {
    if (position !== this.#next) this.#shownFrom = position
    this.#next = position + 1
    const read = readContent({ position, kind, content, facts: facts ?? {} })
    if (read.kind === 'closed') this.#compare(position, content, read.day)
    if (read.kind === 'waiting' && !this.#asked.has(read.approval)) this.#repeated.set(read.approval, position)
    if (content['step'] === 'asked') {
      this.#asked.add(content['approval_id'])
      this.#repeated.delete(content['approval_id'])
    }
    this.#joiner.addRead(read, { kind, position, expiresAt: Infinity })
  }

  takeWithheld(index: number): void {
    this.#next = index + 1
    this.#shownFrom = index + 1
  }

  #compare(index: number, content: JsonObject, day: number): void {
    const tally = this.#days.get(day) ?? new Tally()
    const isOfOther = [...this.#days.keys()].some((other) => other < day)
    for (const counted of this.#days.keys()) if (counted <= day) this.#days.delete(counted)
    if (content['v'] !== CLOSING_FORM) return
    const from = wholeNumberIn(content, 'first') ?? 0
    const isShown = this.#shownFrom <= from && !this.#repeated.values().some((position) => position >= from)
    if (isOfOther || !isShown || (wholeNumberIn(content, 'use_cases') ?? Infinity) >= MOST_USE_CASES) {
      this.#passedOver += 1
      return
    }
    const differing = Object.entries(countsOf(tally, day)).filter(([name, value]) => content[name] !== value)
    if (differing.length === 0) this.#agreeing += 1
    else if (this.#faults.length < MOST_LISTED) {
      const detail = differing.map(([name, value]) => `${name} ${toPrintable(value)}`).join(', ')
      const reason = `${USAGE_FAULTS.usage_differs} They are ${detail}.`
      this.#faults.push(failed('usage', `${toPrintable(content['day'])}, leaf ${index}`, 'usage_differs', reason))
    }
  }

  /** Returns the findings, after the last line of the export; none if it closes no day. */
  finish(): Finding[] {
    const note = { code: 'usage_not_recounted', reason: USAGE_NOTES.usage_not_recounted }
    return [
      ...this.#faults,
      ...(this.#agreeing === 0 ? [] : [passed('usage', `${daysOf(this.#agreeing)} with the counts of their calls`)]),
      ...(this.#passedOver === 0 ? [] : [passed('usage', daysOf(this.#passedOver), note)]),
    ]
  }

  #take(position: number): OpenCall | null {
    const call = this.#open.get(position) ?? null
    this.#open.delete(position)
    return call
  }
}

function countsOf(tally: Tally, day: number) {
  const rows = [...tally.days.values()]
  const { requests, cost_microeur } = totalOf(rows)
  const { first = null, last = null, furtherRecords = 0 } = tally.records.get(day) ?? {}
  return {
    first,
    last,
    requests,
    further_records: furtherRecords,
    cost_microeur,
    sha256: sha256Hex(canonicalRows(rows)),
  }
}

const daysOf = (count: number): string => `${count} closed ${count === 1 ? 'day' : 'days'}`
