// Somebody has an account, or wants one, with the address that an identity provider proves: over the built service, with its
// mails and the identity provider of `npm start`.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startIdentityProvider, type LocalIdentityProvider } from '../../scripts/local/servers/identity-provider.ts'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { Browser } from '../support/e2e/oauth/browser.ts'

const PASSWORD = 'a long and invented password'

let provider: LocalIdentityProvider
let mails: CollectedMails
let service: Deployment

beforeAll(async () => {
  ;[provider, mails] = await Promise.all([startIdentityProvider(), collectMails()])
  const { OAUTH_PROVIDERS = '', ...secrets } = provider.settings
  service = await deploy({
    sample: false,
    vars: { OAUTH_PROVIDERS, ...mails.settings },
    secrets,
  })
})
afterAll(async () => {
  await service.close()
  await mails.close()
  await provider.close()
})

const post = (browser: Browser, path: string, body: object) =>
  browser.fetch(path, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** @returns the token of the mailed link */
async function signUp(browser: Browser, email: string, more: object = {}): Promise<string> {
  const response = await post(browser, '/api/auth/signup', { email, password: PASSWORD, name: 'Ann Example', ...more })
  expect(response.status).toBe(202)
  return mails.tokenFor(email, 'confirm')
}

/** Signs in by the provider. Returns the address to which the browser is sent. */
async function comeBy(browser: Browser, email: string): Promise<string | null> {
  const url = new URL(await browser.begin('local'))
  url.searchParams.set('login_email', email)
  url.searchParams.set('login_verified', 'true')
  return (await browser.fetch(await browser.visit(url.href))).headers.get('location')
}

const me = async (browser: Browser) => (await (await browser.fetch('/api/auth/me')).json()) as Record<string, unknown>

it('a password that somebody chose for another’s address is nobody’s once its owner comes', async () => {
  const email = 'victim@clinic.example'
  const attacker = new Browser(service)
  const token = await signUp(attacker, email)
  const victim = new Browser(service)
  expect(await comeBy(victim, email)).toBe('/')
  expect(await me(victim)).toMatchObject({ email, email_verified: true, methods: ['local'] })
  expect((await post(attacker, '/api/auth/verify-email', { token })).status).toBe(400)
  expect((await post(attacker, '/api/auth/login', { email, password: PASSWORD })).status).toBe(401)
  expect(attacker.cookies.has('__Host-session')).toBe(false)
})

it('an account whose address is proven is joined, which its person is told and its ledgers say', async () => {
  const email = 'ann@clinic.example'
  const browser = new Browser(service)
  const token = await signUp(browser, email, { organisation: { name: 'A test practice', enabled_providers: [] } })
  expect((await post(browser, '/api/auth/verify-email', { token })).status).toBe(201)
  const known = await me(browser)
  const elsewhere = new Browser(service)
  expect(await comeBy(elsewhere, email)).toBe('/')
  expect(await me(elsewhere)).toMatchObject({ id: known['id'], methods: ['password', 'local'] })
  await vi.waitUntil(() => mails.mailbox.mails(email).length > 1, { timeout: 90_000 })
  expect(mails.mailbox.mails(email)[0]?.subject).toContain('the local identity provider')
  const [organisation] = known['organisations'] as { id: string }[]
  const entries = await service.ledger(organisation?.id ?? '')
  expect(entries.at(-1)).toMatchObject({ act: 'person.identity_joined', actor: known['id'], provider: 'local' })
  expect(JSON.stringify(entries)).not.toContain('clinic.example')
  expect(service.logs().join('\n')).not.toContain(email)
})
