// Which leaf settles which decision: what a decision's end is found by. Kept as long as the leaves, and as sealed as they are.
import { contentOf } from './entry.ts'

export const SETTLEMENTS_SCHEMA = `
  CREATE TABLE settlements (
    settles INTEGER PRIMARY KEY,
    position INTEGER NOT NULL REFERENCES leaves (position)
  ) STRICT;
  CREATE TRIGGER settlements_are_written_once BEFORE INSERT ON settlements
    WHEN EXISTS (SELECT 1 FROM settlements WHERE settles = NEW.settles)
    BEGIN SELECT RAISE(ABORT, 'a settlement is written once'); END;
  CREATE TRIGGER settlements_never_change BEFORE UPDATE ON settlements
    BEGIN SELECT RAISE(ABORT, 'a settlement never changes'); END;
  CREATE TRIGGER settlements_never_go BEFORE DELETE ON settlements
    BEGIN SELECT RAISE(ABORT, 'a settlement is never removed'); END;
`

/** A step of the migrations: finds the settlements among the details at hand. Older ones, which are sealed, stay unfound. */
export function findSettlements(sql: SqlStorage): void {
  const settlements = new SettlementsStore(sql)
  const rows = sql.exec<{ position: number; entry: ArrayBuffer }>(
    `SELECT position, entry FROM details WHERE kind = 'settlement' ORDER BY position`,
  )
  for (const { position, entry } of rows) {
    const { settles } = contentOf(new Uint8Array(entry))
    if (typeof settles === 'number' && settlements.findPosition(settles) === null) {
      settlements.insertSettlement(settles, position)
    }
  }
}

export class SettlementsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Belongs in the turn that appends the leaf. Throws for a position that is settled already. */
  insertSettlement(settles: number, position: number): void {
    this.#sql.exec('INSERT INTO settlements (settles, position) VALUES (?, ?)', settles, position)
  }

  /** The position of the leaf that settles the one at `settles`; null where none does. */
  findPosition(settles: number): number | null {
    const [row] = this.#sql
      .exec<{ position: number }>('SELECT position FROM settlements WHERE settles = ?', settles)
      .toArray()
    return row?.position ?? null
  }
}
