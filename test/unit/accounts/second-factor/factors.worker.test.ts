// Setting factors up, listing and removing them: who may, what it ends, and where it is told.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contentOf, type DetailsRow } from '../../../support/entry-content.ts'
import { createAuthenticator } from '../../../support/soft-authenticator.ts'
import { totpAt } from '../../../support/totp-app.ts'
import { hook } from '../../notifications/receiver.ts'
import {
  codeOf,
  ELSEWHERE,
  HOME,
  PASSWORD,
  PERSON,
  rowsOf,
  startPeople,
  statusesOf,
} from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

async function joined() {
  const browser = startBrowser()
  await browser.join()
  return browser
}

describe('the first factor', () => {
  it('comes with eight recovery codes, lifts its session, ends all others and is mailed', async () => {
    const browser = await joined()
    const other = startBrowser(browser.people)
    await other.logIn()
    const { codes } = await browser.addPasskey()
    expect(new Set(codes).size).toBe(8)
    expect(codes.every((code) => /^(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}$/.test(code))).toBe(true)
    expect((await other.send('GET', '/me')).status).toBe(401)
    expect(await (await browser.send('GET', '/me')).json()).toMatchObject({ session: { acr: 'phr', fresh: true } })
    expect(browser.people.mails.at(-1)).toMatchObject({ to: PERSON.email, subject: 'A passkey was added' })
  })

  it('is listed without a secret, a key or a handle', async () => {
    const browser = await joined()
    const { id } = await browser.addPasskey()
    const app = await browser.addApp()
    const listed = await browser.send('GET', '/factors')
    expect(await listed.json()).toEqual({
      object: 'list',
      has_more: false,
      next_cursor: null,
      data: [
        {
          id,
          object: 'passkey',
          created_at: new Date(noon).toISOString(),
          name: 'Laptop',
          last_used_at: null,
          backup_eligible: false,
          backed_up: false,
        },
        { id: app.id, object: 'totp', created_at: new Date(noon).toISOString(), last_used_at: null, locked: false },
        { id: 'recovery_codes', object: 'recovery_codes', created_at: new Date(noon).toISOString(), left: 8 },
      ],
    })
  })

  it('is undone by a password that is set by mail within a day, and later is not', async () => {
    const thief = await joined()
    await thief.addPasskey()
    later(23 * 60 * MINUTE)
    const owner = startBrowser(thief.people)
    const resetBy = async (password: string) => {
      await owner.post('/password-reset', { email: PERSON.email })
      await owner.post('/password-reset/confirm', { token: owner.people.token(), password })
      return owner.logIn({ password })
    }
    expect((await resetBy('a dry evening in early june')).status).toBe(200)
    expect(await rowsOf('recovery_codes')).toEqual([])
    await owner.addPasskey()
    later(24 * 60 * MINUTE)
    expect((await resetBy('a cold night in early march')).status).toBe(202)
  })
})

describe('a passkey', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['no finger, face or PIN', { isUserVerified: false }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
  ])('is not added for %s', async (_, lies) => {
    const browser = await joined()
    const passkey = await browser.made(createAuthenticator(), lies)
    const refused = await browser.post('/passkeys', { name: 'Laptop', passkey })
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request', param: 'passkey' } })
    expect(await rowsOf('passkeys')).toEqual([])
  })

  it('is not added twice, by the same or by somebody else, of several at once too', async () => {
    const browser = await joined()
    const authenticator = createAuthenticator()
    const passkey = await browser.made(authenticator)
    const answers = await Promise.all([1, 2, 3].map(() => browser.post('/passkeys', { name: 'Laptop', passkey })))
    expect(statusesOf(answers)).toEqual([201, 409, 409])
    const other = startBrowser(browser.people)
    await other.join({ email: 'bea@example.org' })
    const taken = await other.post('/passkeys', { name: 'Mine', passkey: await other.made(authenticator) })
    expect(await codeOf(taken)).toBe('conflict')
  })

  it('is not added again by its first response, once it was removed', async () => {
    const browser = await joined()
    const app = await browser.addApp()
    const passkey = await browser.made(createAuthenticator())
    const added = await browser.post('/passkeys', { name: 'Laptop', passkey })
    const { id } = await added.json<{ id: string }>()
    await browser.send('DELETE', `/factors/${id}`)
    await browser.post('/confirm', { totp: app.code(1), password: PASSWORD })
    expect(await codeOf(await browser.post('/passkeys', { name: 'Laptop', passkey }))).toBe('conflict')
    expect(await rowsOf('passkeys')).toEqual([])
  })

  it('is not added by the challenge of somebody else', async () => {
    const browser = await joined()
    const other = startBrowser(browser.people)
    await other.join({ email: 'bea@example.org' })
    const passkey = await browser.made(createAuthenticator())
    other.jar.set('__Host-passkey-register', browser.jar.get('__Host-passkey-register') ?? '')
    expect(await codeOf(await other.post('/passkeys', { name: 'Laptop', passkey }))).toBe('invalid_request')
  })

  it('is one of ten', async () => {
    const browser = await joined()
    for (let made = 0; made < 10; made += 1) await browser.addPasskey()
    const passkey = await browser.made(createAuthenticator())
    const full = await browser.post('/passkeys', { name: 'Laptop', passkey })
    expect(await full.json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('ten') as string },
    })
  })

  it('is not added in a session of before, nor are its options told', async () => {
    const browser = await joined()
    const passkey = await browser.made(createAuthenticator())
    later(15 * MINUTE)
    expect((await browser.post('/passkeys', { name: 'Laptop', passkey })).status).toBe(401)
    expect((await browser.post('/passkeys/options', { purpose: 'register' })).status).toBe(401)
  })

  it('is renamed and removed by its person only', async () => {
    const browser = await joined()
    const { id } = await browser.addPasskey()
    const other = startBrowser(browser.people)
    await other.join({ email: 'bea@example.org' })
    expect((await other.send('PATCH', `/passkeys/${id}`, { name: 'Mine' })).status).toBe(404)
    expect((await other.send('DELETE', `/factors/${id}`)).status).toBe(404)
    const renamed = await browser.send('PATCH', `/passkeys/${id}`, { name: 'Desk' })
    expect(await renamed.json()).toMatchObject({ id, name: 'Desk' })
  })
})

