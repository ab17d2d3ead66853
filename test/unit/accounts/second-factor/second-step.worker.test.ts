// Signing in with a second factor: what is taken once, and what is refused.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sha256 } from '../../../../src/platform/sha256.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { createAuthenticator } from '../../../support/soft-authenticator.ts'
import { codeOf, ELSEWHERE, ORIGIN, PASSWORD, PERSON, rowsOf, statusesOf } from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** Somebody with an app, who has given the right password in another browser. */
async function waiting() {
  const home = startBrowser()
  await home.join()
  const app = await home.addApp()
  later(MINUTE)
  const browser = startBrowser(home.people)
  const first = await browser.logIn()
  return { home, browser, app, first }
}

describe('the right password of who has a second factor', () => {
  it('begins no session, and tells which factors there are', async () => {
    const { browser, first, home } = await waiting()
    expect(first.status).toBe(202)
    expect(await first.json()).toEqual({
      object: 'sign_in',
      status: 'second_factor_required',
      methods: ['totp', 'recovery_code'],
      expires_at: new Date(Date.now() + 10 * MINUTE).toISOString(),
    })
    expect([...browser.jar.keys()]).toEqual(['__Host-sign-in'])
    expect((await browser.send('GET', '/me')).status).toBe(401)
    expect((await home.send('GET', '/me')).status).toBe(200)
  })

  it('makes no network known', async () => {
    const home = startBrowser()
    await home.join()
    await home.addApp()
    const before = await rowsOf('attempts')
    await startBrowser(home.people).logIn({}, ELSEWHERE)
    const known = ({ subject, tries }: Record<string, unknown>) =>
      tries === 0 && !before.some((row) => String(row['subject']) === String(subject))
    // A try that was uncounted ends with its window, long before a network that is known.
    const added = (await rowsOf('attempts')).filter((row) => known(row))
    expect(added.map((row) => Number(row['window_ends_at']) > noon + 30 * 60 * MINUTE)).not.toContain(true)
  })

  it('is over after ten minutes', async () => {
    const { browser, app } = await waiting()
    later(10 * MINUTE)
    const response = await browser.post('/login/second-factor', { totp: app.code() })
    expect([response.status, await codeOf(response)]).toEqual([401, 'session_required'])
    expect(await codeOf(await browser.post('/passkeys/options', { purpose: 'second_factor' }))).toBe('session_required')
  })

  it('is over after ten tries, from several networks too', async () => {
    const { browser, app } = await waiting()
    for (const from of [undefined, ELSEWHERE])
      for (let tries = 0; tries < 5; tries += 1)
        await browser.post('/login/second-factor', { recovery_code: 'ABCD' }, from)
    expect(await codeOf(await browser.post('/login/second-factor', { totp: app.code() }))).toBe('session_required')
  })

  it('begins one session, of two right factors at once too', async () => {
    const { home, browser, app } = await waiting()
    await home.post('/confirm', { totp: app.code(), password: PASSWORD })
    const { authenticator } = await home.addPasskey()
    const passkey = await browser.answered(authenticator, 'second_factor')
    const factors = [{ totp: app.code(1) }, { passkey }]
    const answers = await Promise.all(factors.map((factor) => browser.post('/login/second-factor', factor)))
    expect(statusesOf(answers)).toEqual([200, 401])
  })

  it('and a second factor are refused from a foreign page', async () => {
    const { browser, app } = await waiting()
    const cookie = `__Host-sign-in=${browser.jar.get('__Host-sign-in')}`
    const sent = { cookie, headers: { origin: 'https://evil.example' } }
    for (const [path, body] of [
      ['/login/second-factor', { totp: app.code() }],
      ['/passkeys/options', { purpose: 'second_factor' }],
      ['/passkeys/sign-in', {}],
    ] as const)
      expect([path, await codeOf(await browser.people.post(path, body, sent))]).toEqual([path, 'origin_refused'])
  })

  it('is not enough once the password was changed', async () => {
    const { home, browser, app } = await waiting()
    await home.post('/confirm', { totp: app.code(), password: PASSWORD })
    await home.post('/password', { current: PASSWORD, new: 'a dry evening in early june' })
    const response = await browser.post('/login/second-factor', { totp: app.code(1) })
    expect(await codeOf(response)).toBe('invalid_credentials')
  })
})

