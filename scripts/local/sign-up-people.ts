// Signs people up and in at a local Worker through the service's routes, for demos and tests.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'

/** A local Worker. `origin`: the origin that a changing request must state. */
export type LocalWorker = { url: string; origin: string }

export type Credentials = { email: string; password: string }

/** Gives the links of the mail to an address, such as the local mailbox does. */
type MailedLinks = { waitFor(email: string): Promise<{ links: readonly string[] }> }

/** Invents a new e-mail address each time, because an earlier one may be taken. */
export const newCredentials = (localPart: string): Credentials => ({
  email: `${localPart}-${randomBytes(4).toString('hex')}@practice.example`,
  password: randomBytes(18).toString('base64url'),
})

const UserSchema = z.object({ organisations: z.tuple([z.object({ id: z.string() })]) })

/** Signs a person up, confirms the e-mail address, and returns their organisation. Throws if the service refuses. */
export async function signUp(
  service: LocalWorker,
  mailbox: MailedLinks,
  { email, password }: Credentials,
  organisationName: string,
): Promise<{ organisationId: string }> {
  const organisation = { name: organisationName, enabled_providers: PROVIDER_IDS }
  await post(service, 'signup', { email, password, name: `Owner of ${organisationName}`, organisation })
  const { links } = await mailbox.waitFor(email)
  const user = await post(service, 'verify-email', { token: tokenIn(links) })
  const [{ id }] = UserSchema.parse(user).organisations
  return { organisationId: id }
}

const PersonSchema = z.object({ id: z.string() })

/** Accepts a mailed invitation and returns the person with their session. Throws if the service refuses. */
export async function acceptInvitation(
  service: LocalWorker,
  mailbox: MailedLinks,
  { email, password }: Credentials,
  name: string,
): Promise<{ id: string; cookie: string }> {
  const { links } = await mailbox.waitFor(email)
  const invitation = { token: tokenIn(links), name, password }
  const { origin, url } = service
  const joined = await fetch(`${url}/api/members/invitations/accept`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(invitation),
  })
  if (!joined.ok) throw new Error(`The invitation was refused: ${joined.status} ${await joined.text()}`)
  const cookie = cookieOf(joined)
  const me = await fetch(`${url}/api/auth/me`, { headers: { cookie } })
  return { id: PersonSchema.parse(await me.json()).id, cookie }
}

/** Returns the cookie of a new session. Throws if the service refuses. */
export async function signIn(service: LocalWorker, credentials: Credentials): Promise<string> {
  const answer = await postToAuth(service, 'login', credentials)
  if (!answer.ok) throw new Error(`The sign-in was refused: ${answer.status} ${await answer.text()}`)
  await answer.body?.cancel()
  return cookieOf(answer)
}

export const postToAuth = ({ url, origin }: LocalWorker, path: string, body: object): Promise<Response> =>
  fetch(`${url}/api/auth/${path}`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The local runtime's answer if it loses the Worker, such as while it loads changed code. */
const CONNECTION_LOST = 'Error: Network connection lost'

async function post(service: LocalWorker, path: string, body: object): Promise<unknown> {
  let answer = await postToAuth(service, path, body)
  let text = await answer.text()
  if (text.startsWith(CONNECTION_LOST)) {
    answer = await postToAuth(service, path, body)
    text = await answer.text()
  }
  if (!answer.ok) throw new Error(`POST /api/auth/${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** Returns the text after # in a confirmation link. */
function tokenIn(links: readonly string[]): string {
  const token = links.map((link) => new URL(link).hash.slice(1)).find((hash) => hash !== '')
  if (token === undefined) throw new Error('The mail has no link with a token.')
  return token
}

const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ')
