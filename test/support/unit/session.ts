// People, members and sessions, put straight into the database: for tests of what comes after signing in.
import { env } from 'cloudflare:workers'
import { SessionsStore, type StartedSession } from '../../../src/accounts/people/sessions.store.ts'
import { insertPerson, type Person } from '../../../src/accounts/people/people.store.ts'
import { newId, type PersonId } from '../../../src/platform/ids.ts'

/** Inserts a person and returns their id. */
export async function addPerson(given: Partial<Person> = {}): Promise<PersonId> {
  const now = Date.now()
  const id = newId('usr_', now)
  const rest = { emailProvenAt: now, password: null, passwordChangedAt: null, secondFactorSince: null, createdAt: now }
  const person = { id, email: `${id}@example.org`, name: 'A test person', ...rest, ...given }
  await insertPerson(env.DB, person).run()
  return person.id
}

/** @param endsAt of an auditor, in milliseconds; in the year 2100 unless a test says so */
export async function addMember(
  organisationId: string,
  personId: PersonId,
  role: string,
  endsAt = Date.UTC(2100, 0),
): Promise<void> {
  await env.DB.prepare(
    'INSERT INTO members (organisation_id, person_id, role, joined_at, ends_at) VALUES (?, ?, ?, 1, ?)',
  )
    .bind(organisationId, personId, role, role === 'auditor' ? endsAt : null)
    .run()
}

/** By password. Throws where there is no such person. */
export async function beginSession(
  personId: PersonId,
  now: number = Date.now(),
  presented: string | null = null,
): Promise<StartedSession> {
  const begun = await new SessionsStore(env.DB).begin({ personId, method: 'password' }, presented, now)
  if (begun === null) throw new Error('there is no such person')
  return begun
}

/** The cookie of an owner of the organisation, whose session began now. */
export async function ownerCookie(organisationId: string): Promise<string> {
  const id = await addPerson()
  await addMember(organisationId, id, 'owner')
  const { token } = await beginSession(id)
  return `__Host-session=${token}`
}
