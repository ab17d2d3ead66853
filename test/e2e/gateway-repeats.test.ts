// Calls under an idempotency key through the built Worker: what was answered once is answered again, and no model is asked twice.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import { answered, ask, readEvents, sharedGateway, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

let gateway: Gateway
let key: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey({ idempotent_replays: true })
})

const reached = () => gateway.emulator.requests().length

const call = (body: object, idempotencyKey = 'k', { key: secret } = key) =>
  gateway.chat(secret, body, { headers: { 'idempotency-key': idempotencyKey } })

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; param?: string } }
  return [response.status, error.code, error.param]
}

/** Headers of a response that describe its own call, not the request. */
const OF_THE_CALL = [
  'content-type',
  'x-aqta-trace-id',
  'x-aqta-attestation-id',
  'x-aqta-status',
  'x-should-retry',
  'retry-after',
]

const answerOf = async (response: Response) => ({
  status: response.status,
  headers: OF_THE_CALL.map((name) => response.headers.get(name)),
  body: await response.text(),
})

/** The objects of the organisation in which answers are kept. */
async function namesKept(): Promise<string[]> {
  const { FILES, ORGANISATIONS } = await gateway.service.env()
  const object = ORGANISATIONS.idFromName(key.organisationId).toString()
  const { objects } = await FILES.list({ prefix: `content/${object}/` })
  return objects.map(({ key: name }) => name)
}

const NOT_KEPT = [409, 'conflict', 'idempotency-key']

/** The first answer, once it is settled, and the answer to the same request after it. */
async function twice(body: object) {
  const first = await call(body)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  const answer = await answerOf(first)
  await gateway.settlements(key.organisationId)
  const second = await call(body, '"k"')
  return { first: answer, second }
}

