// An organisation with members who have signed in, asked over its routes.
import { env } from 'cloudflare:workers'
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import { PeopleStore } from '../../../../src/accounts/people/people.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import { newId, type PersonId } from '../../../../src/platform/ids.ts'
import { foundOrganisation, type ChatOrganisation } from '../../organisation/chat-organisation.ts'

/** `body` has all that an answer may be asked for. */
export type Answer = {
  status: number
  headers: Headers
  body: Shown & { data: Shown[]; has_more: boolean; next_cursor: string | null; error: ShownError }
}
type Shown = { id: string; key: string; name: string; status: string; created_by: string; expires_at: string | null }
type ShownError = { code: string; message: string; param?: string; fields?: { path: string; rule: string }[] }

export type Asker = {
  /** `usr_…` or `key_…`. */
  id: string
  ask: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>
}

export type ManagedOrganisation = {
  organisation: ChatOrganisation
  signIn: (role: Role, signedInAt?: number) => Promise<Asker & { id: PersonId }>
  /** A key that the operator issued. */
  automate: (body?: object) => Promise<Asker>
}

export const ORIGIN = 'http://countersign.test'

export async function foundManaged(settings: object = {}): Promise<ManagedOrganisation> {
  const organisation = await foundOrganisation({ tier: 'pro', ...settings })
  const { service, id: organisationId } = organisation

  const askWith =
    (credentials: Record<string, string>): Asker['ask'] =>
    async (method, path, body, headers = {}) => {
      const response = await service.fetch(`/api/keys${path}`, {
        method,
        headers: { ...credentials, ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: response.headers, body: await response.json() }
    }

  return {
    organisation,
    async signIn(role, signedInAt = Date.now()) {
      const now = Date.now()
      const id = newId('usr_', now)
      const email = `${id}@practice.example`
      await new PeopleStore(env.DB).insert({
        id,
        email,
        emailProvenAt: now,
        name: 'A person',
        password: null,
        passwordChangedAt: null,
        createdAt: now,
      })
      await env.DB.prepare(
        'INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by) VALUES (?, ?, ?, ?, NULL)',
      )
        .bind(organisationId, id, role, now)
        .run()
      const { token } = await new SessionsStore(env.DB).begin({ personId: id, method: 'password' }, null, signedInAt)
      return { id, ask: askWith({ cookie: `__Host-session=${token}`, origin: ORIGIN }) }
    },
    async automate(body = { scopes: ['chat', 'manage'] }) {
      const created = await service.createKey({ prefix: 'aqta_', ...body }, organisationId)
      return { id: created.id, ask: askWith({ authorization: `Bearer ${created.key}` }) }
    },
  }
}

/** A made key, whole. Throws what it is refused with. */
export async function makeKey({ ask }: Asker, body: object = {}): Promise<Answer['body']> {
  const made = await ask('POST', '', { name: 'A key', ...body })
  if (made.status !== 201) throw new Error(made.body.error.message)
  return made.body
}

export const idsOf = async ({ ask }: Asker, path = ''): Promise<string[]> => {
  const { body } = await ask('GET', path)
  return body.data.map(({ id }) => id)
}
