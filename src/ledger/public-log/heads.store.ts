// The public log's signed heads. The database itself refuses a second head of a size, one that is not larger than all
// before, and one that covers leaves which are not there.
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

type HeadRow = { tree_size: number; root: ArrayBuffer; timestamp: string; signature: string; public_key: string }

export class HeadsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The one of the largest tree. */
  newest(): PublicHead | null {
    const [row] = this.#sql.exec<HeadRow>('SELECT * FROM heads ORDER BY tree_size DESC LIMIT 1').toArray()
    return row === undefined ? null : fromRow(row)
  }

  find(treeSize: number): PublicHead | null {
    const [row] = this.#sql.exec<HeadRow>('SELECT * FROM heads WHERE tree_size = ?', treeSize).toArray()
    return row === undefined ? null : fromRow(row)
  }

  insert({ tree_size, root_hash, timestamp, signature, public_key }: PublicHead): void {
    const root = Uint8Array.fromHex(root_hash)
    this.#sql.exec('INSERT INTO heads VALUES (?, ?, ?, ?, ?)', tree_size, root, timestamp, signature, public_key)
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
