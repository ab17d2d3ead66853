// Stores an organisation's log in its object's database. A row is an entry, its leaf hash, and the columns that the state is
// computed from. The database refuses rows out of order, changes, and deleting what a proof still needs.
import { concatBytes } from '@noble/hashes/utils.js'
import { formatUuid, parseId } from '../../platform/ids.ts'
import type { StoredEntry } from './archive-object.ts'
import { RECEIPT_KIND, type EntryKind } from '../../evidence/entry-tags.ts'
import { MissingLeavesError } from '../../tiles/tiled-log.ts'
import type { SubmittedReceipt } from '../../public-log/public-log.client.ts'

export const ENTRIES_SCHEMA = `
  CREATE TABLE entries (
    position INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- Receipts only: the 16 bytes of its attestation_id.
    id BLOB CHECK (length(id) = 16),
    key_id TEXT,
    outcome TEXT,
    -- Receipts only: the request's hash for loop detection, 16 bytes.
    loop BLOB CHECK (length(loop) = 16),
    -- For a decision, the amount that it reserved; for a settlement, the cost.
    microeur INTEGER CHECK (microeur >= 0),
    -- Settlements only: the position of the decision.
    settles INTEGER,
    -- Empty after its retention has ended.
    entry BLOB NOT NULL,
    -- JSON of facts that the entry does not include.
    facts TEXT
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_id ON entries (id) WHERE id IS NOT NULL;
  CREATE TRIGGER entries_are_appended_in_order BEFORE INSERT ON entries
    WHEN NEW.position IS NOT COALESCE(
      (SELECT MAX(position) + 1 FROM entries), (SELECT stored * 256 FROM tile_levels WHERE level = 0), 0)
    BEGIN SELECT RAISE(ABORT, 'an entry is appended at the end'); END;
  -- Without this trigger, an INSERT OR REPLACE would remove the entry that has the id.
  CREATE TRIGGER entries_are_appended_once BEFORE INSERT ON entries
    WHEN EXISTS (SELECT 1 FROM entries WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a receipt is written once'); END;
  CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    WHEN NEW.position IS NOT OLD.position OR NEW.hash IS NOT OLD.hash OR NEW.kind IS NOT OLD.kind OR NEW.id IS NOT OLD.id
      OR length(NEW.entry) > 0 OR NEW.facts IS NOT NULL
      OR NEW.at NOT IN (OLD.at, 0) OR NEW.expires_at NOT IN (OLD.expires_at, 0)
      OR (NEW.key_id IS NOT NULL AND NEW.key_id IS NOT OLD.key_id)
      OR (NEW.outcome IS NOT NULL AND NEW.outcome IS NOT OLD.outcome)
      OR (NEW.loop IS NOT NULL AND NEW.loop IS NOT OLD.loop)
      OR (NEW.microeur IS NOT NULL AND NEW.microeur IS NOT OLD.microeur)
      OR (NEW.settles IS NOT NULL AND NEW.settles IS NOT OLD.settles)
    BEGIN SELECT RAISE(ABORT, 'an entry may be emptied and never changes'); END;
  CREATE TRIGGER entries_stay_while_proofs_need_them BEFORE DELETE ON entries
    WHEN OLD.position >= COALESCE((SELECT stored * 256 FROM tile_levels WHERE level = 0), 0)
    BEGIN SELECT RAISE(ABORT, 'an entry leaves once its tile is stored'); END;
`

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

const INSERT = `
  INSERT INTO entries (
    position, hash, kind, at, expires_at, id, key_id, outcome, loop, microeur, settles, entry, facts
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`
/** Leaves most entries out, because an entry is nearly all of a row's size. */
const EVENT_COLUMNS = `position, at, kind, key_id AS keyId, outcome, loop, microeur, settles,
  iif(kind IN ('operator_act', 'member_act', 'approval'), entry, x'') AS entry`
const CONTENT_COLUMNS = 'position, kind, at, expires_at AS expiresAt, entry, facts'

const EXPIRED = 'WHERE position >= ? AND position < ? AND expires_at <= ? AND length(entry) > 0'

/** A page is limited because it is held in memory. */
const PAGE_ROWS = 1000
/** Pages in reverse order are smaller, because they are read while calls arrive. */
const PAGE_BACK_ROWS = 250
const PAGE_BYTES = 1024 * 1024

const EMPTY_EXPIRED = `UPDATE entries SET entry = x'', facts = NULL ${EXPIRED}`

/** `at`: the time that an entry counts for. */
export type EntryTime = { readonly position: number; readonly at: number }

type ContentRow = Omit<StoredEntry, 'entry'> & { entry: ArrayBuffer }

type ReadEventRow = Omit<EventRow, 'entry' | 'loop'> & { entry: ArrayBuffer; loop: ArrayBuffer | null }

