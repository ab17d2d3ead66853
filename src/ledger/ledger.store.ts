// The ledger in the organisation's database: leaves (hashes, kept for ever) and details (what they are the hash of, kept
// as long as retention says).
import { receiptEntry } from '../attestation/receipt-entry.ts'
import type { UnsignedRecord } from '../attestation/record.ts'
import { DAY_MS } from '../platform/clock.ts'
import { encodeEntry, leafHash, RECEIPT_KIND, type EntryContent, type EntryKind } from './entry.ts'
import { LEAVES_SCHEMA, LeavesStore } from './leaves.store.ts'

export const LEDGER_SCHEMA = `
  ${LEAVES_SCHEMA}
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

type Appended = { kind: EntryKind | typeof RECEIPT_KIND; entry: Uint8Array; facts: EntryContent | null }

export class LedgerStore {
  readonly #sql: SqlStorage
  readonly #leaves: LeavesStore

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#leaves = new LeavesStore(sql)
  }

  /** Appends one entry and says at which position. Belongs inside the turn that decides. */
  appendEntry(kind: EntryKind, content: EntryContent, now: number, retentionDays = RETENTION_DAYS): number {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(now).toISOString() })
    return this.#append({ kind, entry, facts: null }, now, retentionDays)
  }

  /** The same for a chat decision's record: the leaf covers its signed bytes, and nothing of `facts`. */
  appendReceipt(record: UnsignedRecord, facts: EntryContent, now: number, retentionDays: number): number {
    return this.#append({ kind: RECEIPT_KIND, entry: receiptEntry(record), facts }, now, retentionDays)
  }

  #append({ kind, entry, facts }: Appended, now: number, retentionDays: number): number {
    const position = this.#leaves.append(leafHash(entry))
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
}
