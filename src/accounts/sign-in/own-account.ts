// Presents a person's own account and sessions.
import type { z } from '@hono/zod-openapi'
import type { Clock } from '../../platform/time.ts'
import { AppError } from '../../platform/errors.ts'
import type { ProfilesStore } from '../people/profiles.store.ts'
import { isFresh, type Session } from '../people/sessions.store.ts'
import type { SessionSchema, UserSchema } from './sign-in.schema.ts'

export type ShowUser = (session: Session) => Promise<z.infer<typeof UserSchema>>

const iso = (ms: number): string => new Date(ms).toISOString()

/** Throws `session_required` if the person was erased since the session was read. */
export function userPresenter(profiles: ProfilesStore, clock: Clock): ShowUser {
  return async (session) => {
    const profile = await profiles.find(session.personId)
    if (profile === null) throw new AppError('session_required', 'There is no such account any more.')
    return {
      id: profile.id,
      object: 'user',
      created_at: iso(profile.createdAt),
      email: profile.email,
      email_verified: profile.isEmailProven,
      name: profile.name,
      methods: profile.methods,
      organisations: profile.organisations.map(({ erasure, ...organisation }) => ({
        ...organisation,
        erasure: erasure && { id: erasure.id, due_at: iso(erasure.dueAt), status: erasure.state },
      })),
      erasure: profile.erasure && { id: profile.erasure.id, due_at: iso(profile.erasure.dueAt) },
      session: { id: session.id, expires_at: iso(session.expiresAt), fresh: isFresh(session, clock()) },
    }
  }
}

export const presentSession = (session: Session, current: Session): z.infer<typeof SessionSchema> => ({
  id: session.id,
  object: 'session',
  created_at: iso(session.createdAt),
  method: session.method,
  last_seen_at: iso(session.seenAt),
  expires_at: iso(session.expiresAt),
  current: session.id === current.id,
})
