// A person's own name and e-mail address: who may change them, and what a mailed link does.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  codeOf,
  cookieOf,
  ELSEWHERE,
  ORIGIN,
  PERSON,
  rowsOf,
  showMe,
  startPeople,
  statusesOf,
} from './people-service.ts'
import type { PeopleService } from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NEW = 'ann@new.example'
const BOB = { email: 'bob@example.org', name: 'Bob Example' }

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('the name', () => {
  const rename = (people: PeopleService, cookie: string, name: unknown) =>
    people.send('PATCH', '/me', { cookie, body: { name } })

  it('is changed for the person who asks, and for nobody else', async () => {
    const people = startPeople()
    const bob = await people.join(BOB)
    const cookie = await people.join()
    const response = await rename(people, cookie, 'Ann Another')
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ name: 'Ann Another' })])
    expect(await (await showMe(people, bob)).json()).toMatchObject({ name: 'Bob Example' })
  })

  it.each(['', ' ', 'Ann\nAnother', 'x'.repeat(201), null])(
    'is not changed to what sign-up refuses: %j',
    async (name) => {
      const people = startPeople()
      const cookie = await people.join()
      expect(await codeOf(await rename(people, cookie, name))).toBe('invalid_request')
      expect(await (await showMe(people, cookie)).json()).toMatchObject({ name: PERSON.name })
    },
  )

  it('is not changed without a session, nor from another site', async () => {
    const people = startPeople()
    const cookie = await people.join()
    expect((await rename(people, '', 'Ann Another')).status).toBe(401)
    const headers = { origin: 'https://elsewhere.example' }
    const foreign = await people.send('PATCH', '/me', { cookie, headers, body: { name: 'Ann Another' } })
    expect(await codeOf(foreign)).toBe('origin_refused')
  })
})

const askFor = (people: PeopleService, cookie: string, email: string, from?: string) =>
  people.post('/email', { email }, { cookie, ...(from !== undefined && { from }) })
const confirm = (people: PeopleService, cookie: string, token: string) =>
  people.post('/email/confirm', { token }, { cookie })

