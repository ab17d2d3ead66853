// Stores which answers the cache may give again: the R2 object of each, and until when. The cache key reveals nothing about
// the request.

export const ANSWER_CACHE_SCHEMA = `
  CREATE TABLE cache_entries (
    key BLOB PRIMARY KEY CHECK (length(key) = 32),
    object TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    attestation_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cache_entries_by_expiry ON cache_entries (expires_at);
`

/** `object`: the R2 object that has the answer. `attestationId`: of the receipt of the call that first got it. */
export type CacheEntry = { object: string; attestationId: string }

/** The most entries that one call deletes, because other calls wait meanwhile. */
const DELETED_AT_ONCE = 2000

export class AnswerCacheStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** @param mostMs the longest that an entry may still be valid: more is an error of the clock */
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

  /** Returns the names of the objects that the entries of one call name. */
  findObjects(attestationId: string): string[] {
    return this.#sql
      .exec<{ object: string }>('SELECT object FROM cache_entries WHERE attestation_id = ?', attestationId)
      .toArray()
      .map(({ object }) => object)
  }

  deleteOf(attestationId: string): void {
    this.#sql.exec('DELETE FROM cache_entries WHERE attestation_id = ?', attestationId)
  }

  /** Returns when the first entry expires; null if there are none. */
  firstExpiry(): number | null {
    return this.#sql.exec<{ first: number | null }>('SELECT MIN(expires_at) AS first FROM cache_entries').one().first
  }

  /** Deletes some of the expired entries. */
  deleteExpired(now: number): void {
    this.#sql.exec(
      `DELETE FROM cache_entries WHERE key IN (
         SELECT key FROM cache_entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ${DELETED_AT_ONCE})`,
      now,
    )
  }
}
