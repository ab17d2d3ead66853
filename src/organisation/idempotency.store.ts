// Which requests have been run, so that none is run twice. A claim is written in the turn in which the request is run: there
// is never one without the other.
import { DAY_MS } from '../platform/clock.ts'
import { isSameBytes } from '../platform/same-bytes.ts'

export const IDEMPOTENCY_SCHEMA = `
  CREATE TABLE idempotency_claims (
    claimant TEXT NOT NULL,
    route TEXT NOT NULL,
    key_hash BLOB NOT NULL CHECK (length(key_hash) = 32),
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    made TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (claimant, route, key_hash)
  ) STRICT, WITHOUT ROWID;
`

/** Of one request. What its caller wrote is here as SHA-256 only. */
export type Claim = {
  /** Who asks: `usr_…` or `key_…`. */
  claimant: string
  /** The operation's id. */
  route: string
  keyHash: Uint8Array
  bodyHash: Uint8Array
}

/** `repeated`: this very request was run, and made what has the id. `other_body`: another one was. */
export type Repetition = { outcome: 'repeated'; made: string } | { outcome: 'other_body' }

/** How long a claim holds. */
const KEPT_MS = DAY_MS

export class IdempotencyStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  findRepetition({ claimant, route, keyHash, bodyHash }: Claim, now: number): Repetition | null {
    const [row] = this.#sql
      .exec<{ body_hash: ArrayBuffer; made: string; claimed_at: number }>(
        'SELECT body_hash, made, claimed_at FROM idempotency_claims WHERE claimant = ? AND route = ? AND key_hash = ?',
        claimant,
        route,
        keyHash,
      )
      .toArray()
    if (row === undefined || !holds(row.claimed_at, now)) return null
    const isSame = isSameBytes(new Uint8Array(row.body_hash), bodyHash)
    return isSame ? { outcome: 'repeated', made: row.made } : { outcome: 'other_body' }
  }

  /** @param made the id of what the request made */
  insertClaim({ claimant, route, keyHash, bodyHash }: Claim, made: string, now: number): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO idempotency_claims (claimant, route, key_hash, body_hash, made, claimed_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      claimant,
      route,
      keyHash,
      bodyHash,
      made,
      now,
    )
  }

  deleteOld(now: number): void {
    this.#sql.exec(
      'DELETE FROM idempotency_claims WHERE claimed_at <= ? OR claimed_at >= ?',
      now - KEPT_MS,
      now + KEPT_MS,
    )
  }
}

/** A time that is a day ahead was the clock's mistake. */
const holds = (claimedAt: number, now: number): boolean => Math.abs(now - claimedAt) < KEPT_MS
