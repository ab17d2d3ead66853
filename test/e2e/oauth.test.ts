// Signing in by an identity provider over real HTTP: the way that works, and every answer that must not.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '../../src/accounts/access/secret-token.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { Browser } from '../support/e2e/oauth/browser.ts'
import { startIssuer, type Issuer } from '../support/e2e/oauth/issuer.ts'
import { totpAt } from '../support/totp-app.ts'

const SECRET = 'client-secret-for-tests-only'

let issuer: Issuer
let service: Deployment
let email: string
let subject: string
let people = 0

beforeAll(async () => {
  issuer = await startIssuer()
  const provider = (id: string, email_trust: string, address = issuer.url) => ({
    id,
    label: `The ${id}`,
    issuer: address,
    client_id: `client-of-${id}`,
    email_trust,
  })
  const providers = [
    provider('clinic', 'verified'),
    { ...provider('hospital', 'verified'), second_factor: { by: 'amr', values: ['mfa'] } },
    provider('google', 'google'),
    provider('microsoft', 'entra'),
    // Nobody listens on this port.
    provider('down', 'verified', 'http://localhost:9'),
  ]
  service = await deploy({
    sample: false,
    vars: { OAUTH_PROVIDERS: JSON.stringify(providers), SIGNUP: 'invited' },
    secrets: Object.fromEntries(providers.map(({ id }) => [`OAUTH_SECRET_${id.toUpperCase()}`, SECRET])),
  })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

/** A person whom the provider vouches for and an organisation has invited. */
beforeEach(async () => {
  people += 1
  email = `ann.${people}@clinic.example`
  subject = `subject-${people}`
  issuer.answer({ claims: { sub: subject, email, email_verified: true, name: 'Ann Example' } })
  await invite(email)
})

async function invite(address: string): Promise<void> {
  const { DB } = await service.env()
  const { id } = await service.operate<{ id: string }>('POST', '/organisations', { name: 'A test practice' })
  await DB.prepare(
    `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, 'owner', 'operator', 0, ?)`,
  )
    .bind(`inv_${address}`, hashToken(address), id, address, address, Date.now() + 60_000)
    .run()
}

const rows = async (query: string, ...values: unknown[]) =>
  (
    await (
      await service.env()
    ).DB.prepare(query)
      .bind(...values)
      .all()
  ).results

const person = async () =>
  (await rows('SELECT id, email_proven_at, password, name FROM people WHERE email_key = ?', email))[0]

const whereTo = (response: Response) => [response.status, response.headers.get('location')]

const REFUSED = [303, '/sign-in?error=refused']
const EXPIRED = [303, '/sign-in?error=expired']
const NOT_VERIFIED = [303, '/sign-in?error=email_not_verified']

async function expectNobody(browser: Browser): Promise<void> {
  expect(browser.cookies.get('__Host-session')).toBeUndefined()
  expect(await person()).toBeUndefined()
}

describe('signing in by an identity provider', () => {
  it('makes a person without a password, signs them in and goes where they wanted to', async () => {
    const browser = new Browser(service)
    const response = await browser.signIn('clinic', '/keys?status=all')
    expect(whereTo(response)).toEqual([303, '/keys?status=all'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await person()).toMatchObject({
      password: null,
      name: 'Ann Example',
      email_proven_at: expect.any(Number) as unknown,
    })
    const token = browser.cookies.get('__Host-session') ?? ''
    const [session] = await rows('SELECT person_id, method FROM sessions WHERE token_hash = ?', hashToken(token))
    expect(session).toEqual({ person_id: (await person())?.['id'], method: 'clinic' })
    expect(browser.cookies.has('__Host-oauth')).toBe(false)
  })

  it('binds both cookies to this host and keeps them from scripts', async () => {
    const browser = new Browser(service)
    const begun = await browser.fetch('/api/auth/oauth-signin', beginning({ provider: 'clinic' }))
    const { authorization_url } = (await begun.json()) as { authorization_url: string }
    const finished = await browser.fetch(await browser.visit(authorization_url))
    const [flow] = begun.headers.getSetCookie()
    expect(flow).toMatch(/^__Host-oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(finished.headers.getSetCookie().find((line) => line.startsWith('__Host-session'))).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  it('asks with PKCE, state and nonce, and proves the verifier with the secret', async () => {
    const browser = new Browser(service)
    const url = new URL(await browser.begin('clinic'))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-of-clinic',
      redirect_uri: `${service.url}/api/auth/oauth/callback`,
      scope: 'openid email profile',
      state: browser.cookies.get('__Host-oauth'),
      nonce: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      code_challenge_method: 'S256',
    })
    await browser.fetch(await browser.visit(url.href))
    expect(issuer.asked.at(-1)).toMatchObject({
      client_secret: SECRET,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/) as unknown,
    })
  })

  it('is the same person again, by the subject and not by the address', async () => {
    await new Browser(service).signIn('clinic')
    const known = await person()
    issuer.answer({ claims: { sub: subject, email: 'another@clinic.example', email_verified: false } })
    const browser = new Browser(service)
    expect(whereTo(await browser.signIn('clinic'))).toEqual([303, '/'])
    const [session] = await rows(
      'SELECT person_id FROM sessions WHERE token_hash = ?',
      hashToken(browser.cookies.get('__Host-session') ?? ''),
    )
    expect(session).toEqual({ person_id: known?.['id'] })
  })

  it('ends the session that the browser had', async () => {
    const browser = new Browser(service)
    await browser.signIn('clinic')
    const old = browser.cookies.get('__Host-session') ?? ''
    await browser.signIn('clinic')
    expect(browser.cookies.get('__Host-session')).not.toBe(old)
    expect(await rows('SELECT id FROM sessions WHERE token_hash = ?', hashToken(old))).toEqual([])
  })

  it('takes a Workspace address of Google, and none that only somebody verified once', async () => {
    expect(whereTo(await new Browser(service).signIn('google'))).toEqual(NOT_VERIFIED)
    issuer.answer({ claims: { sub: subject, email, email_verified: true, hd: 'clinic.example' } })
    expect(whereTo(await new Browser(service).signIn('google'))).toEqual([303, '/'])
  })

  it('takes an address of Entra with xms_edov only', async () => {
    const browser = new Browser(service)
    expect(whereTo(await browser.signIn('microsoft'))).toEqual(NOT_VERIFIED)
    await expectNobody(browser)
    issuer.answer({ claims: { sub: subject, email, xms_edov: true } })
    expect(whereTo(await browser.signIn('microsoft'))).toEqual([303, '/'])
  })

  it('keeps no token of the provider, no state and no secret', async () => {
    const seen: string[] = []
    issuer.answer({
      claims: { sub: subject, email, email_verified: true },
      response: (body) =>
        seen.push(String(body['access_token']), String(body['id_token']), String(body['refresh_token'])),
    })
    const browser = new Browser(service)
    const url = await browser.begin('clinic')
    const state = browser.cookies.get('__Host-oauth') ?? ''
    const during = await service.everythingStored('operator')
    await browser.fetch(await browser.visit(url))
    const session = browser.cookies.get('__Host-session') ?? ''
    const stored = during + (await service.everythingStored('operator')) + service.logs().join('\n')
    expect(seen).toHaveLength(3)
    for (const secret of [...seen, state, session, SECRET]) expect(stored).not.toContain(secret)
    expect(service.logs().join('\n')).not.toContain(email)
  })
})

const beginning = (body: object, headers: object = {}) => ({
  method: 'POST',
  headers: { origin: service.url, 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const sub = () => ({ sub: subject, email, email_verified: true })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const payloadOf = (token: unknown): object =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as object

describe('somebody who has a second factor here', () => {
  it.each([
    ['is not trusted with one', 'clinic'],
    ['is trusted with one and vouches for it', 'hospital'],
  ])('is asked for it before a session begins, where the provider %s', async (_, provider) => {
    const home = new Browser(service)
    await home.signIn('clinic')
    const setUp = await home.fetch('/api/auth/totp', { method: 'POST', headers: { origin: service.url } })
    const { secret } = (await setUp.json()) as { secret: string }
    await home.fetch('/api/auth/totp/confirm', beginning({ code: totpAt(secret, Date.now()) }))

    issuer.answer({ claims: { ...sub(), amr: ['pwd', 'mfa'], auth_time: Math.floor(Date.now() / 1000) } })
    const browser = new Browser(service)
    const back = await browser.signIn(provider, '/keys?status=all')
    expect(whereTo(back)).toEqual([303, '/sign-in?step=second-factor&to=%2Fkeys%3Fstatus%3Dall'])
    const cookie = /^__Host-sign-in=([\w-]{43}); Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    expect(back.headers.getSetCookie()).toContainEqual(expect.stringMatching(cookie))
    expect([...browser.cookies.keys()]).toEqual(['__Host-sign-in'])
    browser.cookies.set('__Host-session', browser.cookies.get('__Host-sign-in') ?? '')
    expect((await browser.fetch('/api/auth/me')).status).toBe(401)

    await browser.fetch('/api/auth/login/second-factor', beginning({ totp: totpAt(secret, Date.now() + 30_000) }))
    expect([...browser.cookies.keys()]).toEqual(['__Host-session'])
    const me = (await (await browser.fetch('/api/auth/me')).json()) as Record<string, unknown>
    expect(me).toMatchObject({ session: { method: provider, second_factor: 'totp' } })
  })
})

describe('an answer is refused', () => {
  it.each<[string, Parameters<Issuer['answer']>[0]]>([
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['for another audience', { claims: { aud: 'another-client' } }],
    ['for another audience beside ours', { claims: { aud: ['client-of-clinic', 'another-client'] } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['that is over', { claims: { exp: Math.floor(Date.now() / 1000) - 120 } }],
    ['without a subject', { claims: { sub: undefined } }],
    [
      'whose signature is another’s',
      {
        response: (body) => {
          const [head, , signature] = String(body['id_token']).split('.')
          body['id_token'] = [head, encode({ ...payloadOf(body['id_token']), sub: 'somebody-else' }), signature].join(
            '.',
          )
        },
      },
    ],
    [
      'that is not signed',
      {
        response: (body) => {
          body['id_token'] = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(payloadOf(body['id_token']))}.`
        },
      },
    ],
    [
      'signed with the client’s secret',
      {
        response: (body) => {
          const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payloadOf(body['id_token']))}`
          body['id_token'] = `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`
        },
      },
    ],
    ['without an id_token', { response: (body) => delete body['id_token'] }],
    ['with an error of the token endpoint', { status: 400, response: (body) => (body['error'] = 'invalid_grant') }],
    ['of a mixed-up provider', { redirect: (url) => url.searchParams.set('iss', 'https://evil.example') }],
    ['for another code', { redirect: (url) => url.searchParams.set('code', 'another') }],
    ['with two codes', { redirect: (url) => url.searchParams.append('code', 'another') }],
    ['without a code', { redirect: (url) => url.searchParams.delete('code') }],
    [
      'that is an error',
      {
        redirect: (url) => {
          url.searchParams.delete('code')
          url.searchParams.set('error', 'access_denied')
          url.searchParams.set('error_description', 'MARKED text of the provider')
        },
      },
    ],
  ])('%s', async (_, answering) => {
    issuer.answer({ ...answering, claims: { ...sub(), ...answering.claims } })
    const browser = new Browser(service)
    const response = await browser.signIn('clinic')
    expect(whereTo(response)).toEqual(REFUSED)
    await expectNobody(browser)
    expect(browser.cookies.has('__Host-oauth')).toBe(false)
    expect(service.logs().join('\n')).not.toContain('MARKED')
  })

  it.each<[string, Parameters<Issuer['answer']>[0]]>([
    ['does not work', { status: 503 }],
    [
      'says so',
      {
        redirect: (url) => {
          url.searchParams.delete('code')
          url.searchParams.set('error', 'temporarily_unavailable')
        },
      },
    ],
  ])('for now, where the provider %s', async (_, answering) => {
    issuer.answer({ ...answering, claims: sub() })
    const browser = new Browser(service)
    expect(whereTo(await browser.signIn('clinic'))).toEqual(EXPIRED)
    await expectNobody(browser)
  })

  it('when it comes again', async () => {
    const browser = new Browser(service)
    const url = await browser.begin('clinic')
    const state = browser.cookies.get('__Host-oauth') ?? ''
    const callback = await browser.visit(url)
    expect(whereTo(await browser.fetch(callback))).toEqual([303, '/'])
    const again = new Browser(service)
    again.cookies.set('__Host-oauth', state)
    expect(whereTo(await again.fetch(callback))).toEqual(EXPIRED)
    expect(again.cookies.get('__Host-session')).toBeUndefined()
  })

  it('but once, when it comes twice at the same time', async () => {
    const browser = new Browser(service)
    const callback = await browser.visit(await browser.begin('clinic'))
    const twice = [1, 2].map(() => {
      const one = new Browser(service)
      one.cookies.set('__Host-oauth', browser.cookies.get('__Host-oauth') ?? '')
      return one.fetch(callback)
    })
    const answers = (await Promise.all(twice)).map((response) => response.headers.get('location'))
    expect(new Set(answers)).toEqual(new Set(['/', '/sign-in?error=expired']))
  })

  it('in a browser that did not begin it, and leaves that one’s own sign-in under way', async () => {
    const attacker = new Browser(service)
    const callback = await attacker.visit(await attacker.begin('clinic'))
    const victim = new Browser(service)
    expect(whereTo(await victim.fetch(callback))).toEqual(EXPIRED)
    const own = await victim.visit(await victim.begin('clinic'))
    expect(whereTo(await victim.fetch(callback))).toEqual(EXPIRED)
    expect(victim.cookies.get('__Host-session')).toBeUndefined()
    expect(whereTo(await victim.fetch(own))).toEqual([303, '/'])
  })

  it('with another state, or none', async () => {
    const browser = new Browser(service)
    const callback = await browser.visit(await browser.begin('clinic'))
    expect(whereTo(await browser.fetch(callback.replace(/state=[\w-]+/, 'state=another')))).toEqual(EXPIRED)
    expect(whereTo(await browser.fetch('/api/auth/oauth/callback?code=a'))).toEqual(EXPIRED)
    expect(whereTo(await browser.fetch('/api/auth/oauth/callback'))).toEqual(EXPIRED)
    await expectNobody(browser)
  })

  it('after ten minutes', async () => {
    const browser = new Browser(service)
    const callback = await browser.visit(await browser.begin('clinic'))
    await (await service.env()).DB.prepare('UPDATE oauth_flows SET expires_at = expires_at - 600001').run()
    expect(whereTo(await browser.fetch(callback))).toEqual(EXPIRED)
  })

  it.each(['true', 'false', 1, false, null])('where email_verified is %j', async (value) => {
    issuer.answer({ claims: { ...sub(), email_verified: value } })
    const browser = new Browser(service)
    expect(whereTo(await browser.signIn('clinic'))).toEqual(NOT_VERIFIED)
    await expectNobody(browser)
  })

  it('of somebody whom nobody has invited, where sign-up is by invitation', async () => {
    issuer.answer({ claims: { ...sub(), email: 'stranger@clinic.example' } })
    expect(whereTo(await new Browser(service).signIn('clinic'))).toEqual(REFUSED)
  })
})

describe('beginning to sign in', () => {
  const begin = (body: object, headers?: object) =>
    new Browser(service).fetch('/api/auth/oauth-signin', beginning(body, headers))
  const code = async (response: Response) =>
    ((await response.json()) as { error: { code: string; param?: string } }).error

  it.each<[string, object, number, string]>([
    ['from a foreign page', { origin: 'https://evil.example' }, 403, 'origin_refused'],
    ['from a sibling subdomain', { 'sec-fetch-site': 'same-site' }, 403, 'origin_refused'],
    ['by a form', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ])('is refused %s', async (_, headers, status, expected) => {
    const response = await begin({ provider: 'clinic' }, headers)
    expect(response.status).toBe(status)
    expect(await code(response)).toMatchObject({ code: expected })
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it.each([{ provider: 'unknown' }, { provider: '' }, { provider: 'clinic', client_id: 'a' }])(
    'is refused with %j',
    async (body) => {
      const response = await begin(body)
      expect(response.status).toBe(400)
      expect((await code(response)).code).toBe('invalid_request')
    },
  )

  it('is refused to a network that asks too often, before anything is kept', async () => {
    const before = await rows('SELECT provider FROM oauth_flows')
    const network = { 'cf-connecting-ip': '203.0.113.7' }
    const asked = Array.from({ length: 61 }, () => begin({ provider: 'unknown' }, network))
    expect((await Promise.all(asked)).map(({ status }) => status)).toContain(429)
    expect(await rows('SELECT provider FROM oauth_flows')).toEqual(before)
  })

  it('says that a provider does not answer', async () => {
    const response = await begin({ provider: 'down' })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
    const line = '"event":"identity_provider_failed"'
    const told = () => service.logs().some((message) => message.includes(line) && message.includes('"provider":"down"'))
    await expect.poll(told).toBe(true)
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/%2f/evil.example', '/\tevil'])(
    'comes back to / where %j was asked for',
    async (wanted) => {
      expect(whereTo(await new Browser(service).signIn('clinic', wanted))).toEqual([303, '/'])
    },
  )
})

it('lists the providers by id and label, and nothing else of them', async () => {
  const listed = await (await service.fetch('/api/auth/providers')).json()
  expect(listed).toEqual({
    object: 'list',
    data: ['clinic', 'hospital', 'google', 'microsoft', 'down'].map((id) => ({
      id,
      object: 'identity_provider',
      label: `The ${id}`,
    })),
    has_more: false,
    next_cursor: null,
  })
})
