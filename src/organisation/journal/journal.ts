// Writes the organisation's log and keeps its state in memory. Each event is stored as one row and then applied to the state,
// from which calls are decided. After a failed turn the memory is discarded and read again from the rows.
import { commitToFacts } from '../../evidence/records/facts-commitment.ts'
import { receiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/attestation-record.ts'
import { EntriesStore, type EventFields, type LoggedKind } from './entries.store.ts'
import { encodeEntry, leafHash, type EntryContent } from '../../evidence/entry.ts'
import { RECEIPT_KIND, type EntryKind } from '../../evidence/entry-tags.ts'
import { appendLeaf, frontierToBytes, rootOf } from '../../evidence/tree/frontier.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { readJsonObject, type JsonObject } from '../../platform/json.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { DAY_MS } from '../../platform/time.ts'
import { CallsWithoutEntryStore, type CallWithoutEntry } from './calls-without-entry.store.ts'
import { eventOfCall, eventOfEntry, placeOf, loadMemory, replay, applyEvent, type Memory } from './load-state.ts'
import { StateCheck } from './check-state.ts'
import { LatestActsStore } from '../compliance/latest-acts.store.ts'
import { SnapshotsStore } from './snapshots.store.ts'
import { timeOf, type StateEvent } from './state/state-event.ts'
import { stateAt, takeFullSnapshot, takeSnapshot } from './state/snapshot.ts'
import { createCoverage, presentCoverage } from './state/coverage.ts'
import { createHourCounts } from './state/current-hour.ts'
import { emptyState, type State } from './state/organisation-state.ts'

/** Days for which referral decisions are stored, in every tier. */
export const RETENTION_DAYS = 30

/** A snapshot is written after this many events, so that a start reads few. */
const LEAST_EVENTS_PER_SNAPSHOT = 64

/** A long snapshot is written less often: after one event for this many of its characters. */
const SNAPSHOT_CHARACTERS_PER_EVENT = 128

/** The oldest snapshot moves past at most this many entries in one step, because calls wait meanwhile. */
const MOST_MOVED_AT_ONCE = 2000

const NO_FIELDS: EventFields = { keyId: null, outcome: null, loop: null, microeur: null, settles: null }

export type NewEntry = {
  kind: EntryKind
  content: EntryContent
  /** JSON stored beside the entry. The leaf does not cover it. */
  facts?: string | null
  fields?: Partial<EventFields>
  retentionDays?: number
}

export type NewReceipt = {
  record: UnsignedRecord
  /** The canonical JSON of the facts, which the record's id commits to. */
  facts: string
  /** The time in the facts, for which the entry counts. */
  at: number
  fields: Partial<EventFields>
  retentionDays: number
}

/**
 * The software that writes the log. `content`: of its coverage entries, without what differs between them. `key`: the same for all
 * of them. `worker`: the id of the Worker's version; null locally.
 */
export type Build = { readonly content: EntryContent; readonly key: string; readonly worker: string | null }

type EncodedEntry = {
  kind: LoggedKind
  /** The attestation's id; null for any other entry. */
  id: string | null
  /** The bytes that the leaf covers. */
  entry: Uint8Array
  facts: string | null
  fields: EventFields
  retentionDays: number
}

export class Journal {
  readonly #sql: SqlStorage
  readonly #entries: EntriesStore
  readonly #calls: CallsWithoutEntryStore
  readonly #snapshots: SnapshotsStore
  /** The latest act of each kind, which `appendAct` writes. */
  readonly latestActs: LatestActsStore
  /** Null until it is first needed, and after `forget`. */
  #loaded: Memory | null = null
  /** True if entries were written since `takeHasGrown` was last called. */
  #hasGrown = false

  readonly #describeBuild: () => Build | null
  #build: Build | null | undefined

  /** @param describeBuild called once, at the first decision. Without it the log does not say which software wrote it. */
  constructor(sql: SqlStorage, describeBuild: () => Build | null = () => null) {
    this.#sql = sql
    this.#describeBuild = describeBuild
    this.#entries = new EntriesStore(sql)
    this.#calls = new CallsWithoutEntryStore(sql)
    this.#snapshots = new SnapshotsStore(sql)
    this.latestActs = new LatestActsStore(sql)
  }

  /** What the coverage entry of this build says; null if the build is not known. */
  get build(): Build | null {
    if (this.#build === undefined) this.#build = this.#describeBuild()
    return this.#build
  }

  get state(): State {
    return this.#memory.state
  }

  /** Returns the state that a decision at `now` is made from, and the time that its call counts for. */
  at(now: number): { state: State; at: number } {
    const at = timeOf(this.state, now)
    return { state: stateAt(this.state, at), at }
  }

  get tree(): KnownTree {
    const { frontier } = this.#memory
    return { size: frontier.size, root: rootOf(frontier) }
  }

  /** Appends an entry and returns its position. Call it inside a turn, like everything that writes. */
  append(entry: NewEntry, now: number): number {
    return this.appendShown(entry, now).position
  }

  /** Appends an entry as `append` does, and returns its bytes too. */
  appendShown(
    { kind, content, facts = null, fields = {}, retentionDays = RETENTION_DAYS }: NewEntry,
    now: number,
  ): { position: number; entry: Uint8Array } {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(now).toISOString() })
    const written = { kind, id: null, entry, facts, fields: { ...NO_FIELDS, ...fields }, retentionDays }
    return { position: this.#write(written, now), entry }
  }

  /** Appends a chat decision's record and returns its position. The leaf covers the bytes that are signed. */
  appendReceipt({ record, facts, at, fields, retentionDays }: NewReceipt, now: number): number {
    if (at !== timeOf(this.state, now)) throw new Error('the facts have another time than their entry')
    return this.#write(
      {
        kind: RECEIPT_KIND,
        id: record.attestation_id,
        entry: receiptEntry(record),
        facts,
        fields: { ...NO_FIELDS, ...fields },
        retentionDays,
      },
      now,
    )
  }

  /** Returns a decision's facts with their hash, 64 hex digits; null if they are deleted. */
  findFacts(position: number): { facts: JsonObject; sha256: string } | null {
    const stored = this.#entries.find(position)?.facts ?? null
    const facts = readJsonObject(stored)
    return stored === null ? null : { facts, sha256: commitToFacts(facts, sha256Hex).sha256 }
  }

  storeCall(call: Pick<CallWithoutEntry, 'keyId' | 'ofGateway' | 'outcome'>, now: number): void {
    const memory = this.#memory
    const row = { ...placeOf(memory), ...call, at: timeOf(memory.state, now) }
    this.#calls.insert(row)
    this.#apply(eventOfCall(row))
  }

  /**
   * Moves the oldest snapshot forward by at most MOST_MOVED_AT_ONCE entries. Returns the position that it reached: the content
   * before it may then be deleted. Call it inside a transaction.
   */
  moveOldestSnapshot(wanted: number): number {
    const oldest = this.#snapshots.find('oldest')
    const from = oldest?.before ?? 0
    if (from >= wanted) return from
    const before = Math.min(wanted, from + MOST_MOVED_AT_ONCE)
    this.#snapshots.write('oldest', snapshotOf(replay(this.#sql, oldest, { before, n: 0 }), takeFullSnapshot))
    this.#calls.deleteBefore(before)
    return before
  }

  /** Empties the state, except for the log's size and frontier. Call it inside a transaction. */
  clear(): void {
    const { frontier } = this.#memory
    const state = { ...emptyState(), next: frontier.size, counts: createHourCounts(frontier.size) }
    this.#loaded = { state, frontier, callsSince: 0, eventsSinceSnapshot: 0, savedLength: 0 }
    this.#snapshots.delete('newest')
    this.#snapshots.write('oldest', snapshotOf(this.#loaded, takeFullSnapshot))
  }

  /** Starts to compare the memory with the state that all events in the database make. */
  beginCheck(): StateCheck {
    return new StateCheck(this.#sql, () => this.#memory)
  }

  /** Returns true if entries were written since the last time it was called. */
  takeHasGrown(): boolean {
    const hasGrown = this.#hasGrown
    this.#hasGrown = false
    return hasGrown
  }

  /** Discards the memory. Call it after a turn was rolled back: the memory may hold what was never stored. */
  forget(): void {
    this.#loaded = null
    this.#hasGrown = false
  }

  get #memory(): Memory {
    this.#loaded ??= loadMemory(this.#sql)
    return this.#loaded
  }

  /** Stores the entry, appends its leaf to the tree and applies its event to the state. Returns its position. */
  #write({ kind, id, entry, facts, fields, retentionDays }: EncodedEntry, now: number): number {
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

  /** Applies a stored event to the state, and writes a snapshot if one is due. */
  #apply(event: StateEvent): void {
    const memory = this.#memory
    applyEvent(memory, event)
    const eventsPerSnapshot = Math.max(LEAST_EVENTS_PER_SNAPSHOT, memory.savedLength / SNAPSHOT_CHARACTERS_PER_EVENT)
    if (memory.eventsSinceSnapshot < eventsPerSnapshot) return
    const snapshot = snapshotOf(memory, takeSnapshot)
    this.#snapshots.write('newest', snapshot)
    memory.eventsSinceSnapshot = 0
    memory.savedLength = snapshot.state.length
  }
}

const snapshotOf = (memory: Memory, take: typeof takeSnapshot) => ({
  ...placeOf(memory),
  state: take({ ...memory.state, coverage: createCoverage() }, frontierToBytes(memory.frontier).toHex()),
  coverage: JSON.stringify(presentCoverage(memory.state.coverage)),
})
