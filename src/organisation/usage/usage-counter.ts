// Counts an organisation's calls from its log, in steps of one turn each, so that calls are not slowed down. The counts are read
// in a turn in which no entry is left to count.
import type { Archive } from '../journal/archive.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import { SealedDetailsStore } from '../journal/sealed-details.store.ts'
import type { Journal } from '../journal/journal.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { CallIndexStore } from './call-index.store.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { readJsonObject } from '../../platform/json.ts'
import { readContent, SettlementJoiner, type IndexedCall, type OpenCall } from './join-settlements.ts'
import { readSearchable, SearchBlocksStore, type SearchableCall } from './search-blocks.store.ts'
import { Tally } from './tally.ts'
import { UsageSumsStore } from './usage-sums.store.ts'
import { UsageStore } from './usage.store.ts'
import type { UsageNamesStore } from './usage-names.store.ts'

/** How many entries one step counts. A call waits no longer than these take. */
const COUNTED_AT_ONCE = 500

/** The task waits for this many entries, or for an hour: fewer steps write fewer rows. */
const ENTRIES_AWAITED = 256

type Parts = { sql: SqlStorage; journal: Journal; archive: Pick<Archive, 'readPage'> }

type Step<T> =
  | { outcome: 'counted'; answer: T }
  | { outcome: 'more' }
  /** The next entries are archived, so they are not in the database. */
  | { outcome: 'archived'; from: number; before: number }

export class UsageCounter {
  readonly #journal: Journal
  readonly #archive: Parts['archive']
  readonly #entries: EntriesStore
  readonly #sealed: SealedDetailsStore
  readonly #usage: UsageStore
  readonly #sums: UsageSumsStore
  readonly #index: CallIndexStore
  readonly #blocks: SearchBlocksStore

  constructor({ sql, journal, archive }: Parts) {
    this.#journal = journal
    this.#archive = archive
    this.#entries = new EntriesStore(sql)
    this.#sealed = new SealedDetailsStore(sql)
    this.#usage = new UsageStore(sql)
    this.#sums = new UsageSumsStore(sql)
    this.#index = new CallIndexStore(sql)
    this.#blocks = new SearchBlocksStore(sql)
  }

