// Stores an organisation's log in its object's database. A row is an entry, its leaf hash, and the columns that the state is
// computed from.
import { concatBytes } from '@noble/hashes/utils.js'
import { formatUuid, parseId } from '../../platform/ids.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import type { StoredEntry } from './archive-object.ts'
import { RECEIPT_KIND, type EntryKind } from '../../evidence/entry-tags.ts'
import { MissingLeavesError } from '../../tiles/tiled-log.ts'
import type { SubmittedReceipt } from '../../public-log/public-log.client.ts'

/** Fields that the organisation's state is computed from, besides the kind and the time. */
export type EventFields = {
  readonly keyId: string | null
  readonly outcome: string | null
  /** 32 hexadecimal digits. */
  readonly loop: string | null
  readonly microeur: number | null
  readonly settles: number | null
}

export type LoggedKind = EntryKind | typeof RECEIPT_KIND

/** A row to insert. `id` is the attestation_id of a receipt, and null for other entries. */
export type NewRow = Omit<StoredEntry, 'entry'> &
  EventFields & {
    readonly kind: LoggedKind
    readonly hash: Uint8Array
    readonly id: string | null
    readonly entry: Uint8Array
  }

/** A row as the state reads it. `entry` is empty except for acts and approvals, whose content changes the state. */
export type EventRow = Pick<StoredEntry, 'position' | 'at'> &
  EventFields & { readonly kind: LoggedKind; readonly entry: Uint8Array }

/** Leaves most entries out, because an entry is nearly all of a row's size. */
const EVENT_COLUMNS = sql`at, kind, key_id AS keyId, outcome, loop, microeur, settles,
  iif(kind IN ('operator_act', 'member_act', 'approval'), entry, x'') AS entry`

const HAS_CONTENT = sql`length(entry) > 0`
const isExpired = (now: number): Sql => sql`${HAS_CONTENT} AND expires_at <= ${now}`
const isWithin = (from: number, before: number): Sql => sql`position >= ${from} AND position < ${before}`

/** A page is limited because it is held in memory. */
const PAGE_ROWS = 1000
/** Pages in reverse order are smaller, because they are read while calls arrive. */
const PAGE_BACK_ROWS = 250
const PAGE_BYTES = 1024 * 1024

/** Rows are read this many at a time, each time to the end: a statement that is being read locks every table. */
const READ_AT_ONCE = 256

/** The most rows changed in one transaction of an erasure, so that a million entries do not block the object. */
const ERASED_AT_ONCE = 5000

/** Deletes everything but an entry's hash and id. */
const EMPTY_ALL = sql`entry = x'', facts = NULL, at = 0, expires_at = 0, key_id = NULL, outcome = NULL, loop = NULL,
  microeur = NULL, settles = NULL`

/** An entry that has expired has no content, and still its time and the other columns. */
const NOT_ERASED = sql`(at <> 0 OR length(entry) > 0)`

/** `at`: the time that an entry counts for. */
export type EntryTime = { readonly position: number; readonly at: number }

/** A row as the compliance checklist counts it. `entry`: empty if it is not a receipt, or a receipt that has expired. */
export type CountedRow = EntryTime & { readonly isReceipt: number; readonly entry: ArrayBuffer }

type ContentRow = Omit<StoredEntry, 'entry'> & { entry: ArrayBuffer }

type ReadEventRow = Omit<EventRow, 'entry' | 'loop'> & { entry: ArrayBuffer; loop: ArrayBuffer | null }

type ReadRow = ReadEventRow & { hash: ArrayBuffer; id: ArrayBuffer | null; facts: string | null }

type Selection = { from?: number; before?: number; where?: Sql; isBack?: boolean; limit?: number }

const END = Number.MAX_SAFE_INTEGER

export type DecisionFacts = { position: number; outcome: string | null; facts: string }

