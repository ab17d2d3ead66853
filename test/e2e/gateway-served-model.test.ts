// The model that answered, as its provider names it: in `aqta` of both formats, and in the settlement. Other names for a model
// that a caller may use.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findModel } from '../../src/providers/model-catalogue.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { MODEL_OF_EACH, ask, sharedGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

const ANOTHER = 'another-model-2000-01-01'

let gateway: Gateway
let key: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey()
})

async function aqtaOf(path: string, body: object): Promise<Aqta> {
  const text = await (await gateway.service.fetch(path, postJson(key.key, body))).text()
  const [, aqta = ''] = /"aqta":(\{[^{}]*\}|\{.*?"signature":"[^"]*"\}\})/.exec(text) ?? []
  return JSON.parse(aqta) as Aqta
}

const complete = (model: string, more: object = {}) => aqtaOf('/v1/chat/completions', ask(model, more))

async function inEachFormat(model: string): Promise<Aqta[]> {
  const response = { model, input: 'Hello' }
  return [
    await complete(model),
    await complete(model, { stream: true }),
    await complete(model, { stream: true, stream_options: { include_usage: true } }),
    await aqtaOf('/v1/responses', response),
    await aqtaOf('/v1/responses', { ...response, stream: true }),
  ]
}

const settledNames = async (count: number) =>
  (await gateway.settlements(key.organisationId, count)).map(({ served_model: name }) => name ?? null)

describe.each(MODEL_OF_EACH)('the model that answered at %s', (_provider, model, endpoint) => {
  it('is named in every answer and settlement, in the dated form that the provider gives', async () => {
    const named = `${findModel(model)?.wire.model}-2000-01-01`
    for (const aqta of await inEachFormat(model)) {
      expect(aqta.served_model).toBe(named)
      expect(aqta).not.toHaveProperty('model_differs')
    }
    expect(await settledNames(5)).toEqual(Array(5).fill(named))
  })

  it('is said to be another where it is', async () => {
    gateway.emulator.behave(endpoint, Array<string>(5).fill('model,another-model'))
    const differs = { served_model: ANOTHER, model_differs: true }
    for (const aqta of await inEachFormat(model)) expect(aqta).toMatchObject(differs)
    expect(await settledNames(5)).toEqual(Array(5).fill(ANOTHER))
  })

  it('is not named where its name is no short plain text', async () => {
    const names = ['a model', 'mod%C3%A8le', 'm'.repeat(129)]
    gateway.emulator.behave(
      endpoint,
      names.map((name) => `model,${name}`),
    )
    for (const _ of names) expect(await complete(model)).not.toHaveProperty('served_model')
    expect(await settledNames(3)).toEqual([null, null, null])
  })
})

describe('a call that fails', () => {
  it.each(['401', 'malformed'])('names no model where none answered: %s', async (behaviour) => {
    gateway.emulator.behave('openai', [behaviour])
    expect(await complete('gpt-4.1-mini')).not.toHaveProperty('served_model')
    expect(await settledNames(1)).toEqual([null])
  })

  it('names the model of a stream that was cut', async () => {
    gateway.emulator.behave('openai', ['cut+model,another-model'])
    expect(await complete('gpt-4.1-mini', { stream: true })).toMatchObject({
      served_model: ANOTHER,
      model_differs: true,
    })
    expect(await settledNames(1)).toEqual([ANOTHER])
  })
})

describe('a model by another name', () => {
  const DATED = 'openai/gpt-4.1-mini-2025-04-14'
  const called = (response: Response) => [response.status, response.headers.get('x-aqta-model')]
  const sentModel = () => (JSON.parse(gateway.emulator.requests().at(-1)?.body ?? '{}') as { model?: string }).model

  it.each(['gpt-4.1-mini-2025-02-30', 'anthropic/gpt-4.1-mini', 'gpt-4.1-mini-preview', 'openai/'])(
    'is unknown where it is %s: nothing is sent',
    async (name) => {
      for (const body of [ask(name), ask('sonar', { models: [name] })]) {
        const response = await gateway.chat(key.key, body)
        expect([...called(response), await response.json()]).toMatchObject([
          404,
          null,
          { error: { code: 'model_not_found', param: body.model === name ? 'model' : 'models' } },
        ])
      }
      expect(gateway.emulator.requests()).toEqual([])
    },
  )

  it('is what the policy has to allow, and the record and the refusal name its id', async () => {
    const own = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
    await gateway.putPolicy(own, { model_allowlist: { models: ['gpt-4.1-mini'] } })
    expect(called(await gateway.chat(own.key, ask(DATED)))).toEqual([200, 'gpt-4.1-mini'])
    const refused = await gateway.chat(own.key, ask('perplexity/sonar'))
    expect(called(refused)).toEqual([403, 'sonar'])
    const id = refused.headers.get('x-aqta-attestation-id') ?? ''
    expect(await gateway.record(own, id)).toMatchObject({ model: 'sonar', outcome: 'BLOCKED' })
  })

  it('is told in a whole answer, a stream and an error, in both formats', async () => {
    const respond = (body: object) => gateway.service.fetch('/v1/responses', postJson(key.key, body))
    const input = { model: DATED, input: 'Hello' }
    for (const more of [{}, { stream: true }]) {
      for (const response of [await gateway.chat(key.key, ask(DATED, more)), await respond({ ...input, ...more })]) {
        expect(called(response)).toEqual([200, 'gpt-4.1-mini'])
        await response.text()
        expect(sentModel()).toBe('gpt-4.1-mini')
      }
    }
    gateway.emulator.behave('openai', ['500'])
    expect(called(await gateway.chat(key.key, ask(DATED)))).toEqual([502, 'gpt-4.1-mini'])
    expect(called(await gateway.chat(key.key, ask(DATED, { models: ['gpt-2'] })))).toEqual([404, 'gpt-4.1-mini'])
    expect(called(await gateway.chat(key.key, ask('gpt-4.1-mini')))).toEqual([200, null])
  })

  it('is the same request to the loop rule, and another to the record’s hash of it', async () => {
    const own = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
    await gateway.putPolicy(own, { loop_guard: { repeats: 2 } })
    const body = ask('gpt-4.1-mini')
    const first = await gateway.chat(own.key, body)
    const second = await gateway.chat(own.key, { ...body, model: DATED })
    expect([first.status, ...called(second)]).toEqual([200, 429, 'gpt-4.1-mini'])
    const records = await Promise.all(
      [first, second].map(async ({ headers }) => gateway.record(own, headers.get('x-aqta-attestation-id') ?? '')),
    )
    expect(records.map(({ model }) => model)).toEqual(['gpt-4.1-mini', 'gpt-4.1-mini'])
    expect(new Set(records.map(({ request_hash: hash }) => hash)).size).toBe(2)
  })

  it('is asked once where the further models name it too', async () => {
    gateway.emulator.behave('openai', ['429'])
    const response = await gateway.chat(key.key, ask('gpt-4.1-mini', { models: [DATED, 'perplexity/sonar', 'sonar'] }))
    expect(called(response)).toEqual([200, null])
    expect([response.headers.get('x-aqta-route-attempts'), sentModel()]).toEqual(['2', 'perplexity/sonar'])
  })
})
