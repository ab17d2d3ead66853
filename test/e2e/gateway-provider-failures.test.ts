// Tests the response to a caller whose provider fails: status, type, headers, retry hints and `aqta`. Also tests the settlement
// and what the operator is told.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseJson } from '../../src/providers/lossless-json.ts'
import {
  MODEL_OF_EACH,
  ask,
  sharedGateway,
  startGateway,
  type ErrorAqta,
  type Gateway,
  type StartedGateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

type Failed = {
  error: { message: string; type: string; code: string; param?: string; retry_after?: number; aqta?: ErrorAqta }
  aqta?: ErrorAqta
}

let gateway: Gateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  pro = await gateway.createKey()
})
beforeEach(() => gateway.emulator.reset())

async function fail(key: string, body: unknown, at = gateway) {
  const response = await at.chat(key, body)
  const { error, aqta } = (await response.json()) as Failed
  const { status, headers } = response
  const shouldRetry = headers.get('x-should-retry')
  return { status, headers, error, aqta, shouldRetry, retryAfter: headers.get('retry-after') }
}

const reached = (): number => gateway.emulator.requests().length

const LineSchema = z.looseObject({ event: z.string(), request_id: z.string().optional() })

/** The line that tells the operator of a call; it is written beside the answer. */
async function refusedAccess(headers: Headers): Promise<unknown> {
  const findLine = () =>
    gateway.service
      .logs()
      .flatMap((line) => LineSchema.safeParse(parseJson(line)).data ?? [])
      .find(({ event, request_id: id }) => event === 'provider_refused_access' && id === headers.get('x-request-id'))
  return until('the line is in the log', findLine, (line) => line !== undefined)
}

