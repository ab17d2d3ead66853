// Stores sign-ins at an identity provider in D1 while the person is there. Only the hash of the `state` is stored.
import type { SessionId } from '../../platform/ids.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'
import { hashToken } from '../access/secret-token.ts'

/** The time that a person may take at the provider. */
export const FLOW_MINUTES = 10

export type OAuthFlow = {
  /** The identity provider's id in this service's settings. */
  readonly provider: string
  /** The PKCE verifier. @see https://www.rfc-editor.org/rfc/rfc7636#section-4.1 */
  readonly verifier: string
  readonly nonce: string
  readonly returnTo: string
  /** The session that is confirmed; null if a new one begins. */
  readonly sessionId: SessionId | null
}

export class OAuthFlowsStore extends D1Store {
  /** Stores the flow and deletes expired ones, so that abandoned flows do not pile up. */
  async begin(
    state: string,
    { provider, verifier, nonce, returnTo, sessionId }: OAuthFlow,
    now: number,
  ): Promise<void> {
    await this.db.batch([
      this.prepare(sql`INSERT INTO oauth_flows
          (state_hash, provider, verifier, nonce, return_to, session_id, expires_at)
        VALUES (${hashToken(state)}, ${provider}, ${verifier}, ${nonce}, ${returnTo}, ${sessionId},
          ${now + FLOW_MINUTES * MINUTE_MS})`),
      this.prepare(sql`DELETE FROM oauth_flows WHERE expires_at <= ${now}`),
    ])
  }

  /** Returns and deletes the flow. A second call, even at the same time, gets null. */
  async take(state: string, now: number): Promise<OAuthFlow | null> {
    return this.prepare(sql`DELETE FROM oauth_flows WHERE state_hash = ${hashToken(state)} AND expires_at > ${now}
      RETURNING provider, verifier, nonce, return_to AS returnTo, session_id AS sessionId`).first<OAuthFlow>()
  }
}
