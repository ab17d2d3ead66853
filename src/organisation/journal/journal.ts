// The organisation's memory: its log, and its state, which is made from the log's events. Each event is written as one row
// and then applied; nothing else is written about it. A turn that fails drops the memory, and it is read again.
import { receiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/record.ts'
import { EntriesStore, type EventFields, type LoggedKind } from './entries.store.ts'
import { encodeEntry, leafHash, type EntryContent } from '../../evidence/entry.ts'
import { RECEIPT_KIND, type EntryKind } from '../../evidence/entry-tags.ts'
import { appendLeaf, frontierToBytes, rootOf, type Frontier } from '../../evidence/tree/frontier.ts'
import type { KnownTree } from '../../tiles/proofs.ts'
import { DAY_MS } from '../../platform/time.ts'
import { CallsStore, type CallRow } from './calls.store.ts'
import { eventOfCall, eventOfEntry, placeOf, readMemory, replay, takeIn, type Memory } from './memory.ts'
import { StateCheck } from './check-state.ts'
import { LatestActsStore } from '../compliance/latest-acts.store.ts'
import { SnapshotsStore } from './snapshots.store.ts'
import { timeOf, type Event } from './state/event.ts'
import { stateAt, takeFullSnapshot, takeSnapshot } from './state/snapshot.ts'
import { createCounts } from './state/counts.ts'
import { emptyState, type State } from './state/state.ts'

/** Days until acts and referral decisions lose their details, in every tier. A report's act stays as long as the report. */
export const RETENTION_DAYS = 30

/** The most events a start reads after the newest snapshot; more if the snapshot is long, as many as take as long to read. */
const SNAPSHOT_EVERY = 64
const CHARACTERS_AN_EVENT = 128

/** Calls wait while they are gone through: so few, that none waits long. */
const RETIRED_AT_ONCE = 2000

const NO_FIELDS: EventFields = { keyId: null, outcome: null, loop: null, microeur: null, settles: null }

export type NewEntry = {
  kind: EntryKind
  content: EntryContent
  fields?: Partial<EventFields>
  retentionDays?: number
}

export type NewReceipt = {
  record: UnsignedRecord
  /** Facts stored beside the record. The leaf does not cover them. */
  facts: EntryContent
  fields: Partial<EventFields>
  retentionDays: number
}

type Encoded = {
  kind: LoggedKind
  id: string | null
  entry: Uint8Array
  facts: string | null
  fields: EventFields
  retentionDays: number
}

export class Journal {
  readonly #sql: SqlStorage
  readonly #entries: EntriesStore
  readonly #calls: CallsStore
  readonly #snapshots: SnapshotsStore
  /** The latest of each act, which `appendAct` writes. */
  readonly latestActs: LatestActsStore
  #held: Memory | null = null
  #hasGrown = false

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#entries = new EntriesStore(sql)
    this.#calls = new CallsStore(sql)
    this.#snapshots = new SnapshotsStore(sql)
    this.latestActs = new LatestActsStore(sql)
  }

  get state(): State {
    return this.#memory.state
  }

  /** Returns the state that a decision at `now` is made from, and the time that its call counts for. */
  at(now: number): { state: State; at: number } {
    const at = timeOf(this.state, now)
    return { state: stateAt(this.state, at), at }
  }

  /** The log's size and root. */
  get tree(): KnownTree {
    const { frontier } = this.#memory
    return { size: frontier.size, root: rootOf(frontier) }
  }

  /** Belongs inside a turn, as all that writes. Says at which position. */
  append({ kind, content, fields = {}, retentionDays = RETENTION_DAYS }: NewEntry, now: number): number {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(now).toISOString() })
    return this.#write({ kind, id: null, entry, facts: null, fields: { ...NO_FIELDS, ...fields }, retentionDays }, now)
  }

  /** The same for a chat decision's record: the leaf covers its signed bytes, and nothing of `facts`. */
  appendReceipt({ record, facts, fields, retentionDays }: NewReceipt, now: number): number {
    const encoded = { kind: RECEIPT_KIND, id: record.attestation_id, entry: receiptEntry(record) } as const
    const beside = { facts: JSON.stringify(facts), fields: { ...NO_FIELDS, ...fields }, retentionDays }
    return this.#write({ ...encoded, ...beside }, now)
  }

  /** A call that leaves no entry. */
  note(call: Pick<CallRow, 'keyId' | 'ofGateway' | 'outcome'>, now: number): void {
    const memory = this.#memory
    const row = { ...placeOf(memory), ...call, at: timeOf(memory.state, now) }
    this.#calls.insert(row)
    this.#apply(eventOfCall(row))
  }

  /**
   * Moves the oldest snapshot on, over so many entries at most. Returns the position it has reached: entries before that may then
   * lose their content. Belongs inside a transaction.
   */
  retire(wanted: number): number {
    const oldest = this.#snapshots.find('oldest')
    const from = oldest?.before ?? 0
    if (from >= wanted) return from
    const before = Math.min(wanted, from + RETIRED_AT_ONCE)
    this.#snapshots.write('oldest', snapshotOf(replay(this.#sql, oldest, { before, n: 0 }), takeFullSnapshot))
    this.#calls.deleteBefore(before)
    return before
  }

  /** Leaves nothing but the log's size and edge. Belongs inside a transaction. */
  clear(): void {
    const { frontier } = this.#memory
    const state = { ...emptyState(), next: frontier.size, counts: createCounts(frontier.size) }
    this.#held = { state, frontier, callsSince: 0, unsaved: 0, savedLength: 0 }
    this.#snapshots.delete('newest')
    this.#snapshots.write('oldest', snapshotOf(this.#held, takeFullSnapshot))
  }

  /** Compares the memory with the state that all events at hand make. */
  beginCheck(): StateCheck {
    return new StateCheck(this.#sql, () => this.#memory)
  }

  /** True if entries were written since this was last asked. */
  takeGrowth(): boolean {
    const hasGrown = this.#hasGrown
    this.#hasGrown = false
    return hasGrown
  }

  /** Call it after a turn was rolled back: memory may have what was never stored. */
  forget(): void {
    this.#held = null
    this.#hasGrown = false
  }

  get #memory(): Memory {
    this.#held ??= readMemory(this.#sql)
    return this.#held
  }

  #write({ kind, id, entry, facts, fields, retentionDays }: Encoded, now: number): number {
    const memory = this.#memory
    const position = memory.state.next
    const hash = leafHash(entry)
    const at = timeOf(memory.state, now)
    const expiresAt = now + retentionDays * DAY_MS
    this.#entries.insert({ position, hash, kind, at, expiresAt, id, ...fields, entry, facts })
    memory.frontier = appendLeaf(memory.frontier, hash)
    this.#hasGrown = true
    this.#apply(eventOfEntry({ position, kind, at, entry, ...fields }))
    return position
  }

  #apply(event: Event): void {
    const memory = this.#memory
    takeIn(memory, event)
    if (memory.unsaved < Math.max(SNAPSHOT_EVERY, memory.savedLength / CHARACTERS_AN_EVENT)) return
    const snapshot = snapshotOf(memory, takeSnapshot)
    this.#snapshots.write('newest', snapshot)
    memory.unsaved = 0
    memory.savedLength = snapshot.state.length
  }
}

const textOf = (frontier: Frontier): string => frontierToBytes(frontier).toHex()

const snapshotOf = (memory: Memory, take: typeof takeSnapshot) => ({
  ...placeOf(memory),
  state: take(memory.state, textOf(memory.frontier)),
})
