// The ledger's two tables in the organisation's database: leaves (hashes, kept for ever) and details (what they are the
// hash of, kept as long as retention says). The database itself refuses to change, remove or reorder a leaf.
import { DAY_MS } from '../platform/clock.ts'
import { encodeEntry, leafHash, type EntryContent, type EntryKind } from './entry.ts'

export const LEDGER_SCHEMA = `
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
  CREATE TABLE details (
    position INTEGER PRIMARY KEY REFERENCES leaves (position),
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    entry BLOB NOT NULL
  ) STRICT;
`

/** Details of referral decisions and of operators' acts go after this, whatever the tier. */
const RETENTION_DAYS = 30

const APPEND_LEAF = `
  INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), ? FROM leaves RETURNING position
`

export class LedgerStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Appends one entry and says at which position. Belongs inside the turn that decides. */
  appendEntry(kind: EntryKind, content: EntryContent, now: number, retentionDays = RETENTION_DAYS): number {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(now).toISOString() })
    const { position } = this.#sql.exec<{ position: number }>(APPEND_LEAF, leafHash(entry)).one()
    this.#sql.exec(
      'INSERT INTO details (position, kind, at, expires_at, entry) VALUES (?, ?, ?, ?, ?)',
      position,
      kind,
      now,
      now + retentionDays * DAY_MS,
      entry,
    )
    return position
  }

  deleteExpiredDetails(now: number): void {
    this.#sql.exec('DELETE FROM details WHERE expires_at <= ?', now)
  }
}