describe.each(MODEL_OF_EACH)('a failure at %s', (provider, model, endpoint) => {
  it.each(['500', '504', 'html,502', 'malformed'])(
    '%s is a 502 of ours that is not to be repeated blindly, asked once, and says nothing of what the provider wrote',
    async (behaviour) => {
      gateway.emulator.behave(endpoint, [behaviour])
      const { status, error, aqta, shouldRetry } = await fail(pro.key, ask(model))
      expect([status, error.code, error.type, shouldRetry]).toEqual([502, 'provider_error', 'api_error', 'false'])
      const { aqta: _, ...said } = error // its signature is random and may hold any four letters
      expect(JSON.stringify(said)).not.toMatch(/emulator|sk-|html|http/i)
      expect(aqta).toMatchObject({ status: 'passed', provider, trace_id: expect.stringMatching(/^tr_/) as string })
      expect(error.aqta).toEqual(aqta)
      expect(reached()).toBe(1)
    },
  )

  it('that turns the call away without saying why says that nothing was done', async () => {
    gateway.emulator.behave(endpoint, ['409'])
    const { status, error, aqta, shouldRetry } = await fail(pro.key, ask(model))
    expect([status, error.code, shouldRetry, aqta?.cost_eur]).toEqual([502, 'provider_error', 'false', 0])
    expect(error.message).toContain('and nothing is charged')
  })

  it.each(['400', '413', '422', 'html,400'])(
    '%s is a 400 that says that nothing was done, and nothing of what the provider wrote',
    async (behaviour) => {
      const own = await gateway.createKey()
      gateway.emulator.behave(endpoint, [behaviour])
      const { status, error, aqta, shouldRetry } = await fail(own.key, ask(model))
      expect([status, error.code, error.type, shouldRetry]).toEqual([
        400,
        'invalid_request',
        'invalid_request_error',
        'false',
      ])
      expect(error.message).toContain(', and nothing is charged. ')
      const { aqta: _, ...said } = error
      expect(JSON.stringify(said)).not.toMatch(/emulator|html|http/i)
      expect(aqta).toMatchObject({ status: 'passed', provider, cost_eur: 0 })
      expect(reached()).toBe(1)
      expect(await gateway.settlements(own.organisationId, 1)).toMatchObject([
        { ended: 'failed', error_cause: 'refused', cost_microeur: 0, usage: null },
      ])
    },
  )

  it.each(['401', '402', '403', '404'])(
    '%s is a 502 that is for the operator to mend, who finds a line in the log',
    async (behaviour) => {
      gateway.emulator.behave(endpoint, [behaviour])
      const { status, headers, error, aqta, shouldRetry } = await fail(pro.key, ask(model))
      expect([status, error.code, error.type, shouldRetry]).toEqual([502, 'provider_error', 'api_error', 'false'])
      expect(error.message).toMatch(/tell the operator/i)
      const { aqta: _, ...said } = error
      expect(JSON.stringify(said)).not.toMatch(/emulator|sk-|http/i)
      expect(aqta).toMatchObject({ status: 'passed', provider, cost_eur: 0 })
      expect(await refusedAccess(headers)).toMatchObject({ level: 'error', provider, model })
    },
  )

  it.each([
    ['429,0', 429, 'rate_limit_exceeded', 'rate_limit_error'],
    ['503,0', 503, 'service_unavailable', 'api_error'],
    ['529', 503, 'service_unavailable', 'api_error'],
  ])(
    '%s is tried three times in all, and then is a %i that costs nothing and may be repeated',
    async (busy, told, code, type) => {
      gateway.emulator.behave(endpoint, [busy, busy, busy])
      const { status, error, aqta, shouldRetry, retryAfter } = await fail(pro.key, ask(model))
      expect([status, error.code, error.type]).toEqual([told, code, type])
      expect([shouldRetry, retryAfter, error.retry_after]).toEqual(['true', '1', 1])
      expect(aqta).toMatchObject({ provider, cost_eur: 0, status: 'passed' })
      expect(reached()).toBe(3)
    },
  )

  it.each([
    ['429,6', false, 429, '6'],
    ['429,840', true, 429, '840'],
    ['503,999999999', false, 503, '3600'],
  ])('%s is not waited for but handed on (stream: %s), within reason', async (busy, stream, status, told) => {
    gateway.emulator.behave(endpoint, [busy])
    const failed = await fail(pro.key, ask(model, { stream }))
    const { headers, error, aqta, shouldRetry, retryAfter } = failed
    expect([failed.status, shouldRetry]).toEqual([status, 'true'])
    expect([retryAfter, headers.get('retry-after-ms'), error.retry_after]).toEqual([told, `${told}000`, Number(told)])
    expect(aqta).toMatchObject({ provider, cost_eur: 0, status: 'passed' })
    expect(reached()).toBe(1)
  })

  it('that is over its rate says so, and leaves the caller’s own limits to their headers', async () => {
    gateway.emulator.behave(endpoint, ['429,60'])
    const { error, headers } = await fail(pro.key, ask(model))
    expect(error.message).toMatch(/not your own limit/)
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
  })

  it('that is busy is settled as failed and free', async () => {
    const own = await gateway.createKey()
    gateway.emulator.behave(endpoint, ['429,60', '503,60'])
    await fail(own.key, ask(model))
    await fail(own.key, ask(model))
    const free = { ended: 'failed', cost_microeur: 0, usage: null }
    expect(await gateway.settlements(own.organisationId, 2)).toMatchObject([
      { ...free, error_cause: 'rate' },
      { ...free, error_cause: 'overloaded' },
    ])
  })

  it('to be connected to is a 502 that may be repeated: nothing was sent, and nothing is charged', async () => {
    gateway.emulator.behave(endpoint, ['522', '522', '522'])
    const { status, error, aqta, shouldRetry, retryAfter } = await fail(pro.key, ask(model))
    expect([status, error.code, shouldRetry, retryAfter]).toEqual([502, 'provider_error', null, '1'])
    expect(aqta).toMatchObject({ provider: null, cost_eur: 0, status: 'passed' })
  })

  it('that passes is not noticed by the caller', async () => {
    gateway.emulator.behave(endpoint, ['429,0', '503,0', 'ok'])
    expect((await gateway.chat(pro.key, ask(model))).status).toBe(200)
    expect(reached()).toBe(3)
  })

  it('is the same before the first byte of a stream', async () => {
    gateway.emulator.behave(endpoint, ['500'])
    const { status, error, aqta, shouldRetry } = await fail(pro.key, ask(model, { stream: true }))
    expect([status, error.code, shouldRetry, aqta?.provider]).toEqual([502, 'provider_error', 'false', provider])
  })

  it('is settled, as failed', async () => {
    const own = await gateway.createKey()
    gateway.emulator.behave(endpoint, ['500', 'malformed'])
    await fail(own.key, ask(model))
    await fail(own.key, ask(model))
    expect(await gateway.settlements(own.organisationId, 2)).toMatchObject([
      { ended: 'failed', error_cause: 'status', cost_microeur: 0, usage: null },
      { ended: 'failed', error_cause: 'malformed', estimated: true },
    ])
  })
})

