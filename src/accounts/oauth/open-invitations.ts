// Whether somebody has been invited who has no account yet.
import { emailKeyOf } from '../people/people.store.ts'

/** By address, to any organisation. */
export async function hasOpenInvitation(db: D1Database, email: string, now: number): Promise<boolean> {
  const found = await db
    .withSession('first-primary')
    .prepare('SELECT 1 AS found FROM invitations WHERE email_key = ? AND expires_at > ? LIMIT 1')
    .bind(emailKeyOf(email), now)
    .first<number>('found')
  return found !== null
}
