// Stores the records of an organisation's API keys. SECURITY: only the SHA-256 of a secret is stored. Used keys are cached in
// memory, because every call needs one and few calls change any.
import type { KeyId, PersonId } from '../platform/ids.ts'
import { once } from '../platform/once.ts'
import { fromRow, toRow, type Row } from '../platform/wire.ts'
import { isAfter, sql, type Sql } from '../platform/sql.ts'
import { sqlColumnsOf } from '../platform/sql-columns.ts'
import { ObjectStore } from '../platform/stores.ts'
import { KEY_SCOPES, KeySchema, type KeyRecord } from './key.schema.ts'

export const KEYS_SCHEMA = `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    prefix TEXT NOT NULL,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    last_four TEXT NOT NULL,
    scopes TEXT NOT NULL,
    requests_per_minute INTEGER,
    requests_per_day INTEGER,
    data_region TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    created_by TEXT NOT NULL,
    last_used_at INTEGER,
    replaced_by TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_maker ON keys (created_by);
`

/** The migration of tables that were made before there were keys for evaluation. */
export const KEY_EVALUATION_SCHEMA = 'ALTER TABLE keys ADD COLUMN evaluation INTEGER NOT NULL DEFAULT 0'

/** Selects a page of keys, newest first, older than `cursor` (an id). */
export type KeyPage = { status: 'active' | 'all'; limit: number; cursor: string | null }

type KeyRow = Omit<Row<KeyRecord>, 'secret_hash' | 'scopes' | 'evaluation'> & {
  secret_hash: ArrayBuffer
  scopes: string
  evaluation: number
}

/** The members of a key on the wire without the computed ones, and the hash of its secret. */
const columns = once(() => {
  const names = Object.keys(KeySchema().shape).filter((name) => name !== 'object' && name !== 'status')
  return sqlColumnsOf(Object.fromEntries([...names, 'secret_hash'].map((name) => [name, name])))
})
const selected = (): Sql => sql`SELECT ${columns().selected} FROM keys`
const inForce = (now: number): Sql => sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`

const MAX_CACHED = 1_000

export class KeysStore extends ObjectStore {
  readonly #cache = new Map<string, KeyRecord>()

  findKey(id: string): KeyRecord | null {
    const cached = this.#cache.get(id)
    if (cached !== undefined) return cached
    const [row] = this.rows<KeyRow>(sql`${selected()} WHERE id = ${id}`)
    if (row === undefined) return null
    const key = readRow(row)
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(id, key)
    return key
  }

  pageOfKeys({ status, limit, cursor }: KeyPage, now: number): KeyRecord[] {
    return this.rows<KeyRow>(sql`${selected()} WHERE (${status} = 'all' OR (${inForce(now)})) AND ${isAfter(cursor)}
      ORDER BY id DESC LIMIT ${limit}`).map(readRow)
  }

  /**
   * Returns the keys that a person or key made before a time, and all keys that those made. Newest first, ended keys included.
   * `UNION` visits each key once, so that even keys that made one another do not loop.
   */
  listMadeBy(maker: PersonId | KeyId, before = Number.MAX_SAFE_INTEGER): KeyRecord[] {
    return this.rows<KeyRow>(sql`WITH RECURSIVE made (id) AS (
        SELECT id FROM keys WHERE created_by = ${maker} AND created_at < ${before}
        UNION SELECT keys.id FROM made JOIN keys ON keys.created_by = made.id
      )
      ${selected()} WHERE id IN (SELECT id FROM made) AND id <> ${maker} ORDER BY id DESC`).map(readRow)
  }

  /** Returns the ids of the keys whose name contains a text in lower case, revoked ones included. */
  listIdsNamed(part: string): string[] {
    return this.rows<{ id: string; name: string }>(sql`SELECT id, name FROM keys`)
      .filter(({ name }) => name.toLowerCase().includes(part))
      .map(({ id }) => id)
  }

  /** Returns the keys that were made for evaluation, ended ones included. */
  listForEvaluation(): KeyRecord[] {
    return this.rows<KeyRow>(sql`${selected()} WHERE evaluation = 1`).map(readRow)
  }

  /** Returns the keys without a successor that end within `withinMs`, and were made for longer than that. */
  listExpiring(withinMs: number, now: number): KeyRecord[] {
    return this.rows<KeyRow>(sql`${selected()} WHERE ${inForce(now)} AND expires_at <= ${now} + ${withinMs}
      AND created_at < expires_at - ${withinMs} AND replaced_by IS NULL`).map(readRow)
  }

  countActive(now: number): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n FROM keys WHERE ${inForce(now)}`).n
  }

  insertKey(key: KeyRecord): void {
    this.#cache.delete(key.id)
    const row = { ...toRow(key), scopes: key.scopes.join(' '), evaluation: key.evaluation ? 1 : 0 }
    this.run(sql`INSERT INTO keys (${columns().names}) VALUES (${columns().valuesOf(row)})`)
  }

  /** Writes the members that can change, except the last use and the revocation. */
  updateKey(key: KeyRecord): void {
    const { id, name, requestsPerMinute, requestsPerDay, dataRegion, expiresAt, replacedBy } = key
    this.#cache.delete(id)
    this.run(sql`UPDATE keys SET name = ${name}, requests_per_minute = ${requestsPerMinute},
      requests_per_day = ${requestsPerDay}, data_region = ${dataRegion}, expires_at = ${expiresAt},
      replaced_by = ${replacedBy} WHERE id = ${id}`)
  }

  /** Stores the last use of an idle key. Until then the organisation's state has it. */
  writeLastUse(id: string, at: number): void {
    this.#cache.delete(id)
    this.run(sql`UPDATE keys SET last_used_at = ${at} WHERE id = ${id}`)
  }

  /** Keeps the time of the first revocation. */
  revokeKey(id: string, now: number): void {
    this.#cache.delete(id)
    this.run(sql`UPDATE keys SET revoked_at = COALESCE(revoked_at, ${now}) WHERE id = ${id}`)
  }

  /** Call this after a rollback: the cached keys may never have been stored. */
  forget(): void {
    this.#cache.clear()
  }
}

const readRow = ({ secret_hash: hash, scopes, evaluation, ...row }: KeyRow): KeyRecord => ({
  ...fromRow<Omit<KeyRecord, 'secretHash' | 'scopes' | 'evaluation'>>(row),
  evaluation: evaluation === 1,
  secretHash: new Uint8Array(hash),
  scopes: KEY_SCOPES.filter((scope) => scopes.split(' ').includes(scope)),
})
