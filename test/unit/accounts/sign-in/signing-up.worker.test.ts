// Signing up: nothing is there until the mailed link is used, and nobody learns who has an account.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MailLinksStore } from '../../../../src/accounts/sign-in/mail-links.store.ts'
import { justAfter } from '../../../support/unit/interleave.ts'
import {
  codeOf,
  cookieOf,
  ELSEWHERE,
  ORIGIN,
  PASSWORD,
  PERSON,
  rowsOf,
  startPeople,
  statusesOf,
} from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const organisation = { name: 'A practice', enabled_providers: ['openai'] }

describe('somebody who signs up', () => {
  it('is mailed a link, and is nobody until it is used', async () => {
    const people = startPeople()
    const response = await people.signUp()
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({ object: 'signup', status: 'confirmation_sent' })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(people.mails.map(({ to }) => to)).toEqual([PERSON.email])
    expect(people.mails[0]?.text).toContain(`${ORIGIN}/confirm#${people.token()}`)
    expect(await rowsOf('people')).toEqual([])
    expect(await codeOf(await people.logIn())).toBe('invalid_credentials')
  })

  it('is signed in by the link, with an address that is proven', async () => {
    const people = startPeople()
    await people.signUp()
    const response = await people.post('/verify-email', { token: people.token() })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      object: 'user',
      email: PERSON.email,
      email_verified: true,
      name: PERSON.name,
      methods: ['password'],
      organisations: [],
      session: { fresh: true },
    })
    expect((await people.send('GET', '/me', { cookie: cookieOf(response) })).status).toBe(200)
    expect((await people.logIn()).status).toBe(200)
  })

  it('owns the organisation that they wanted to found, from the moment of the link', async () => {
    const people = startPeople()
    await people.signUp({ organisation })
    expect(await rowsOf('organisations')).toEqual([])
    const user = await (await people.post('/verify-email', { token: people.token() })).json()
    expect(user).toMatchObject({ organisations: [{ name: 'A practice', tier: 'free', role: 'owner' }] })
  })

  it('is there even where the organisation cannot be founded', async () => {
    const people = startPeople({ ORGANISATIONS: { getByName: () => 'no object' } })
    await people.signUp({ organisation })
    const response = await people.post('/verify-email', { token: people.token() })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ email: PERSON.email, organisations: [] })
  })

  it('writes nothing of their own into the mail', async () => {
    const people = startPeople()
    await people.signUp({ name: 'Visit evil.example', organisation: { ...organisation, name: 'Prizes' } })
    expect(JSON.stringify(people.mails)).not.toMatch(/evil\.example|Prizes/)
  })
})

describe('an address that has an account', () => {
  it('gets the same answer to the byte, the same hash, and a mail that creates nothing', async () => {
    const people = startPeople()
    await people.join()
    const known = await people.signUp({ password: 'another long invented password' })
    const hashedForKnown = people.hashed()
    const unknown = await people.signUp({ email: 'nobody@example.org' })
    expect(people.hashed() - hashedForKnown).toBe(1)
    expect(await known.text()).toBe(await unknown.text())
    const headers = (response: Response) =>
      [...response.headers].filter(([name]) => !['x-request-id', 'server-timing'].includes(name))
    expect(headers(known)).toEqual(headers(unknown))
    const [, taken] = people.mails
    expect(taken).toMatchObject({ to: PERSON.email, subject: 'You already have an account' })
    expect(taken?.text).not.toContain('#')
  })

  it('is found in another spelling', async () => {
    const people = startPeople()
    await people.join()
    await people.signUp({ email: 'ANN@Example.ORG' })
    expect(people.mails.at(-1)?.subject).toBe('You already have an account')
  })

  it('cannot be taken by a link from before', async () => {
    const people = startPeople()
    await people.signUp()
    const early = people.token()
    await people.signUp({ password: 'another long invented password' })
    expect((await people.post('/verify-email', { token: people.token() })).status).toBe(201)
    expect((await people.post('/verify-email', { token: early })).status).toBe(400)
    expect((await people.logIn()).status).toBe(401)
  })
})

