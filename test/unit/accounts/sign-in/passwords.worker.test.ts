// Setting another password, by a mailed link or by the one before.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  codeOf,
  cookieOf,
  ELSEWHERE,
  HOME,
  ORIGIN,
  PASSWORD,
  PERSON,
  rowsOf,
  showMe,
  startPeople,
  statusesOf,
  type PeopleService,
} from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const NEW = 'another long invented password'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const askReset = (people: PeopleService, email = PERSON.email) => people.post('/password-reset', { email })
const confirm = (people: PeopleService, token: string, password = NEW) =>
  people.post('/password-reset/confirm', { token, password })
const change = (people: PeopleService, cookie: string, body: object = {}) =>
  people.post('/password', { current: PASSWORD, new: NEW, ...body }, { cookie })

describe('a mailed link', () => {
  it('sets a new password and ends every session', async () => {
    const people = startPeople()
    const cookie = await people.join()
    expect((await askReset(people)).status).toBe(202)
    expect(people.mails.at(-1)?.text).toContain(`${ORIGIN}/reset#${people.token()}`)
    const response = await confirm(people, people.token())
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ object: 'password', status: 'changed' })
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-session=; Max-Age=0;/)
    expect((await showMe(people, cookie)).status).toBe(401)
    expect((await people.logIn()).status).toBe(401)
    expect((await people.logIn({ password: NEW })).status).toBe(200)
    expect(people.mails.at(-1)).toMatchObject({ to: PERSON.email, subject: 'Your password was changed' })
  })

  it('proves the address, and gives a first password to somebody without one', async () => {
    const people = startPeople()
    await people.join()
    await env.DB.prepare('UPDATE people SET password = NULL, email_proven_at = NULL').run()
    await askReset(people)
    await confirm(people, people.token())
    const cookie = cookieOf(await people.logIn({ password: NEW }))
    expect(await (await showMe(people, cookie)).json()).toMatchObject({ email_verified: true, methods: ['password'] })
  })

  it('is used once, of five times at the same moment, and takes all others along', async () => {
    const people = startPeople()
    await people.join()
    await askReset(people)
    const early = people.token()
    await askReset(people)
    const token = people.token()
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(people, token)))
    expect(statusesOf(answers)).toEqual([200, 400, 400, 400, 400])
    expect((await confirm(people, early)).status).toBe(400)
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('is over after 30 minutes', async () => {
    const people = startPeople()
    await people.join()
    await askReset(people)
    vi.setSystemTime(noon + 30 * MINUTE)
    expect((await confirm(people, people.token())).status).toBe(400)
  })

  it('is as it was after a password that does not fit, which is not hashed', async () => {
    const people = startPeople()
    await people.join()
    await askReset(people)
    const before = people.hashed()
    const unfit = await confirm(people, people.token(), 'passwordpassword')
    expect([unfit.status, unfit.headers.get('set-cookie')]).toEqual([400, null])
    expect((await confirm(people, people.token(), 'Ann Example for ever')).status).toBe(400)
    expect(people.hashed()).toBe(before)
    expect((await confirm(people, people.token())).status).toBe(200)
  })

  it.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}\u0000`])(
    'that nobody was mailed sets nothing: %j',
    async (token) => {
      const people = startPeople()
      await people.join()
      const before = people.hashed()
      expect((await confirm(people, token)).status).toBe(400)
      expect(people.hashed()).toBe(before)
    },
  )
})

describe('asking for a link', () => {
  it('is answered the same to the byte for an address that nobody has, which gets no mail', async () => {
    const people = startPeople()
    await people.join()
    const known = await askReset(people)
    const mailed = people.mails.length
    const unknown = await askReset(people, 'nobody@example.org')
    expect(people.mails.length).toBe(mailed)
    expect([unknown.status, await unknown.text()]).toEqual([known.status, await known.text()])
  })

  it('makes no link where no mail leaves', async () => {
    const people = startPeople()
    await people.join()
    const mailless = startPeople({}, { mailer: { sends: false, send: () => Promise.resolve('failed') } })
    expect((await askReset(mailless)).status).toBe(202)
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('is refused after three times in half an hour for one address, but not where its person has signed in', async () => {
    const people = startPeople()
    await people.join()
    const askFrom = async (from: string) =>
      (await people.post('/password-reset', { email: PERSON.email }, { from })).status
    for (let n = 0; n < 3; n += 1) expect(await askFrom(ELSEWHERE)).toBe(202)
    expect(await askFrom(ELSEWHERE)).toBe(429)
    expect(await askFrom('192.0.2.1')).toBe(429)
    expect(await askFrom(HOME)).toBe(202)
  })
})

describe('changing the password', () => {
  it('ends all other sessions, and the links to set one', async () => {
    const people = startPeople()
    const other = await people.join()
    const cookie = cookieOf(await people.logIn())
    await askReset(people)
    const token = people.token()
    expect((await change(people, cookie)).status).toBe(200)
    expect((await showMe(people, cookie)).status).toBe(200)
    expect((await showMe(people, other)).status).toBe(401)
    expect((await confirm(people, token)).status).toBe(400)
    expect((await people.logIn({ password: NEW })).status).toBe(200)
    expect(people.mails.at(-1)?.subject).toBe('Your password was changed')
  })

  it('is done once, of two at the same moment', async () => {
    const people = startPeople()
    const cookie = await people.join()
    const answers = await Promise.all([change(people, cookie), change(people, cookie, { new: `${NEW} too` })])
    expect(statusesOf(answers)).toEqual([200, 401])
  })

  it('asks for a session that has just begun', async () => {
    const people = startPeople()
    const cookie = await people.join()
    vi.setSystemTime(noon + 15 * MINUTE)
    expect(await codeOf(await change(people, cookie))).toBe('fresh_sign_in_required')
  })

  it('is refused after five wrong tries in a quarter of an hour, unhashed', async () => {
    const people = startPeople()
    const cookie = await people.join()
    for (let n = 0; n < 5; n += 1) await change(people, cookie, { current: NEW })
    const before = people.hashed()
    expect((await change(people, cookie)).status).toBe(429)
    expect(people.hashed()).toBe(before)
  })
})
