// The ledger's two tables in the organisation's database: leaves (hashes, kept for ever) and details (what they are the
// hash of, kept as long as retention says). The database itself refuses to change, remove or reorder a leaf.
import { receiptEntry } from '../attestation/receipt-entry.ts'
import type { UnsignedRecord } from '../attestation/record.ts'
import { DAY_MS } from '../platform/clock.ts'
import { encodeEntry, leafHash, type EntryContent, type EntryKind } from './entry.ts'
import { TreeStore } from './tree.store.ts'

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

/** What is known of a receipt beyond its record. It is kept with the entry, and the leaf does not cover it. */
export const RECEIPT_FACTS_SCHEMA = 'ALTER TABLE details ADD COLUMN facts TEXT'

/** Details of referral decisions and of operators' acts go after this, whatever the tier. */
const RETENTION_DAYS = 30

const APPEND_LEAF = `
  INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), ? FROM leaves RETURNING position
`

type Appended = { kind: EntryKind; entry: Uint8Array; facts: EntryContent | null }

export class LedgerStore {
  readonly #sql: SqlStorage
  readonly #tree: TreeStore

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#tree = new TreeStore(sql)
  }

  /** Appends one entry and says at which position. Belongs inside the turn that decides. */
  appendEntry(kind: EntryKind, content: EntryContent, now: number, retentionDays = RETENTION_DAYS): number {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(now).toISOString() })
    return this.#append({ kind, entry, facts: null }, now, retentionDays)
  }

  /** The same for a chat decision's record: the leaf covers its signed bytes, and nothing of `facts`. */
  appendReceipt(record: UnsignedRecord, facts: EntryContent, now: number, retentionDays: number): number {
    return this.#append({ kind: 'chat_decision', entry: receiptEntry(record), facts }, now, retentionDays)
  }

  #append({ kind, entry, facts }: Appended, now: number, retentionDays: number): number {
    const hash = leafHash(entry)
    const { position } = this.#sql.exec<{ position: number }>(APPEND_LEAF, hash).one()
    this.#tree.append(position, hash)
    this.#sql.exec(
      'INSERT INTO details (position, kind, at, expires_at, entry, facts) VALUES (?, ?, ?, ?, ?, ?)',
      position,
      kind,
      now,
      now + retentionDays * DAY_MS,
      entry,
      facts && JSON.stringify(facts),
    )
    return position
  }

  deleteExpiredDetails(now: number): void {
    this.#sql.exec('DELETE FROM details WHERE expires_at <= ?', now)
  }
}
