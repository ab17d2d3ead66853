// Confirming a session: what gives a new token, and what is refused.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf, ORIGIN, PASSWORD } from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('confirming', () => {
  it('by the password gives a new token to who has no factor, and the one before is nobody’s', async () => {
    const browser = startBrowser()
    await browser.join()
    later(15 * MINUTE)
    const refused = await browser.post('/email', { email: 'new@example.org' })
    expect(await refused.json()).toMatchObject({
      error: { code: 'fresh_sign_in_required', methods: ['password'], full: true },
    })
    const before = browser.jar.get('__Host-session')
    const confirmed = await browser.post('/confirm', { password: PASSWORD })
    expect(await confirmed.json()).toMatchObject({ object: 'session', fresh: true, full: true })
    expect(confirmed.headers.get('set-cookie')).toContain(`Max-Age=${7 * 86_400 - 900}`)
    expect(browser.jar.get('__Host-session')).not.toBe(before)
    expect((await browser.post('/email', { email: 'new@example.org' })).status).toBe(202)
    browser.jar.set('__Host-session', before ?? '')
    expect((await browser.send('GET', '/me')).status).toBe(401)
  })

  it('by a code alone is not enough to change a factor, and with the password is', async () => {
    const browser = startBrowser()
    await browser.join()
    const app = await browser.addApp()
    later(15 * MINUTE)
    expect(await (await browser.post('/confirm', { totp: app.code() })).json()).toMatchObject({
      fresh: true,
      full: false,
    })
    expect((await browser.post('/totp')).status).toBe(401)
    await browser.post('/confirm', { totp: app.code(1), password: PASSWORD })
    expect((await browser.post('/totp')).status).toBe(201)
  })

  it.each([
    ['the password alone of who has a factor', () => ({ password: PASSWORD }), 'second_factor_required'],
    [
      'a right code with a wrong password',
      (code: string) => ({ password: 'wrong', totp: code }),
      'invalid_credentials',
    ],
    ['a recovery code', () => ({ recovery_code: 'ABCD' }), 'invalid_request'],
    ['nothing', () => ({}), 'invalid_request'],
  ])('is refused by %s', async (_, bodyOf, code) => {
    const browser = startBrowser()
    await browser.join()
    const app = await browser.addApp()
    expect(await codeOf(await browser.post('/confirm', bodyOf(app.code(1))))).toBe(code)
  })

  it('is refused by the password where a provider vouches for the session, which proves more', async () => {
    const browser = startBrowser()
    await browser.join()
    await env.DB.prepare("UPDATE sessions SET second_factor = 'provider', second_factor_at = ?, vouched_acr = 'phr'")
      .bind(noon)
      .run()
    later(15 * MINUTE)
    const refusals = [
      browser.post('/confirm', { password: PASSWORD }),
      browser.post('/email', { email: 'new@example.org' }),
    ].map(async (refused) => (await refused).json())
    expect(await Promise.all(refusals)).toMatchObject([
      { error: { code: 'second_factor_required', methods: ['provider'] } },
      { error: { code: 'fresh_sign_in_required', methods: ['provider'] } },
    ])
  })

  it('is refused by the challenge of a registration', async () => {
    const browser = startBrowser()
    await browser.join()
    const { authenticator } = await browser.addPasskey()
    const { challenge, rp } = await browser.options('register')
    const passkey = authenticator.assert({ challenge, rpId: rp.id }, ORIGIN)
    browser.jar.set('__Host-passkey-confirm', browser.jar.get('__Host-passkey-register') ?? '')
    expect(await codeOf(await browser.post('/confirm', { passkey }))).toBe('invalid_credentials')
  })

  it('is refused by the passkey of somebody else', async () => {
    const browser = startBrowser()
    await browser.join()
    await browser.addPasskey()
    const other = startBrowser(browser.people)
    await other.join({ email: 'bea@example.org' })
    const { authenticator } = await other.addPasskey()
    const passkey = await browser.answered(authenticator, 'confirm')
    expect(await codeOf(await browser.post('/confirm', { passkey }))).toBe('invalid_credentials')
  })
})
