// Every declared route treats its query and the service's own headers alike: what it does not know is refused by name, once the
// caller is let in.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { headerFault, queryFault } from '../../../src/platform/router.ts'
import { startService, withKey, type Service } from '../../support/unit/service.ts'
import { ownerCookie } from '../../support/unit/session.ts'
import { noon } from '../organisation/chat-organisation.ts'

type Operation = { security?: Record<string, unknown>[]; parameters?: { in: string; name: string }[] }
type Document = { paths: Record<string, Record<string, Operation>> }
type Named = { param?: string; fields?: { path: string; rule: string }[] }
/** Errors of Anthropic's format have the member that they name in \`details\`. */
type Failure = { error: Named & { code: string; message: string; details?: Named } }

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** Its query is an identity provider's: what is not known there is left unread (RFC 6749, 4.1.2). */
const OF_OTHERS = '/api/auth/oauth/callback'

async function routesOf(service: Service) {
  const { paths }: Document = await (await service.fetch('/v1/openapi.json')).json()
  const ours = Object.entries(paths).filter(([path]) => path !== OF_OTHERS)
  return ours.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security = [], parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, '1'),
      // Prefers the key if a session would do as well; null if nothing is needed.
      scheme: schemeOf(security),
      members: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    })),
  )
}

function schemeOf(security: readonly Record<string, unknown>[]): string | null {
  const schemes = security.map((one) => Object.keys(one)[0])
  return schemes.includes(undefined) ? null : (schemes.at(-1) ?? null)
}

async function start() {
  const service = startService()
  const { key: referralKey } = await service.createKey()
  const { key: gatewayKey } = await service.createKey({ prefix: 'aqta_' })
  // The tier has every route.
  const clinic = { name: 'A test clinic', tier: 'healthcare' }
  const { id: organisation } = await service.operate<{ id: string }>('POST', '/organisations', clinic)
  const { key: managementKey } = await service.createKey({ prefix: 'aqta_', scopes: ['manage'] }, organisation)
  const operatorToken = 'operator-token-for-tests-only-0123456789'
  const keys: Record<string, string> = { referralKey, gatewayKey, managementKey, operatorToken }
  const call = async (method: string, path: string, key: string | undefined, isSignedIn = false, sent = {}) => {
    // Twenty seconds pass between calls, so that no minute of a key or an organisation fills.
    vi.setSystemTime(Date.now() + 20_000)
    // Some routes ask for somebody who has signed in just now.
    const session = isSignedIn ? { cookie: await ownerCookie(organisation) } : {}
    const init = { method, headers: { origin: 'http://countersign.test', ...session, ...sent } }
    const response = await service.fetch(path, key === undefined ? init : withKey(key, init))
    const { error }: Failure = await response.json()
    return { response, error: { ...error.details, ...error } }
  }
  return { keys, call, routes: await routesOf(service) }
}

describe('the query of every declared route', () => {
  it('has no member twice', async () => {
    const { keys, call, routes } = await start()
    const taking = routes.filter(({ members }) => members.length > 0)
    expect(taking.length).toBeGreaterThan(4)
    for (const { method, path, scheme, members } of taking) {
      const [name = ''] = members
      const { response, error } = await call(
        method,
        `${path}?${name}=1&${name}=1`,
        keys[scheme ?? ''],
        scheme === 'session',
      )
      expect([response.status, error.code, error.param], path).toEqual([400, 'invalid_request', name])
    }
  })

  it('is judged after the key: a bad one is 401 whatever the query', async () => {
    const { call, routes } = await start()
    const keyed = routes.filter(({ scheme }) => scheme !== null)
    expect(keyed.length).toBeGreaterThan(10)
    for (const { method, path } of keyed) {
      for (const key of [undefined, 'vk_test_made-up-0000000000000']) {
        const { response } = await call(method, `${path}?colour=blue`, key)
        expect(response.status, `${method} ${path}`).toBe(401)
      }
    }
  })
})

