// Stores the keys that an organisation's data is sealed under. Without its key, sealed data cannot be read. Log entries and
// content have separate keys: content can be destroyed while the log stays readable. A row may outlive its key. An erased
// organisation has no keys, and its database makes no new one.
import type { DataKey } from './archive-bucket.store.ts'
import { sha256 } from '../../platform/sha256.ts'
import { SEALING_KEY_BYTES } from '../../platform/seal.ts'
import { exec, sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

/** `ledger`: archived entries of the log. `content`: prompts and answers, wherever they are stored. */
export type DataKeyPurpose = 'ledger' | 'content'

export const DATA_KEYS_SCHEMA = `
  CREATE TABLE data_keys (
    number INTEGER PRIMARY KEY,
    key BLOB CHECK (length(key) = ${SEALING_KEY_BYTES}),
    purpose TEXT NOT NULL CHECK (purpose IN ('ledger', 'content'))
  ) STRICT;
  CREATE TRIGGER sealed_details_have_ledger_keys BEFORE UPDATE OF data_key ON sealed_details
    WHEN EXISTS (SELECT 1 FROM data_keys WHERE number = NEW.data_key AND purpose <> 'ledger')
    BEGIN SELECT RAISE(ABORT, 'entries are not sealed under a key of content'); END;
`

const FINGERPRINT_BYTES = 8

type Row = { number: number; key: ArrayBuffer }

/** The keys of one purpose. */
export class DataKeysStore extends ObjectStore {
  readonly #purpose: DataKeyPurpose

  constructor(storage: SqlStorage, purpose: DataKeyPurpose) {
    super(storage)
    this.#purpose = purpose
  }

  /** Returns the newest key. Makes one if there is none, or the last was destroyed. Throws for an erased organisation. */
  current(): DataKey {
    return this.newest() ?? this.#make()
  }

  /** Returns null if there is none. */
  newest(): DataKey | null {
    const [row] = this.rows<Row>(sql`SELECT number, key FROM data_keys
      WHERE purpose = ${this.#purpose} AND key IS NOT NULL ORDER BY number DESC LIMIT 1`)
    return row === undefined ? null : fromRow(row)
  }

  /** Returns null if the key was destroyed. */
  find(number: number): DataKey | null {
    const [row] = this.rows<Row>(sql`SELECT number, key FROM data_keys
      WHERE number = ${number} AND purpose = ${this.#purpose} AND key IS NOT NULL`)
    return row === undefined ? null : fromRow(row)
  }

  /** Destroys the keys: nothing that is sealed under them can be read again. */
  destroy(): void {
    destroyWhere(this.sql, sql`purpose = ${this.#purpose}`)
  }

  #make(): DataKey {
    const key = crypto.getRandomValues(new Uint8Array(SEALING_KEY_BYTES))
    return fromRow(
      this.row<Row>(sql`INSERT INTO data_keys (key, purpose) VALUES (${key}, ${this.#purpose}) RETURNING number, key`),
    )
  }
}

export const destroyDataKeys = (storage: SqlStorage): void => destroyWhere(storage, sql`TRUE`)

export const countDataKeys = (storage: SqlStorage): number =>
  exec<{ keys: number }>(storage, sql`SELECT COUNT(key) AS keys FROM data_keys`).one().keys

/** Overwrites the keys before it clears them, so that no page of the database keeps them. */
function destroyWhere(storage: SqlStorage, where: Sql): void {
  exec(storage, sql`UPDATE data_keys SET key = zeroblob(${SEALING_KEY_BYTES}) WHERE key IS NOT NULL AND ${where}`)
  exec(storage, sql`UPDATE data_keys SET key = NULL WHERE ${where}`)
}

function fromRow({ number, key }: Row): DataKey {
  const bytes = new Uint8Array(key)
  return { number, bytes, fingerprint: sha256(bytes).subarray(0, FINGERPRINT_BYTES).toHex() }
}