export class EntriesStore extends ObjectStore {
  /** Throws if the id is not a UUID in lower case or is already stored. */
  insert(row: NewRow): void {
    const id = row.id === null ? null : parseId('', row.id)
    if (id === null && row.id !== null) throw new RangeError('an attestation_id is a UUID')
    const loop = row.loop === null ? null : Uint8Array.fromHex(row.loop)
    this.run(sql`INSERT INTO entries
        (position, hash, kind, at, expires_at, id, key_id, outcome, loop, microeur, settles, entry, facts)
      VALUES (${row.position}, ${row.hash}, ${row.kind}, ${row.at}, ${row.expiresAt}, ${id}, ${row.keyId},
        ${row.outcome}, ${loop}, ${row.microeur}, ${row.settles}, ${row.entry}, ${row.facts})`)
  }

  /** Returns the position of a receipt; null if it is not in the database. */
  findReceipt(attestationId: string): number | null {
    const id = parseId('', attestationId)
    if (id === null) return null
    const [row] = this.rows<{ position: number }>(sql`SELECT position FROM entries WHERE id = ${id}`)
    return row?.position ?? null
  }

  /** Returns the position of the entry that settles a decision; null if it is not in the database. */
  findSettlement(position: number): number | null {
    return this.#first({ from: position + 1, where: sql`settles = ${position}` })?.position ?? null
  }

  /** Returns null if the entry is not in the database or was emptied. */
  find(position: number): StoredEntry | null {
    return this.listAllWithContent(position, position + 1)[0] ?? null
  }

