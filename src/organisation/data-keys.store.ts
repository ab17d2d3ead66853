// The keys that an organisation's own content is sealed under, in its own database: what is sealed cannot be read without
// its key. A row may outlive its key. Once the organisation is erased there is none, and the database makes no other.
import type { DataKey } from '../ledger/sealed-object.ts'
import { sha256 } from '../platform/sha256.ts'
import { SEALING_KEY_BYTES } from '../platform/seal.ts'

export const DATA_KEYS_SCHEMA = `
  CREATE TABLE data_keys (
    number INTEGER PRIMARY KEY,
    key BLOB CHECK (length(key) = ${SEALING_KEY_BYTES})
  ) STRICT;
`

const FINGERPRINT_BYTES = 8

type Row = { number: number; key: ArrayBuffer }

export class DataKeysStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The newest. Made when there is none: on first use, and should the last have been destroyed. Throws for an erased organisation. */
  current(): DataKey {
    const [newest] = this.#sql
      .exec<Row>('SELECT number, key FROM data_keys WHERE key IS NOT NULL ORDER BY number DESC LIMIT 1')
      .toArray()
    return newest === undefined ? this.#make() : fromRow(newest)
  }

  /** Null when it has been destroyed. */
  find(number: number): DataKey | null {
    const [row] = this.#sql
      .exec<Row>('SELECT number, key FROM data_keys WHERE number = ? AND key IS NOT NULL', number)
      .toArray()
    return row === undefined ? null : fromRow(row)
  }

  /** What is sealed under them is noise from here on. Overwritten first, so that no page of the database keeps them. */
  destroyAll(): void {
    this.#sql.exec(`UPDATE data_keys SET key = zeroblob(${SEALING_KEY_BYTES}) WHERE key IS NOT NULL`)
    this.#sql.exec('UPDATE data_keys SET key = NULL')
  }

  count(): number {
    return this.#sql.exec<{ keys: number }>('SELECT COUNT(key) AS keys FROM data_keys').one().keys
  }

  #make(): DataKey {
    const key = crypto.getRandomValues(new Uint8Array(SEALING_KEY_BYTES))
    return fromRow(this.#sql.exec<Row>('INSERT INTO data_keys (key) VALUES (?) RETURNING number, key', key).one())
  }
}

function fromRow({ number, key }: Row): DataKey {
  const bytes = new Uint8Array(key)
  return { number, bytes, fingerprint: sha256(bytes).subarray(0, FINGERPRINT_BYTES).toHex() }
}
