// The records of an organisation's keys in its own database. Only the SHA-256 of a secret is stored. Used keys are cached in
// memory, because every call needs one and few calls change any.
import type { KeyId, PersonId } from '../platform/ids.ts'
import type { KeyPrefix } from './key-format.ts'
import { KEY_SCOPES, type KeyScope } from './key.schema.ts'

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
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    created_by TEXT NOT NULL,
    last_used_at INTEGER,
    replaced_by TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_maker ON keys (created_by);
`

/** The creator of a key, who therefore knows its secret. */
export type KeyMaker = 'operator' | PersonId | KeyId

export type KeyRecord = {
  readonly id: KeyId
  readonly prefix: KeyPrefix
  readonly name: string
  readonly secretHash: Uint8Array
  readonly lastFour: string
  readonly scopes: readonly KeyScope[]
  readonly requestsPerMinute: number | null
  readonly requestsPerDay: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly createdBy: KeyMaker
  /** The last call that counted against a limit; null before the first. */
  readonly lastUsedAt: number | null
  /** The key that replaced this one. */
  readonly replacedBy: KeyId | null
}

/** A page of keys, newest first, after `cursor` (an id). */
export type KeyPage = { status: 'active' | 'all'; limit: number; cursor: string | null }

type KeyRow = {
  id: KeyId
  prefix: KeyPrefix
  name: string
  secret_hash: ArrayBuffer
  last_four: string
  scopes: string
  requests_per_minute: number | null
  requests_per_day: number | null
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  created_by: KeyMaker
  last_used_at: number | null
  replaced_by: KeyId | null
}

const COLUMNS = `id, prefix, name, secret_hash, last_four, scopes, requests_per_minute, requests_per_day, created_at,
  expires_at, revoked_at, created_by, last_used_at, replaced_by`
/** Takes the time as `?1`. */
const IN_FORCE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)'

const MAX_CACHED = 1_000

export class KeysStore {
  readonly #sql: SqlStorage
  readonly #cache = new Map<string, KeyRecord>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  findKey(id: string): KeyRecord | null {
    const cached = this.#cache.get(id)
    if (cached !== undefined) return cached
    const [row] = this.#sql.exec<KeyRow>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`, id).toArray()
    if (row === undefined) return null
    const key = fromRow(row)
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(id, key)
    return key
  }

  pageOfKeys({ status, limit, cursor }: KeyPage, now: number): KeyRecord[] {
    return this.#sql
      .exec<KeyRow>(
        `SELECT ${COLUMNS} FROM keys WHERE (?2 = 'all' OR (${IN_FORCE})) AND (?3 IS NULL OR id < ?3)
         ORDER BY id DESC LIMIT ?4`,
        now,
        status,
        cursor,
        limit,
      )
      .toArray()
      .map(fromRow)
  }

  /**
   * The keys that a person or key made before a time, and the keys that these made, at any depth. Newest first, ended keys
   * included. `UNION` visits each key once, so that even keys that made one another do not loop.
   */
  listMadeBy(maker: PersonId | KeyId, before = Number.MAX_SAFE_INTEGER): KeyRecord[] {
    return this.#sql
      .exec<KeyRow>(
        `WITH RECURSIVE made (id) AS (
           SELECT id FROM keys WHERE created_by = ?1 AND created_at < ?2
           UNION
           SELECT keys.id FROM made JOIN keys ON keys.created_by = made.id
         )
         SELECT ${COLUMNS} FROM keys WHERE id IN (SELECT id FROM made) AND id <> ?1 ORDER BY id DESC`,
        maker,
        before,
      )
      .toArray()
      .map(fromRow)
  }

  countActive(now: number): number {
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM keys WHERE ${IN_FORCE}`, now).one().n
  }

  insertKey(key: KeyRecord): void {
    this.#cache.delete(key.id)
    this.#sql.exec(
      `INSERT INTO keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      key.id,
      key.prefix,
      key.name,
      key.secretHash,
      key.lastFour,
      key.scopes.join(' '),
      key.requestsPerMinute,
      key.requestsPerDay,
      key.createdAt,
      key.expiresAt,
      key.revokedAt,
      key.createdBy,
      key.lastUsedAt,
      key.replacedBy,
    )
  }

  /** Writes the members that can change, except the last use and the revocation. */
  updateKey({ id, name, requestsPerMinute, requestsPerDay, expiresAt, replacedBy }: KeyRecord): void {
    this.#cache.delete(id)
    this.#sql.exec(
      `UPDATE keys SET name = ?, requests_per_minute = ?, requests_per_day = ?, expires_at = ?, replaced_by = ?
       WHERE id = ?`,
      name,
      requestsPerMinute,
      requestsPerDay,
      expiresAt,
      replacedBy,
      id,
    )
  }

  /** Used for an idle key; before that, the organisation's state knows the time. */
  writeLastUse(id: string, at: number): void {
    this.#cache.delete(id)
    this.#sql.exec('UPDATE keys SET last_used_at = ? WHERE id = ?', at, id)
  }

  /** Keeps the time of the first revocation. */
  revokeKey(id: string, now: number): void {
    this.#cache.delete(id)
    this.#sql.exec('UPDATE keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', now, id)
  }

  /** Call this after a rollback: the cached keys may never have been stored. */
  forget(): void {
    this.#cache.clear()
  }
}

function fromRow(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    secretHash: new Uint8Array(row.secret_hash),
    lastFour: row.last_four,
    scopes: KEY_SCOPES.filter((scope) => row.scopes.split(' ').includes(scope)),
    requestsPerMinute: row.requests_per_minute,
    requestsPerDay: row.requests_per_day,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdBy: row.created_by,
    lastUsedAt: row.last_used_at,
    replacedBy: row.replaced_by,
  }
}