describe('a provider which has little time', () => {
  let impatient: StartedGateway
  let key: string
  beforeAll(async () => {
    impatient = await startGateway({ PROVIDER_HEADERS_LIMIT_MS: '300' })
    ;({ key } = await impatient.createKey())
  })
  afterAll(() => impatient.close())

  it.each(MODEL_OF_EACH)('to answer in time is a 504: %s', async (provider, model, endpoint) => {
    impatient.emulator.behave(endpoint, ['never', 'never'])
    for (const stream of [false, true]) {
      const { status, error, shouldRetry, aqta } = await fail(key, ask(model, { stream }), impatient)
      expect([status, error.code, error.type, shouldRetry]).toEqual([504, 'provider_timeout', 'api_error', 'false'])
      expect(aqta).toMatchObject({ provider, cost_estimated: true })
    }
  })
})

describe.each([
  ['openai', 'gpt-4.1-mini'],
  ['google', 'gemini-3.8-flash'],
] as const)('an answer of %s with nothing in it', (provider, model) => {
  it('is a 502, not an empty success', async () => {
    gateway.emulator.behave(provider, ['empty-choices'])
    expect((await fail(pro.key, ask(model))).status).toBe(502)
  })
})

describe('a request that its provider refuses', () => {
  it.each([
    ['openai', 'gpt-4.1-mini', 'messages[0].content', 'messages[0].content'],
    ['openai', 'gpt-4.1-mini', 'temperature', 'temperature'],
    ['anthropic', 'claude-haiku-4-5', 'messages.0.content.0.text', 'messages[0].content'],
    ['anthropic', 'claude-haiku-4-5', 'max_tokens', 'max_completion_tokens'],
    ['google', 'gemini-3.8-flash', 'contents[0].parts[0].text', 'messages[0]'],
    ['google', 'gemini-3.8-flash', 'generationConfig.topP', 'top_p'],
    ['perplexity', 'sonar-pro', 'input', undefined],
  ] as const)('at %s, as %s, about %s, is told by our own name of it: %s', async (provider, model, theirs, ours) => {
    gateway.emulator.behave(provider, [`refuse,400,${theirs}`])
    const { status, error } = await fail(pro.key, ask(model))
    expect([status, error.param]).toEqual([400, ours])
    expect(error.message.startsWith(ours === undefined ? 'The model’s provider' : `${ours}: `)).toBe(true)
  })

  it.each([
    ['openai', 'gpt-4.1-mini'],
    ['anthropic', 'claude-haiku-4-5'],
    ['google', 'gemini-3.8-flash'],
  ] as const)('as too long at %s is told so', async (provider, model) => {
    gateway.emulator.behave(provider, ['context'])
    const { status, error } = await fail(pro.key, ask(model))
    expect([status, error.param]).toEqual([400, 'messages'])
    expect(error.message).toMatch(/longer than the model allows/)
  })

  it('is told by the name of what is wrong with it', async () => {
    gateway.emulator.behave('openai', ['refuse,400,response_format'])
    const { status, error } = await fail(pro.key, ask('gpt-4.1-mini'))
    expect([status, error.param]).toEqual([400, 'response_format'])
    expect(error.message).toMatch(/^response_format: .*, and nothing is charged\. /)
  })
})
