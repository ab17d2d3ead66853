// The public log's side of taking receipts in: from which object it has taken how many, and which attestation each leaf is
// of, which the index is made from.
import { parseId } from '../../platform/ids.ts'
import { LeavesStore } from '../leaves.store.ts'
import type { ReceiptBatch, Taken } from './receipt-batch.ts'

export const INTAKE_SCHEMA = `
  CREATE TABLE sources (
    source TEXT PRIMARY KEY,
    taken_to INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE attestations (
    position INTEGER PRIMARY KEY REFERENCES leaves (position),
    attestation_id BLOB NOT NULL CHECK (length(attestation_id) = 16)
  ) STRICT;
  CREATE TRIGGER attestations_never_change BEFORE UPDATE ON attestations
    BEGIN SELECT RAISE(ABORT, 'a leaf stays that of its attestation'); END;
  CREATE TRIGGER attestations_never_go BEFORE DELETE ON attestations
    BEGIN SELECT RAISE(ABORT, 'an attestation is never removed'); END;
`

const INSERT_ATTESTATION = 'INSERT INTO attestations (position, attestation_id) VALUES (?, ?)'
const REPLACE_SOURCE = 'INSERT OR REPLACE INTO sources (source, taken_to) VALUES (?, ?)'

/** An attestation's leaf in the public log. */
export type IndexEntry = { attestationId: Uint8Array; position: number }

export class IntakeStore {
  readonly #sql: SqlStorage
  readonly #leaves: LeavesStore

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#leaves = new LeavesStore(sql)
  }

  /**
   * Belongs inside a transaction. What was taken before is skipped, so a batch may come twice; where receipts in between
   * are missing nothing is taken. Throws RangeError for a batch out of order and for an id that is no UUID.
   */
  take({ source, after, receipts }: ReceiptBatch): Taken {
    const takenBefore = this.#takenTo(source)
    if (after > takenBefore) return { takenTo: takenBefore }
    let last = after
    let takenTo = takenBefore
    for (const { position, attestationId, leafHash } of receipts) {
      if (!Number.isSafeInteger(position) || position <= last) throw new RangeError('receipts come in order')
      last = position
      if (position <= takenBefore) continue
      const id = parseId('', attestationId)
      if (id === null) throw new RangeError('an attestation_id is a UUID')
      this.#sql.exec(INSERT_ATTESTATION, this.#leaves.append(leafHash), id)
      takenTo = position
    }
    if (takenTo > takenBefore) this.#sql.exec(REPLACE_SOURCE, source, takenTo)
    return { takenTo }
  }

  /** Those of the leaves from `from` up to but not including `end`, in order. */
  listAttestations(from: number, end: number): IndexEntry[] {
    return this.#sql
      .exec<{ position: number; attestation_id: ArrayBuffer }>(
        'SELECT position, attestation_id FROM attestations WHERE position >= ? AND position < ? ORDER BY position',
        from,
        end,
      )
      .toArray()
      .map(({ position, attestation_id: id }) => ({ attestationId: new Uint8Array(id), position }))
  }

  #takenTo(source: string): number {
    const [row] = this.#sql
      .exec<{ taken_to: number }>('SELECT taken_to FROM sources WHERE source = ?', source)
      .toArray()
    return row?.taken_to ?? -1
  }
}
