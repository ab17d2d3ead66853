// An organisation with members who have signed in and keys that manage it, asked over its routes.
import { env } from 'cloudflare:workers'
import type { Role } from '../../../src/accounts/access/roles.policy.ts'
import { newId, type PersonId } from '../../../src/platform/ids.ts'
import { addMember, addPerson, beginSession } from '../../support/unit/session.ts'
import { startService } from '../../support/unit/service.ts'
import { makeTables } from '../../support/unit/tables.ts'
import { foundOrganisation, type ChatOrganisation } from '../organisation/chat-organisation.ts'

export type Asker = {
  /** `usr_…` or `key_…`. */
  id: string
  ask: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Response>
}

export type Managed = {
  organisation: ChatOrganisation
  /** A new person who is a member. Where it is not said when their session began, they confirm before each request that it is them. */
  signIn: (
    role: Role,
    name?: string,
    signedInAt?: number,
  ) => Promise<Asker & { id: PersonId; email: string; token: string }>
  /** A key that the operator issued; `more`: of what it was asked for. */
  automate: (scopes?: readonly string[], more?: object) => Promise<Asker>
}

export const ORIGIN = 'http://countersign.test'

/** @param bindings of the service that is asked, where they are others than the runtime's */
export async function manage(settings: object = {}, bindings: object = {}): Promise<Managed> {
  const organisation = await foundOrganisation({ tier: 'pro', ...settings })
  const { service, id: organisationId } = organisation
  const asked = startService(bindings)

  const askWith =
    (credentials: Record<string, string>): Asker['ask'] =>
    (method, path, body, headers = {}) =>
      asked.fetch(path, {
        method,
        headers: { ...credentials, ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: body instanceof ReadableStream ? body : JSON.stringify(body) }),
      })

  return {
    organisation,
    async signIn(role, name = 'A person', signedInAt) {
      await makeTables()
      const now = Date.now()
      const id = newId('usr_', now)
      const email = `${id}@practice.example`
      await addPerson({ id, email, name, password: '$scrypt$ln=15,r=8,p=3$c2FsdA$aGFzaA', passwordChangedAt: now })
      await addMember(organisationId, id, role)
      const { token, session } = await beginSession(id, signedInAt ?? now)
      const ask = askWith({ cookie: `__Host-session=${token}`, origin: ORIGIN })
      const confirming = env.DB.prepare('UPDATE sessions SET proved_at = ? WHERE id = ?')
      return {
        id,
        email,
        token,
        async ask(...request) {
          if (signedInAt === undefined) await confirming.bind(Date.now(), session.id).run()
          return ask(...request)
        },
      }
    },
    async automate(scopes = ['manage'], more = {}) {
      const created = await service.createKey({ prefix: 'aqta_', scopes, ...more }, organisationId)
      return { id: created.id, ask: askWith({ authorization: `Bearer ${created.key}` }) }
    },
  }
}

/** Returns the ledger's entries of this act, oldest first. */
export async function actsOf({ organisation }: Managed, act: string): Promise<Record<string, unknown>[]> {
  return (await organisation.entries()).filter((entry) => entry['act'] === act)
}

/** The status of a refusal, and what its body says. */
export const errorOf = async (answer: Response) => {
  const { error } = await answer.json<{ error: { code: string; message: string; param?: string } }>()
  return { status: answer.status, code: error.code, param: error.param, message: error.message }
}