describe('an app', () => {
  it('counts from its first code on, and the one before until then', async () => {
    const browser = await joined()
    const before = await browser.addApp()
    const { secret } = await (await browser.post('/totp')).json<{ secret: string }>()
    later(MINUTE)
    const other = startBrowser(browser.people)
    await other.logIn()
    const early = await other.post('/login/second-factor', { totp: totpAt(secret, Date.now()) })
    expect(early.status).toBe(401)
    expect((await other.post('/login/second-factor', { totp: before.code() })).status).toBe(200)
    expect((await browser.post('/totp/confirm', { code: totpAt(secret, Date.now()) })).status).toBe(200)
    expect(await rowsOf('totp_secrets')).toHaveLength(1)
  })

  it.each([
    ['a wrong code', () => '000000', 0],
    ['a code after 15 minutes', (secret: string) => totpAt(secret, Date.now()), 14.99 * MINUTE],
  ])('is not put in force by %s', async (_, chosen, waits) => {
    const browser = await joined()
    const { secret } = await (await browser.post('/totp')).json<{ secret: string }>()
    later(waits)
    await browser.post('/confirm', { password: PASSWORD })
    later(waits === 0 ? 0 : MINUTE)
    expect(await codeOf(await browser.post('/totp/confirm', { code: chosen(secret) }))).toBe('invalid_credentials')
  })

  it('has a secret that opens in its own row only', async () => {
    const browser = await joined()
    const app = await browser.addApp()
    const other = startBrowser(browser.people)
    await other.join({ email: 'bea@example.org' })
    await other.addApp()
    await env.DB.prepare(
      'UPDATE totp_secrets SET sealed = (SELECT sealed FROM totp_secrets WHERE id = ?1) WHERE id <> ?1',
    )
      .bind(app.id)
      .run()
    later(MINUTE)
    const bea = startBrowser(browser.people)
    await bea.logIn({ email: 'bea@example.org' })
    expect((await bea.post('/login/second-factor', { totp: app.code() })).status).toBe(401)
  })

  it('is sealed anew by its use, and the operator sees under which pepper each is', async () => {
    const before = startBrowser(startPeople({ KEY_PEPPERS: `a:${'a1'.repeat(32)}` }))
    await before.join()
    const app = await before.addApp()
    const browser = startBrowser()
    const headers = { authorization: `Bearer ${env.OPERATOR_TOKEN}` }
    const peppers = async () => {
      const listed = await browser.people.send('GET', '/../operator/peppers', { headers })
      return (await listed.json<{ data: object[] }>()).data
    }
    expect(await peppers()).toEqual([{ id: 'a', object: 'pepper', totp_secrets: 1 }])
    await browser.logIn()
    await browser.post('/login/second-factor', { totp: app.code(1) })
    expect(await peppers()).toEqual([{ id: 'b', object: 'pepper', totp_secrets: 1 }])
  })
})

