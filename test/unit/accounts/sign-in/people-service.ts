// The whole service with a mailer that keeps what is sent and a hasher that only counts: what people do before and after
// they have signed in.
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createApp } from '../../../../src/app.ts'
import type { Mail, Mailer } from '../../../../src/platform/mail.ts'
import type { PasswordHasher } from '../../../../src/accounts/sign-in/password-hash.ts'
import { makeTables } from '../../../support/unit/tables.ts'

export const ORIGIN = 'https://countersign.example'
export const HOME = '203.0.113.7'
export const ELSEWHERE = '198.51.100.7'

export const PASSWORD = 'a wet morning in late november'
export const PERSON = { email: 'ann@example.org', name: 'Ann Example', password: PASSWORD }

/** An empty header is left out. */
type Sent = { from?: string; cookie?: string; headers?: Record<string, string>; body?: unknown }

export type PeopleService = {
  mails: Mail[]
  /** How often a password was hashed or compared. */
  hashed: () => number
  send(method: string, path: string, sent?: Sent): Promise<Response>
  post(path: string, body: unknown, sent?: Sent): Promise<Response>
  /** Waits for what the service does after its answer. */
  signUp(person?: object): Promise<Response>
  /** The token of the last link that was mailed. */
  token(): string
  /** Signs up and confirms. The cookie. */
  join(person?: object): Promise<string>
  logIn(sent?: Sent & { email?: string; password?: string }): Promise<Response>
}

/** Makes hashes from which the password can be read: nothing here is secret. */
function countingHasher(): { hasher: PasswordHasher; hashed: () => number } {
  let count = 0
  return {
    hashed: () => count,
    hasher: {
      hash(password) {
        count += 1
        return `hash ${count} of ${password}`
      },
      verify(password, kept) {
        count += 1
        return kept?.endsWith(` of ${password}`) === true ? 'right' : 'wrong'
      },
    },
  }
}

const SETTINGS = {
  PUBLIC_ORIGIN: ORIGIN,
  SIGNUP: 'open',
  MAILER: 'http',
  MAILER_URL: 'https://mail.example',
  MAILER_KEY: 'key',
  MAIL_FROM: 'no-reply@countersign.example',
  SIGN_IN_SIEVE: undefined,
}

type Replaced = { hasher?: PasswordHasher; mailer?: Mailer }

/** @param replaced hashes and mails in the place of what only counts and keeps */
export function startPeople(overrides: object = {}, replaced: Replaced = {}): PeopleService {
  const mails: Mail[] = []
  const { hasher, hashed } = countingHasher()
  const bound = { ...env, ...SETTINGS, ...overrides }
  const mailer = {
    sends: true,
    send(mail: Mail) {
      mails.push(mail)
      return Promise.resolve('sent' as const)
    },
  }
  const app = createApp(bound, { mailer, hasher, ...replaced })

  async function send(method: string, path: string, { from = HOME, cookie, headers, body }: Sent = {}) {
    await makeTables()
    const ctx = createExecutionContext()
    const sent = {
      'cf-connecting-ip': from,
      origin: ORIGIN,
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const request = new Request(`${ORIGIN}/api/auth${path}`, {
      method,
      headers: Object.entries(sent).filter(([, value]) => value !== ''),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const response = await app.fetch(request, bound, ctx)
    await waitOnExecutionContext(ctx)
    return response
  }

  const post: PeopleService['post'] = (path, body, sent) => send('POST', path, { ...sent, body })
  const signUp = (person: object = {}) => post('/signup', { ...PERSON, ...person })
  const token = () => /#([\w-]{43})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

  return {
    mails,
    hashed,
    send,
    post,
    signUp,
    token,
    async join(person = {}) {
      await signUp(person)
      return cookieOf(await post('/verify-email', { token: token() }))
    },
    logIn: ({ email = PERSON.email, password = PASSWORD, ...sent } = {}) => post('/login', { email, password }, sent),
  }
}

/** Returns the cookie that a browser sends back. */
export const cookieOf = (response: Response): string => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

export async function codeOf(response: Response): Promise<string | undefined> {
  return (await response.json<{ error?: { code: string } }>()).error?.code
}

export async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  return (await env.DB.prepare(`SELECT * FROM ${table}`).all()).results
}

export const statusesOf = (responses: readonly Response[]): number[] =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b)

export const showMe = (people: PeopleService, cookie: string): Promise<Response> =>
  people.send('GET', '/me', { cookie })
