// Everything a chat call can be refused with: status, type, headers, retry hints, `aqta`, and that nothing reached a provider
// that should not have. What its provider fails it with is in gateway-provider-failures.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withKey } from '../support/e2e/deployment.ts'
import {
  ask,
  startGateway,
  type ErrorAqta,
  type Gateway,
  type StartedGateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'

type Failed = {
  error: { message: string; type: string; code: string; param?: string; retry_after?: number; aqta?: ErrorAqta }
  aqta?: ErrorAqta
}

let gateway: StartedGateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await startGateway({ PERPLEXITY_API_KEY: '' })
  pro = await gateway.createKey()
})
afterAll(() => gateway.close())
beforeEach(() => gateway.emulator.reset())

async function fail(key: string | null, body: unknown, more: Parameters<Gateway['chat']>[2] = {}) {
  const response = await gateway.chat(key, body, more)
  const { error, aqta } = (await response.json()) as Failed
  const { status, headers } = response
  const shouldRetry = headers.get('x-should-retry')
  return { status, headers, error, aqta, shouldRetry, retryAfter: headers.get('retry-after') }
}

const reached = (): number => gateway.emulator.requests().length

const decisions = async ({ organisationId }: GatewayKey) =>
  (await gateway.service.ledger(organisationId)).filter(({ kind }) => kind === 'chat_decision')

describe('a provider without a key', () => {
  it('is a 503 that is not to be repeated; nothing is sent', async () => {
    const { status, error, shouldRetry, aqta } = await fail(pro.key, ask('sonar'))
    expect([status, error.code, shouldRetry]).toEqual([503, 'service_unavailable', 'false'])
    expect(aqta).toBeUndefined()
    expect(reached()).toBe(0)
  })
})

describe('a refusal of the key', () => {
  it.each([
    ['no key', { 'x-none': '1' }],
    ['a made-up key', { authorization: `Bearer aqta_${'1'.repeat(89)}` }],
    ['no bearer', { authorization: 'Basic YTpi' }],
  ])('%s: 401 without a trace', async (_, headers) => {
    const { status, error, aqta, headers: answered } = await fail(null, ask('gpt-4.1-mini'), { headers })
    expect([status, error.code, error.type]).toEqual([401, 'invalid_api_key', 'authentication_error'])
    expect([aqta, answered.get('x-aqta-trace-id'), answered.get('www-authenticate')]).toEqual([
      undefined,
      null,
      'Bearer',
    ])
    expect(reached()).toBe(0)
  })

  it('a key of the referral service is none of the gateway', async () => {
    const { key } = await gateway.createKey({}, { prefix: 'vk_test_' })
    expect((await fail(key, ask('gpt-4.1-mini'))).status).toBe(401)
    expect((await gateway.service.fetch('/v1/models', withKey(key))).status).toBe(401)
  })

  it('a revoked key is refused from the next call on', async () => {
    const { key, id, organisationId } = await gateway.createKey()
    await gateway.service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
    expect((await fail(key, ask('gpt-4.1-mini'))).status).toBe(401)
    expect((await fail(key, { model: 5 })).status).toBe(401)
  })

  it('the older prefix and the other spelling of the header are taken', async () => {
    const { key } = await gateway.createKey({}, { prefix: 'sk-aqta-' })
    const headers = { authorisation: `Bearer ${key}` }
    expect((await gateway.chat(null, ask('gpt-4.1-mini'), { headers })).status).toBe(200)
  })

  it('a key without the scope may not chat', async () => {
    const { key } = await gateway.createKey({}, { scopes: ['manage'] })
    const { status, error } = await fail(key, ask('gpt-4.1-mini'))
    expect([status, error.code]).toEqual([403, 'scope_required'])
    expect((await gateway.service.fetch('/v1/models', withKey(key))).status).toBe(403)
    expect(reached()).toBe(0)
  })
})