describe('removing', () => {
  it('the last factor takes the recovery codes with it, and the password is enough again', async () => {
    const browser = await joined()
    const { id } = await browser.addPasskey()
    const removed = await browser.send('DELETE', `/factors/${id}`)
    expect(await removed.json()).toEqual({ id, object: 'factor', deleted: true })
    expect(await rowsOf('recovery_codes')).toEqual([])
    expect(browser.people.mails.at(-1)?.subject).toBe('A passkey was removed')
    expect((await startBrowser(browser.people).logIn()).status).toBe(200)
  })

  it('the last factor takes what a recovery code proved with it', async () => {
    const browser = await joined()
    const { id, codes } = await browser.addApp()
    const other = startBrowser(browser.people)
    await other.logIn()
    await other.post('/login/second-factor', { recovery_code: codes[0] })
    await other.send('DELETE', `/factors/${id}`)
    expect(await (await other.send('GET', '/me')).json()).toMatchObject({
      session: { acr: 'aal1', amr: ['pwd'], second_factor: null },
    })
  })

  it('a factor between the two steps of a sign-in ends the sign-in', async () => {
    const browser = await joined()
    const { id, authenticator } = await browser.addPasskey()
    await browser.addApp()
    const other = startBrowser(browser.people)
    await other.logIn()
    const passkey = await other.answered(authenticator, 'second_factor')
    await browser.send('DELETE', `/factors/${id}`)
    expect((await other.post('/login/second-factor', { passkey })).status).toBe(401)
  })

  it('recovery codes alone is nothing', async () => {
    const browser = await joined()
    expect(await codeOf(await browser.post('/recovery-codes'))).toBe('conflict')
    await browser.addPasskey()
    expect((await browser.send('DELETE', '/factors/recovery_codes')).status).toBe(404)
  })
})

describe('the organisation of the person', () => {
  const queryOf = <Row extends Record<string, SqlStorageValue>>(organisation: string, query: string): Promise<Row[]> =>
    runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation)), (_, { storage: { sql } }) =>
      sql.exec<Row>(query).toArray(),
    )

  it('has in its log what was changed, is told by its webhook, and of sign-ins from new places', async () => {
    const browser = await joined()
    const founded = await browser.people.send('POST', '/../organisations', {
      cookie: `__Host-session=${browser.jar.get('__Host-session')}`,
      body: { name: 'A clinic', enabled_providers: [] },
    })
    const { id: organisation } = await founded.json<{ id: string }>()
    await hook({ id: organisation }, undefined, ['factor.changed', 'sign_in.new_place'])
    const { id, authenticator } = await browser.addPasskey()
    for (const from of [HOME, ELSEWHERE, ELSEWHERE]) {
      const other = startBrowser(browser.people)
      const passkey = await other.answered(authenticator, 'sign_in')
      await other.post('/passkeys/sign-in', { passkey }, from)
    }
    await browser.send('DELETE', `/factors/${id}`)
    const entries = await queryOf<DetailsRow<ArrayBuffer>>(organisation, 'SELECT kind, entry, facts FROM entries')
    const acts = entries.map(contentOf).filter(({ act }) => String(act).startsWith('person.'))
    expect(acts).toMatchObject([
      { act: 'person.factor_added', factor: 'passkey', factor_id: id },
      { act: 'person.factor_removed', factor: 'passkey', factor_id: id },
    ])
    expect(JSON.stringify(acts)).not.toContain('Laptop')
    const messages = await queryOf<{ body: string }>(organisation, 'SELECT body FROM webhook_messages ORDER BY id')
    const told = messages.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, string> })
    expect(told.map(({ type, data }) => `${type} ${data['change'] ?? data['method']}`).toSorted()).toEqual([
      'factor.changed added',
      'factor.changed removed',
      'sign_in.new_place passkey',
    ])
  })
})

describe('a factor that an organisation requires', () => {
  it.each([
    ['off', [], 200],
    ['any', [], 409],
    ['any', ['app'], 200],
    ['phishing_resistant', ['app'], 409],
    ['phishing_resistant', ['app', 'passkey'], 200],
  ] as const)('%s: the passkey goes beside %j with %i', async (secondFactor, others, status) => {
    const browser = await joined()
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO organisations (id, name, jurisdiction, created_at, settings) VALUES ('org_1', 'A clinic', 'eu', 1, json_object('second_factor', ?))",
      ).bind(secondFactor),
      env.DB.prepare(
        "INSERT INTO members (organisation_id, person_id, role, joined_at) SELECT 'org_1', id, 'developer', 1 FROM people",
      ),
    ])
    const { id } = await browser.addPasskey()
    for (const other of others) await (other === 'app' ? browser.addApp() : browser.addPasskey())
    expect((await browser.send('DELETE', `/factors/${id}`)).status).toBe(status)
    expect((await rowsOf('passkeys')).some((row) => row['id'] === id)).toBe(status === 409)
  })
})
