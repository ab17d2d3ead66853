// The public log's signed heads. The database itself refuses a second head of a size, one that is not larger than all
// before, and one that covers leaves which are not there. The newest can be signed again: its size and root stay.
import { keyIdOf } from '../../attestation/key-id.ts'
import type { PublicHead } from '../../attestation/tree-head.ts'

export const HEADS_SCHEMA = `
  CREATE TABLE heads (
    tree_size INTEGER PRIMARY KEY CHECK (tree_size >= 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER heads_only_grow BEFORE INSERT ON heads
    WHEN NEW.tree_size <= (SELECT COALESCE(MAX(tree_size), -1) FROM heads)
    BEGIN SELECT RAISE(ABORT, 'a head is of a larger tree than all before'); END;
  CREATE TRIGGER heads_cover_what_is_stored BEFORE INSERT ON heads
    WHEN NEW.tree_size > (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a head covers leaves that are stored'); END;
  CREATE TRIGGER heads_never_change BEFORE UPDATE ON heads
    BEGIN SELECT RAISE(ABORT, 'a head never changes'); END;
  CREATE TRIGGER heads_never_go BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'a head is never removed'); END;
`

/** One row at most: the last time the newest head was signed again. It has no root of its own, so it cannot name another. */
export const RENEWED_HEAD_SCHEMA = `
  CREATE TABLE renewed_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tree_size INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER only_the_newest_head_is_renewed BEFORE INSERT ON renewed_head
    WHEN NEW.tree_size IS NOT (SELECT MAX(tree_size) FROM heads)
    BEGIN SELECT RAISE(ABORT, 'only the newest head is signed again'); END;
`

const NEWEST = `
  SELECT heads.tree_size AS tree_size, root,
    COALESCE(renewed_head.timestamp, heads.timestamp) AS timestamp,
    COALESCE(renewed_head.signature, heads.signature) AS signature,
    COALESCE(renewed_head.public_key, heads.public_key) AS public_key
  FROM heads LEFT JOIN renewed_head ON renewed_head.tree_size = heads.tree_size
  ORDER BY heads.tree_size DESC LIMIT 1`

type HeadRow = { tree_size: number; root: ArrayBuffer; timestamp: string; signature: string; public_key: string }

export class HeadsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The one of the largest tree, as it was signed last. */
  newest(): PublicHead | null {
    const [row] = this.#sql.exec<HeadRow>(NEWEST).toArray()
    return row === undefined ? null : fromRow(row)
  }

  /** In hexadecimal digits; null where no head of this size was signed. */
  rootAt(treeSize: number): string | null {
    const [row] = this.#sql
      .exec<Pick<HeadRow, 'root'>>('SELECT root FROM heads WHERE tree_size = ?', treeSize)
      .toArray()
    return row === undefined ? null : new Uint8Array(row.root).toHex()
  }

  insert({ tree_size, root_hash, timestamp, signature, public_key }: PublicHead): void {
    this.#sql.exec(
      'INSERT INTO heads (tree_size, root, timestamp, signature, public_key) VALUES (?, ?, ?, ?, ?)',
      tree_size,
      Uint8Array.fromHex(root_hash),
      timestamp,
      signature,
      public_key,
    )
  }

  /** Of the newest head, signed again. */
  renew({ tree_size, timestamp, signature, public_key }: PublicHead): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO renewed_head (id, tree_size, timestamp, signature, public_key) VALUES (1, ?, ?, ?, ?)`,
      tree_size,
      timestamp,
      signature,
      public_key,
    )
  }
}

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
