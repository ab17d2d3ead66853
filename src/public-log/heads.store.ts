// Stores the public log's newest signed head, in one row, and the first head of each UTC day. The database refuses a smaller tree
// and an earlier time. It also refuses a second root for a size, and a head over leaves that it does not store.
import { keyIdOf } from '../evidence/records/ed25519.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { sql, type Sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'

export const HEAD_SCHEMA = `
  CREATE TABLE heads (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tree_size INTEGER NOT NULL CHECK (tree_size >= 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER there_is_one_head BEFORE INSERT ON heads
    WHEN EXISTS (SELECT 1 FROM heads)
    BEGIN SELECT RAISE(ABORT, 'there is one newest head'); END;
  CREATE TRIGGER the_first_head_covers_what_is_stored BEFORE INSERT ON heads
    WHEN NEW.tree_size > COALESCE((SELECT first + count FROM batches ORDER BY first DESC LIMIT 1), 0)
    BEGIN SELECT RAISE(ABORT, 'a head covers leaves that are stored'); END;
  CREATE TRIGGER heads_cover_what_is_stored BEFORE UPDATE ON heads
    WHEN NEW.tree_size > COALESCE((SELECT first + count FROM batches ORDER BY first DESC LIMIT 1), 0)
    BEGIN SELECT RAISE(ABORT, 'a head covers leaves that are stored'); END;
  CREATE TRIGGER heads_only_grow BEFORE UPDATE ON heads
    WHEN NEW.tree_size < OLD.tree_size OR NEW.timestamp < OLD.timestamp
    BEGIN SELECT RAISE(ABORT, 'a head is of no smaller tree and no earlier time'); END;
  CREATE TRIGGER a_size_has_one_root BEFORE UPDATE ON heads
    WHEN NEW.tree_size = OLD.tree_size AND NEW.root IS NOT OLD.root
    BEGIN SELECT RAISE(ABORT, 'a size has one root'); END;
  CREATE TRIGGER heads_never_go BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'a head is never removed'); END;
`

export const HEAD_DAYS_SCHEMA = `
  CREATE TABLE head_days (
    day TEXT PRIMARY KEY,
    tree_size INTEGER NOT NULL CHECK (tree_size >= 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL,
    CHECK (day = substr(timestamp, 1, 10))
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER a_day_never_changes BEFORE UPDATE ON head_days
    BEGIN SELECT RAISE(ABORT, 'the head of a day never changes'); END;
`

/** The database keeps the heads of this many days. */
export const MOST_DAYS_STORED = 400

const COLUMNS = sql`tree_size, root, timestamp, signature, public_key`

type HeadRow = { tree_size: number; root: ArrayBuffer; timestamp: string; signature: string; public_key: string }

export class HeadsStore extends ObjectStore {
  newest(): PublicHead | null {
    const [row] = this.rows<HeadRow>(sql`SELECT ${COLUMNS} FROM heads WHERE id = 1`)
    return row === undefined ? null : fromRow(row)
  }

  /** Replaces the head, or creates it. The first of a UTC day is stored for its day too. Call it in a transaction. */
  put(head: PublicHead): void {
    const before = this.newest()
    if (before === null) this.run(sql`INSERT INTO heads (id, ${COLUMNS}) VALUES (1, ${valuesOf(head)})`)
    else this.run(sql`UPDATE heads SET (${COLUMNS}) = (${valuesOf(head)}) WHERE id = 1`)
    if (before === null || dayOfHead(before) !== dayOfHead(head)) this.#insertDay(head)
  }

  #insertDay(head: PublicHead): void {
    this.run(sql`INSERT OR IGNORE INTO head_days (day, ${COLUMNS}) VALUES (${dayOfHead(head)}, ${valuesOf(head)})`)
    this.run(sql`DELETE FROM head_days
      WHERE day <= (SELECT day FROM head_days ORDER BY day DESC LIMIT 1 OFFSET ${MOST_DAYS_STORED})`)
  }

  /** Returns the first head of each of the newest days that have one, newest first. */
  listDays(limit: number): PublicHead[] {
    return this.rows<HeadRow>(sql`SELECT ${COLUMNS} FROM head_days ORDER BY day DESC LIMIT ${limit}`).map(fromRow)
  }
}

/** Returns the UTC day on which the head was signed, as `YYYY-MM-DD`. */
export const dayOfHead = ({ timestamp }: PublicHead): string => timestamp.slice(0, 10)

const valuesOf = ({ tree_size, root_hash, timestamp, signature, public_key }: PublicHead): Sql =>
  sql`${tree_size}, ${Uint8Array.fromHex(root_hash)}, ${timestamp}, ${signature}, ${public_key}`

const fromRow = ({ tree_size, root, timestamp, signature, public_key }: HeadRow): PublicHead => ({
  v: 1,
  log: 'public',
  tree_size,
  root_hash: new Uint8Array(root).toHex(),
  timestamp,
  signature,
  public_key,
  key_id: keyIdOf(public_key),
  algorithm: 'Ed25519',
})
