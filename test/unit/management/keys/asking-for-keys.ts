// The people and keys of an organisation, asking for its keys.
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import type { PersonId } from '../../../../src/platform/ids.ts'
import type { ChatOrganisation } from '../../organisation/chat-organisation.ts'
import { manage, type Asker as AnyAsker } from '../managed.ts'

/** `body` has all that an answer may be asked for. */
export type Answer = {
  status: number
  headers: Headers
  body: Shown & { data: Shown[]; has_more: boolean; next_cursor: string | null; error: ShownError }
}
type Shown = { id: string; key: string; name: string; status: string; created_by: string; expires_at: string | null }
type ShownError = { code: string; message: string; param?: string; fields?: { path: string; rule: string }[] }

/** Requests go to paths below `/api/keys`. */
export type Asker = Pick<AnyAsker, 'id'> & { ask: (...asked: Parameters<AnyAsker['ask']>) => Promise<Answer> }

export type ManagedOrganisation = {
  organisation: ChatOrganisation
  signIn: (role: Role, signedInAt?: number) => Promise<Asker & { id: PersonId; token: string }>
  /** A key that the operator issued. */
  automate: (body?: { scopes?: string[]; [member: string]: unknown }) => Promise<Asker>
}

export async function foundManaged(settings: object = {}): Promise<ManagedOrganisation> {
  const { organisation, signIn, automate } = await manage(settings)
  return {
    organisation,
    signIn: async (role, signedInAt) => askingForKeys(await signIn(role, 'A person', signedInAt)),
    automate: async ({ scopes = ['chat', 'manage'], ...more } = {}) => askingForKeys(await automate(scopes, more)),
  }
}

function askingForKeys<One extends AnyAsker>(asker: One): Omit<One, 'ask'> & Asker {
  return {
    ...asker,
    async ask(method, path, ...more) {
      const response = await asker.ask(method, `/api/keys${path}`, ...more)
      return { status: response.status, headers: response.headers, body: await response.json() }
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
