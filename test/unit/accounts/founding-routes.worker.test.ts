// Founding an organisation and choosing providers over HTTP, and the operator's invitation of a first owner.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/platform/config.ts'
import { AttemptsStore } from '../../../src/accounts/sign-in/attempts.store.ts'
import { createThrottle } from '../../../src/accounts/sign-in/throttle.ts'
import { addPerson, beginSession } from '../../support/unit/session.ts'
import { PROVIDER_IDS } from '../../../src/providers/provider-registry.ts'
import { startService, withKey, type Service } from '../../support/unit/service.ts'
import { makeTables } from '../../support/unit/tables.ts'

const ORIGIN = 'http://countersign.test'
const LOCAL_MAIL = {
  SIGNUP: 'open',
  MAILER: 'http',
  MAILER_URL: 'http://localhost:9',
  MAILER_KEY: 'k',
  MAIL_FROM: 'a@example.org',
}
const FOUNDING = { name: 'A test practice', enabled_providers: ['anthropic'] }

/** The headers of somebody who has signed in. */
async function signIn(): Promise<Record<string, string>> {
  await makeTables()
  const { token } = await beginSession(await addPerson())
  return { cookie: `__Host-session=${token}`, origin: ORIGIN, 'content-type': 'application/json' }
}

const found = (service: Service, headers: Record<string, string>, body: object = FOUNDING) =>
  service.fetch('/api/organisations', { method: 'POST', headers, body: JSON.stringify(body) })

describe('POST /api/organisations', () => {
  it('founds one, which its founder then owns', async () => {
    const service = startService(LOCAL_MAIL)
    const headers = await signIn()
    const response = await found(service, headers)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      object: 'organisation',
      tier: 'free',
      jurisdiction: 'eu',
      ...FOUNDING,
    })
    const members = await service.fetch('/api/members', { headers })
    expect(await members.json()).toMatchObject({ data: [{ role: 'owner', invited_by: null }] })
  })

  it('is the operator’s alone where people come by invitation', async () => {
    const response = await found(startService(), await signIn())
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: 'role_required' } })
    expect((await env.DB.prepare('SELECT id FROM organisations').all()).results).toEqual([])
  })

  it.each([
    [{ ...FOUNDING, tier: 'enterprise' }, 'tier'],
    [{ ...FOUNDING, region: 'enam' }, 'region'],
    [{ ...FOUNDING, enabled_providers: ['other'] }, 'enabled_providers[0]'],
    [{ ...FOUNDING, name: '  ' }, 'name'],
  ])('takes no %o', async (body, param) => {
    const response = await found(startService(LOCAL_MAIL), await signIn(), body)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } })
  })

  it('ends at ten', async () => {
    const service = startService(LOCAL_MAIL)
    const headers = await signIn()
    for (let n = 0; n < 10; n += 1) expect((await found(service, headers)).status).toBe(201)
    expect((await found(service, headers)).status).toBe(409)
  })

  it('ends at twenty a day for a person, whatever became of them', async () => {
    const service = startService(LOCAL_MAIL)
    const headers = await signIn()
    for (let n = 0; n < 20; n += 1) {
      expect((await found(service, headers)).status).toBe(201)
      await env.DB.prepare('DELETE FROM members').run()
    }
    const refused = await found(service, headers)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^86\d{3}$/)])
    expect((await env.DB.prepare('SELECT id FROM organisations').all()).results).toHaveLength(20)
    expect((await found(service, await signIn())).status).toBe(201)
  })
})

describe('GET /api/providers', () => {
  it('shows each provider’s models and their routes to whoever has signed in, and to a key that manages', async () => {
    const service = startService()
    const byPerson = await service.fetch('/api/providers', { headers: await signIn() })
    const list: { data: object[] } = await byPerson.json()
    expect(list.data).toMatchObject(PROVIDER_IDS.map((id) => ({ id, object: 'provider' })))
    expect(JSON.stringify(list)).toContain(
      '{"id":"gpt-4.1-mini","tiers":["free","starter","pro","healthcare","enterprise"],' +
        '"eur_per_million":{"input":0.36,"output":1.44},"routes":[' +
        '{"endpoint":"openai","host":"api.openai.com","configured":false,"data_region":"any","places":["US"],"promise":null},' +
        '{"endpoint":"openai-eu","host":"eu.api.openai.com","configured":false,"data_region":"eea_ch","places":["AT",',
    )
    const { key } = await service.createKey({ prefix: 'aqta_', scopes: ['manage'] })
    const byKey = await service.fetch('/api/providers', withKey(key))
    expect(await byKey.json()).toEqual(list)
  })
})