  /** Lists a page of entries that still have their content, from a position on. */
  listWithContent(from: number, before: number): StoredEntry[] {
    return pageOf(this.#selectContent({ from, before, limit: PAGE_ROWS }))
  }

  /** Lists a page of entries that still have their content before a position, the latest first. */
  listWithContentBack(from: number, before: number): StoredEntry[] {
    return pageOf(this.#selectContent({ from, before, isBack: true, limit: PAGE_BACK_ROWS }))
  }

  /**
   * Lists the stored entries of a kind among the latest `positions` positions before another, the latest first. `from`: the
   * lowest of those positions; null if nothing lies before them.
   */
  listLatest(
    { kind, before, positions }: { kind: LoggedKind; before: number | null; positions: number },
    now: number,
  ): { rows: StoredEntry[]; from: number | null } {
    const end = before ?? (this.#first({ isBack: true })?.position ?? -1) + 1
    const from = end - positions
    const where = sql`kind = ${kind} AND expires_at > ${now}`
    const rows = Array.from(this.#selectContent({ from, before: end, isBack: true, where }), fromRow)
    return { rows, from: from <= (this.firstRow()?.position ?? 0) ? null : from }
  }

  /** Lists the whole range at once: for ranges that are known to be small. */
  listAllWithContent(from: number, before: number): StoredEntry[] {
    return Array.from(this.#selectContent({ from, before }), fromRow)
  }

  /** Counts the entries that still have more than their hash and id. */
  countNotErased(): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n FROM entries WHERE ${NOT_ERASED}`).n
  }

  /** Returns leaf hashes, concatenated. Throws MissingLeavesError if one is not in the database. */
  readHashes(first: number, count: number): Uint8Array<ArrayBuffer> {
    const hashes = [...this.hashesFrom(first, first + count)]
    if (hashes.length !== count) throw new MissingLeavesError('these leaves are not at hand')
    return concatBytes(...hashes)
  }

  /** Reads events in the order of the log. */
  *eventsFrom(from: number, before = END): Iterable<EventRow> {
    for (const row of this.#select<ReadEventRow>(EVENT_COLUMNS, { from, before })) yield fromEventRow(row)
  }

  *rowsFrom(from: number, before: number): Iterable<Omit<NewRow, 'expiresAt'>> {
    const columns = sql`hash, id, at, kind, key_id AS keyId, outcome, loop, microeur, settles, entry, facts`
    for (const { hash, id, facts, ...row } of this.#select<ReadRow>(columns, { from, before, where: HAS_CONTENT })) {
      yield { ...fromEventRow(row), hash: new Uint8Array(hash), id: id && formatUuid(new Uint8Array(id)), facts }
    }
  }

  *hashesFrom(from: number, before: number): Iterable<Uint8Array> {
    const rows = this.#select<{ position: number; hash: ArrayBuffer }>(sql`hash`, { from, before })
    for (const { hash } of rows) yield new Uint8Array(hash)
  }

  /** Returns the last position below `before` whose entry counts for a time up to `until`; null if there is none. */
  lastAt(before: number, until: number): number | null {
    return this.#first({ before, where: sql`at <= ${until}`, isBack: true })?.position ?? null
  }

  /** Lists the receipts among the next `limit` rows after a position. */
  listReceipts(after: number, limit: number): { receipts: SubmittedReceipt[]; upTo: number; hasMore: boolean } {
    type Row = { position: number; id: ArrayBuffer | null; hash: ArrayBuffer }
    const rows = [...this.#select<Row>(sql`id, hash`, { from: after + 1, limit })]
    const receipts = rows.flatMap(({ position, id, hash }) =>
      id === null ? [] : [{ position, attestationId: formatUuid(new Uint8Array(id)), leafHash: new Uint8Array(hash) }],
    )
    return { receipts, upTo: rows.at(-1)?.position ?? after, hasMore: rows.length === limit }
  }

  /**
   * Finds the oldest receipt among the next `limit` rows after a position. If none of them is a receipt, returns the last of them,
   * or null if there are fewer than `limit`. Looks within `limit` positions first, because that is quicker than counting rows.
   */
  firstReceiptAfter(position: number, limit: number): EntryTime | null {
    const from = position + 1
    const near = this.#first({ from, before: from + limit, where: sql`id IS NOT NULL` })
    if (near !== null) return near
    const next = [...this.#select<CountedRow>(sql`at, id IS NOT NULL AS isReceipt`, { from, limit })]
    const found = next.find(({ isReceipt }) => isReceipt === 1) ?? next[limit - 1]
    return found === undefined ? null : { position: found.position, at: found.at }
  }

  /** Lists rows before a position, the latest first. */
  listCounted(before: number, limit: number): CountedRow[] {
    const columns = sql`at, id IS NOT NULL AS isReceipt, iif(id IS NULL, x'', entry) AS entry`
    return [...this.#select<CountedRow>(columns, { before, isBack: true, limit })]
  }

  /** Lists the latest receipts with facts that count for a time from `since` to before `until`, newest first. */
  listDecisions({ since, until }: { since: number; until: number }, limit: number): DecisionFacts[] {
    const where = sql`id IS NOT NULL AND facts IS NOT NULL AND at >= ${since} AND at < ${until}`
    return [...this.#select<DecisionFacts>(sql`outcome, facts`, { where, isBack: true, limit })]
  }

  /** Returns the time that an entry counts for; null if the entry is not in the database. */
  timeOf(position: number): number | null {
    return this.firstRow(position, position + 1)?.at ?? null
  }

  /** Returns when an entry expires and whether it has its content; null if it is not in the database. */
  expiryOf(position: number): { expiresAt: number; isEmpty: boolean } | null {
    type Row = { position: number; expiresAt: number; bytes: number }
    const range = { from: position, before: position + 1 }
    const [row] = this.#select<Row>(sql`expires_at AS expiresAt, length(entry) AS bytes`, range)
    return row === undefined ? null : { expiresAt: row.expiresAt, isEmpty: row.bytes === 0 }
  }

  /** Returns the time of the first receipt or settlement from a position on; null if there is none. */
  firstCallAt(position: number): number | null {
    return this.#first({ from: position, where: sql`kind IN (${RECEIPT_KIND}, 'settlement')` })?.at ?? null
  }

  /** Finds the first row of a range, emptied or not; null if there is none. */
  firstRow(from = 0, before = END): EntryTime | null {
    return this.#first({ from, before })
  }

  /** Finds the first expired entry of a range that still has its content; null if there is none. */
  firstExpired(from: number, before: number, now: number): number | null {
    return this.#first({ from, before, where: isExpired(now) })?.position ?? null
  }

  /** Empties expired entries: deletes their content and facts, and keeps their rows. */
  emptyExpired(from: number, before: number, now: number): void {
    this.run(sql`UPDATE entries SET entry = x'', facts = NULL WHERE ${isWithin(from, before)} AND ${isExpired(now)}`)
  }

  /** Deletes the rows of expired entries. The database refuses this until their tile is stored. */
  deleteExpired(from: number, before: number, now: number): void {
    this.run(sql`DELETE FROM entries WHERE ${isWithin(from, before)} AND ${isExpired(now)}`)
  }

  /** Deletes all rows before a position. The database refuses this until their tiles are stored. */
  deleteBefore(before: number): void {
    this.#delete(0, before)
  }

  /**
   * Erases the next entries: deletes those in stored tiles, and empties the others, all but their hashes and ids. Returns false
   * if there are none left. Call it inside a transaction. @param tiled how many entries are in stored tiles
   */
  eraseNext(tiled: number): boolean {
    const where = sql`(position < ${tiled} OR ${NOT_ERASED})`
    const found = this.#select<EntryTime>(sql`at`, { where, limit: ERASED_AT_ONCE })
    const positions = Array.from(found, ({ position }) => position)
    const [first, last] = [positions[0], positions.at(-1)]
    if (first === undefined || last === undefined) return false
    this.#delete(first, Math.min(tiled, last + 1))
    this.run(sql`UPDATE entries SET ${EMPTY_ALL}
      WHERE position >= ${tiled} AND position IN (SELECT value FROM json_each(${JSON.stringify(positions)}))`)
    return true
  }

  #delete(from: number, before: number): void {
    this.run(sql`DELETE FROM entries WHERE ${isWithin(from, before)}`)
  }

  *#selectContent(selection: Selection): Iterable<ContentRow> {
    const columns = sql`kind, at, expires_at AS expiresAt, entry, facts`
    const where = sql`${HAS_CONTENT} AND ${selection.where ?? sql`TRUE`}`
    yield* this.#select<ContentRow>(columns, { ...selection, where })
  }

  #first(selection: Selection): EntryTime | null {
    const [row] = this.#select<EntryTime>(sql`at`, { ...selection, limit: 1 })
    return row ?? null
  }

  /** Reads rows of a range in order, or the latest first. `where`: a further condition. */
  *#select<Row extends { position: number }>(
    columns: Sql,
    { from = 0, before = END, where = sql`TRUE`, isBack = false, limit = Infinity }: Selection,
  ): Iterable<Row> {
    const order = isBack ? sql`DESC` : sql`ASC`
    let left = limit
    let range = { from, before }
    for (;;) {
      const atMost = Math.min(left, READ_AT_ONCE)
      const rows = this.rows<Row>(sql`SELECT position, ${columns} FROM entries
        WHERE ${isWithin(range.from, range.before)} AND ${where} ORDER BY position ${order} LIMIT ${atMost}`)
      yield* rows
      left -= rows.length
      const last = rows.at(-1)?.position
      if (left === 0 || last === undefined || rows.length < atMost) return
      range = isBack ? { from, before: last } : { from: last + 1, before }
    }
  }
}

const fromRow = (row: ContentRow): StoredEntry => ({ ...row, entry: new Uint8Array(row.entry) })

/** Takes rows in order up to PAGE_BYTES, and at least one. */
function pageOf(rows: Iterable<ContentRow>): StoredEntry[] {
  const page: StoredEntry[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.entry.byteLength + (row.facts?.length ?? 0)
    if (bytes > PAGE_BYTES && page.length > 0) break
    page.push(fromRow(row))
  }
  return page
}

const fromEventRow = (row: ReadEventRow): EventRow => ({
  ...row,
  loop: row.loop && new Uint8Array(row.loop).toHex(),
  entry: new Uint8Array(row.entry),
})