describe('a refusal by decision', () => {
  it('a model above the tier is 403, blocked, recorded, and reaches no provider', async () => {
    const free = await gateway.createKey({ tier: 'free' })
    const { status, error, aqta, headers } = await fail(free.key, ask('claude-opus-5'))
    expect([status, error.code, error.param, error.type]).toEqual([
      403,
      'model_not_allowed',
      'model',
      'permission_error',
    ])
    expect(aqta).toMatchObject({ status: 'blocked', provider: null, cost_eur: 0, loop_detected: false })
    expect(error.aqta).toEqual(aqta)
    expect(aqta?.attestation_id).toBe(headers.get('x-aqta-attestation-id'))
    expect(headers.get('x-aqta-status')).toBe('blocked')
    expect(headers.get('x-aqta-trace-id')).toBe(aqta?.trace_id)
    expect(await decisions(free)).toMatchObject([{ outcome: 'BLOCKED', trace_id: aqta?.trace_id }])
    expect(reached()).toBe(0)
  })

  it('a model of a provider that is not enabled is 403, and the message names the setting', async () => {
    const { key } = await gateway.createKey({ enabled_providers: ['google'] })
    const { status, error, aqta } = await fail(key, ask('gpt-4.1-mini'))
    expect([status, error.code, aqta?.status]).toEqual([403, 'model_not_allowed', 'blocked'])
    expect(error.message).toContain('enabled_providers')
    expect(reached()).toBe(0)
  })

  it('a loop is 429, suppressed, recorded, and not repeated by SDKs', async () => {
    const own = await gateway.createKey()
    const body = ask('gpt-4.1-mini')
    for (let i = 0; i < 4; i++) expect((await gateway.chat(own.key, body)).status).toBe(200)
    const { status, error, aqta, shouldRetry, retryAfter, headers } = await fail(own.key, body)
    expect([status, error.code, error.type, shouldRetry]).toEqual([429, 'loop_detected', 'rate_limit_error', 'false'])
    expect(aqta).toMatchObject({ status: 'suppressed', loop_detected: true, provider: null, cost_eur: 0 })
    expect([Number(retryAfter), headers.get('x-aqta-status')]).toEqual([error.retry_after, 'suppressed'])
    expect((await decisions(own)).at(-1)).toMatchObject({ outcome: 'SUPPRESSED' })
    expect(reached()).toBe(4)
  })
})

describe('a refusal by limit', () => {
  it('the rate: 429 that SDKs may repeat, when they are told', async () => {
    const { key } = await gateway.createKey({ tier: 'free' })
    for (let i = 0; i < 5; i++) expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(200)
    const { status, error, retryAfter, headers, shouldRetry, aqta } = await fail(key, ask('gpt-4.1-mini'))
    expect([status, error.code, error.type]).toEqual([429, 'rate_limit_exceeded', 'rate_limit_error'])
    expect(error.retry_after).toBeGreaterThanOrEqual(1)
    expect([retryAfter, headers.get('retry-after-ms')]).toEqual([
      `${error.retry_after}`,
      `${(error.retry_after ?? 0) * 1000}`,
    ])
    expect([shouldRetry, aqta, headers.get('x-ratelimit-remaining')]).toEqual([null, undefined, '0'])
    expect(reached()).toBe(5)
  })

  it('the budget: 402 that SDKs do not repeat', async () => {
    const { key } = await gateway.createKey({ monthly_budget_eur: 0.000001 })
    const { status, error, shouldRetry, retryAfter } = await fail(key, ask('gpt-4.1-mini'))
    expect([status, error.code, error.type, shouldRetry]).toEqual([402, 'quota_exceeded', 'quota_error', 'false'])
    expect(Number(retryAfter)).toBe(error.retry_after)
    expect(reached()).toBe(0)
  })

  it('a used-up quota: 402', async () => {
    const { key } = await gateway.createKey({ tier: 'enterprise', requests_per_month: 1 })
    expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(200)
    expect((await fail(key, ask('gpt-4.1-mini'))).error.code).toBe('quota_exceeded')
    expect((await fail(key, { model: 5 })).error.code).toBe('quota_exceeded')
  })
})

describe('what outranks what', () => {
  const tooLarge = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'x'.repeat(4_300_000) }] }
  const broken = { model: 'gpt-4.1-mini', messages: [] }

  it('a bad key everything, a size a limit, a limit an invalid body', async () => {
    const { key } = await gateway.createKey({}, { requests_per_minute: 1 })
    expect((await fail(`aqta_${'1'.repeat(89)}`, tooLarge)).status).toBe(401)
    expect((await fail(key, broken)).error).toMatchObject({ code: 'invalid_request', param: 'messages' })
    expect((await fail(key, broken)).status).toBe(429)
    expect((await fail(key, tooLarge)).status).toBe(413)
    expect(reached()).toBe(0)
  })

  it('an invalid body is counted in the minute and not in the month', async () => {
    const { key } = await gateway.createKey({ tier: 'enterprise', requests_per_month: 1 }, { requests_per_minute: 3 })
    expect((await fail(key, broken)).status).toBe(400)
    expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(200)
    const { headers } = await fail(key, ask('gpt-4.1-mini'))
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  })
})

