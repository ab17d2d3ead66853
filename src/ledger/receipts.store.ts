// Which leaf is the receipt of which attestation: what an inclusion proof is asked by. Kept as long as the leaves, and as
// sealed as they are.
import { parseId } from '../platform/ids.ts'

export const RECEIPTS_SCHEMA = `
  CREATE TABLE receipts (
    attestation_id BLOB PRIMARY KEY CHECK (length(attestation_id) = 16),
    position INTEGER NOT NULL REFERENCES leaves (position)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER receipts_are_written_once BEFORE INSERT ON receipts
    WHEN EXISTS (SELECT 1 FROM receipts WHERE attestation_id = NEW.attestation_id)
    BEGIN SELECT RAISE(ABORT, 'a receipt is written once'); END;
  CREATE TRIGGER receipts_never_change BEFORE UPDATE ON receipts
    BEGIN SELECT RAISE(ABORT, 'a receipt never changes'); END;
  CREATE TRIGGER receipts_never_go BEFORE DELETE ON receipts
    BEGIN SELECT RAISE(ABORT, 'a receipt is never removed'); END;
`

export class ReceiptsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Belongs in the turn that appends the leaf. Throws for an id that is no UUID in lower case, or is there already. */
  insertReceipt(attestationId: string, position: number): void {
    const id = parseId('', attestationId)
    if (id === null) throw new RangeError('an attestation_id is a UUID')
    this.#sql.exec('INSERT INTO receipts (attestation_id, position) VALUES (?, ?)', id, position)
  }

  /** The position of its leaf; null when no receipt here has this id. */
  findPosition(attestationId: string): number | null {
    const id = parseId('', attestationId)
    if (id === null) return null
    const [row] = this.#sql
      .exec<{ position: number }>('SELECT position FROM receipts WHERE attestation_id = ?', id)
      .toArray()
    return row?.position ?? null
  }
}
