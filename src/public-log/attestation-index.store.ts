// Stores the positions of attestations in one shard of the public log's index. The database refuses to change or delete an entry.
import type { IndexedPositions, IndexEntry } from './public-log.client.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'

const INDEX_SCHEMA = `
  CREATE TABLE entries (
    attestation_id BLOB PRIMARY KEY CHECK (length(attestation_id) = 16),
    position INTEGER NOT NULL,
    -- The receipt's position in its organisation's log.
    origin INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER entries_are_written_once BEFORE INSERT ON entries
    WHEN EXISTS (SELECT 1 FROM entries WHERE attestation_id = NEW.attestation_id)
    BEGIN SELECT RAISE(ABORT, 'an attestation is in the log once'); END;
  CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'an entry never changes'); END;
  CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'an entry is never removed'); END;
`

/** Migration steps, which run in order, once each. */
export const INDEX_MIGRATIONS = [INDEX_SCHEMA]

export class AttestationIndexStore extends ObjectStore {
  find(attestationId: Uint8Array): IndexedPositions | null {
    const [row] = this.rows<IndexedPositions>(sql`SELECT position, origin FROM entries
      WHERE attestation_id = ${attestationId}`)
    return row ?? null
  }

  /** Inserts an entry; never changes one. Returns false if the attestation has another position. */
  insert({ attestationId, position, origin }: IndexEntry): boolean {
    const known = this.find(attestationId)
    if (known === null) {
      this.run(sql`INSERT INTO entries (attestation_id, position, origin)
        VALUES (${attestationId}, ${position}, ${origin})`)
      return true
    }
    return known.position === position && known.origin === origin
  }
}