describe('another address', () => {
  it('counts once its link is used; other sessions and the link to set a password end', async () => {
    const people = startPeople()
    const other = await people.join()
    const cookie = cookieOf(await people.logIn())
    await people.post('/password-reset', { email: PERSON.email })
    const reset = people.token()
    expect((await askFor(people, cookie, NEW)).status).toBe(202)
    const [told, mailed] = people.mails.slice(-2)
    expect(told).toMatchObject({ to: PERSON.email, subject: 'A new address was asked for' })
    expect(told?.text).not.toMatch(/#|new\.example/)
    expect(mailed?.to).toBe(NEW)
    expect(mailed?.text).toContain(`${ORIGIN}/app/account#${people.token()}`)
    expect((await people.logIn({ email: NEW })).status).toBe(401)

    const confirmed = await confirm(people, cookie, people.token())
    expect([confirmed.status, await confirmed.json()]).toEqual([
      200,
      expect.objectContaining({ email: NEW, email_verified: true }),
    ])
    expect((await showMe(people, cookie)).status).toBe(200)
    expect((await showMe(people, other)).status).toBe(401)
    expect((await people.logIn()).status).toBe(401)
    expect((await people.logIn({ email: NEW })).status).toBe(200)
    const confirmReset = { token: reset, password: 'another long invented password' }
    expect((await people.post('/password-reset/confirm', confirmReset)).status).toBe(400)
  })

  it('may be the one before in another spelling', async () => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, 'Ann@Example.org')
    expect((await confirm(people, cookie, people.token())).status).toBe(200)
    expect(await (await showMe(people, cookie)).json()).toMatchObject({ email: 'Ann@Example.org' })
  })

  it('is answered the same to the byte where somebody has it, who gets a mail without a link', async () => {
    const people = startPeople()
    await people.join(BOB)
    const cookie = await people.join()
    const free = await askFor(people, cookie, NEW)
    const before = people.mails.length
    const taken = await askFor(people, cookie, BOB.email.toUpperCase())
    expect([taken.status, await taken.text()]).toEqual([free.status, await free.text()])
    const headers = (response: Response) =>
      [...response.headers].filter(([name]) => !['x-request-id', 'server-timing'].includes(name))
    expect(headers(taken)).toEqual(headers(free))
    const [told, mailed] = people.mails.slice(before)
    expect(told?.to).toBe(PERSON.email)
    expect(mailed?.subject).toBe('You already have an account')
    expect(mailed?.text).not.toContain('#')
  })

  it('is refused like an expired link where somebody has it by now', async () => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, BOB.email)
    const token = people.token()
    await people.join(BOB)
    const taken = await confirm(people, cookie, token)
    const wrong = await confirm(people, cookie, 'x'.repeat(43))
    const told = async (response: Response) => (await response.text()).replaceAll(/req_[\w-]+/g, '')
    expect([taken.status, await told(taken)]).toEqual([400, await told(wrong)])
    expect(await (await showMe(people, cookie)).json()).toMatchObject({ email: PERSON.email })
  })

  it('is confirmed once, of five times at the same moment, and takes all other links along', async () => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, 'ann@early.example')
    const early = people.token()
    await askFor(people, cookie, NEW)
    const token = people.token()
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(people, cookie, token)))
    expect(statusesOf(answers)).toEqual([200, 400, 400, 400, 400])
    expect((await confirm(people, cookie, early)).status).toBe(400)
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('is confirmed by nobody else, nor without a session, and not by a link of another kind', async () => {
    const people = startPeople()
    const bob = await people.join(BOB)
    const cookie = await people.join()
    await askFor(people, cookie, NEW)
    const token = people.token()
    expect((await confirm(people, bob, token)).status).toBe(400)
    expect((await confirm(people, '', token)).status).toBe(401)
    expect((await people.post('/verify-email', { token })).status).toBe(400)
    const password = { token, password: 'another long invented password' }
    expect((await people.post('/password-reset/confirm', password)).status).toBe(400)
    await people.post('/password-reset', { email: PERSON.email })
    expect((await confirm(people, cookie, people.token())).status).toBe(400)
    expect((await confirm(people, cookie, token)).status).toBe(200)
  })

  it('is over after a day', async () => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, NEW)
    const token = people.token()
    vi.setSystemTime(noon + DAY)
    const again = cookieOf(await people.logIn())
    expect((await confirm(people, again, token)).status).toBe(400)
  })

  it.each(['the current password', 'a mailed link'])('is over once a password was set by %s', async (by) => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, NEW)
    const token = people.token()
    const next = 'another long invented password'
    if (by === 'a mailed link') {
      await people.post('/password-reset', { email: PERSON.email })
      await people.post('/password-reset/confirm', { token: people.token(), password: next })
    } else {
      await people.post('/password', { current: PERSON.password, new: next }, { cookie })
    }
    const again = cookieOf(await people.logIn({ password: next }))
    expect((await confirm(people, again, token)).status).toBe(400)
  })

  it('goes with the person', async () => {
    const people = startPeople()
    const cookie = await people.join()
    await askFor(people, cookie, NEW)
    await env.DB.prepare('DELETE FROM people').run()
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('asks for a session that has just begun', async () => {
    const people = startPeople()
    const cookie = await people.join()
    vi.setSystemTime(noon + 15 * MINUTE)
    expect(await codeOf(await askFor(people, cookie, NEW))).toBe('fresh_sign_in_required')
    expect(await codeOf(await askFor(people, '', NEW))).toBe('session_required')
    expect(await rowsOf('mail_links')).toEqual([])
  })

  it('is refused after three times in half an hour, of one person and for one address', async () => {
    const people = startPeople()
    const bob = await people.join(BOB)
    const cookie = await people.join()
    for (const email of [NEW, NEW, 'ann@other.example']) expect((await askFor(people, cookie, email)).status).toBe(202)
    expect((await askFor(people, cookie, 'ann@more.example', ELSEWHERE)).status).toBe(429)
    expect((await askFor(people, bob, NEW, ELSEWHERE)).status).toBe(202)
    expect((await askFor(people, bob, NEW, ELSEWHERE)).status).toBe(429)
  })

  it('makes no link where no mail leaves', async () => {
    const people = startPeople()
    const cookie = await people.join()
    const mailless = startPeople({}, { mailer: { sends: false, send: () => Promise.resolve('failed') } })
    expect((await askFor(mailless, cookie, NEW)).status).toBe(202)
    expect(await rowsOf('mail_links')).toEqual([])
  })
})
