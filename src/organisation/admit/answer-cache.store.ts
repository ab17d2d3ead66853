// Stores which answers the cache may give again: the R2 object of each, and until when. The cache key reveals nothing about
// the request.

import type { AnswerCommitment } from '../../evidence/records/answer-outline.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const ANSWER_CACHE_SCHEMA = `
  CREATE TABLE cache_entries (
    key BLOB PRIMARY KEY CHECK (length(key) = 32),
    object TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    attestation_id TEXT NOT NULL,
    -- What commits to the answer; null if nothing does.
    answer_salt TEXT,
    answer_sha256 TEXT,
    CHECK ((answer_salt IS NULL) = (answer_sha256 IS NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX cache_entries_by_expiry ON cache_entries (expires_at);
`

/** `object`: the R2 object that has the answer. `attestationId`: of the receipt of the call that first got it. */
export type CacheEntry = { object: string; attestationId: string; answer: AnswerCommitment | null }

type Row = { object: string; attestation_id: string; answer_salt: string | null; answer_sha256: string | null }

/** The most entries that one call deletes, because other calls wait meanwhile. */
const DELETED_AT_ONCE = 2000

export class AnswerCacheStore extends ObjectStore {
  /** @param mostMs the longest that an entry may still be valid: more is an error of the clock */
  find(key: Uint8Array, mostMs: number, now: number): CacheEntry | null {
    const [row] = this.rows<Row>(sql`SELECT object, attestation_id, answer_salt, answer_sha256 FROM cache_entries
      WHERE key = ${key} AND expires_at > ${now} AND expires_at <= ${now + mostMs}`)
    if (row === undefined) return null
    const { object, attestation_id: attestationId, answer_salt: salt, answer_sha256: sha256 } = row
    return { object, attestationId, answer: salt === null || sha256 === null ? null : { salt, sha256 } }
  }

  insert(key: Uint8Array, { object, attestationId, answer }: CacheEntry, expiresAt: number): void {
    this.run(sql`INSERT OR REPLACE INTO cache_entries
        (key, object, expires_at, attestation_id, answer_salt, answer_sha256)
      VALUES (${key}, ${object}, ${expiresAt}, ${attestationId}, ${answer?.salt ?? null}, ${answer?.sha256 ?? null})`)
  }

  delete(key: Uint8Array): void {
    this.run(sql`DELETE FROM cache_entries WHERE key = ${key}`)
  }

  /** Returns the names of the objects that the entries of one call name. */
  findObjects(attestationId: string): string[] {
    return this.rows<{ object: string }>(sql`SELECT object FROM cache_entries
      WHERE attestation_id = ${attestationId}`).map(({ object }) => object)
  }

  deleteOf(attestationId: string): void {
    this.run(sql`DELETE FROM cache_entries WHERE attestation_id = ${attestationId}`)
  }

  /** Returns when the first entry expires; null if there are none. */
  firstExpiry(): number | null {
    return this.row<{ first: number | null }>(sql`SELECT MIN(expires_at) AS first FROM cache_entries`).first
  }

  /** Deletes some of the expired entries. */
  deleteExpired(now: number): void {
    this.run(sql`DELETE FROM cache_entries WHERE key IN (SELECT key FROM cache_entries
      WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${DELETED_AT_ONCE})`)
  }
}
