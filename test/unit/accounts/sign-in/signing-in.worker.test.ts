// Signing in by password, and from which pages.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PeopleStore } from '../../../../src/accounts/people/people.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import { scryptHasher } from '../../../../src/accounts/sign-in/password-hash.ts'
import { justAfter } from '../../../support/unit/interleave.ts'
import { codeOf, cookieOf, PERSON, rowsOf, showMe, startPeople } from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000
const WRONG = 'a wrong and invented password'
/** Hash of the person's password, under parameters that are not today's. */
const OUTDATED = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$n+CBRax9rSbO+B3s4RDIAnx6PjiHwxBP0hNJijjswIM'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('a person who signs in', () => {
  it('gets a session, whose token is in the cookie and nowhere else', async () => {
    const people = startPeople()
    await people.join()
    const response = await people.logIn()
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expect(text).not.toContain(cookieOf(response).split('=')[1])
    expect(JSON.parse(text)).toMatchObject({
      object: 'session',
      created_at: new Date(noon).toISOString(),
      expires_at: new Date(noon + 7 * DAY).toISOString(),
      user: { email: PERSON.email, name: PERSON.name },
    })
  })

  it('is found in another spelling of the address', async () => {
    const people = startPeople()
    await people.join()
    expect((await people.logIn({ email: 'ANN@EXAMPLE.org' })).status).toBe(200)
  })

  it('is let in by a password that would not be taken any more', async () => {
    const people = startPeople({}, { hasher: scryptHasher })
    await people.join()
    const password = 'password1234567'
    await env.DB.prepare('UPDATE people SET password = ?').bind(scryptHasher.hash(password)).run()
    expect((await people.logIn({ password })).status).toBe(200)
  })

  it('gets a new token each time, and the one before is nobody’s', async () => {
    const people = startPeople()
    const first = await people.join()
    const second = cookieOf(await people.logIn({ cookie: first }))
    expect(second).not.toBe(first)
    expect(await codeOf(await showMe(people, first))).toBe('session_required')
    expect((await showMe(people, second)).status).toBe(200)
  })

  it('gets none that somebody else has planted', async () => {
    const people = startPeople()
    await people.join()
    const planted = `__Host-session=${'p'.repeat(43)}`
    const signedIn = cookieOf(await people.logIn({ cookie: planted }))
    expect(signedIn).not.toBe(planted)
    expect((await showMe(people, planted)).status).toBe(401)
  })

  it('has the hash renewed where its parameters are of another day', async () => {
    const people = startPeople()
    await people.join()
    const scrypt = startPeople({}, { hasher: scryptHasher })
    await env.DB.prepare('UPDATE people SET password = ?').bind(OUTDATED).run()
    expect((await scrypt.logIn()).status).toBe(200)
    expect((await rowsOf('people'))[0]?.['password']).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
    expect((await scrypt.logIn()).status).toBe(200)
  })
})

describe('a sign-in is refused', () => {
  it.each([
    ['an unknown address', { email: 'nobody@example.org' }],
    ['a wrong password', { password: WRONG }],
  ])('the same for %s, with one hash', async (_, wrong) => {
    const people = startPeople()
    await people.join()
    const before = people.hashed()
    const response = await people.logIn(wrong)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_credentials', type: 'authentication_error' },
    })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(people.hashed() - before).toBe(1)
  })

  it('with the same bytes for a wrong password of who has a second factor, has none, or is nobody', async () => {
    const people = startPeople()
    await people.join()
    const told = async (email: string) => {
      const response = await people.logIn({ email, password: WRONG })
      const text = (await response.text()).replace(/req_[\w-]+/, '')
      return [response.status, response.headers.getSetCookie(), text]
    }
    const without = await told(PERSON.email)
    await env.DB.prepare('UPDATE people SET second_factor_since = 1').run()
    expect(await told(PERSON.email)).toEqual(without)
    expect(await told('nobody@example.org')).toEqual(without)
  })

  it('for somebody who signs in by an identity provider only, with one hash', async () => {
    const people = startPeople()
    await people.join()
    await env.DB.prepare('UPDATE people SET password = NULL').run()
    const before = people.hashed()
    expect((await people.logIn()).status).toBe(401)
    expect(people.hashed() - before).toBe(1)
  })

  it.each([
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['a sibling subdomain', { origin: 'https://other.countersign.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['no origin', { origin: '' }],
    ['a request from a sibling', { 'sec-fetch-site': 'same-site' }],
    ['a request from elsewhere', { 'sec-fetch-site': 'cross-site' }],
    ['a request of the person’s own', { 'sec-fetch-site': 'none' }],
    ['a key beside a foreign origin', { origin: 'https://evil.example', authorization: 'Bearer aqta_x' }],
  ])('from %s, unhashed, and so is everything else', async (_, headers) => {
    const people = startPeople()
    const cookie = await people.join()
    const before = people.hashed()
    const bodies: [string, object][] = [
      ['/login', { email: PERSON.email, password: PERSON.password }],
      ['/signup', PERSON],
      ['/verify-email', { token: people.token() }],
      ['/logout', {}],
      ['/logout-everywhere', {}],
      ['/password', { current: PERSON.password, new: 'another long invented password' }],
      ['/password-reset', { email: PERSON.email }],
      ['/password-reset/confirm', { token: people.token(), password: 'another long invented password' }],
    ]
    for (const [path, body] of bodies) {
      expect([path, await codeOf(await people.post(path, body, { cookie, headers }))]).toEqual([path, 'origin_refused'])
    }
    const ended = await people.send('DELETE', '/sessions/ses_x', { cookie, headers })
    expect(await codeOf(ended)).toBe('origin_refused')
    expect(people.hashed()).toBe(before)
    expect((await showMe(people, cookie)).status).toBe(200)
  })
})

it.each(['authorization', 'authorisation'])('a session beside %s is not looked at', async (name) => {
  const people = startPeople()
  const cookie = await people.join()
  for (const [method, path] of [
    ['GET', '/me'],
    ['GET', '/sessions'],
    ['POST', '/logout-everywhere'],
  ] as const) {
    const response = await people.send(method, path, { cookie, headers: { [name]: 'Bearer aqta_x' } })
    expect([path, response.status, await codeOf(response)]).toEqual([path, 401, 'session_required'])
  }
  expect((await showMe(people, cookie)).status).toBe(200)
})

describe('a password that was right', () => {
  it('begins no session once it was changed', async () => {
    const people = startPeople()
    await people.join()
    const person = await new PeopleStore(env.DB).findByEmail(PERSON.email)
    if (person === null) throw new Error('nobody')
    const sessions = new SessionsStore(env.DB)
    expect(await sessions.beginByPassword(person, null, noon)).not.toBeNull()
    await env.DB.prepare('UPDATE people SET password_changed_at = ?')
      .bind(noon + 1)
      .run()
    expect(await sessions.beginByPassword(person, null, noon)).toBeNull()
  })

  it('begins none for somebody who was erased meanwhile', async () => {
    const people = startPeople()
    await people.join()
    justAfter(PeopleStore.prototype, 'findByEmail', () => env.DB.prepare('DELETE FROM people').run())
    const response = await people.logIn()
    expect([response.status, await codeOf(response)]).toEqual([401, 'invalid_credentials'])
  })
})
