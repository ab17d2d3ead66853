// The records of an organisation's keys in its own database. Only the SHA-256 of a secret is kept. Those in use are held in
// memory too, since every call needs one and few calls change any.
import type { KeyId } from '../platform/ids.ts'
import type { KeyPrefix } from './key-format.ts'
import { KEY_SCOPES, type Key, type KeyScope } from './key.schema.ts'

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
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
`

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
}

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
}

const COLUMNS =
  'id, prefix, name, secret_hash, last_four, scopes, requests_per_minute, requests_per_day, created_at, expires_at, revoked_at'

const MOST_HELD = 1_000

export class KeysStore {
  readonly #sql: SqlStorage
  readonly #held = new Map<string, KeyRecord>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  findKey(id: string): KeyRecord | null {
    const held = this.#held.get(id)
    if (held !== undefined) return held
    const [row] = this.#sql.exec<KeyRow>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`, id).toArray()
    if (row === undefined) return null
    const key = fromRow(row)
    if (this.#held.size >= MOST_HELD) this.#held.clear()
    this.#held.set(id, key)
    return key
  }

  /** All of an organisation's keys, newest first. */
  listKeys(): KeyRecord[] {
    return this.#sql.exec<KeyRow>(`SELECT ${COLUMNS} FROM keys ORDER BY id DESC`).toArray().map(fromRow)
  }

  insertKey(key: KeyRecord): void {
    this.#held.delete(key.id)
    this.#sql.exec(
      `INSERT INTO keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    )
  }

  /** Keeps the first revocation's time. */
  revokeKey(id: string, now: number): void {
    this.#held.delete(id)
    this.#sql.exec('UPDATE keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', now, id)
  }

  /** For a turn that was rolled back: what is held may never have been stored. */
  forget(): void {
    this.#held.clear()
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
  }
}

/** A key as the API shows it. */
export function presentKey(key: KeyRecord): Key {
  return {
    id: key.id,
    object: 'api_key',
    created_at: new Date(key.createdAt).toISOString(),
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: [...key.scopes],
    requests_per_minute: key.requestsPerMinute,
    requests_per_day: key.requestsPerDay,
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    revoked_at: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
  }
}
