// How chat calls are refused, beside what the golden transcript has: that nothing reaches a provider that should not, what outranks
// what, and what is kept. What its provider fails a call with is in gateway-provider-failures.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withKey } from '../support/e2e/deployment.ts'
import { ask, startGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

type Failed = {
  error: { message: string; type: string; code: string; param?: string; retry_after?: number; aqta?: Aqta }
  aqta?: Aqta
}

let gateway: Gateway
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
})

describe('a refusal by decision or by limit', () => {
  it.each<[string, object, string, string[]]>([
    ['a model above the tier', { tier: 'free' }, 'claude-opus-5', ['BLOCKED']],
    ['a provider that is not enabled', { enabled_providers: ['google'] }, 'gpt-4.1-mini', ['BLOCKED']],
    ['a budget that is used up', { monthly_budget_eur: 0.000001 }, 'gpt-4.1-mini', []],
  ])('%s reaches no provider', async (_, organisation, model, outcomes) => {
    const own = await gateway.createKey(organisation)
    expect((await fail(own.key, ask(model))).error.code).toMatch(/^(model_not_allowed|quota_exceeded)$/)
    expect((await decisions(own)).map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(reached()).toBe(0)
  })

  it('a loop is recorded and reaches no provider once it is one', async () => {
    const own = await gateway.createKey()
    const body = ask('gpt-4.1-mini')
    for (let i = 0; i < 5; i++) await gateway.chat(own.key, body)
    expect((await decisions(own)).at(-1)).toMatchObject({ outcome: 'SUPPRESSED' })
    expect(reached()).toBe(4)
  })

  it('a rate names one time to come back, in headers and body', async () => {
    const { key } = await gateway.createKey({}, { requests_per_minute: 1 })
    await gateway.chat(key, ask('gpt-4.1-mini'))
    const { error, retryAfter, headers } = await fail(key, ask('gpt-4.1-mini'))
    expect(error.retry_after).toBeGreaterThanOrEqual(1)
    expect([retryAfter, headers.get('retry-after-ms')]).toEqual([
      `${error.retry_after}`,
      `${(error.retry_after ?? 0) * 1000}`,
    ])
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