describe('a header of the service’s own', () => {
  it('is refused by name on every declared route if no route knows it', async () => {
    const { keys, call, routes } = await start()
    for (const { method, path, scheme } of routes) {
      const sent = { 'x-aqta-colour': 'eu' }
      const { response, error } = await call(method, path, keys[scheme ?? ''], scheme === 'session', sent)
      const found = [response.status, error.code, error.param]
      expect(found, `${method} ${path}`).toEqual([400, 'invalid_request', 'x-aqta-colour'])
    }
  })

  it.each([
    ['x-aqta-referral', 'GET /v1/models', []],
    ['x-aqta-deadline-ms', 'POST /v1/referral/read', []],
    ['x-aqta-organisation', 'POST /v1/chat/completions', ['x-aqta-use-case']],
  ])('%s is refused by %s, where it has no effect', (name, route, declared) => {
    const fault = headerFault(new Headers({ [name]: '1' }), route, declared)
    expect([fault?.details.param, fault?.message]).toEqual([
      name,
      `The header ${name} has no effect here. Leave it out.`,
    ])
  })

  it('is not repeated if it is no name', () => {
    const fault = headerFault(new Headers({ [`x-aqta-${'a'.repeat(40)}`]: '1' }), 'GET /v1/models', [])
    expect([fault?.details.param, fault?.message]).toEqual([undefined, 'A header has no effect here. Leave it out.'])
  })

  it.each([
    ['x-aqta-use-case', 'GET /v1/models', []],
    ['x-aqta-data-region', 'GET /v1/attestations/{id}', []],
    ['x-aqta-organisation', 'POST /api/auth/logout', []],
    ['x-aqta-cohort', 'POST /v1/responses', ['x-aqta-cohort']],
    ['x-request-id', 'POST /v1/referral/read', []],
  ])('%s is accepted by %s', (name, route, declared) => {
    expect(headerFault(new Headers({ [name]: '1' }), route, declared)).toBeNull()
  })
})

describe('a limit', () => {
  it.each([
    ['GET', '/v1/specialties', 'vk_test_'],
    ['POST', '/v1/referral/read', 'vk_test_'],
    ['GET', '/v1/models', 'aqta_'],
    ['POST', '/v1/chat/completions', 'aqta_'],
  ])('counts a wrong query of %s %s and outranks it', async (method, path, prefix) => {
    const service = startService()
    const { key } = await service.createKey({ prefix, requests_per_minute: 1 })
    const wrong = () => service.fetch(`${path}?colour=blue`, withKey(key, { method }))
    expect((await wrong()).status).toBe(400)
    expect((await wrong()).status).toBe(429)
  })
})

describe('queryFault', () => {
  const fault = (query: string, declared: string[] = ['limit', 'cursor']) =>
    queryFault(`http://countersign.test/v1/datasets${query}`, declared)

  it.each(['', '?', '?&&', '?limit=1', '?cursor=a%26b&limit=', '?%6Cimit=1'])('takes %j', (query) => {
    expect(fault(query)).toBeNull()
  })

  it.each([
    ['?LIMIT=1', 'LIMIT'],
    ['?limit[]=1', 'limit[]'],
    ['?limit=1&sort', 'sort'],
    ['?__proto__=1', '__proto__'],
    ['?constructor=1', 'constructor'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit=1&%6Cimit=2', 'limit'],
  ])('refuses %j by name', (query, name) => {
    const found = fault(query)
    expect(found?.details.param).toBe(name)
    expect(found?.message).toContain(`The query member ${name} `)
    expect(found?.message).toContain('limit, cursor')
  })

  it.each([
    ['?=1', 'no name'],
    [`?${'a'.repeat(41)}=1`, 'a long name'],
    ['?%3Cscript%3E=1', 'markup'],
    ['?patient%20Mary%20Byrne=1', 'blanks'],
    ['?mary@bt.health=1', 'an address'],
    ['?%E2%80%AE=1', 'a character that turns text round'],
    ['?a%0Ab=1', 'a line end'],
  ])('does not say %j back: %s', (query) => {
    const found = fault(query)
    expect(found?.code).toBe('invalid_request')
    expect(found?.details.param).toBeUndefined()
    expect(found?.message).toBe('A query member is not known here. This address accepts limit, cursor.')
    expect(found?.details.fields).toEqual([{ path: '', rule: 'one of limit, cursor' }])
  })

  it('says that an address takes none', () => {
    expect(fault('?limit=1', [])?.message).toBe('The query member limit is not known here. Leave it out.')
  })
})
