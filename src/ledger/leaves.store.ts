// A log's leaves: one 32-byte hash each, kept for ever, and the Merkle tree over them. The database itself refuses to
// change, remove or reorder a leaf.
import { TreeStore } from './tree.store.ts'

export const LEAVES_SCHEMA = `
  CREATE TABLE leaves (
    position INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
  ) STRICT;
  CREATE TRIGGER leaves_are_appended_in_order BEFORE INSERT ON leaves
    WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a leaf is appended at the end'); END;
  CREATE TRIGGER leaves_never_change BEFORE UPDATE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf never changes'); END;
  CREATE TRIGGER leaves_never_go BEFORE DELETE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never removed'); END;
`

const APPEND_LEAF = `
  INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), ? FROM leaves RETURNING position
`

export class LeavesStore {
  readonly #sql: SqlStorage
  readonly #tree: TreeStore

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#tree = new TreeStore(sql)
  }

  /** Says at which position. Belongs inside a transaction: the leaf and what it completes are stored together. */
  append(hash: Uint8Array): number {
    const { position } = this.#sql.exec<{ position: number }>(APPEND_LEAF, hash).one()
    this.#tree.append(position, hash)
    return position
  }
}
