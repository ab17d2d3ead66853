// One browser for all test files of a process, and one context a visitor.
import { inject, onTestFinished } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { runningService, type Person } from './service.ts'
import { fromSomewhere, visit, type Look, type Visitor } from './visitor.ts'

let launched: Promise<Browser> | undefined

export const service = await runningService(inject('serviceFile'))
export const { origin } = service

/** Returns the owner of the tier's organisation in which nothing has happened yet. Throws if there is none. */
export function ownerOn(tier: string): Person {
  const owner = service.owners[tier]
  if (owner === undefined) throw new Error(`nobody owns an organisation of the tier ${tier}`)
  return owner
}

/** Somebody who has not signed in. Ends with `leave`, or by `await using`. */
export async function visitor(look: Look = {}): Promise<Visitor & AsyncDisposable> {
  launched ??= launchChromium()
  const visiting = await visit(await launched, origin, look)
  return Object.assign(visiting, { [Symbol.asyncDispose]: visiting.leave })
}

/** The page of somebody who has signed in, or of somebody who has not. They leave when the test ends. */
export async function pageOf(person: Person | null, look: Look = {}): Promise<Page> {
  const { page, leave } = await (person === null ? visitor(look) : member(person, look))
  onTestFinished(leave)
  return page
}

type Session = { token: Promise<string>; begun: number }

const sessions = new Map<string, Session>()

/** Some acts need a session that began in the last 15 minutes. */
const FRESH_ENOUGH_MS = 10 * 60_000

/** Somebody who has signed in. */
export async function member(person: Person, look: Look = {}): Promise<Visitor & AsyncDisposable> {
  const visiting = await visitor(look)
  const { hostname } = new URL(origin)
  // As the page of sign-in does, so that no page moves for the note.
  if (person === service.filled.owner) await visiting.context.addInitScript("localStorage.setItem('demo', '')")
  await visiting.context.addCookies([
    {
      name: '__Host-session',
      value: await sessionOf(person),
      domain: hostname,
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    },
  ])
  return visiting
}

/** Returns the token of a session that began lately, the same as before if there is one. */
export function sessionOf(person: Person): Promise<string> {
  const before = sessions.get(person.email)
  const isFresh = before !== undefined && Date.now() - before.begun < FRESH_ENOUGH_MS
  const session = isFresh ? before : { token: signIn(person), begun: Date.now() }
  sessions.set(person.email, session)
  return session.token
}

/** Keeps the session that a response began. Each sign-in less saves a quarter of a CPU second, which its password hash costs. */
export function keepSession({ email }: Person, response: Response): void {
  const token = tokenIn(response)
  if (token !== undefined) sessions.set(email, { token: Promise.resolve(token), begun: Date.now() })
}

const tokenIn = (response: Response): string | undefined =>
  /__Host-session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]

async function signIn({ email, password }: Person): Promise<string> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', ...fromSomewhere() },
    body: JSON.stringify({ email, password }),
  })
  const token = tokenIn(response)
  if (token === undefined) throw new Error(`nobody could sign in: ${response.status} ${await response.text()}`)
  return token
}
