// One of the shards that know where in the public log an attestation is, so that whoever asks never waits for the object
// that writes the log, nor that one for them. The database itself refuses to move or remove an entry.
import { DurableObject } from 'cloudflare:workers'
import { migrateObject } from '../../platform/object-migrations.ts'
import type { IndexEntry } from './intake.store.ts'

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

const INSERT_ENTRY = 'INSERT INTO entries (attestation_id, position) VALUES (?, ?)'

const MIGRATIONS = [INDEX_SCHEMA]

export class PublicLogIndex extends DurableObject {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, MIGRATIONS)
  }

  /** What is there already is left as it is. Says how many of these are there at another position. */
  insertEntries(entries: readonly IndexEntry[]): number {
    return this.ctx.storage.transactionSync(() => entries.filter((entry) => !this.#insert(entry)).length)
  }

  /** The position of its leaf; null when the log is not known to have this attestation. */
  findPosition(attestationId: Uint8Array): number | null {
    const [row] = this.ctx.storage.sql
      .exec<{ position: number }>('SELECT position FROM entries WHERE attestation_id = ?', attestationId)
      .toArray()
    return row?.position ?? null
  }

  #insert({ attestationId, position }: IndexEntry): boolean {
    const known = this.findPosition(attestationId)
    if (known === null) this.ctx.storage.sql.exec(INSERT_ENTRY, attestationId, position)
    return known === null || known === position
  }
}
