// Callers who leave before there is an answer, on plain workerd.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask } from '../support/e2e/gateway.ts'

let gateway: GatewayOnWorkerd

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
})
afterAll(() => gateway.close())

const post = (key: string, body: object, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, { ...postJson(key, body), ...init })

describe('a caller who leaves before the answer', () => {
  it.each([false, true])('does not make its cost disappear (stream: %s)', async (stream) => {
    const { key, id } = await gateway.createKey()
    gateway.emulator.reset()
    gateway.emulator.behave('openai', ['slow,600'])
    const leaving = new AbortController()
    const asked = post(key, ask('gpt-4.1-mini', { stream }), { signal: leaving.signal }).catch(() => 'left')
    while (gateway.emulator.requests().length === 0) await new Promise(setImmediate)
    leaving.abort()
    expect(await asked).toBe('left')
    await gateway.emulator.idle()
    const settlement = await gateway.settlementOf({ key_id: id })
    expect(settlement.cost_microeur).toBeGreaterThan(0)
    expect(['completed', 'cancelled']).toContain(settlement.ended)
  })
})
