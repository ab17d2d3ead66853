// The model that a provider names as the one that answered: in `aqta` of both formats, and in the settlement.
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
