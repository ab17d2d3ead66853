// Stores which requests were run under an idempotency key, so that none is run twice. A claim is written in the turn in which its
// request is run: there is never one without the other.
import { DAY_MS } from '../../platform/time.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const IDEMPOTENCY_SCHEMA = `
  CREATE TABLE idempotency_claims (
    claimant TEXT NOT NULL,
    route TEXT NOT NULL,
    key_hash BLOB NOT NULL CHECK (length(key_hash) = 32),
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    made TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    -- The name of the R2 object with the stored answer.
    answer TEXT,
    PRIMARY KEY (claimant, route, key_hash)
  ) STRICT, WITHOUT ROWID;
`

/** The claim of one request. The caller's own words are stored only as SHA-256. */
export type Claim = {
  /** The caller: `usr_…` or `key_…`. */
  claimant: string
  /** The operation's id. */
  route: string
  keyHash: Uint8Array
  bodyHash: Uint8Array
}

/** `repeated`: this very request was run; `made` is the id of its result. `other_body`: another request was run. */
export type Repetition = { outcome: 'repeated'; made: string } | { outcome: 'other_body' }

/** `made`: the id of the request's result. `answer`: the name of the object with the answer; null if it is not stored. */
export type ClaimResult = { made: string; answer: string | null }

/** How long a claim is valid. */
export const CLAIM_MS = DAY_MS

export class IdempotencyStore extends ObjectStore {
  findRepetition(claim: Claim, now: number): Repetition | null {
    const found = this.findClaim(claim, now)
    if (found === null) return null
    return found.isSame ? { outcome: 'repeated', made: found.made } : { outcome: 'other_body' }
  }

  /** Returns null if there is no valid claim. `isSame`: true if this very request made it. */
  findClaim({ claimant, route, keyHash, bodyHash }: Claim, now: number): (ClaimResult & { isSame: boolean }) | null {
    const [row] = this.rows<{ body_hash: ArrayBuffer; made: string; answer: string | null; claimed_at: number }>(
      sql`SELECT body_hash, made, answer, claimed_at FROM idempotency_claims
        WHERE claimant = ${claimant} AND route = ${route} AND key_hash = ${keyHash}`,
    )
    if (row === undefined || !isClaimValid(row.claimed_at, now)) return null
    const { made, answer } = row
    return { made, answer, isSame: isSameBytes(new Uint8Array(row.body_hash), bodyHash) }
  }

  insertClaim({ claimant, route, keyHash, bodyHash }: Claim, { made, answer }: ClaimResult, now: number): void {
    this.run(sql`INSERT OR REPLACE INTO idempotency_claims
        (claimant, route, key_hash, body_hash, made, answer, claimed_at)
      VALUES (${claimant}, ${route}, ${keyHash}, ${bodyHash}, ${made}, ${answer}, ${now})`)
  }

  /** Deletes a claim, so that the request may be run again. Keeps the claim if its result is not `made`. */
  deleteClaim({ claimant, route, keyHash }: Omit<Claim, 'bodyHash'>, made: string): void {
    this.run(sql`DELETE FROM idempotency_claims
      WHERE claimant = ${claimant} AND route = ${route} AND key_hash = ${keyHash} AND made = ${made}`)
  }

  /** Returns the names under which the answer to `made` is stored; empty if it is not stored. */
  findAnswers(made: string): string[] {
    return this.rows<{ answer: string }>(sql`SELECT answer FROM idempotency_claims
      WHERE made = ${made} AND answer IS NOT NULL`).map(({ answer }) => answer)
  }

  /** Stops giving the answer. The request is still not run again. */
  forgetAnswers(made: string): void {
    this.run(sql`UPDATE idempotency_claims SET answer = NULL WHERE made = ${made}`)
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM idempotency_claims
      WHERE claimed_at <= ${now - CLAIM_MS} OR claimed_at >= ${now + CLAIM_MS}`)
  }
}

/** Returns whether a claim is valid. A time that is a day ahead was an error of the clock. */
const isClaimValid = (claimedAt: number, now: number): boolean => Math.abs(now - claimedAt) < CLAIM_MS