describe('a code of an app', () => {
  it('signs in once, of several at once too', async () => {
    const { home, browser, app } = await waiting()
    const other = startBrowser(home.people)
    await other.logIn()
    const code = app.code()
    const answers = await Promise.all(
      [browser, other, browser].map((one) => one.post('/login/second-factor', { totp: code })),
    )
    expect(statusesOf(answers)).toEqual([200, 401, 401])
  })

  it('lets its session do what needs two factors, and says so', async () => {
    const { browser, app } = await waiting()
    await browser.post('/login/second-factor', { totp: app.code() })
    const me = await (await browser.send('GET', '/me')).json()
    expect(me).toMatchObject({
      second_factors: ['totp', 'recovery_code'],
      session: { fresh: true, method: 'password', amr: ['pwd', 'otp', 'mfa'], acr: 'aal2', second_factor: 'totp' },
    })
  })

  it.each([
    ['of two steps ago', (code: (steps: number) => string) => code(-2)],
    ['of two steps ahead', (code: (steps: number) => string) => code(2)],
  ])('%s is refused', async (_, chosen) => {
    const { browser, app } = await waiting()
    const response = await browser.post('/login/second-factor', { totp: chosen(app.code) })
    expect(await codeOf(response)).toBe('invalid_credentials')
  })

  it('is refused at or before the step of the last one, that which put the app in force included', async () => {
    const home = startBrowser()
    await home.join()
    const { code } = await home.addApp()
    const browser = startBrowser(home.people)
    await browser.logIn()
    const statuses: number[] = []
    for (const steps of [0, -1, 1])
      statuses.push((await browser.post('/login/second-factor', { totp: code(steps) })).status)
    expect(statuses).toEqual([401, 401, 200])
  })

  it.each([[{ totp: '1234567' }], [{ totp: 123_456 }], [{}], [{ totp: '123456', recovery_code: 'ABCD' }]])(
    'is not sent as %j',
    async (body) => {
      const { browser } = await waiting()
      expect((await browser.post('/login/second-factor', body)).status).toBe(400)
    },
  )

  it('is tried ten times in a quarter of an hour, from anywhere, and passkeys and recovery codes stay open', async () => {
    const { home, app } = await waiting()
    const recovery = (await home.addPasskey()).authenticator
    expect(recovery).toBeDefined()
    for (const from of [undefined, ELSEWHERE]) {
      const guessing = startBrowser(home.people)
      await guessing.logIn()
      for (let tries = 0; tries < 5; tries += 1) await guessing.post('/login/second-factor', { totp: '000000' }, from)
    }
    const browser = startBrowser(home.people)
    await browser.logIn()
    const refused = await browser.post('/login/second-factor', { totp: app.code() }, '192.0.2.1')
    expect(refused.status).toBe(429)
    const passkey = await browser.answered(recovery, 'second_factor')
    expect((await browser.post('/login/second-factor', { passkey })).status).toBe(200)
  })

  it('is taken no more after a hundred wrong ones, and its person is mailed after five', async () => {
    const { home, app } = await waiting()
    home.people.mails.length = 0
    for (let round = 0; round < 20; round += 1) {
      later(16 * MINUTE)
      const guessing = startBrowser(home.people)
      await guessing.logIn()
      for (let tries = 0; tries < 5; tries += 1) await guessing.post('/login/second-factor', { totp: '000000' })
    }
    expect(home.people.mails.map(({ subject }) => subject)).toEqual([
      'Somebody knows your password',
      "Your app's codes are locked",
    ])
    later(16 * MINUTE)
    const browser = startBrowser(home.people)
    await browser.logIn()
    expect((await browser.post('/login/second-factor', { totp: app.code() })).status).toBe(401)
  })
})

