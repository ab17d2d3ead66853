// Stores sign-ins at an identity provider in D1 while the person is there. Only the hash of the `state` is stored.
import { MINUTE_MS } from '../../platform/time.ts'
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
}

type Row = { provider: string; verifier: string; nonce: string; return_to: string }

export class OAuthFlowsStore extends D1Store {
  /** Stores the flow and deletes expired ones, so that abandoned flows do not pile up. */
  async begin(state: string, { provider, verifier, nonce, returnTo }: OAuthFlow, now: number): Promise<void> {
    await this.db.batch([
      this.db
        .prepare(
          'INSERT INTO oauth_flows (state_hash, provider, verifier, nonce, return_to, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .bind(hashToken(state), provider, verifier, nonce, returnTo, now + FLOW_MINUTES * MINUTE_MS),
      this.db.prepare('DELETE FROM oauth_flows WHERE expires_at <= ?').bind(now),
    ])
  }

  /** Returns and deletes the flow. A second call, even at the same time, gets null. */
  async take(state: string, now: number): Promise<OAuthFlow | null> {
    const row = await this.db
      .prepare(
        'DELETE FROM oauth_flows WHERE state_hash = ? AND expires_at > ? RETURNING provider, verifier, nonce, return_to',
      )
      .bind(hashToken(state), now)
      .first<Row>()
    return row && { provider: row.provider, verifier: row.verifier, nonce: row.nonce, returnTo: row.return_to }
  }
}
