// The cache through the built Worker: an answer is given again without a provider, with a receipt of its own that others can check.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findModel } from '../../src/providers/model-catalogue.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { ask, parseEvents, sharedGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

let gateway: Gateway
let key: GatewayKey
let publicKey: string

beforeAll(async () => {
  gateway = await sharedGateway()
  publicKey = await gateway.publicKey()
})
beforeEach(async () => {
  gateway.emulator.reset()
  await useCache({ ttl_seconds: 3600 })
})

/** A new organisation whose policy has it. */
async function useCache(cache: object, organisation: object = {}, rules: object = {}): Promise<void> {
  key = await gateway.createKey(organisation, { scopes: ['chat', 'manage'] })
  await gateway.putPolicy(key, { cache, ...rules })
}

const reached = () => gateway.emulator.requests().length

const call = (body: object, headers: Record<string, string> = {}) => gateway.chat(key.key, body, { headers })

const post = (body: object) => gateway.service.fetch('/v1/responses', postJson(key.key, body))

const aqtaIn = (body: string): Aqta => {
  const [aqta = ''] = /"aqta":\{.*?"signature":"[^"]*"\}\}/.exec(body) ?? []
  return (JSON.parse(`{${aqta}}`) as { aqta: Aqta }).aqta
}

/** Removes from a response whatever belongs to its own call. */
const withoutCall = (body: string): string =>
  body
    .replaceAll(/"aqta":\{.*?"signature":"[^"]*"\}\}/g, '"aqta"')
    .replaceAll(/"(id|item_id)":"(chatcmpl-|resp_|msg_)[^"]*"/g, '"$1"')
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1"')

/** The same request twice: its answer, and that of the cache, once the first is settled. */
async function twice(send: () => Promise<Response>): Promise<[string, string]> {
  const first = await (await send()).text()
  await gateway.settlements(key.organisationId)
  const second = await send()
  expect([second.status, second.headers.get('x-aqta-status')]).toEqual([200, 'passed'])
  return [first, await second.text()]
}

describe('the same request again', () => {
  it.each([
    ['a completion', 'chat', ask('gpt-4.1-mini')],
    ['a translated completion', 'chat', ask('claude-haiku-4-5', { temperature: 0 })],
    ['a stream', 'chat', ask('gpt-4.1-mini', { stream: true })],
    [
      'a translated stream with its usage',
      'chat',
      ask('gemini-3.8-flash', { stream: true, stream_options: { include_usage: true } }),
    ],
    ['a response', 'responses', { model: 'gpt-4.1-mini', input: 'Hello' }],
    ['a streamed response', 'responses', { model: 'claude-haiku-4-5', input: 'Hello', stream: true }],
  ])('gets the same answer, as its own, at no cost: %s', async (_, format, body) => {
    gateway.emulator.behave(findModel(body.model)?.endpoint ?? 'openai', ['model,another-model'])
    const [first, second] = await twice(() => (format === 'chat' ? call(body) : post(body)))
    expect(reached()).toBe(1)
    expect(withoutCall(second)).toBe(withoutCall(first))
    const [ran, cached] = [aqtaIn(first), aqtaIn(second)]
    expect([ran.cached, cached.cached]).toEqual([false, true])
    expect(ran.cost_eur).toBeGreaterThan(0)
    const served = { served_model: 'another-model-2000-01-01', model_differs: true }
    expect([ran, cached]).toMatchObject([served, served])
    expect(cached).toMatchObject({ cost_eur: 0, provider: null, status: 'passed', loop_detected: false })
    expect(cached.attestation.attestation_id).not.toBe(ran.attestation.attestation_id)
    expect(verifyRecord(cached.attestation, { keys: [publicKey] }).valid).toBe(true)
    const digits = cached.trace_id.slice('tr_'.length)
    expect(second).toContain(`"id":"${format === 'chat' ? 'chatcmpl-' : 'resp_'}${digits}"`)
    expect(second).not.toContain(ran.trace_id.slice('tr_'.length))
    const settlements = await gateway.settlements(key.organisationId, 2)
    expect(settlements[1]).toMatchObject({ ended: 'cached', cost_microeur: 0, usage: null })
    expect(settlements[1]).not.toHaveProperty('served_model')
    expect((await gateway.service.ledger(key.organisationId)).at(-1)).toMatchObject({
      cached_from: ran.attestation.attestation_id,
    })
  })

  it('is a stream that OpenAI’s clients read: one id, and the closing mark', async () => {
    const body = ask('gpt-4.1-mini', { stream: true })
    const [first, second] = await twice(() => call(body))
    const { chunks, done, text } = parseEvents(second)
    expect([new Set(chunks.map(({ id }) => id)).size, done, text]).toEqual([1, true, parseEvents(first).text])
  })

  it('is answered at once many times over, each with its own receipt', async () => {
    const body = ask('gpt-4.1-mini')
    await twice(() => call(body))
    await useCache({ ttl_seconds: 60 }, {}, { loop_guard: { repeats: 20 } })
    await twice(() => call(body))
    const answers = await Promise.all(Array.from({ length: 15 }, () => call(body)))
    const traces = answers.map(({ headers }) => headers.get('x-aqta-trace-id'))
    expect(new Set(traces).size).toBe(15)
    expect(reached()).toBe(2)
  })

  it('is asked of the provider where its answer is no longer there, is damaged, or is that of another', async () => {
    const [one, other] = [ask('gpt-4.1-mini'), ask('gpt-4.1-mini')]
    for (const body of [one, other]) await (await call(body)).text()
    await gateway.settlements(key.organisationId, 2)
    const { FILES, ORGANISATIONS } = await gateway.service.env()
    const prefix = `content/${ORGANISATIONS.idFromName(key.organisationId).toString()}/`
    const names = (await FILES.list({ prefix })).objects.map((object) => object.key)
    const sealed = await Promise.all(names.map(async (name) => (await FILES.get(name))?.arrayBuffer()))
    await Promise.all(names.map((name, at) => FILES.put(name, sealed[1 - at] ?? '')))
    const again = await call(one)
    const aqta = aqtaIn(await again.text())
    expect([aqta.cached, aqta.provider, reached()]).toEqual([false, 'openai', 3])
    // The receipt of the first try stands, settled as cached, and the second names it.
    const entries = await gateway.service.ledger(key.organisationId)
    const second = entries.find((entry) => entry['instead_of'] !== undefined)
    expect(entries.some((entry) => entry['attestation_id'] === second?.['instead_of'])).toBe(true)
    await gateway.settlements(key.organisationId, 4)
    expect(aqtaIn(await (await call(one)).text()).cached).toBe(true)
    await Promise.all((await FILES.list({ prefix })).objects.map((object) => FILES.delete(object.key)))
    expect(aqtaIn(await (await call(other)).text()).cached).toBe(false)
  })

  it('keeps to its idempotency key, whose answer is that of the cache', async () => {
    await useCache({ ttl_seconds: 60 }, { idempotent_replays: true })
    const body = ask('gpt-4.1-mini')
    await twice(() => call(body))
    const cached = await (await call(body, { 'idempotency-key': 'k' })).text()
    expect(aqtaIn(cached).cached).toBe(true)
    // The answer is stored after it was sent.
    const repeat = () => call(body, { 'idempotency-key': 'k' })
    const repeated = await until('the answer is stored', repeat, ({ status }) => status !== 409)
    expect([repeated.headers.get('idempotency-replayed'), await repeated.text()]).toEqual(['true', cached])
    expect(reached()).toBe(1)
  })
})

describe('an answer is not kept', () => {
  it.each([
    ['a temperature above 0', ask('gpt-4.1-mini', { temperature: 0.5 }), 'ok'],
    ['calls of tools', ask('gpt-4.1-mini', { tools: [{ type: 'function', function: { name: 'look' } }] }), 'tool-call'],
    ['a content filter', ask('gpt-4.1-mini'), 'content-filter'],
    ['a failure', ask('gpt-4.1-mini'), 'malformed'],
    ['a stream that is cut', ask('gpt-4.1-mini', { stream: true }), 'cut'],
    ['several choices', ask('gpt-4.1-mini', { n: 2 }), 'ok'],
  ])('of %s', async (_, body, behaviour) => {
    gateway.emulator.behave('openai', [behaviour])
    await (await call(body)).text()
    await gateway.settlements(key.organisationId)
    expect(aqtaIn(await (await call(body)).text()).cached).toBe(false)
  })

  it('to which values are put back that were taken out of the request', async () => {
    await useCache({ ttl_seconds: 60 }, {}, { pii_scan: { default: 'redact' } })
    const body = ask('gpt-4.1-mini', { messages: [{ role: 'user', content: 'Write to anna@example.org.' }] })
    const send = async () => aqtaIn(await (await call(body)).text()).cached
    expect(await send()).toBe(false)
    await gateway.settlements(key.organisationId)
    expect(await send()).toBe(false)
  })

  it('is where the length ended it', async () => {
    gateway.emulator.behave('openai', ['length'])
    const [, second] = await twice(() => call(ASKED))
    expect(aqtaIn(second).cached).toBe(true)
  })
})

const ASKED = ask('gpt-4.1-mini')

it('what is kept is sealed: nothing of an answer, nor of its request, is in any store', async () => {
  const marked = 'kqx-marked-4712'
  const body = ask('gpt-4.1-mini', { messages: [{ role: 'user', content: marked }] })
  await twice(() => call(body))
  const stored = await gateway.service.everythingStored(key.organisationId)
  expect(stored).toContain('/answer-')
  expect(stored).not.toContain(marked)
  expect(stored).not.toContain('This is the Countersign emulator')
})