describe('a recovery code', () => {
  it('signs in once, of several at once too, however it is typed, and its person is mailed', async () => {
    const home = startBrowser()
    await home.join()
    const { codes } = await home.addPasskey()
    const typed = (codes[0] ?? '').toLowerCase().replaceAll('-', ' ')
    const browsers = [startBrowser(home.people), startBrowser(home.people)]
    for (const browser of browsers) await browser.logIn()
    const answers = await Promise.all(browsers.map((one) => one.post('/login/second-factor', { recovery_code: typed })))
    expect(statusesOf(answers)).toEqual([200, 401])
    expect(home.people.mails.at(-1)?.text).toContain('7 are left')
  })

  it('is one person’s, and of the newest set', async () => {
    const home = startBrowser()
    await home.join()
    const { codes } = await home.addPasskey()
    await home.post('/recovery-codes')
    const other = startBrowser(home.people)
    await other.join({ email: 'bea@example.org' })
    const theirs = (await other.addPasskey()).codes
    const browser = startBrowser(home.people)
    await browser.logIn()
    for (const code of [codes[0], theirs[0]])
      expect(await codeOf(await browser.post('/login/second-factor', { recovery_code: code }))).toBe(
        'invalid_credentials',
      )
  })

  it('lets a new factor be set up and a lost one be removed, and nothing else that needs a proof', async () => {
    const home = startBrowser()
    await home.join()
    const { id, codes } = await home.addPasskey()
    const browser = startBrowser(home.people)
    await browser.logIn()
    await browser.post('/login/second-factor', { recovery_code: codes[0] })
    const email = await browser.post('/email', { email: 'new@example.org' })
    expect(await email.json()).toMatchObject({
      error: { code: 'fresh_sign_in_required', methods: ['passkey'], full: true },
    })
    expect((await browser.post('/recovery-codes')).status).toBe(401)
    const added = await browser.addPasskey()
    expect(added.codes).toHaveLength(8)
    expect((await browser.send('DELETE', `/factors/${id}`)).status).toBe(200)
    expect((await browser.post('/email', { email: 'new@example.org' })).status).toBe(202)
  })
})

