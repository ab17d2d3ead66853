// A person's browser: the whole service with a jar of cookies, an authenticator and an authenticator app.
import { totpAt } from '../../../support/totp-app.ts'
import { createAuthenticator, type Lies } from '../../../support/soft-authenticator.ts'
import { ORIGIN, PASSWORD, PERSON, startPeople, type PeopleService } from '../sign-in/people-service.ts'

type Options = { challenge: string; rpId: string; rp: { id: string }; user: { id: string } }

export type Authenticator = ReturnType<typeof createAuthenticator>

/** Another browser of the same service has cookies of its own. */
export function startBrowser(people: PeopleService = startPeople()) {
  const jar = new Map<string, string>()

  async function send(method: string, path: string, body?: unknown, from?: string): Promise<Response> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await people.send(method, path, { cookie, body, ...(from !== undefined && { from }) })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  const post = (path: string, body?: unknown, from?: string) => send('POST', path, body, from)

  async function options(purpose: string): Promise<Options> {
    const response = await post('/passkeys/options', { purpose })
    if (response.status !== 200) throw new Error(`no options: ${response.status}`)
    return (await response.json<{ options: Options }>()).options
  }

  const browser = {
    people,
    jar,
    send,
    post,
    options,

    async join(person: object = {}): Promise<void> {
      await people.signUp(person)
      await post('/verify-email', { token: people.token() })
    },

    logIn: (given: object = {}, from?: string) =>
      post('/login', { email: PERSON.email, password: PASSWORD, ...given }, from),

    /** Makes a passkey, as the browser would. */
    async made(authenticator: Authenticator, { origin = ORIGIN, ...lies }: Lies & { origin?: string } = {}) {
      return authenticator.register(await options('register'), origin, lies)
    },

    /** Answers a challenge, as the browser would. */
    async answered(
      authenticator: Authenticator,
      purpose: string,
      { origin = ORIGIN, ...lies }: Lies & { origin?: string } = {},
    ) {
      return authenticator.assert(await options(purpose), origin, lies)
    },

    async addPasskey(
      authenticator = createAuthenticator(),
    ): Promise<{ id: string; codes: string[]; authenticator: Authenticator }> {
      const passkey = await browser.made(authenticator)
      const response = await post('/passkeys', { name: 'Laptop', passkey })
      if (response.status !== 201) throw new Error(await response.text())
      const { id, recovery_codes: codes = [] } = await response.json<{ id: string; recovery_codes?: string[] }>()
      return { id, codes, authenticator }
    },

    /** Sets up an app, and returns its codes: `code(steps)` of now, or steps later. */
    async addApp(): Promise<{ id: string; codes: string[]; code: (steps?: number) => string }> {
      const { secret } = await (await post('/totp')).json<{ secret: string }>()
      const code = (steps = 0) => totpAt(secret, Date.now() + steps * 30_000)
      const response = await post('/totp/confirm', { code: code() })
      if (response.status !== 200) throw new Error(await response.text())
      const { id, recovery_codes: codes = [] } = await response.json<{ id: string; recovery_codes?: string[] }>()
      return { id, codes, code }
    },
  }
  return browser
}
