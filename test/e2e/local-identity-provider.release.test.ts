// The identity provider of `npm start`: its page, and signing in by it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailSettings } from '../../scripts/local/local-servers.ts'
import { startIdentityProvider, type LocalIdentityProvider } from '../../scripts/local/servers/identity-provider.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { Browser } from '../support/e2e/oauth/browser.ts'

let provider: LocalIdentityProvider
let service: Deployment

beforeAll(async () => {
  provider = await startIdentityProvider()
  const { OAUTH_PROVIDERS = '', ...secrets } = provider.settings
  service = await deploy({
    sample: false,
    vars: { OAUTH_PROVIDERS, ...mailSettings(provider.url, 'unused') },
    secrets,
  })
})
afterAll(async () => {
  await service.close()
  await provider.close()
})

/** As whoever fills in the page. */
function filledIn(authorizationUrl: string, form: Record<string, string>): string {
  const url = new URL(authorizationUrl)
  for (const [name, value] of Object.entries(form)) url.searchParams.set(`login_${name}`, value)
  return url.href
}

it('signs in whoever fills in the page, as the same person for the same address', async () => {
  const browser = new Browser(service)
  const page = await (await fetch(await browser.begin('local'))).text()
  expect(page).toContain('emulator')
  expect(page).toContain(browser.cookies.get('__Host-oauth'))
  const form = { email: 'ann@clinic.example', name: 'Ann Example', verified: 'true' }
  for (const one of [browser, new Browser(service)]) {
    const callback = await one.visit(filledIn(await one.begin('local'), form))
    expect((await one.fetch(callback)).headers.get('location')).toBe('/')
  }
  const { DB } = await service.env()
  const { results } = await DB.prepare('SELECT email, name FROM people').all()
  expect(results).toEqual([{ email: 'ann@clinic.example', name: 'Ann Example' }])
})

it('leaves an address unverified where it is told to', async () => {
  const browser = new Browser(service)
  const form = { email: 'bob@clinic.example', name: 'Bob Example' }
  const callback = await browser.visit(filledIn(await browser.begin('local'), form))
  expect((await browser.fetch(callback)).headers.get('location')).toBe('/sign-in?error=email_not_verified')
})

it('writes nothing into its page that it was asked with', async () => {
  const asked = new URLSearchParams({ redirect_uri: 'http://localhost:1/', state: '"><script>alert(1)</script>' })
  const page = await (await fetch(`${provider.url}/authorize?${asked.toString()}`)).text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;')
})

it.each(['https://countersign.example/', 'http://localhost.evil.example/', '', 'javascript:alert(1)'])(
  'sends nobody to %j',
  async (redirect_uri) => {
    const asked = new URLSearchParams({ redirect_uri, response_type: 'code', login_email: 'ann@clinic.example' })
    expect((await fetch(`${provider.url}/authorize?${asked.toString()}`, { redirect: 'manual' })).status).toBe(400)
  },
)
