// How far the organisation's receipts have been handed to the public log. Everything up to that position may be forgotten
// here as far as the log is concerned; what comes after it may not.

import { attestationIdIn } from '../attestation/receipt-entry.ts'
import type { HandedReceipt } from '../ledger/public-log/receipt-batch.ts'

export const PUBLICATION_SCHEMA = `
  CREATE TABLE publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    published_to INTEGER NOT NULL,
    last_receipt INTEGER NOT NULL CHECK (last_receipt <= published_to)
  ) STRICT;
  INSERT INTO publication (id, published_to, last_receipt) VALUES (1, -1, -1);
`

/** Entries of other kinds come without their content, which the log has no use for. */
const NEXT_ENTRIES = `
  SELECT position,
    CASE kind WHEN 'chat_decision' THEN entry END AS entry,
    CASE kind WHEN 'chat_decision' THEN (SELECT hash FROM leaves WHERE leaves.position = details.position) END AS hash
  FROM details WHERE position > ? ORDER BY position LIMIT ?
`

type Row = { position: number; entry: ArrayBuffer | null; hash: ArrayBuffer | null }

/** Positions, -1 for none. */
export type Publication = {
  /** Every entry up to this one that is a receipt has been handed over. */
  publishedTo: number
  /** The newest of those that is a receipt, which the public log knows too. */
  lastReceipt: number
}

export type Unpublished = {
  /** The receipt before these. */
  after: number
  receipts: HandedReceipt[]
  /** The position up to which these are all receipts there are. */
  upTo: number
  hasMore: boolean
}

export class PublicationStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read(): Publication {
    const { published_to: publishedTo, last_receipt: lastReceipt } = this.#sql
      .exec<{ published_to: number; last_receipt: number }>('SELECT published_to, last_receipt FROM publication')
      .one()
    return { publishedTo, lastReceipt }
  }

  /** When the oldest receipt that is not handed over was written; null when there is none. */
  oldestUnpublishedAt(): number | null {
    const [row] = this.#sql
      .exec<{ at: number }>(
        `SELECT at FROM details WHERE position > ? AND kind = 'chat_decision' ORDER BY position LIMIT 1`,
        this.read().publishedTo,
      )
      .toArray()
    return row?.at ?? null
  }

  /** What comes next in the ledger, `limit` entries at most, of whatever kind. */
  listUnpublished(limit: number): Unpublished {
    const { publishedTo, lastReceipt } = this.read()
    const rows = this.#sql.exec<Row>(NEXT_ENTRIES, publishedTo, limit).toArray()
    return {
      after: lastReceipt,
      receipts: rows.flatMap(readReceipt),
      upTo: rows.length === limit ? (rows.at(-1)?.position ?? publishedTo) : this.#lastPosition(),
      hasMore: rows.length === limit,
    }
  }

  #lastPosition(): number {
    return this.#sql.exec<{ last: number }>('SELECT COALESCE(MAX(position), -1) AS last FROM leaves').one().last
  }

  write({ publishedTo, lastReceipt }: Publication): void {
    this.#sql.exec('UPDATE publication SET published_to = ?, last_receipt = ?', publishedTo, lastReceipt)
  }
}

/** A decision from before decisions were receipts has no attestation. */
function readReceipt({ position, entry, hash }: Row): HandedReceipt[] {
  const attestationId = entry && attestationIdIn(new Uint8Array(entry))
  if (attestationId === null || hash === null) return []
  return [{ position, attestationId, leafHash: new Uint8Array(hash) }]
}