describe('a link', () => {
  it('makes one person of three that are used at the same time', async () => {
    const people = startPeople()
    const tokens: string[] = []
    for (let n = 0; n < 3; n += 1) {
      await people.signUp()
      tokens.push(people.token())
    }
    const answers = await Promise.all(tokens.map((token) => people.post('/verify-email', { token })))
    expect(statusesOf(answers)).toEqual([201, 400, 400])
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('is used once, of five times at the same moment', async () => {
    const people = startPeople()
    await people.signUp()
    const token = people.token()
    const answers = await Promise.all(Array.from({ length: 5 }, () => people.post('/verify-email', { token })))
    expect(statusesOf(answers)).toEqual([201, 400, 400, 400, 400])
    expect((await rowsOf('sessions')).length).toBe(1)
  })

  it('is not used up by a scanner that opens it', async () => {
    const people = startPeople()
    await people.signUp()
    expect((await people.send('GET', `/verify-email?token=${people.token()}`)).status).toBe(405)
    expect((await people.post('/verify-email', { token: people.token() })).status).toBe(201)
  })

  it('is over after 24 hours', async () => {
    const people = startPeople()
    await people.signUp()
    vi.setSystemTime(noon + 86_400_000)
    expect((await people.post('/verify-email', { token: people.token() })).status).toBe(400)
  })

  it('confirms no address that somebody has taken since', async () => {
    const people = startPeople()
    await people.signUp({ email: 'ann@example.org' })
    const token = people.token()
    await people.join({ email: 'bob@example.org' })
    await env.DB.prepare("UPDATE people SET email_key = 'ann@example.org'").run()
    expect(await codeOf(await people.post('/verify-email', { token }))).toBe('conflict')
  })

  it('signs nobody in who was erased at that moment', async () => {
    const people = startPeople()
    await people.signUp()
    justAfter(MailLinksStore.prototype, 'redeemSignUp', () => env.DB.prepare('DELETE FROM people').run())
    const response = await people.post('/verify-email', { token: people.token() })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([400, null])
    expect(await codeOf(response)).toBe('invalid_request')
  })

  it('to set a password confirms no sign-up, and the other way round', async () => {
    const people = startPeople()
    await people.join()
    await people.post('/password-reset', { email: PERSON.email })
    expect((await people.post('/verify-email', { token: people.token() })).status).toBe(400)
    await people.signUp({ email: 'new@example.org' })
    const wanted = { token: people.token(), password: 'another long invented password' }
    expect((await people.post('/password-reset/confirm', wanted)).status).toBe(400)
  })
})

describe('a sign-up is refused', () => {
  it('where sign-up is by invitation', async () => {
    const people = startPeople({ SIGNUP: 'invited' })
    const response = await people.signUp()
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      error: { code: 'role_required', message: expect.stringContaining('Sign-up is by invitation here.') as string },
    })
    expect(people.hashed() + people.mails.length).toBe(0)
  })

  it.each([
    ['too short', { password: 'fourteen chars' }, 'password', 'at least 15 characters'],
    ['with the address', { password: `my ann@example.org key` }, 'password', 'without your e-mail address'],
    ['with the name', { password: 'annexample for ever' }, 'password', 'without your name'],
    ['with the service', { password: 'COUNTER sign for ever' }, 'password', 'without the name of the service'],
    ['without a name', { name: '  ' }, 'name', 'at least 1 character'],
    ['with a name of two lines', { name: 'Ann\r\nBcc: x' }, 'name', 'without control characters'],
    ['with a name that nobody sees', { name: '\u2800' }, 'name', 'with a character that is seen'],
    ['with a mark of no width in the name', { name: 'An\u200bn' }, 'name', 'without zero-width characters'],
    ['with a number in the name', { name: 'Ann ١٢٣٤٥٦' }, 'name', 'without six or more digits in a row'],
    ['with a password without end', { password: 'wet and grey '.repeat(90) }, 'password', 'at most 256 characters'],
    ['with an address that no mail goes to', { email: `${'a'.repeat(65)}@example.org` }, 'email', 'before the @'],
    ['without an address', { email: 'ann' }, 'email', 'expected the format email'],
    ['with an unknown member', { role: 'owner' }, 'role', 'unknown member'],
  ])('%s', async (_, wrong, path, rule) => {
    const people = startPeople()
    const response = await people.signUp(wrong)
    expect(response.status).toBe(400)
    const { error } = await response.json<{ error: { param: string; fields: { rule: string }[] } }>()
    expect(error.param).toBe(path)
    expect(error.fields[0]?.rule).toContain(rule)
    expect(people.hashed() + people.mails.length).toBe(0)
  })

  it('after five for one address from one network in an hour, unhashed', async () => {
    const people = startPeople()
    for (let n = 0; n < 5; n += 1) expect((await people.signUp()).status).toBe(202)
    const refused = await people.signUp()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(people.hashed()).toBe(5)
    expect((await people.post('/signup', PERSON, { from: ELSEWHERE })).status).toBe(202)
  })

  it('after thirty for any addresses from one network in an hour', async () => {
    const people = startPeople()
    for (let n = 0; n < 30; n += 1) expect((await people.signUp({ email: `p${n}@example.org` })).status).toBe(202)
    expect((await people.signUp({ email: 'p30@example.org' })).status).toBe(429)
  })
})

it('keeps no password, token or cookie in the database as it was sent', async () => {
  const people = startPeople()
  await people.signUp({ password: PASSWORD })
  const token = people.token()
  const links = JSON.stringify(await rowsOf('mail_links'))
  expect(links).not.toContain(token)
  const cookie = cookieOf(await people.post('/verify-email', { token }))
  expect(JSON.stringify(await rowsOf('sessions'))).not.toContain(cookie.split('=')[1])
})
