// Checks what an audit export has beside an entry: its time `at`, and a decision's `facts`, by the id of its record, by its
// settlement and by the counts of its hour. Checks that each settlement is that of an open call or reading.
//
// SECURITY: no leaf covers `at` and `facts` themselves. Decisions without covered facts pass only in an old file, and only until a
// leaf says that the log has covered facts.
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  FACTS_FAULTS,
  judgeFacts,
  judgeRepeatedHash,
  type FactsFault,
  type HashText,
} from '../records/facts-commitment.ts'
import { readAnswerScan, SCAN_MALFORMED } from '../records/answer-scan.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { parseExactTime } from '../records/rfc3339.ts'
import { isHash } from '../tree/verify-proof.ts'
import type { Sha256 } from '../tree/merkle-hash.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import type { UnsettledCall } from './check-withheld.ts'

/** An entry that fits its leaf, as the line has it. `time`: by its content, in milliseconds; null if that has none. */
export type KnownEntry = {
  readonly index: number
  readonly kind: string
  readonly content: JsonObject
  readonly time: number | null
  readonly at: unknown
  readonly facts: JsonObject | null
}

export const BESIDE_FAULTS = {
  ...FACTS_FAULTS,
  at_differs: 'Its at is not the time in its facts, or does not fit the time in its content.',
  facts_unexpected: 'It has facts, but only a decision has them.',
  answer_scan_malformed: SCAN_MALFORMED,
  settles_another: 'It settles no open call, but a blocked or settled call, another kind of entry, or a later one.',
} as const

/** A fault of the entry at this position, which may be one before the line that shows it. */
export type BesideFault = { readonly index: number; readonly code: keyof typeof BESIDE_FAULTS }

/** If the clock steps back, an entry counts for a later time than its own, by at most this. */
const MOST_LATER_MS = 10 * MINUTE_MS

/** Returns the entry in a line that fits its leaf; null if the entry is withheld. */
export function readEntry({ kind, content, at, facts }: JsonObject, index: number): KnownEntry | null {
  if (typeof kind !== 'string' || !isJsonObject(content)) return null
  const time = parseExactTime(content[kind === RECEIPT_KIND ? 'timestamp' : 'at'])
  return { index, kind, content, time, at, facts: isJsonObject(facts) ? facts : null }
}

/** Removes all positions from `first` on from the end of a list, and returns them. */
export const removeFrom = (positions: number[], first: number): number[] =>
  positions.splice(positions.findLastIndex((position) => position < first) + 1)

export class FactsCheck {
  readonly #hash: HashText
  /** From this position on, every decision must have covered facts. */
  #coveredFrom: number
  /** Calls whose settlement has not come, by position. */
  readonly unsettled = new Map<number, UnsettledCall>()
  /** Decisions since the last counts whose facts nothing covers yet, in their order. */
  #uncovered: number[] = []
  /** The open calls and readings that `unsettled` does not have. True: nothing covers the call's facts yet. */
  readonly #othersOpen = new Map<number, boolean>()
  /** Without withheld, wrong and missing lines. */
  readonly #shown: ShownPositions
  /** How many decisions there are, and how many of them have facts that nothing covers. */
  decisions = 0
  notCovered = 0

  /** @param first the first position of the file */
  constructor(first: number, isEachCovered: boolean, sha256: Sha256) {
    this.#shown = new ShownPositions(first)
    this.#coveredFrom = isEachCovered ? 0 : Infinity
    this.#hash = (text) => bytesToHex(sha256(utf8ToBytes(text)))
  }

  isShown(position: number): boolean {
    return this.#shown.has(position)
  }

