// One model by its id: as it stands in the list, or why it cannot be had.
import { describe, expect, it } from 'vitest'
import { startService, withKey, type Service } from '../../support/unit/service.ts'

type Model = { id: string; object: string; data_regions: string[] }
type Answered = Model & { error?: { code: string; param?: string; message: string } }

async function startWith(
  settings: object,
  vars: Record<string, string> = {},
): Promise<{ service: Service; key: string }> {
  const service = startService(vars)
  const founded = { name: 'A test practice', tier: 'pro', enabled_providers: ['openai', 'google'], ...settings }
  const { id } = await service.operate<{ id: string }>('POST', '/organisations', founded)
  return { service, key: (await service.createKey({ prefix: 'aqta_' }, id)).key }
}

async function ask(settings: object, id: string, method = 'GET', vars: Record<string, string> = {}) {
  const { service, key } = await startWith(settings, vars)
  const response = await service.fetch(`/v1/models/${id}`, withKey(key, { method }))
  const body = method === 'HEAD' ? null : await response.json<Answered>()
  return { status: response.status, headers: response.headers, body, error: body?.error }
}

describe('GET /v1/models/{id}', () => {
  it('answers each model of the list as it stands there', async () => {
    const { service, key } = await startWith({})
    const list = await (await service.fetch('/v1/models', withKey(key))).json<{ data: Model[] }>()
    expect(list.data.length).toBeGreaterThan(3)
    for (const model of list.data) {
      const response = await service.fetch(`/v1/models/${encodeURIComponent(model.id)}`, withKey(key))
      expect(await response.json()).toEqual(model)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  // The readers' models that the gateway does not offer are as unknown as any other.
  it.each([
    'gpt-2',
    'gemini-3.6-flash',
    'openai/sonar',
    'openai%2Fsonar',
    'openai/',
    'a/b/c',
    'gpt-4.1-mini-2025-02-30',
    '%zz',
    '%00',
    'GPT-4.1-MINI',
    'gpt-4.1-mini%20',
    '__proto__',
    'ü',
  ])('%s is 404', async (id) => {
    const { status, error } = await ask({}, id)
    expect([status, error?.code, error?.param]).toEqual([404, 'model_not_found', 'model'])
  })

  it.each([
    'openai/gpt-4.1-mini',
    'openai%2Fgpt-4.1-mini',
    'gpt-4.1-mini-2025-04-14',
    'openai%2Fgpt-4.1-mini-2025-04-14',
  ])('%s is gpt-4.1-mini, and the answer says so', async (id) => {
    const { status, headers, body } = await ask({}, id)
    expect([status, headers.get('x-aqta-model'), body?.id]).toEqual([200, 'gpt-4.1-mini', 'gpt-4.1-mini'])
    expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('x-aqta-model')
  })

  it('a model by its id has no further name', async () => {
    expect((await ask({}, 'gpt-4.1-mini')).headers.has('x-aqta-model')).toBe(false)
  })

  it.each([
    ['gpt-4o-mini', 'There is no model with this name here. Did you mean gpt-4.1-mini?'],
    ['gpt-2', 'There is no model with this name here. GET /v1/models lists the models that your key can use.'],
  ])('%s is 404, with a close name if there is one', async (id, message) => {
    expect((await ask({}, id)).error?.message).toBe(message)
  })

  it('a model that is gone is 404, and says what replaced it', async () => {
    const { status, error } = await ask({}, 'gemini-3.7-flash')
    expect([status, error?.code, error?.param]).toEqual([404, 'model_not_found', 'model'])
    expect(error?.message).toBe(
      'gemini-3.7-flash was replaced by gemini-3.8-flash on 2026-10-08. Send gemini-3.8-flash instead.',
    )
  })

  it.each([
    ['above the tier', { tier: 'free' }, 'gpt-5.6-sol', /tier/],
    ['of a provider that is not enabled', {}, 'claude-haiku-4-5', /enabled_providers/],
    ['above the tier, by another name', { tier: 'free' }, 'openai/gpt-5.6-sol', /tier/],
  ])('a model %s is 403, and says so', async (_, settings, id, words) => {
    const { status, error } = await ask(settings, id)
    expect([status, error?.code, error?.param]).toEqual([403, 'model_not_allowed', 'model'])
    expect(error?.message).toMatch(words)
  })

  it('an id that is not given is no model', async () => {
    expect((await ask({}, '')).error?.code).toBe('not_found')
  })

  it('HEAD is answered without a body, and every other method is 405', async () => {
    expect((await ask({}, 'gpt-4.1-mini', 'HEAD')).status).toBe(200)
    const { status, headers } = await ask({}, 'gpt-4.1-mini', 'DELETE')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('a bad key is 401, and the rate counts, whatever model is asked for', async () => {
    const { service, key } = await startWith({})
    const unknown = (bearer: string) => service.fetch('/v1/models/gpt-2', withKey(bearer))
    expect((await unknown('aqta_made-up')).status).toBe(401)
    const left = async () => Number((await unknown(key)).headers.get('x-ratelimit-remaining'))
    const before = await left()
    expect(await left()).toBe(before - 1)
  })
})

describe('a data region that a client sends with every request', () => {
  const PATHS = ['/v1/models', '/v1/models/gpt-4.1-mini'] as const

  it.each(['mars', 'EU', ''])('is 400 where it is none: %j', async (region) => {
    const { service, key } = await startWith({})
    for (const path of PATHS) {
      const response = await service.fetch(path, withKey(key, { headers: { 'x-aqta-data-region': region } }))
      const { error } = await response.json<Answered>()
      expect([response.status, error?.code, error?.param]).toEqual([400, 'invalid_request', 'x-aqta-data-region'])
    }
  })

  it('comes after the key', async () => {
    const { service } = await startWith({})
    const sent = withKey('aqta_made-up', { headers: { 'x-aqta-data-region': 'mars' } })
    expect((await service.fetch('/v1/models', sent)).status).toBe(401)
  })

  it.each(['eu', 'any'])('changes nothing: %s', async (region) => {
    const { service, key } = await startWith({})
    for (const path of PATHS) {
      const response = await service.fetch(path, withKey(key, { headers: { 'x-aqta-data-region': region } }))
      expect([response.status, await response.json()]).toEqual([
        200,
        await (await service.fetch(path, withKey(key))).json(),
      ])
    }
  })
})

describe('a path without /v1', () => {
  const HEADERS = [
    'access-control-allow-origin',
    'access-control-expose-headers',
    'allow',
    'content-type',
    'vary',
  ] as const

  /** All that says by which route a request was answered. */
  async function answer(service: Service, path: string, init: RequestInit) {
    const response = await service.fetch(path, init)
    const body = (await response.text()).replaceAll(/"request_id":"[^"]*"/g, '')
    return { status: response.status, headers: HEADERS.map((name) => response.headers.get(name)), body }
  }

  const asked = (headers: Record<string, string> = {}): RequestInit[] => [
    { headers },
    { method: 'HEAD', headers },
    { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"model": 1}' },
    { method: 'DELETE', headers },
    {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-headers': 'x-stainless-os' },
    },
  ]

  it.each([
    '/chat/completions',
    '/responses',
    '/models',
    '/models?limit=1',
    '/models/gpt-4.1-mini',
    '/models/a%2Fb/c',
    '/models/',
    '/embeddings',
    '/messages',
  ])('%s is answered as with it, by each method, with and without a key', async (path) => {
    const { service, key } = await startWith({})
    for (const init of [...asked({ authorization: `Bearer ${key}` }), ...asked()]) {
      expect(await answer(service, path, init)).toEqual(await answer(service, `/v1${path}`, init))
    }
  })

  it('counts for the same limit', async () => {
    const { service, key } = await startWith({})
    const left = async (path: string) =>
      Number((await service.fetch(path, withKey(key))).headers.get('x-ratelimit-remaining'))
    const before = await left('/v1/models')
    expect(await left('/models')).toBe(before - 1)
  })

  it.each([
    '/chat',
    '/chat/completions/',
    '/responses/x',
    '/Models',
    '/modelsx',
    '/v2/models',
    '/completions',
    '/keys',
  ])('%s is none of these', async (path) => {
    const response = await startService().fetch(path)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, null])
  })
})
