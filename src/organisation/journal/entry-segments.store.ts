// Stores the log's entries in segments: tables of one run of positions each, such as `entries_0`. The platform bills every row that
// is deleted, but none for a table that is dropped, so entries leave with their segment where they can.

/** A segment costs ten rows over its life, and each entry that is deleted by itself costs one. */
export const LEAST_ENTRIES = 24
/** Dropping this many takes some 20 ms, during which calls wait. */
export const MOST_ENTRIES = 100_000
/** An insert looks up a receipt's id in every segment. */
const MOST_SEGMENTS = 20

const AT_THE_END = 'an entry is appended at the end'
const TOO_EARLY = 'an entry leaves once its tile is stored'
/** How many entries are in stored tiles. */
const TILED = '(SELECT COALESCE(MAX(stored), 0) * 256 FROM tile_levels WHERE level = 0)'

const tableAt = (first: number): string => `entries_${first}`

export const isEntriesTable = (name: string): boolean => /^entries_\d+$/.test(name)

const createSegment = (table: string): string => `
  CREATE TABLE ${table} (
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
  CREATE UNIQUE INDEX ${table}_by_id ON ${table} (id) WHERE id IS NOT NULL;
  CREATE TRIGGER ${table}_never_change BEFORE UPDATE ON ${table}
    WHEN NEW.position IS NOT OLD.position OR NEW.hash IS NOT OLD.hash OR NEW.kind IS NOT OLD.kind OR NEW.id IS NOT OLD.id
      OR length(NEW.entry) > 0 OR NEW.facts IS NOT NULL
      OR NEW.at NOT IN (OLD.at, 0) OR NEW.expires_at NOT IN (OLD.expires_at, 0)
      OR (NEW.key_id IS NOT NULL AND NEW.key_id IS NOT OLD.key_id)
      OR (NEW.outcome IS NOT NULL AND NEW.outcome IS NOT OLD.outcome)
      OR (NEW.loop IS NOT NULL AND NEW.loop IS NOT OLD.loop)
      OR (NEW.microeur IS NOT NULL AND NEW.microeur IS NOT OLD.microeur)
      OR (NEW.settles IS NOT NULL AND NEW.settles IS NOT OLD.settles)
    BEGIN SELECT RAISE(ABORT, 'an entry may be emptied and never changes'); END;
  CREATE TRIGGER ${table}_stay_while_proofs_need_them BEFORE DELETE ON ${table}
    WHEN OLD.position >= ${TILED}
    BEGIN SELECT RAISE(ABORT, '${TOO_EARLY}'); END;
`

/**
 * The trigger on the newest segment. Without the look-up of the id, an INSERT OR REPLACE would remove the entry that has it. The
 * last entries may have been deleted, all of them in stored tiles.
 * @param all the first position of every segment
 */
const acceptAppended = (first: number, all: readonly number[]): string => `
  CREATE TRIGGER ${tableAt(first)}_are_appended BEFORE INSERT ON ${tableAt(first)} BEGIN
    SELECT RAISE(ABORT, 'the organisation is erased') FROM erasure WHERE is_sealed = 1;
    SELECT RAISE(ABORT, '${AT_THE_END}')
      WHERE NEW.position IS NOT MAX(COALESCE((SELECT MAX(position) + 1 FROM ${tableAt(first)}), ${first}), ${TILED});
    ${all.map((one) => `SELECT RAISE(ABORT, 'a receipt is written once') FROM ${tableAt(one)} WHERE id = NEW.id;`).join('\n    ')}
  END;
`

/** The same trigger on the other segments. */
const refuseAll = (table: string): string => `
  CREATE TRIGGER ${table}_are_appended BEFORE INSERT ON ${table}
    BEGIN SELECT RAISE(ABORT, '${AT_THE_END}'); END;
`

