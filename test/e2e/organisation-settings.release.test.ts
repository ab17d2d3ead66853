// Operators and an owner change one organisation at the same time, over HTTP; and its data is exported.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, startGateway, type StartedGateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'

let gateway: StartedGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

it('a provider that was disabled stays disabled, whatever else is changed with it', async () => {
  const { key, organisationId } = await gateway.createKey({ tier: 'enterprise', requests_per_minute: 30_000 })
  const path = `/organisations/${organisationId}`
  const owner = await signInAs(gateway.service, organisationId, 'owner')
  const settle = async (change: object): Promise<void> => {
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    const changed = await gateway.service.fetch('/api/settings', {
      method: 'PATCH',
      headers,
      body: JSON.stringify(change),
    })
    expect(changed.status).toBe(200)
  }
  const set = (change: object) => gateway.service.operate<{ enabled_providers: string[] }>('PATCH', path, change)
  for (let round = 1; round <= 40; round += 1) {
    await set({ enabled_providers: ['openai'] })
    await Promise.all([
      set({ enabled_providers: [] }),
      set({ name: `Round ${round}` }),
      set({ monthly_budget_eur: round }),
      set({ default_max_tokens: round }),
      settle({ retention_days: round + 7 }),
    ])
    const expected = {
      enabled_providers: [],
      name: `Round ${round}`,
      monthly_budget_eur: round,
      default_max_tokens: round,
      retention_days: round + 7,
    }
    expect(await gateway.service.operate('GET', path)).toMatchObject(expected)
    const { data } = await gateway.service.operate<{ data: object[] }>('GET', '/organisations')
    expect(data).toMatchObject([expected])
  }
  expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(403)
})

it('an export has the records that callers got, and nobody reads it as whole that is cut', async () => {
  const { key, organisationId } = await gateway.createKey()
  const answer = await gateway.chat(key, ask('gpt-4.1-mini'))
  const { aqta } = (await answer.json()) as { aqta: { attestation: object } }
  const { headers } = await signInAs(gateway.service, organisationId, 'auditor')
  const response = await gateway.service.fetch('/api/settings/export', { headers })
  const exported = (await response.json()) as { receipts: { record: object }[]; complete: boolean }
  expect(exported.receipts.map(({ record }) => record)).toEqual([aqta.attestation])
  expect(exported.complete).toBe(true)
  const table = await gateway.service.fetch('/api/settings/export?format=csv&section=receipts', { headers })
  const [header = '', row = '', end = ''] = (await table.text()).split('\r\n')
  expect([header.split(',')[0], row.split(',').length, end.split(',').slice(0, 2)]).toEqual([
    'id',
    14,
    ['complete', '1'],
  ])
})