describe('a repeated call', () => {
  it.each([
    ['a short answer', ask('gpt-4.1-mini')],
    ['a short stream', ask('gpt-4.1-mini', { stream: true })],
    [
      'a translated stream, with its usage',
      ask('claude-haiku-4-5', { stream: true, stream_options: { include_usage: true } }),
    ],
  ])('is answered as the first was, byte for byte: %s', async (_, body) => {
    const { first, second } = await twice(body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await answerOf(second)).toEqual(first)
    expect(first.status).toBe(200)
    expect(reached()).toBe(1)
    expect(await gateway.settlements(key.organisationId)).toHaveLength(1)
  })

  it.each([false, true])('is answered so where the answer is long, too; stream: %s', async (stream) => {
    gateway.emulator.behave('openai', ['chars,20000'])
    const { first, second } = await twice(ask('gpt-4.1-mini', { stream, max_tokens: 20_000 }))
    expect(first.body.length).toBeGreaterThan(20_000)
    expect(await answerOf(second)).toEqual(first)
    expect(reached()).toBe(1)
  })

  it('is answered so in the format of the Responses, whose keys are not those of chat completions', async () => {
    const post = async () => {
      const init = postJson(key.key, { model: 'gpt-4.1-mini', input: 'Hello' })
      const headers = new Headers(init.headers)
      headers.set('idempotency-key', 'k')
      return gateway.service.fetch('/v1/responses', { ...init, headers })
    }
    const first = await answerOf(await post())
    await gateway.settlements(key.organisationId)
    expect(await answerOf(await post())).toEqual(first)
    expect((await call(ask('gpt-4.1-mini'))).status).toBe(200)
    expect(reached()).toBe(2)
  })

  it('gets the failure that it got, where the provider may have done the work', async () => {
    gateway.emulator.behave('openai', ['malformed'])
    const { first, second } = await twice(ask('gpt-4.1-mini'))
    expect(first.status).toBe(502)
    expect(await answerOf(second)).toEqual(first)
    expect(reached()).toBe(1)
  })

  it('gets the stream that failed half-way with its error, and is not run again', async () => {
    gateway.emulator.behave('openai', ['cut'])
    const { first, second } = await twice(ask('gpt-4.1-mini', { stream: true }))
    expect(first.body).toContain('"error"')
    expect(await answerOf(second)).toEqual(first)
    expect(reached()).toBe(1)
  })

  it('is run where the first came to nothing, as its error said', async () => {
    const body = ask('gpt-4.1-mini')
    for (const [at, behaviour] of ['refuse,400,messages', '403'].entries()) {
      gateway.emulator.behave('openai', [behaviour])
      expect((await call(body)).status).toBe(behaviour === '403' ? 502 : 400)
      await gateway.settlements(key.organisationId, at + 1)
    }
    expect((await call(body)).status).toBe(200)
    expect(reached()).toBe(3)
  })

  it('is refused while the first is being answered, and runs once however many come', async () => {
    gateway.emulator.behave('openai', ['until-released'])
    const body = ask('gpt-4.1-mini')
    const calls = Array.from({ length: 40 }, () => call(body))
    await answered(39, calls)
    gateway.emulator.release()
    const answers = await Promise.all(calls)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(39)
    for (const one of refused) expect(await errorOf(one)).toEqual(NOT_KEPT)
    expect(reached()).toBe(1)
    const aqta = await Promise.all(answers.map(async (one) => (one.status === 200 ? readEvents(one) : null)))
    expect(aqta.filter((one) => one !== null)).toHaveLength(1)
  })

  it('is refused under the key of another request', async () => {
    await call(ask('gpt-4.1-mini'))
    expect(await errorOf(await call(ask('gpt-4.1-mini')))).toEqual([409, 'idempotency_conflict', 'idempotency-key'])
    expect(reached()).toBe(1)
  })

  it('is refused and not run where the organisation does not have answers kept, and nothing of them is', async () => {
    key = await gateway.createKey()
    const { second } = await twice(ask('gpt-4.1-mini'))
    expect(await errorOf(second)).toEqual(NOT_KEPT)
    expect(reached()).toBe(1)
    expect(await namesKept()).toEqual([])
  })

  it('is refused and not run where its answer is no longer there, or is not what was kept', async () => {
    const body = ask('gpt-4.1-mini')
    await twice(body)
    const { FILES } = await gateway.service.env()
    const [name = ''] = await namesKept()
    const sealed = new Uint8Array((await (await FILES.get(name))?.arrayBuffer()) ?? [])
    const last = sealed.length - 1
    sealed[last] = (sealed[last] ?? 0) ^ 1
    await FILES.put(name, sealed)
    expect(await errorOf(await call(body))).toEqual(NOT_KEPT)
    await FILES.delete(name)
    expect(await errorOf(await call(body))).toEqual(NOT_KEPT)
    expect(reached()).toBe(1)
  })

  it('is refused and not run where the first answer was longer than is kept', async () => {
    gateway.emulator.behave('openai', ['stream,9000,0'])
    const body = ask('gpt-4.1-mini', { stream: true, max_tokens: 32_000 })
    const { first, second } = await twice(body)
    expect(first.body.length).toBeGreaterThan(1024 * 1024)
    expect(await errorOf(second)).toEqual(NOT_KEPT)
    expect(reached()).toBe(1)
  })

  it('counts for the minute, and not for the month', async () => {
    key = await gateway.createKey({ idempotent_replays: true }, { requests_per_minute: 2 })
    const body = ask('gpt-4.1-mini')
    const { second } = await twice(body)
    expect(second.status).toBe(200)
    expect((await call(body)).status).toBe(429)
  })
})

it('a key that is none is refused by its name, and its call is not run', async () => {
  expect(await errorOf(await call(ask('gpt-4.1-mini'), 'k'.repeat(256)))).toEqual([
    400,
    'invalid_request',
    'idempotency-key',
  ])
  expect(reached()).toBe(0)
})

it('an answer that is kept is sealed: nothing of it, nor of the request, is in any store', async () => {
  const marked = 'kqx-marked-4711'
  await twice(ask('gpt-4.1-mini', { messages: [{ role: 'user', content: marked }] }))
  const stored = await gateway.service.everythingStored(key.organisationId)
  expect(stored).toContain('/answer-')
  expect(stored).not.toContain(marked)
  expect(stored).not.toContain('This is the Countersign emulator')
})
