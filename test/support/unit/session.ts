// A person who is signed in, put straight into the database: for tests of what comes after signing in.
import { env } from 'cloudflare:workers'
import { SessionsStore, type Begun } from '../../../src/accounts/people/sessions.store.ts'
import { PeopleStore } from '../../../src/accounts/people/people.store.ts'
import { newId, type PersonId } from '../../../src/platform/ids.ts'

/** By password. Throws where there is no such person. */
export async function beginSession(
  personId: PersonId,
  now: number = Date.now(),
  presented: string | null = null,
): Promise<Begun> {
  const begun = await new SessionsStore(env.DB).begin({ personId, method: 'password' }, presented, now)
  if (begun === null) throw new Error('there is no such person')
  return begun
}

/** The cookie of an owner of the organisation, whose session began now. */
export async function ownerCookie(organisationId: string): Promise<string> {
  const now = Date.now()
  const id = newId('usr_', now)
  await new PeopleStore(env.DB).insert({
    id,
    email: `${id}@example.org`,
    emailProvenAt: now,
    name: 'A test person',
    password: null,
    passwordChangedAt: null,
    createdAt: now,
  })
  await env.DB.prepare('INSERT INTO members (organisation_id, person_id, role, joined_at) VALUES (?, ?, ?, ?)')
    .bind(organisationId, id, 'owner', now)
    .run()
  const { token } = await beginSession(id, now)
  return `__Host-session=${token}`
}
