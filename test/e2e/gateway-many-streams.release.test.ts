// Many calls at once, on plain workerd: none that is read as it comes is refused for room, and the one too many before it is
// recorded or sent.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { POOL_LIMITS } from '../../src/gateway/memory/memory-pool.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask } from '../support/e2e/gateway.ts'

let gateway: GatewayOnWorkerd

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
})
afterAll(async () => {
  await gateway.emulator.close() // what waits for its provider would keep the server from stopping
  await gateway.close()
})

async function answerOf(key: string): Promise<string> {
  const messages = [{ role: 'user', content: `Question ${crypto.randomUUID()}` }]
  const asked = postJson(key, ask('gpt-4.1-mini', { stream: true, messages }))
  const response = await fetch(`${gateway.url}/v1/chat/completions`, asked)
  return `${response.status} ${(await response.text()).slice(-14).trim()}`
}

/** How many requests have reached the provider since all was reset. */
const reached = (): number => Number(gateway.emulator.requests().at(-1)?.serial ?? 0)

it('500 quick streams of one organisation at once are all answered', async () => {
  const { key } = await gateway.createKey()
  gateway.emulator.behave('openai', Array<string>(500).fill('until-released'))
  const asked = Array.from({ length: 500 }, () => answerOf(key))
  await expect.poll(reached, { timeout: 200_000 }).toBe(500)
  gateway.emulator.release()
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['200 data: [DONE]']))
})

describe('an organisation with as many calls as it may have at once', () => {
  let busy: string
  const askOnce = (key: string) => fetch(`${gateway.url}/v1/chat/completions`, postJson(key, ask('gpt-4.1-mini')))

  beforeAll(async () => {
    ;({ key: busy } = await gateway.createKey())
    gateway.emulator.reset()
    gateway.emulator.behave('openai', Array<string>(POOL_LIMITS.ownerAnswers).fill('never'))
    for (let n = 0; n < POOL_LIMITS.ownerAnswers; n++) answerOf(busy).catch(() => undefined)
    await vi.waitUntil(() => reached() === POOL_LIMITS.ownerAnswers, { timeout: 200_000 })
  })

  it('is refused one more before it is recorded or sent, and may repeat it', async () => {
    const response = await askOnce(busy)
    const { status, headers } = response
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '5', null])
    expect(headers.get('x-aqta-trace-id')).toBeNull()
    expect(await response.json()).toMatchObject({
      error: {
        code: 'service_unavailable',
        retry_after: 5,
        message: expect.stringMatching(/Too many answers/) as string,
      },
    })
    expect(reached()).toBe(POOL_LIMITS.ownerAnswers)
  })

  it('keeps no other organisation from being answered', async () => {
    const { key } = await gateway.createKey()
    expect((await askOnce(key)).status).toBe(200)
  })
})