  take(entry: KnownEntry): BesideFault[] {
    const { index, kind, content, facts } = entry
    this.#shown.add(index)
    if (isOpening(kind, content)) this.#othersOpen.set(index, false)
    if (kind === RECEIPT_KIND) return this.#takeDecision(entry)
    const own: BesideFault[] = facts === null ? judgeTime(entry) : [{ index, code: 'facts_unexpected' }]
    if (kind === 'settlement') return [...own, ...this.#takeSettlement(index, content)]
    return kind === 'hour_counts' ? [...own, ...this.#takeCounts(index, content)] : own
  }

  #takeDecision(entry: KnownEntry): BesideFault[] {
    const { index, content, facts } = entry
    this.decisions += 1
    const judged = judgeFacts(facts, content['attestation_id'], this.#hash)
    const isOpen = this.#othersOpen.has(index)
    if (judged === 'not_covered') {
      if (index >= this.#coveredFrom) return [{ index, code: 'facts_missing' }]
      this.#uncovered.push(index)
      if (isOpen) this.#othersOpen.set(index, true)
      this.notCovered += 1
    } else if (typeof judged === 'string') {
      return [{ index, code: judged }]
    } else if (isOpen) {
      this.#othersOpen.delete(index)
      const [time, days] = [entry.time ?? Infinity, wholeNumberIn(facts ?? {}, 'retention_days') ?? 0]
      this.unsettled.set(index, { sha256: judged.sha256, time, until: time + days * DAY_MS })
    }
    const isSame = judged === 'not_covered' || facts?.['at'] === entry.at
    return isSame ? judgeTime(entry) : [{ index, code: 'at_differs' }]
  }

  #takeSettlement(index: number, content: JsonObject): BesideFault[] {
    const { facts_sha256: repeated } = content
    const settles = wholeNumberIn(content, 'settles') ?? index
    const call = this.unsettled.get(settles)
    const isUncovered = this.#othersOpen.get(settles) ?? false
    const isOpen = [this.unsettled, this.#othersOpen].map((open) => open.delete(settles)).includes(true)
    // SECURITY: a call with two settlements would have two costs and two answers.
    if (settles >= index || (!isOpen && this.#shown.has(settles))) return [{ index, code: 'settles_another' }]
    const isMalformed = Object.hasOwn(content, 'answer_scan') && readAnswerScan(content) === null
    if (isMalformed) return [{ index, code: 'answer_scan_malformed' }]
    // Older settlements repeat no hash.
    if (!Object.hasOwn(content, 'facts_sha256')) return []
    if (!isHash(repeated)) return [{ index, code: 'facts_malformed' }]
    const missing = this.#coverFrom(settles)
    // A call before older counts is no longer among the decisions above.
    if (isUncovered && !missing.some((fault) => fault.index === settles)) missing.push(...this.#missing([settles]))
    const fault: FactsFault | null = call === undefined ? null : judgeRepeatedHash(repeated, call.sha256)
    return fault === null ? missing : [...missing, { index: settles, code: fault }]
  }

  #takeCounts(index: number, content: JsonObject): BesideFault[] {
    const isCovering = Object.hasOwn(content, 'facts_form')
    const missing = isCovering ? this.#coverFrom(wholeNumberIn(content, 'from') ?? index) : []
    this.#uncovered = []
    return missing
  }

  /** A leaf shows that the log has covered facts from this position on. No log goes back to facts without. */
  #coverFrom(position: number): BesideFault[] {
    this.#coveredFrom = Math.min(this.#coveredFrom, position)
    return this.#missing(removeFrom(this.#uncovered, position))
  }

  #missing(positions: readonly number[]): BesideFault[] {
    for (const position of positions) if (this.#othersOpen.has(position)) this.#othersOpen.set(position, false)
    this.notCovered -= positions.length
    return positions.map((index) => ({ index, code: 'facts_missing' }))
  }
}

/** Returns true if a settlement of this entry comes later. The oldest decisions have the kind of members' acts. */
const isOpening = (kind: string, content: JsonObject): boolean =>
  kind === 'referral_decision'
    ? content['decision'] === 'reading'
    : (kind === RECEIPT_KIND || kind === 'member_act') && content['outcome'] === 'ALLOWED'

/** Knows which positions the file has shown so far, of some kind. */
export class ShownPositions {
  /** In ascending order: the first position that is shown, the first that is not, and so on. */
  readonly #edges: number[]

  constructor(first: number) {
    this.#edges = [first, first]
  }

  /** Positions must come in ascending order. */
  add(position: number): void {
    if (this.#edges.at(-1) === position) this.#edges.pop()
    else this.#edges.push(position)
    this.#edges.push(position + 1)
  }

  has(position: number): boolean {
    let [low, high] = [0, this.#edges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#edges[middle] ?? Infinity) <= position) low = middle + 1
      else high = middle
    }
    return low % 2 === 1
  }
}

export function judgeTime({ index, at, time }: KnownEntry): BesideFault[] {
  const counted = parseExactTime(at)
  const isFitting = counted !== null && time !== null && counted >= time && counted <= time + MOST_LATER_MS
  return isFitting ? [] : [{ index, code: 'at_differs' }]
}
