// Several operators change one organisation at the same time, over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, startGateway, type Gateway } from '../support/e2e/gateway.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

it('a provider that was disabled stays disabled, whatever else is changed with it', async () => {
  const { key, organisationId } = await gateway.createKey({ tier: 'enterprise', requests_per_minute: 30_000 })
  const path = `/organisations/${organisationId}`
  const set = (change: object) => gateway.service.operate<{ enabled_providers: string[] }>('PATCH', path, change)
  for (let round = 1; round <= 40; round += 1) {
    await set({ enabled_providers: ['openai'] })
    await Promise.all([
      set({ enabled_providers: [] }),
      set({ name: `Round ${round}` }),
      set({ monthly_budget_eur: round }),
      set({ default_max_tokens: round }),
    ])
    const expected = {
      enabled_providers: [],
      name: `Round ${round}`,
      monthly_budget_eur: round,
      default_max_tokens: round,
    }
    expect(await gateway.service.operate('GET', path)).toMatchObject(expected)
    const { data } = await gateway.service.operate<{ data: object[] }>('GET', '/organisations')
    expect(data).toMatchObject([expected])
  }
  expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(403)
})