describe('the rest of the table', () => {
  it('an unknown model is 404', async () => {
    const { status, error } = await fail(pro.key, ask('gpt-2'))
    expect([status, error.code, error.param, error.type]).toEqual([404, 'model_not_found', 'model', 'not_found_error'])
  })

  it('a model that is gone is 404 with the name of its replacement, and no provider is asked', async () => {
    const { status, error } = await fail(pro.key, ask('gemini-3.7-flash'))
    expect([status, error.code, error.param]).toEqual([404, 'model_not_found', 'model'])
    expect(error.message).toMatch(/Send gemini-3\.8-flash instead/)
    expect(gateway.emulator.requests()).toEqual([])
  })

  it('a body that is not JSON is 415, or 400', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await fail(pro.key, ask('gpt-4.1-mini'), { headers })).status).toBe(415)
    expect((await fail(pro.key, null, { text: '{"model":' })).status).toBe(400)
  })

  it('a use case that is not a plain word is 400, naming the header', async () => {
    const headers = { 'x-aqta-use-case': 'Zebra crossing!' }
    const { status, error } = await fail(pro.key, ask('gpt-4.1-mini'), { headers })
    expect([status, error.param]).toEqual([400, 'x-aqta-use-case'])
    expect(JSON.stringify(error)).not.toContain('Zebra')
  })

  it('a cohort that the organisation has not declared is 400, naming the header; nothing is recorded or sent', async () => {
    const own = await gateway.createKey()
    const headers = { 'x-aqta-cohort': 'c-07-marked' }
    const { status, error } = await fail(own.key, ask('gpt-4.1-mini'), { headers })
    expect([status, error.code, error.param]).toEqual([400, 'invalid_request', 'x-aqta-cohort'])
    expect(JSON.stringify(error)).not.toContain('c-07')
    expect(await decisions(own)).toEqual([])
    expect(gateway.emulator.requests()).toEqual([])
  })

  it('a use case is in the ledger', async () => {
    const own = await gateway.createKey()
    const headers = { 'x-aqta-use-case': 'triage-notes' }
    expect((await gateway.chat(own.key, ask('gpt-4.1-mini'), { headers })).status).toBe(200)
    expect(await decisions(own)).toMatchObject([{ use_case: 'triage-notes', outcome: 'ALLOWED' }])
  })

  it('another method is 405', async () => {
    const response = await gateway.service.fetch('/v1/chat/completions', withKey(pro.key))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('a browser may call with the headers of OpenAI’s SDK, and read the trace', async () => {
    const preflight = await gateway.service.fetch('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-retry-count',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-retry-count')
    const answer = await gateway.chat(pro.key, ask('gpt-4.1-mini'))
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-aqta-trace-id')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('what is kept', () => {
  it('holds no word of a prompt or an answer: not in a log, not in a store', async () => {
    const mark = 'quicksilver-marigold'
    const own = await gateway.createKey()
    const bodies = [
      ask('gpt-4.1-mini', { messages: [{ role: 'user', content: mark }] }),
      ask('claude-haiku-4-5', { messages: [{ role: 'user', content: `${mark} two` }], stream: true }),
      ask('gpt-4.1-mini', { messages: [{ role: mark, content: mark }] }),
      ask(mark),
      ask('gpt-4.1-mini', { [mark]: 1 }),
      ask('gpt-4.1-mini', { user: mark, stop: mark }),
    ]
    for (const body of bodies) await (await gateway.chat(own.key, body)).text()
    await gateway.settlements(own.organisationId, 3)
    for (const kept of [
      gateway.service.logs().join('\n'),
      await gateway.service.everythingStored(own.organisationId),
    ]) {
      expect(kept.length).toBeGreaterThan(1000)
      expect(kept).not.toContain(mark)
      expect(kept).not.toContain('Countersign emulator')
    }
  })
})
