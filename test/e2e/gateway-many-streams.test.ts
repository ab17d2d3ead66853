// Many streams at once that are read as they come, on plain workerd: none is refused for room.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask } from '../support/e2e/gateway.ts'

let gateway: GatewayOnWorkerd

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
})
afterAll(() => gateway.close())

async function answerOf(key: string): Promise<string> {
  const messages = [{ role: 'user', content: `Question ${crypto.randomUUID()}` }]
  const asked = postJson(key, ask('gpt-4.1-mini', { stream: true, messages }))
  const response = await fetch(`${gateway.url}/v1/chat/completions`, asked)
  return `${response.status} ${(await response.text()).slice(-14).trim()}`
}

it('500 quick streams of one organisation at once are all answered', async () => {
  const { key } = await gateway.createKey()
  gateway.emulator.behave('openai', Array<string>(500).fill('slow,1000')) // until all of them are there
  const answers = await Promise.all(Array.from({ length: 500 }, () => answerOf(key)))
  expect(new Set(answers)).toEqual(new Set(['200 data: [DONE]']))
})