describe('the operator’s invitation', () => {
  const wanted = { email: 'first@example.org', role: 'owner' }

  /** However often others have tried to sign in to the account. */
  async function expectSpared(home: string): Promise<void> {
    const { signingPepper: pepper } = readConfig(env)
    const attempts = new AttemptsStore(env.DB)
    const throttle = createThrottle({ attempts, pepper, networkLimit: undefined, clock: Date.now })
    const tryFrom = (network: string) => throttle.countTry({ act: 'sign_in', account: wanted.email, network })
    for (let n = 0; n < 100; n += 1) await tryFrom(`network ${n}`)
    await expect(tryFrom('one more')).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await expect(tryFrom(home)).resolves.toHaveLength(1)
  }

  it('holds the link where no mail is sent, and is in the ledger by the operator', async () => {
    const service = startService()
    const id = await service.createOrganisation()
    const invited = await service.operate<{ url: string }>('POST', `/organisations/${id}/invitations`, wanted)
    expect(invited).toMatchObject({ object: 'invitation', ...wanted, invited_by: 'operator', mailed: false })
    expect(invited.url).toContain(`${ORIGIN}/invite#h.`)
  })

  it('makes somebody new its first owner, who is signed in and finds themselves there', async () => {
    const service = startService()
    const id = await service.createOrganisation()
    const { url } = await service.operate<{ url: string }>('POST', `/organisations/${id}/invitations`, wanted)
    const newcomer = { token: url.split('#')[1], name: 'A first owner', password: 'a password that nobody has' }
    const joined = await service.fetch('/api/members/invitations/accept', {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/json', 'cf-connecting-ip': '203.0.113.7' },
      body: JSON.stringify(newcomer),
    })
    expect(joined.status).toBe(201)
    const cookie = joined.headers.get('set-cookie')?.split(';')[0] ?? ''
    const me = await service.fetch('/api/auth/me', { headers: { cookie } })
    expect(await me.json()).toMatchObject({
      email: wanted.email,
      email_verified: false,
      methods: ['password'],
      organisations: [{ id, role: 'owner' }],
    })
    await expectSpared('203.0.113.0/24')
  })
})

describe('where the organisation’s object is out of reach', () => {
  const ERASURE = 'era_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
  const OUT_OF_REACH = { ORGANISATIONS: { getByName: () => 'no object' } }

  it('a person founds nothing, and is answered 503', async () => {
    const response = await found(startService({ ...LOCAL_MAIL, ...OUT_OF_REACH }), await signIn())
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable' } })
    expect((await env.DB.prepare('SELECT id FROM organisations').all()).results).toEqual([])
  })

  it.each(['POST', 'GET', 'DELETE'])('its owner is answered 503 for its erasure (%s)', async (method) => {
    const headers = await signIn()
    await found(startService(LOCAL_MAIL), headers)
    const service = startService({ ...LOCAL_MAIL, ...OUT_OF_REACH })
    const body = method === 'POST' ? { body: JSON.stringify({ name: FOUNDING.name }) } : {}
    const response = await service.fetch('/api/settings/erasure', { method, headers, ...body })
    expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable' } })
  })

  it('each of the operator’s routes answers 503, once what was sent is found to be right', async () => {
    const { id, organisationId } = await startService().createKey()
    const service = startService(OUT_OF_REACH)
    const path = `/organisations/${organisationId}`
    const unavailable = { error: { code: 'service_unavailable' } }
    for (const [method, at, body] of [
      ['POST', '/organisations', { name: 'A test practice' }],
      ['GET', '/organisations'],
      ['GET', path],
      ['PATCH', path, { tier: 'pro' }],
      ['POST', `${path}/keys`, { prefix: 'vk_test_', name: 'A test key' }],
      ['GET', `${path}/keys`],
      ['GET', `${path}/keys/${id}`],
      ['DELETE', `${path}/keys/${id}`],
      ['GET', '/erasures'],
      ['GET', `/erasures/${ERASURE}`],
      ['POST', `/erasures/${ERASURE}/reapply`],
    ] as const) {
      expect(await service.operate(method, at, body), `${method} ${at}`).toMatchObject(unavailable)
    }
    expect(await service.operate('POST', '/organisations', {})).toMatchObject({ error: { code: 'missing_parameter' } })
  })
})
