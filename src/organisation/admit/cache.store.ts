// Which answers may be given again: where each is kept, and until when. The key of a row tells nothing of its request.

export const CACHE_SCHEMA = `
  CREATE TABLE cache_entries (
    key BLOB PRIMARY KEY CHECK (length(key) = 32),
    object TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    attestation_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cache_entries_by_expiry ON cache_entries (expires_at);
`

/** `object`: where its answer is, in R2. `attestationId`: of the receipt of the call that it answered. */
export type CacheEntry = { object: string; attestationId: string }

/** Others wait while they are deleted. */
const DELETED_AT_ONCE = 2000

export class CacheStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** @param mostMs what is left of an entry's time can be no longer: more is a mistake of the clock's */
  find(key: Uint8Array, mostMs: number, now: number): CacheEntry | null {
    const [row] = this.#sql
      .exec<{ object: string; attestation_id: string }>(
        'SELECT object, attestation_id FROM cache_entries WHERE key = ? AND expires_at > ? AND expires_at <= ?',
        key,
        now,
        now + mostMs,
      )
      .toArray()
    return row === undefined ? null : { object: row.object, attestationId: row.attestation_id }
  }

  insert(key: Uint8Array, { object, attestationId }: CacheEntry, expiresAt: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO cache_entries (key, object, expires_at, attestation_id) VALUES (?, ?, ?, ?)',
      key,
      object,
      expiresAt,
      attestationId,
    )
  }

  delete(key: Uint8Array): void {
    this.#sql.exec('DELETE FROM cache_entries WHERE key = ?', key)
  }

  /** The objects that entries of one call name. */
  findObjects(attestationId: string): string[] {
    return this.#sql
      .exec<{ object: string }>('SELECT object FROM cache_entries WHERE attestation_id = ?', attestationId)
      .toArray()
      .map(({ object }) => object)
  }

  deleteOf(attestationId: string): void {
    this.#sql.exec('DELETE FROM cache_entries WHERE attestation_id = ?', attestationId)
  }

  /** When the first of them is over; null where there are none. */
  firstExpiry(): number | null {
    return this.#sql.exec<{ first: number | null }>('SELECT MIN(expires_at) AS first FROM cache_entries').one().first
  }

  /** Some of those that are over. */
  deleteExpired(now: number): void {
    this.#sql.exec(
      `DELETE FROM cache_entries WHERE key IN (
         SELECT key FROM cache_entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ${DELETED_AT_ONCE})`,
      now,
    )
  }
}