describe('a passkey', () => {
  it('signs in alone, by one touch', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    const passkey = await browser.answered(authenticator, 'sign_in')
    expect((await browser.post('/passkeys/sign-in', { passkey })).status).toBe(200)
    const me = await (await browser.send('GET', '/me')).json()
    expect(me).toMatchObject({ session: { method: 'passkey', acr: 'phr', amr: ['pop', 'user', 'mfa'], fresh: true } })
  })

  it('of a replayed answer begins one session, of twenty at once too', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    // A counter that stays 0 refuses nothing, so its challenge alone does.
    const passkey = await browser.answered(authenticator, 'sign_in', { counter: 0 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.post('/passkeys/sign-in', { passkey })))
    expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(1)
    expect(await rowsOf('used_challenges')).toHaveLength(2)
  })

  it('and its copy, each with a challenge of its own and the same counter, begin one session', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browsers = [startBrowser(home.people), startBrowser(home.people)]
    const sent = await Promise.all(browsers.map((one) => one.answered(authenticator, 'sign_in', { counter: 9 })))
    const answers = await Promise.all(browsers.map((one, at) => one.post('/passkeys/sign-in', { passkey: sent[at] })))
    expect(statusesOf(answers)).toEqual([200, 401])
  })

  it.each([
    ['another origin', { origin: 'https://countersign.example.evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['no finger, face or PIN', { isUserVerified: false }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['the handle of somebody else', { userHandle: 'A'.repeat(43) }],
    ['no handle', { userHandle: null }],
    ['a counter of before', { counter: 3 }],
  ])('is refused for %s', async (_, lies) => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    const right = await browser.answered(authenticator, 'sign_in', { counter: 7 })
    expect((await browser.post('/passkeys/sign-in', { passkey: right })).status).toBe(200)
    const other = startBrowser(home.people)
    const passkey = await other.answered(authenticator, 'sign_in', { counter: 8, ...lies })
    const refused = await other.post('/passkeys/sign-in', { passkey })
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_credentials', param: 'passkey' } })
    expect(other.jar.has('__Host-session')).toBe(false)
  })

  it('is refused where another purpose, browser or time made its challenge', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const [browser, other] = [startBrowser(home.people), startBrowser(home.people)]
    const forConfirming = await home.answered(authenticator, 'confirm')
    const elsewhere = await other.answered(authenticator, 'sign_in')
    await browser.options('sign_in')
    for (const passkey of [forConfirming, elsewhere])
      expect((await browser.post('/passkeys/sign-in', { passkey })).status).toBe(401)
    const late = await browser.answered(authenticator, 'sign_in')
    later(5 * MINUTE)
    expect((await browser.post('/passkeys/sign-in', { passkey: late })).status).toBe(401)
  })

  it('is refused where the cookie of its challenge was changed to hold longer, and it signed that', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    const options = await browser.options('sign_in')
    const name = '__Host-passkey-sign-in'
    const cookie = (browser.jar.get(name) ?? '').replace(/\.\d+\./, `.${noon + 99 * MINUTE}.`)
    browser.jar.set(name, cookie)
    const passkey = authenticator.assert(options, ORIGIN, { challenge: encodeBase64url(sha256(cookie)) })
    expect((await browser.post('/passkeys/sign-in', { passkey })).status).toBe(401)
  })

  it('is refused where its challenge is of another sign-in that waits', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const [browser, other] = [startBrowser(home.people), startBrowser(home.people)]
    for (const one of [browser, other]) await one.logIn()
    const passkey = await other.answered(authenticator, 'second_factor')
    browser.jar.set('__Host-passkey-second-factor', other.jar.get('__Host-passkey-second-factor') ?? '')
    expect((await browser.post('/login/second-factor', { passkey })).status).toBe(401)
    expect((await other.post('/login/second-factor', { passkey })).status).toBe(200)
  })

  it('of one person does not finish the sign-in of another', async () => {
    const home = startBrowser()
    await home.join()
    await home.addPasskey()
    const other = startBrowser(home.people)
    await other.join({ email: 'bea@example.org' })
    const theirs = (await other.addPasskey()).authenticator
    const browser = startBrowser(home.people)
    await browser.logIn()
    const passkey = await browser.answered(theirs, 'second_factor')
    expect((await browser.post('/login/second-factor', { passkey })).status).toBe(401)
  })

  it('that is unknown is refused with the same bytes as a wrong one', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    const stranger = createAuthenticator()
    stranger.register(await home.options('register'), 'https://countersign.example')
    const [unknown, wrong] = await Promise.all([
      browser.post('/passkeys/sign-in', { passkey: await browser.answered(stranger, 'sign_in') }),
      browser.post('/passkeys/sign-in', {
        passkey: await browser.answered(authenticator, 'sign_in', { isUserVerified: false }),
      }),
    ])
    const bytes = async (response: Response) => (await response.text()).replace(/req_[\w-]+/, '')
    expect(await bytes(unknown)).toBe(await bytes(wrong))
  })

  it('whose counter went back is told to its person', async () => {
    const home = startBrowser()
    await home.join()
    const { authenticator } = await home.addPasskey()
    const browser = startBrowser(home.people)
    const first = await browser.answered(authenticator, 'sign_in', { counter: 7 })
    await browser.post('/passkeys/sign-in', { passkey: first })
    const copied = await browser.answered(authenticator, 'sign_in', { counter: 7 })
    await browser.post('/passkeys/sign-in', { passkey: copied })
    expect(home.people.mails.at(-1)).toMatchObject({ to: PERSON.email, subject: 'A passkey was refused' })
  })
})
