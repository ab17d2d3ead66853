// Signing up, in and out of the built Worker, as a browser or curl does it: cookies, origins, and many at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'

const PASSWORD = 'quicksilver marigold in november'
const HOME = '203.0.113.7'

let mails: CollectedMails
let service: Deployment
beforeAll(async () => {
  mails = await collectMails()
  service = await deploy({ sample: false, vars: mails.settings })
})
afterAll(async () => {
  await service.close()
  await mails.close()
})

type Sent = { from?: string; cookie?: string; origin?: string }

const post = (path: string, body: object, { from = HOME, cookie = '', origin = service.url }: Sent = {}) =>
  service.fetch(`/api/auth${path}`, {
    method: 'POST',
    headers: { origin, cookie, 'cf-connecting-ip': from, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const showMe = (cookie: string) => service.fetch('/api/auth/me', { headers: { cookie } })

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** Signs up and confirms the address. The cookie. */
async function join(email: string, more: object = {}): Promise<string> {
  expect((await post('/signup', { email, password: PASSWORD, name: 'Ann Example', ...more })).status).toBe(202)
  const confirmed = await post('/verify-email', { token: await mails.tokenFor(email, 'confirm') })
  expect(confirmed.status).toBe(201)
  return cookieOf(confirmed)
}

describe('a person', () => {
  it('sets a new password by mail, and is signed out everywhere', async () => {
    const cookie = await join('bea@example.org')
    expect((await post('/password-reset', { email: 'bea@example.org' })).status).toBe(202)
    const token = await mails.tokenFor('bea@example.org', 'reset')
    expect((await post('/password-reset/confirm', { token, password: 'short' })).status).toBe(400)
    const password = 'another long invented password'
    expect((await post('/password-reset/confirm', { token, password })).status).toBe(200)
    expect((await showMe(cookie)).status).toBe(401)
    expect((await post('/login', { email: 'bea@example.org', password })).status).toBe(200)
  })

  it('is not signed in from a foreign page', async () => {
    await join('cleo@example.org')
    const given = { email: 'cleo@example.org', password: PASSWORD }
    const refused = await post('/login', given, { origin: 'https://evil.example' })
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []])
  })
})

describe('twenty wrong passwords at once', () => {
  it('are looked at five times, and another network still signs in', async () => {
    await join('dora@example.org')
    const guess = () =>
      post('/login', { email: 'dora@example.org', password: 'a wrong password' }, { from: '192.0.2.1' })
    const answers = await Promise.all(Array.from({ length: 20 }, guess))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array<number>(5).fill(401), ...Array<number>(15).fill(429)])
    const right = { email: 'dora@example.org', password: PASSWORD }
    expect((await post('/login', right, { from: '192.0.2.2' })).status).toBe(429)
    expect((await post('/login', right, { from: '198.51.100.1' })).status).toBe(200)
  })
})

it('no password, token or link is in any store, and no address in a log', async () => {
  const { id } = await service.operate<{ id: string }>('POST', '/organisations', { name: 'A test practice' })
  const cookie = await join('eve@example.org')
  const confirmed = await mails.tokenFor('eve@example.org', 'confirm')
  await post('/signup', { email: 'fay@example.org', password: PASSWORD, name: 'Fay Example' })
  const pending = await mails.tokenFor('fay@example.org', 'confirm')
  await post('/login', { email: 'eve@example.org', password: `${PASSWORD}!` })
  const secrets = [PASSWORD, cookie.split('=')[1] ?? '', confirmed, pending]
  const [stored, logged] = [await service.everythingStored(id), service.logs().join('\n')]
  expect(stored).toContain('fay@example.org')
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20)
    expect(stored).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
  expect(logged).toContain('/api/auth/login')
  expect(logged).not.toMatch(/@example\.org|Example|203\.0\.113/)
  // Nor can what is stored be sent in the place of what it is the hash of.
  const { DB } = await service.env()
  const { results } = await DB.prepare('SELECT hex(token_hash) AS hash FROM sessions').all<{ hash: string }>()
  expect(results.length).toBeGreaterThan(0)
  for (const { hash } of results) {
    const token = Buffer.from(hash, 'hex').toString('base64url')
    expect((await showMe(`__Host-session=${token}`)).status).toBe(401)
  }
})