  /** Reads counts in a turn in which every entry is counted. Rejects if R2 fails: ask again. */
  async answer<T>(takeTurn: TakeTurn, read: (counted: UsageSumsStore) => T): Promise<T> {
    for (;;) {
      const step = takeTurn(() => this.#step(read))
      if (step.outcome === 'counted') return step.answer
      if (step.outcome === 'archived') await this.#countArchived(takeTurn, step)
      await scheduler.wait(0)
    }
  }

  /** Returns the position before which all entries are counted. */
  countedTo(): number {
    return this.#usage.progress().countedTo
  }

  task(takeTurn: TakeTurn): AlarmTask {
    return {
      failure: 'usage_not_counted',
      dueAt: (now) => this.#dueAt(now),
      run: async (now) => {
        if ((this.#dueAt(now) ?? Infinity) <= now) await this.answer(takeTurn, () => undefined)
      },
    }
  }

  #dueAt(now: number): number | null {
    const { countedTo } = this.#usage.progress()
    const { next } = this.#journal.state
    if (countedTo >= next) return null
    if (next - countedTo >= ENTRIES_AWAITED) return now
    const since = this.#entries.firstCallAt(countedTo)
    if (since === null) return null
    // The clock was ahead when the entry was written, so an hour after that may be far away.
    return since > now ? now : since + HOUR_MS
  }

  /** Counts the next entries, and calls `read` if none are left. Call it inside a turn. */
  #step<T>(read: (counted: UsageSumsStore) => T): Step<T> {
    const { countedTo: from } = this.#usage.progress()
    const { next } = this.#journal.state
    if (from < next) {
      if (this.#sealed.listCluster({ from, before: next }).length > 0) {
        return { outcome: 'archived', from, before: next }
      }
      const before = Math.min(next, from + COUNTED_AT_ONCE)
      const entries = this.#entries.listWithContent(from, before)
      const last = entries.at(-1)
      const to = last === undefined ? before : last.position + 1
      this.#count(entries, to)
      if (to < next) return { outcome: 'more' }
    }
    return { outcome: 'counted', answer: read(this.#sums) }
  }

  async #countArchived(takeTurn: TakeTurn, { from, before }: { from: number; before: number }): Promise<void> {
    const page = await this.#archive.readPage({ from, before }, Date.now())
    const to = page.next ?? before
    let expected = from
    for (let at = 0; expected < to; at += COUNTED_AT_ONCE) {
      const entries = page.entries.slice(at, at + COUNTED_AT_ONCE)
      const isLast = at + COUNTED_AT_ONCE >= page.entries.length
      const end = isLast ? to : (entries.at(-1)?.position ?? to) + 1
      const isOurs = takeTurn(() => {
        // Another caller has counted these entries.
        if (this.#usage.progress().countedTo !== expected) return false
        this.#count(entries, end, isLast ? page.unreadable : 0)
        return true
      })
      if (!isOurs) return
      expected = end
      await scheduler.wait(0)
    }
  }

  /**
   * Counts the entries, and stores that all before `to` are counted. Call it inside a turn.
   * @param unreadable the number of further entries that cannot be read
   */
  #count(entries: readonly StoredEntry[], to: number, unreadable = 0): void {
    const progress = this.#usage.progress()
    const names = this.#usage.names()
    const tally = new Tally()
    const openCalls = new OpenCallsOfStep(this.#usage)
    const indexChanges: IndexChange[] = []
    const joiner = new SettlementJoiner({
      open: openCalls,
      count: (call) => tally.add(call),
      correct: (row) => tally.addToDay(row),
      countFurtherRecord: (decision) => tally.addFurtherRecord(decision),
      index: (call) => void indexChanges.push({ verb: 'put', call }),
      unindex: (position) => void indexChanges.push({ verb: 'remove', position }),
      closedThrough: progress.closedThrough,
      nameUseCase: names.nameUseCase,
    })
    const searchable: SearchableCall[] = []
    for (const entry of entries) {
      const content = readJsonObject(contentTextOf(entry.entry).content)
      const facts = readJsonObject(entry.facts)
      joiner.addRead(readContent({ ...entry, content, facts }), entry)
      if (entry.kind === RECEIPT_KIND) searchable.push(readSearchable(entry, content, facts))
    }
    openCalls.store(names)
    this.#usage.add(tally, names)
    // The index comes after the counts, so that names get their numbers in the order in which they are counted.
    this.#changeIndex(indexChanges, entries, names)
    this.#blocks.append({ from: progress.countedTo, before: to }, searchable)
    this.#usage.writeProgress({
      countedTo: to,
      unreadable: progress.unreadable + joiner.unreadable + unreadable,
    })
  }

  #changeIndex(changes: readonly IndexChange[], entries: readonly StoredEntry[], names: UsageNamesStore): void {
    const ofStep = new Map(entries.map((entry) => [entry.position, entry]))
    const entryAt = (position: number): StoredEntry | null => ofStep.get(position) ?? this.#entries.find(position)
    for (const change of changes) {
      if (change.verb === 'remove') this.#index.remove(change.position)
      else {
        const { position, settlement } = change.call
        const copies = { decision: entryAt(position), settlement: settlement === null ? null : entryAt(settlement) }
        this.#index.put(change.call, copies, names)
      }
    }
  }
}

type IndexChange = { verb: 'put'; call: IndexedCall } | { verb: 'remove'; position: number }

/** The calls that are open during one step. A call that ends in the step in which it began is never stored as open. */
class OpenCallsOfStep {
  readonly #stored: UsageStore
  readonly #started = new Map<number, OpenCall>()

  constructor(stored: UsageStore) {
    this.#stored = stored
  }

  insert(call: OpenCall): void {
    this.#started.set(call.position, call)
  }

  take(position: number): OpenCall | null {
    const started = this.#started.get(position)
    if (started === undefined) return this.#stored.takeOpen(position)
    this.#started.delete(position)
    return started
  }

  takeWaiting(approval: string): OpenCall | null {
    const started = this.#started.values().find((call) => call.approval === approval)
    return started === undefined ? this.#stored.takeWaiting(approval) : this.take(started.position)
  }

  /** Stores the calls that began in this step and are still open. */
  store(names: UsageNamesStore): void {
    for (const call of this.#started.values()) this.#stored.insertOpen(call, names)
  }
}
