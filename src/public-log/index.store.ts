// Where attestations are, in one shard of the public log's index. The database itself refuses to move or remove an entry.
import type { IndexEntry } from './batches.store.ts'

/** Attestations are divided by the first four bits of their ids, which are random. */
export const INDEX_SHARDS = 16

export const shardOf = (attestationId: Uint8Array): number => (attestationId[0] ?? 0) >> 4

const INDEX_SCHEMA = `
  CREATE TABLE entries (
    attestation_id BLOB PRIMARY KEY CHECK (length(attestation_id) = 16),
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER entries_are_written_once BEFORE INSERT ON entries
    WHEN EXISTS (SELECT 1 FROM entries WHERE attestation_id = NEW.attestation_id)
    BEGIN SELECT RAISE(ABORT, 'an attestation is in the log once'); END;
  CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'an entry never changes'); END;
  CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'an entry is never removed'); END;
`

/** Where the source has it, which entries from before this learn when they are told again. */
const ORIGIN_SCHEMA = `
  ALTER TABLE entries ADD COLUMN origin INTEGER;
  DROP TRIGGER entries_never_change;
  CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    WHEN NEW.attestation_id IS NOT OLD.attestation_id OR NEW.position IS NOT OLD.position OR OLD.origin IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'an entry never changes'); END;
`

/** Applied in order, once each; a step that has been released never changes. */
export const INDEX_MIGRATIONS = [INDEX_SCHEMA, ORIGIN_SCHEMA]

/** Where the source of a receipt has it in its own log. */
export type Origin = { attestationId: Uint8Array; origin: number }

/** Where an attestation is: its leaf in the public log, and in the log it comes from; null where that is not known. */
export type IndexedPlace = { position: number; origin: number | null }

export class IndexStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  find(attestationId: Uint8Array): IndexedPlace | null {
    const [row] = this.#sql
      .exec<IndexedPlace>('SELECT position, origin FROM entries WHERE attestation_id = ?', attestationId)
      .toArray()
    return row ?? null
  }

  /** Of one that lacks it. False where the attestation is not there. */
  setOrigin({ attestationId, origin }: Origin): boolean {
    const known = this.find(attestationId)
    if (known?.origin === null) {
      this.#sql.exec('UPDATE entries SET origin = ? WHERE attestation_id = ?', origin, attestationId)
    }
    return known !== null
  }

  /** What is there already is left as it is, but for an origin it lacks. False where it is there elsewhere. */
  insert({ attestationId, position, origin: named }: IndexEntry): boolean {
    // An older Worker beside this one names none.
    const origin = named ?? null
    const known = this.find(attestationId)
    if (known === null) {
      this.#sql.exec(
        'INSERT INTO entries (attestation_id, position, origin) VALUES (?, ?, ?)',
        attestationId,
        position,
        origin,
      )
      return true
    }
    if (known.position !== position || (known.origin ?? origin) !== (origin ?? known.origin)) return false
    if (origin !== null) this.setOrigin({ attestationId, origin })
    return true
  }
}
