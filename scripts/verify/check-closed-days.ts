// Counts the calls of each closed day again from the entries of an audit export, and compares the counts with those in the entry that
// closed the day. docs/see-usage.md describes how they are made.
import type { EntryObserver, SeenEntry } from '../../src/evidence/verify/check-options.ts'
import { MOST_LISTED } from '../../src/evidence/verify/findings-report.ts'
import { toPrintable } from '../../src/evidence/verify/printable.ts'
import { failed, passed, type Finding } from '../../src/evidence/verify/verification-finding.ts'
import { wholeNumberIn } from '../../src/evidence/records/number-text.ts'
import { canonicalRows, CLOSING_FORM, totalOf } from '../../src/organisation/usage/day-rows.ts'
import { readContent, SettlementJoiner, type OpenCall } from '../../src/organisation/usage/join-settlements.ts'
import { getOrCreate, MOST_USE_CASES, Tally } from '../../src/organisation/usage/tally.ts'
import type { JsonObject } from '../../src/platform/json.ts'
import { sha256Hex } from '../../src/platform/sha256.ts'
import { dateOf } from '../../src/platform/time.ts'

export const USAGE_FAULTS = {
  usage_differs: 'Its counts are not those of the calls in the file.',
  usage_malformed: 'The entry that closes it is not in its form.',
} as const

export const USAGE_NOTES = {
  usage_not_recounted:
    'The file does not have all entries of these days, or closes them in another form or with use cases counted together.',
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
    if (kind === 'usage_closed') this.#compare(position, content, read.kind === 'closed' ? read.day : null)
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

  /** @param day that the entry closes; null if it cannot be read */
  #compare(index: number, content: JsonObject, day: number | null): void {
    const counted = [...this.#days.keys()].filter((one) => day !== null && one <= day)
    const tally = this.#days.get(day ?? -1) ?? new Tally()
    for (const one of counted) this.#days.delete(one)
    const [from, useCases] = [wholeNumberIn(content, 'first'), wholeNumberIn(content, 'use_cases')]
    if (content['v'] !== CLOSING_FORM) this.#passedOver += 1
    else if (day === null || from === null || useCases === null || content['day'] !== dateOf(day)) {
      this.#fail(index, content, 'usage_malformed')
    } else if (counted.some((one) => one < day) || useCases >= MOST_USE_CASES || !this.#showsAllFrom(from)) {
      this.#passedOver += 1
    } else {
      const differing = Object.entries(countsOf(tally, day)).filter(([name, value]) => content[name] !== value)
      const detail = differing.map(([name, value]) => `${name} ${toPrintable(value)}`).join(', ')
      if (differing.length === 0) this.#agreeing += 1
      else this.#fail(index, content, 'usage_differs', ` They are ${detail}.`)
    }
  }

  #showsAllFrom(first: number): boolean {
    return this.#shownFrom <= first && !this.#repeated.values().some((position) => position >= first)
  }

  #fail(index: number, content: JsonObject, code: keyof typeof USAGE_FAULTS, detail = ''): void {
    if (this.#faults.length >= MOST_LISTED) return
    const subject = `${toPrintable(content['day'])}, leaf ${index}`
    this.#faults.push(failed('usage', subject, code, USAGE_FAULTS[code] + detail))
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
