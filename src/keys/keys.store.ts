// Stores the records of an organisation's API keys. SECURITY: only the SHA-256 of a secret is stored. Used keys are cached in
// memory, because every call needs one and few calls change any.
import type { KeyId, PersonId } from '../platform/ids.ts'
import { once } from '../platform/once.ts'
import { fromRow, toRow, type Row } from '../platform/wire.ts'
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
const columns = once(() => [
  ...Object.keys(KeySchema().shape).filter((name) => name !== 'object' && name !== 'status'),
  'secret_hash',
])
const selected = (): string => `SELECT ${columns().join(', ')} FROM keys`
/** Takes the time as `?1`. */
const IN_FORCE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)'

const MAX_CACHED = 1_000

export class KeysStore extends ObjectStore {
  readonly #cache = new Map<string, KeyRecord>()

  findKey(id: string): KeyRecord | null {
    const cached = this.#cache.get(id)
    if (cached !== undefined) return cached
    const [row] = this.rows<KeyRow>(`${selected()} WHERE id = ?`, id)
    if (row === undefined) return null
    const key = readRow(row)
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(id, key)
    return key
  }

  pageOfKeys({ status, limit, cursor }: KeyPage, now: number): KeyRecord[] {
    return this.rows<KeyRow>(
      `${selected()} WHERE (?2 = 'all' OR (${IN_FORCE})) AND (?3 IS NULL OR id < ?3)
       ORDER BY id DESC LIMIT ?4`,
      now,
      status,
      cursor,
      limit,
    ).map(readRow)
  }

  /**
   * Returns the keys that a person or key made before a time, and all keys that those made. Newest first, ended keys included.
   * `UNION` visits each key once, so that even keys that made one another do not loop.
   */
  listMadeBy(maker: PersonId | KeyId, before = Number.MAX_SAFE_INTEGER): KeyRecord[] {
    return this.rows<KeyRow>(
      `WITH RECURSIVE made (id) AS (
         SELECT id FROM keys WHERE created_by = ?1 AND created_at < ?2
         UNION
         SELECT keys.id FROM made JOIN keys ON keys.created_by = made.id
       )
       ${selected()} WHERE id IN (SELECT id FROM made) AND id <> ?1 ORDER BY id DESC`,
      maker,
      before,
    ).map(readRow)
  }

  /** Returns the ids of the keys whose name contains a text in lower case, revoked ones included. */
  listIdsNamed(part: string): string[] {
    return this.rows<{ id: string; name: string }>('SELECT id, name FROM keys')
      .filter(({ name }) => name.toLowerCase().includes(part))
      .map(({ id }) => id)
  }

  /** Returns the keys that were made for evaluation, ended ones included. */
  listForEvaluation(): KeyRecord[] {
    return this.rows<KeyRow>(`${selected()} WHERE evaluation = 1`).map(readRow)
  }

  /** Returns the keys without a successor that end within `withinMs`, and were made for longer than that. */
  listExpiring(withinMs: number, now: number): KeyRecord[] {
    return this.rows<KeyRow>(
      `${selected()} WHERE ${IN_FORCE} AND expires_at <= ?1 + ?2 AND created_at < expires_at - ?2 AND replaced_by IS NULL`,
      now,
      withinMs,
    ).map(readRow)
  }

  countActive(now: number): number {
    return this.row<{ n: number }>(`SELECT COUNT(*) AS n FROM keys WHERE ${IN_FORCE}`, now).n
  }

  insertKey(key: KeyRecord): void {
    this.#cache.delete(key.id)
    const row: Readonly<Record<string, unknown>> = {
      ...toRow(key),
      scopes: key.scopes.join(' '),
      evaluation: key.evaluation ? 1 : 0,
    }
    this.sql.exec(
      `INSERT INTO keys (${columns().join(', ')}) VALUES (${columns()
        .map(() => '?')
        .join(', ')})`,
      ...columns().map((name) => row[name]),
    )
  }

  /** Writes the members that can change, except the last use and the revocation. */
  updateKey(key: KeyRecord): void {
    const { id, name, requestsPerMinute, requestsPerDay, dataRegion, expiresAt, replacedBy } = key
    this.#cache.delete(id)
    this.sql.exec(
      `UPDATE keys SET name = ?, requests_per_minute = ?, requests_per_day = ?, data_region = ?, expires_at = ?,
       replaced_by = ? WHERE id = ?`,
      name,
      requestsPerMinute,
      requestsPerDay,
      dataRegion,
      expiresAt,
      replacedBy,
      id,
    )
  }

  /** Stores the last use of an idle key. Until then the organisation's state has it. */
  writeLastUse(id: string, at: number): void {
    this.#cache.delete(id)
    this.sql.exec('UPDATE keys SET last_used_at = ? WHERE id = ?', at, id)
  }

  /** Keeps the time of the first revocation. */
  revokeKey(id: string, now: number): void {
    this.#cache.delete(id)
    this.sql.exec('UPDATE keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', now, id)
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
