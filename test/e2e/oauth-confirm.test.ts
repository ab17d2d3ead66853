// A session that an identity provider confirms, over real HTTP.
import { expect, it, onTestFinished } from 'vitest'
import { deploy } from '../support/e2e/deployment.ts'
import { Browser } from '../support/e2e/oauth/browser.ts'
import { startIssuer } from '../support/e2e/oauth/issuer.ts'

const email = 'ann@clinic.example'

it('keeps its end under a new token, in the browser alone that began it', async () => {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const clinic = { id: 'clinic', label: 'The clinic', issuer: issuer.url, client_id: 'a', email_trust: 'verified' }
  const service = await deploy({
    sample: false,
    vars: { OAUTH_PROVIDERS: JSON.stringify([clinic]), SIGNUP: 'invited' },
    secrets: { OAUTH_SECRET_CLINIC: 'client-secret-for-tests-only' },
  })
  onTestFinished(() => service.close())
  const { DB } = await service.env()
  await DB.prepare(
    'INSERT INTO people (id, email, email_key, email_proven_at, name, created_at) VALUES (?1, ?2, ?2, 1, ?2, 1)',
  )
    .bind('usr_01a00000-0000-7000-8000-000000000001', email)
    .run()
  issuer.answer({
    claims: { sub: 'ann', email, email_verified: true, auth_time: Math.floor(Date.now() / 1000) },
  })
  const whereTo = ({ status, headers }: Response) => [status, headers.get('location')]
  const beginning = {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'clinic', return_to: '/keys', confirm: true }),
  }

  const browser = new Browser(service)
  expect((await browser.fetch('/api/auth/oauth-signin', beginning)).status).toBe(401)
  await browser.signIn('clinic')
  await DB.prepare('UPDATE sessions SET expires_at = ?')
    .bind(Date.now() + 3_600_000)
    .run()
  const before = browser.cookies.get('__Host-session') ?? ''
  const setFactor = (since: number | null) => DB.prepare('UPDATE people SET second_factor_since = ?').bind(since).run()
  await setFactor(1)
  const refused = await browser.fetch('/api/auth/oauth-signin', beginning)
  expect(await refused.json()).toMatchObject({ error: { code: 'second_factor_required' } })
  await setFactor(null)
  const begun = await browser.fetch('/api/auth/oauth-signin', beginning)
  const back = await browser.visit(((await begun.json()) as { authorization_url: string }).authorization_url)
  expect(whereTo(await new Browser(service).fetch(back))).toEqual([303, '/sign-in?error=expired'])
  const confirmed = await browser.fetch(back)
  expect(whereTo(confirmed)).toEqual([303, '/keys'])
  const cookie = /^__Host-session=[\w-]{43}; Max-Age=3(?:600|5\d\d); Path=\/; HttpOnly; Secure; SameSite=Lax$/
  expect(confirmed.headers.getSetCookie()).toContainEqual(expect.stringMatching(cookie))
  expect((await browser.fetch('/api/auth/me')).status).toBe(200)
  browser.cookies.set('__Host-session', before)
  expect((await browser.fetch('/api/auth/me')).status).toBe(401)
  expect(whereTo(await browser.fetch(back))).toEqual([303, '/sign-in?error=expired'])
})