type ReadRow = ReadEventRow & { hash: ArrayBuffer; id: ArrayBuffer | null; facts: string | null }

export class EntriesStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Throws if the id is not a UUID in lower case or is already stored. */
  insert(row: NewRow): void {
    const id = row.id === null ? null : parseId('', row.id)
    if (id === null && row.id !== null) throw new RangeError('an attestation_id is a UUID')
    this.#sql.exec(
      INSERT,
      row.position,
      row.hash,
      row.kind,
      row.at,
      row.expiresAt,
      id,
      row.keyId,
      row.outcome,
      row.loop === null ? null : Uint8Array.fromHex(row.loop),
      row.microeur,
      row.settles,
      row.entry,
      row.facts,
    )
  }

  /** Returns the position of a receipt; null if it is not in the database. */
  findReceipt(attestationId: string): number | null {
    const id = parseId('', attestationId)
    if (id === null) return null
    return this.#position('SELECT position FROM entries WHERE id = ?', id)
  }

  /** Returns the position of the entry that settles a decision; null if it is not in the database. */
  findSettlement(position: number): number | null {
    return this.#position(
      'SELECT position FROM entries WHERE position > ? AND settles = ? ORDER BY position LIMIT 1',
      position,
      position,
    )
  }

  /** Returns null if the entry is not in the database or was emptied. */
  find(position: number): StoredEntry | null {
    return this.listAllWithContent(position, position + 1)[0] ?? null
  }

  /** Lists a page of entries that still have their content, from a position on. */
  listWithContent(from: number, before: number): StoredEntry[] {
    return pageOf(this.#kept('ORDER BY position LIMIT ?', from, before, PAGE_ROWS))
  }

  /** Lists a page of entries that still have their content before a position, the latest first. */
  listWithContentBack(from: number, before: number): StoredEntry[] {
    return pageOf(this.#kept('ORDER BY position DESC LIMIT ?', from, before, PAGE_BACK_ROWS))
  }

  /**
   * Lists the stored entries of a kind among the latest `positions` positions before another, the latest first. `from`: the
   * lowest of those positions; null if nothing lies before them.
   */
  listLatest(
    { kind, before, positions }: { kind: LoggedKind; before: number | null; positions: number },
    now: number,
  ): { rows: StoredEntry[]; from: number | null } {
    const [bounds] = this.#sql
      .exec<{ first: number | null; last: number | null }>(
        'SELECT (SELECT min(position) FROM entries) AS first, (SELECT max(position) FROM entries) AS last',
      )
      .toArray()
    const end = before ?? (bounds?.last ?? -1) + 1
    const from = end - positions
    const ofKind = this.#kept('AND kind = ? AND expires_at > ? ORDER BY position DESC', from, end, kind, now)
    const rows = ofKind.toArray().map(fromRow)
    return { rows, from: from <= (bounds?.first ?? 0) ? null : from }
  }

  /** Lists the whole range at once: for ranges that are known to be small. */
  listAllWithContent(from: number, before: number): StoredEntry[] {
    return this.#kept('ORDER BY position', from, before).toArray().map(fromRow)
  }

  /** Returns leaf hashes, concatenated. Throws MissingLeavesError if one is not in the database. */
  readHashes(first: number, count: number): Uint8Array<ArrayBuffer> {
    const hashes = [...this.hashesFrom(first, first + count)]
    if (hashes.length !== count) throw new MissingLeavesError('these leaves are not at hand')
    return concatBytes(...hashes)
  }

  /** Reads events in the order of the log. */
  *eventsFrom(from: number, before = Number.MAX_SAFE_INTEGER): Iterable<EventRow> {
    const rows = this.#sql.exec<ReadEventRow>(
      `SELECT ${EVENT_COLUMNS} FROM entries WHERE position >= ? AND position < ? ORDER BY position`,
      from,
      before,
    )
    for (const row of rows) yield fromEventRow(row)
  }

  /** Reads whole rows that still have their content. */
  *rowsFrom(from: number, before: number): Iterable<Omit<NewRow, 'expiresAt'>> {
    const rows = this.#sql.exec<ReadRow>(
      `SELECT position, hash, id, at, kind, key_id AS keyId, outcome, loop, microeur, settles, entry, facts FROM entries
       WHERE position >= ? AND position < ? AND length(entry) > 0 ORDER BY position`,
      from,
      before,
    )
    for (const { hash, id, facts, ...row } of rows) {
      yield { ...fromEventRow(row), hash: new Uint8Array(hash), id: id && formatUuid(new Uint8Array(id)), facts }
    }
  }

  *hashesFrom(from: number, before: number): Iterable<Uint8Array> {
    const rows = this.#sql.exec<{ hash: ArrayBuffer }>(
      'SELECT hash FROM entries WHERE position >= ? AND position < ? ORDER BY position',
      from,
      before,
    )
    for (const { hash } of rows) yield new Uint8Array(hash)
  }

  /** Returns the last position below `before` whose entry counts for a time up to `until`; null if there is none. */
  lastAt(before: number, until: number): number | null {
    const query = 'SELECT position FROM entries WHERE position < ? AND at <= ? ORDER BY position DESC LIMIT 1'
    return this.#position(query, before, until)
  }

  /** Lists the receipts among the next `limit` rows after a position. */
  listReceipts(after: number, limit: number): { receipts: SubmittedReceipt[]; upTo: number; hasMore: boolean } {
    const rows = this.#sql
      .exec<{ position: number; id: ArrayBuffer | null; hash: ArrayBuffer }>(
        'SELECT position, id, hash FROM entries WHERE position > ? ORDER BY position LIMIT ?',
        after,
        limit,
      )
      .toArray()
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
    const [row] = this.#sql
      .exec<EntryTime>(
        `SELECT position, at FROM entries WHERE position = COALESCE(
           (SELECT position FROM entries WHERE position > ?1 AND position <= ?1 + ?2 AND id IS NOT NULL ORDER BY position LIMIT 1),
           (SELECT position FROM entries WHERE position > ?1 AND (id IS NOT NULL OR position =
             (SELECT position FROM entries WHERE position > ?1 ORDER BY position LIMIT 1 OFFSET ?2 - 1))
            ORDER BY position LIMIT 1))`,
        position,
        limit,
      )
      .toArray()
    return row ?? null
  }

  /** Returns the time that an entry counts for; null if the entry is not in the database. */
  timeOf(position: number): number | null {
    const [row] = this.#sql.exec<{ at: number }>('SELECT at FROM entries WHERE position = ?', position).toArray()
    return row?.at ?? null
  }

  /** Returns the time of the first receipt or settlement from a position on; null if there is none. */
  firstCallAt(position: number): number | null {
    const [row] = this.#sql
      .exec<{ at: number }>(
        `SELECT at FROM entries WHERE position >= ? AND kind IN ('${RECEIPT_KIND}', 'settlement') ORDER BY position LIMIT 1`,
        position,
      )
      .toArray()
    return row?.at ?? null
  }

  /** Finds the first row of a range, emptied or not; null if there is none. */
  firstRow(from: number, before: number): EntryTime | null {
    const [row] = this.#sql
      .exec<{ position: number; at: number }>(
        'SELECT position, at FROM entries WHERE position >= ? AND position < ? ORDER BY position LIMIT 1',
        from,
        before,
      )
      .toArray()
    return row ?? null
  }

  /** Finds the first expired entry of a range that still has its content; null if there is none. */
  firstExpired(from: number, before: number, now: number): number | null {
    return this.#position(`SELECT position FROM entries ${EXPIRED} ORDER BY position LIMIT 1`, from, before, now)
  }

  /** Empties expired entries: deletes their content and facts, and keeps their rows. */
  emptyExpired(from: number, before: number, now: number): void {
    this.#sql.exec(EMPTY_EXPIRED, from, before, now)
  }

  /** Deletes the rows of expired entries. The database refuses this until their tile is stored. */
  deleteExpired(from: number, before: number, now: number): void {
    this.#sql.exec(`DELETE FROM entries ${EXPIRED}`, from, before, now)
  }

  delete(from: number, before: number): void {
    this.#sql.exec('DELETE FROM entries WHERE position >= ? AND position < ?', from, before)
  }

  #kept(rest: string, from: number, before: number, ...values: (number | string)[]): SqlStorageCursor<ContentRow> {
    return this.#sql.exec<ContentRow>(
      `SELECT ${CONTENT_COLUMNS} FROM entries WHERE position >= ? AND position < ? AND length(entry) > 0 ${rest}`,
      from,
      before,
      ...values,
    )
  }

  #position(query: string, ...values: (number | Uint8Array)[]): number | null {
    return this.#sql.exec<{ position: number }>(query, ...values).toArray()[0]?.position ?? null
  }
}

const fromRow = (row: ContentRow): StoredEntry => ({ ...row, entry: new Uint8Array(row.entry) })

/** Takes rows in order up to PAGE_BYTES, and at least one. */
function pageOf(rows: Iterable<ContentRow>): StoredEntry[] {
  const page: StoredEntry[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.entry.byteLength + (row.facts?.length ?? 0)
    // The loop goes on to the end, so that no cursor stays open.
    if (bytes <= PAGE_BYTES || page.length === 0) page.push(fromRow(row))
  }
  return page
}

const fromEventRow = (row: ReadEventRow): EventRow => ({
  ...row,
  loop: row.loop && new Uint8Array(row.loop).toHex(),
  entry: new Uint8Array(row.entry),
})