export const ENTRY_SEGMENTS_SCHEMA = `
  CREATE TABLE entry_segments (
    -- The position of its first entry, by which its table is named.
    first INTEGER PRIMARY KEY
  ) STRICT;
  CREATE TRIGGER entry_segments_begin_at_the_end BEFORE INSERT ON entry_segments
    WHEN NEW.first IS NULL OR NEW.first <= (SELECT MAX(first) FROM entry_segments)
    BEGIN SELECT RAISE(ABORT, 'a segment begins after the others'); END;
  CREATE TRIGGER entry_segments_never_change BEFORE UPDATE ON entry_segments
    BEGIN SELECT RAISE(ABORT, 'a segment never changes'); END;
  -- A segment ends where the next one begins. The newest has no end, so it stays.
  CREATE TRIGGER entry_segments_stay_while_proofs_need_them BEFORE DELETE ON entry_segments
    WHEN COALESCE((SELECT MIN(first) > ${TILED} FROM entry_segments WHERE first > OLD.first), 1)
    BEGIN SELECT RAISE(ABORT, '${TOO_EARLY}'); END;
  INSERT INTO entry_segments (first) VALUES (0);
  ${createSegment(tableAt(0))}
  ${acceptAppended(0, [0])}
`

type Row = { first: number }

export type Segment = { readonly table: string; readonly first: number; readonly isNewest: boolean }

export class EntrySegmentsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Lists the tables that may have positions of a range, in order. */
  tablesOf(from: number, before: number): string[] {
    if (from >= before) return []
    return this.#sql
      .exec<Row>(
        `SELECT first FROM entry_segments
         WHERE first < ? AND first >= (SELECT COALESCE(MAX(first), 0) FROM entry_segments WHERE first <= ?) ORDER BY first`,
        before,
        from,
      )
      .toArray()
      .map(({ first }) => tableAt(first))
  }

  /** Returns the segment of a position. Only the newest takes entries. */
  segmentAt(position: number): Segment {
    const { first, newest } = this.#sql
      .exec<Row & { newest: number }>(
        `SELECT MAX(first) AS first, (SELECT MAX(first) FROM entry_segments) AS newest FROM entry_segments WHERE first <= ?`,
        position,
      )
      .one()
    return { table: tableAt(first), first, isNewest: first === newest }
  }

  /** The segment that takes entries. */
  newest(): Segment {
    return this.segmentAt(Number.MAX_SAFE_INTEGER)
  }

  /** Returns false if there are too many segments for one more. */
  mayBegin(): boolean {
    return this.#listFirst().length < MOST_SEGMENTS
  }

  /** Begins a new segment. Call it inside a transaction. @param next the log's size */
  begin(next: number): void {
    const all = this.#listFirst()
    const { table } = this.newest()
    this.#sql.exec('INSERT INTO entry_segments (first) VALUES (?)', next)
    this.#copySchema(table, tableAt(next))
    this.#replaceTrigger(table, refuseAll(table))
    this.#sql.exec(acceptAppended(next, [...all, next]))
  }

  /**
   * Drops the segments that end at a position or before it. One that cannot be dropped now stays, with its entries. Throws if the
   * tile of an entry is not stored. Call it inside a transaction.
   */
  dropBefore(position: number): void {
    const all = this.#listFirst()
    const dropped = all.filter((first, at) => (all[at + 1] ?? Infinity) <= position && this.#tryToDrop(first))
    if (dropped.length === 0) return
    const { table, first: newest } = this.newest()
    const left = all.filter((first) => !dropped.includes(first))
    this.#replaceTrigger(table, acceptAppended(newest, left))
  }

  #listFirst(): number[] {
    const rows = this.#sql.exec<Row>('SELECT first FROM entry_segments ORDER BY first').toArray()
    return rows.map(({ first }) => first)
  }

  /** Returns false if a statement of the object is still being read, which locks every table. */
  #tryToDrop(first: number): boolean {
    try {
      this.#sql.exec(`DROP TABLE ${tableAt(first)}`)
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message.includes('locked')) return false
      throw thrown
    }
    this.#sql.exec('DELETE FROM entry_segments WHERE first = ?', first)
    return true
  }

  #replaceTrigger(table: string, trigger: string): void {
    this.#sql.exec(`DROP TRIGGER ${table}_are_appended`)
    this.#sql.exec(trigger)
  }

  /** Copies what the database has and not what this Worker knows: a newer Worker may have added columns. */
  #copySchema(from: string, to: string): void {
    const statements = this.#sql
      .exec<{ sql: string }>(
        `SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL AND name IN (?, ?, ?, ?) ORDER BY rowid`,
        from,
        from,
        `${from}_by_id`,
        `${from}_never_change`,
        `${from}_stay_while_proofs_need_them`,
      )
      .toArray()
    for (const { sql } of statements) this.#sql.exec(sql.replaceAll(from, to))
  }
}
