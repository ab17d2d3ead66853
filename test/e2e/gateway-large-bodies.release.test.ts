// More large requests at once than one isolate has room for, on plain workerd: the one too many is refused and says so,
// small ones go on, and the room comes back however a call ends.
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

const BODY_BYTES = 4 * 1024 * 1024
/** So many of the largest bodies of one organisation have room. */
const AT_ONCE = 4

let gateway: GatewayOnWorkerd
let key: string

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
  ;({ key } = await gateway.createKey())
})
afterAll(async () => {
  await gateway.emulator.close() // what waits for its provider would keep the server from stopping
  await gateway.close()
})

const withImage = (text: string, data: string, more: object): object => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
  return ask('gpt-4.1-mini', { messages: [{ role: 'user', content: [{ type: 'text', text }, image] }], ...more })
}

/** As large as a body may be, and none like another. */
function largest(more: object = {}): object {
  const text = `Question ${crypto.randomUUID()}`
  const rest = JSON.stringify(withImage(text, '', more)).length
  return withImage(text, 'A'.repeat(Math.floor((BODY_BYTES - rest) / 4) * 4), more)
}

const post = (body: object) => fetch(`${gateway.url}/v1/chat/completions`, postJson(key, body))

async function outcomeOf(sending: Promise<Response>): Promise<string> {
  const response = await sending
  const text = await response.text()
  return response.ok ? 'answered' : `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1]}`
}

const untilAnswered = (): Promise<string> =>
  until(
    'memory is free again',
    () => outcomeOf(post(largest())),
    (outcome) => outcome === 'answered',
  )

/** How many requests have reached the provider. The emulator keeps only the last of so large ones. */
const reached = (): number => Number(gateway.emulator.requests().at(-1)?.serial ?? 0)

/** Returns the status of a request that sends its headers and none of its body. */
async function statusBeforeBody(as: string, bytes: number): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', 'content-length': bytes }
  const sending = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  sending.flushHeaders()
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  sending.destroy()
  return response.statusCode
}

/** A sender that stops half-way through a body of the largest size. */
function sendHalf(as = key): ClientRequest {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', 'content-length': BODY_BYTES }
  const sending = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  sending.write(' '.repeat(BODY_BYTES / 2))
  return sending
}

describe('the room comes back', () => {
  it('when calls are answered, at once where they are streams', async () => {
    for (let n = 0; n < AT_ONCE / 2 + 1; n++) {
      gateway.emulator.behave('openai', ['silent', 'ok'])
      expect((await post(largest({ stream: true }))).status).toBe(200)
      expect(await outcomeOf(post(largest()))).toBe('answered')
    }
  })

  it('when calls are refused for what is in them, or fail', async () => {
    gateway.emulator.behave('openai', Array<string>(AT_ONCE).fill('500'))
    for (let n = 0; n < AT_ONCE / 2 + 1; n++) {
      expect(await outcomeOf(post(largest({ n: 'x' })))).toBe('400 invalid_request')
      expect(await outcomeOf(post(largest()))).toBe('502 provider_error')
    }
  })

  it('when senders leave in the middle of their bodies', async () => {
    const senders: ClientRequest[] = []
    const fill = () => {
      for (let n = 0; n < AT_ONCE; n++) senders.push(sendHalf())
      return outcomeOf(post(largest()))
    }
    await until('memory is full', fill, (outcome) => outcome === '503 service_unavailable')
    for (const sender of senders) sender.destroy()
    await untilAnswered()
  })
})

it('senders who stop half-way, of two organisations, keep no third one’s answer from it', async () => {
  const others = await Promise.all([gateway.createKey(), gateway.createKey()])
  const senders: ClientRequest[] = []
  const fill = () => {
    for (const other of others) for (let n = 0; n < AT_ONCE; n++) senders.push(sendHalf(other.key))
    return outcomeOf(post(largest()))
  }
  await until('memory is full', fill, (outcome) => outcome === '503 service_unavailable')
  gateway.emulator.reset()
  gateway.emulator.behave('openai', ['chars,200000'])
  expect(await outcomeOf(post(ask('gpt-4.1-mini')))).toBe('answered')
  for (const sender of senders) sender.destroy()
  await untilAnswered()
})

describe('a large request that has no room', () => {
  beforeAll(async () => {
    gateway.emulator.reset()
    gateway.emulator.behave('openai', Array<string>(AT_ONCE).fill('never'))
    for (let n = 0; n < AT_ONCE; n++) post(largest()).catch(() => undefined)
    await until('the provider has them all', reached, (count) => count === AT_ONCE)
  })

  it('is a 503 that may be repeated, says when, and reaches nobody', async () => {
    const response = await post(largest())
    const { status, headers } = response
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, '5', null])
    expect(await response.json()).toMatchObject({
      error: {
        code: 'service_unavailable',
        type: 'api_error',
        retry_after: 5,
        message: expect.stringContaining('large requests') as string,
      },
    })
    expect(reached()).toBe(AT_ONCE)
  })

  it('is outranked by a bad key and by its size', async () => {
    expect(await statusBeforeBody(`aqta_${'1'.repeat(89)}`, BODY_BYTES)).toBe(401)
    expect(await statusBeforeBody(key, BODY_BYTES + 1)).toBe(413)
  })

  it('leaves small ones alone', async () => {
    expect(await outcomeOf(post(ask('gpt-4.1-mini')))).toBe('answered')
  })
})
