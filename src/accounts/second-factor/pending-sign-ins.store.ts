// Stores sign-ins in D1 that wait for the second factor: the first was right. SECURITY: only a token's hash is stored, and it opens
// nothing but the second step.
import { MINUTE_MS } from '../../platform/time.ts'
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import { hashToken, newToken } from '../access/secret-token.ts'
import { SECOND_STEP_MINUTES } from '../access/session-cookie.ts'

/** The second factors that one sign-in may try. */
const MOST_TRIES = 10

/** `method`: as in a session. `passwordChangedAt`: of the password that was right. */
export type PendingSignIn = {
  readonly personId: PersonId
  readonly method: string
  readonly passwordChangedAt: number | null
  readonly returnTo: string
  readonly expiresAt: number
}

const PENDING = sqlColumnsOf<PendingSignIn>({
  personId: 'person_id',
  method: 'method',
  passwordChangedAt: 'password_changed_at',
  returnTo: 'return_to',
  expiresAt: 'expires_at',
})

export class PendingSignInsStore extends D1Store {
  async begin(first: Omit<PendingSignIn, 'expiresAt'>, now: number): Promise<{ token: string; expiresAt: number }> {
    const [token, expiresAt] = [newToken(), now + SECOND_STEP_MINUTES * MINUTE_MS]
    await this.prepare(sql`INSERT INTO pending_sign_ins (token_hash, created_at, ${PENDING.names})
      VALUES (${hashToken(token)}, ${now}, ${PENDING.valuesOf({ ...first, expiresAt })})`).run()
    return { token, expiresAt }
  }

  async find(token: string, now: number): Promise<PendingSignIn | null> {
    return this.findCurrent(sql`SELECT ${PENDING.selected} FROM pending_sign_ins WHERE ${mayTry(token, now)}`)
  }

  /** Counts a try. Returns null, as for no such sign-in, once all are used. */
  async countTry(token: string, now: number): Promise<PendingSignIn | null> {
    return this.prepare(sql`UPDATE pending_sign_ins SET tries = tries + 1 WHERE ${mayTry(token, now)}
      RETURNING ${PENDING.selected}`).first<PendingSignIn>()
  }

  /** The condition that the sign-in still waits. */
  waits(token: string): Sql {
    return sql`EXISTS (SELECT 1 FROM pending_sign_ins WHERE token_hash = ${hashToken(token)})`
  }

  /** Returns the statement that ends the sign-in once its session has begun. */
  end(token: string, session: SessionId): D1PreparedStatement {
    return this.prepare(sql`DELETE FROM pending_sign_ins
      WHERE token_hash = ${hashToken(token)} AND EXISTS (SELECT 1 FROM sessions WHERE id = ${session})`)
  }
}

const mayTry = (token: string, now: number): Sql =>
  sql`token_hash = ${hashToken(token)} AND expires_at > ${now} AND tries < ${MOST_TRIES}`
