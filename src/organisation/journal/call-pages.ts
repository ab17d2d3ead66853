// Pages through the calls of an organisation's log, the latest first, in the database and the archive. Other calls run between
// two pages. Reading may start before any position, so nothing is stored for the next reader.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import type { Archive, EntriesPage, EntriesRange } from './archive.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import type { Outcome } from '../../evidence/records/call-endings.ts'
import type { StoredEntry } from './archive-object.ts'

type CheckedEntry = EntriesPage['entries'][number]

const RecordSchema = once(() =>
  z.looseObject({
    attestation_id: z.string(),
    trace_id: z.string(),
    outcome: z.string(),
    model: z.string(),
    timestamp: z.string(),
  }),
)

const SettlementSchema = once(() => z.looseObject({ settles: z.number() }))

const FactsSchema = once(() =>
  z.looseObject({
    key_id: z.string(),
    provider: z.string(),
    use_case: z.string().nullable(),
    approval_id: z.custom<ApprovalId>((value) => typeof value === 'string').optional(),
  }),
)

/** Facts that the log stores beside a decision's record. */
export type CallFacts = Infer<typeof FactsSchema>

/**
 * A decision about a call, as it is in the log. `record` skips the checks of `readReceiptEntry`, which cost twenty times as much:
 * this service wrote the entry, and it matches its leaf hash.
 */
export type LoggedCall = {
  decision: CheckedEntry
  record: Infer<typeof RecordSchema>
  facts: CallFacts
}

/**
 * How a call ended. `open`: it runs. `refused`: it never ran. `not_kept`: the settlement has expired. `position`: the entry that
 * does not match its leaf hash; null if no entry could be read, which may succeed next time.
 */
export type CallEnding =
  | { state: 'settled'; settlement: StoredEntry }
  | { state: 'open' | 'refused' | 'not_kept' }
  | { state: 'unreadable'; position: number | null }

/**
 * `entries`: how many entries the page has, of any kind. `oldestAt`: the time that the oldest counts for; Infinity if none.
 * `unreadable`: entries that could not be read. `next`: the next page ends before this position; null after the last.
 */
export type CallsPage = {
  calls: LoggedCall[]
  entries: number
  oldestAt: number
  unreadable: number
  next: number | null
}

export type CallPagesParts = {
  archive: Pick<Archive, 'readPage' | 'readPageBack'>
  /** Finds how a call ended if its settlement is on no page that was read. */
  findEnding: (position: number, now: number) => Promise<CallEnding>
  isOpen: (position: number) => boolean
}

/** How many pages newer than the first are searched for settlements of the newest calls. */
const NEWER_PAGES_SEARCHED = 4

export class CallPages {
  readonly #parts: CallPagesParts
  readonly #now: number
  #range: EntriesRange
  /** Settlements by the position of the decision. */
  readonly #settlements = new Map<number, CheckedEntry>()
  /** Entries newer than the first page that were not read yet. */
  #behind: { range: EntriesRange | null; pages: number }

  /** @param size the log's number of entries */
  constructor(parts: CallPagesParts, { from, before, size }: EntriesRange & { size: number }, now: number) {
    this.#parts = parts
    this.#now = now
    this.#range = { from, before: Math.min(before, size) }
    this.#behind = { range: before < size ? { from: before, before: size } : null, pages: 0 }
  }

  /** Returns the next page. Rejects if R2 fails: ask again. */
  async next(): Promise<CallsPage> {
    const { from, before } = this.#range
    for (const settles of this.#settlements.keys()) if (settles >= before) this.#settlements.delete(settles)
    const { entries, unreadable, next } = await this.#parts.archive.readPageBack({ from, before }, this.#now)
    // Waiting calls run before the page's records are parsed.
    await scheduler.wait(0)
    for (const entry of entries) this.#rememberSettlement(entry)
    this.#range = { from, before: next ?? from }
    const oldestAt = entries.at(-1)?.at ?? Infinity
    return { calls: entries.flatMap(readCall), entries: entries.length, oldestAt, unreadable, next }
  }

  /** Returns how a call of the latest page ended. Rejects as `next` does. */
  async endingOf({ decision: { position }, record }: LoggedCall): Promise<CallEnding> {
    if (record.outcome !== 'ALLOWED') return { state: 'refused' }
    if (this.#parts.isOpen(position)) return { state: 'open' }
    const met = this.#settlements.get(position) ?? (await this.#searchNewerPages(position))
    return met === undefined ? this.#parts.findEnding(position, this.#now) : { state: 'settled', settlement: met }
  }

  #rememberSettlement(entry: CheckedEntry): void {
    if (entry.kind !== 'settlement') return
    const { settles } = SettlementSchema().parse(JSON.parse(contentTextOf(entry.entry).content))
    this.#settlements.set(settles, entry)
  }

  async #searchNewerPages(position: number): Promise<CheckedEntry | undefined> {
    for (; this.#behind.range !== null && this.#behind.pages < NEWER_PAGES_SEARCHED; await scheduler.wait(0)) {
      const { range, pages } = this.#behind
      const { entries, next } = await this.#parts.archive.readPage(range, this.#now)
      for (const entry of entries) this.#rememberSettlement(entry)
      this.#behind = { range: next === null ? null : { ...range, from: next }, pages: pages + 1 }
      if (this.#settlements.has(position)) break
    }
    return this.#settlements.get(position)
  }
}

type DecidedCall = { record: { outcome: string }; facts: Pick<CallFacts, 'approval_id'> }

/** True for a refusal that waits, or waited, for a person. */
export const isHeld = ({ record: { outcome }, facts: { approval_id } }: DecidedCall): boolean =>
  outcome === 'BLOCKED' && approval_id !== undefined

/** Returns the outcome of a decision, which is not the word that its record has. */
export function outcomeOfCall(call: DecidedCall): Outcome {
  if (isHeld(call)) return 'held'
  if (call.record.outcome === 'ALLOWED') return 'passed'
  return call.record.outcome === 'SUPPRESSED' ? 'suppressed' : 'blocked'
}

/** Returns an empty array if the entry is no decision about a call. */
export function readCall(decision: CheckedEntry): LoggedCall[] {
  if (decision.kind !== RECEIPT_KIND) return []
  const record = RecordSchema().parse(JSON.parse(contentTextOf(decision.entry).content))
  return [{ decision, record, facts: readFacts(decision) }]
}

export const readFacts = ({ facts }: Pick<StoredEntry, 'facts'>): CallFacts =>
  FactsSchema().parse(JSON.parse(facts ?? '{}'))
