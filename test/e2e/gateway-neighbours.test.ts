// One caller never stops the others, on plain workerd: answers and bodies whose pieces are always there, and scans of a megabyte.
// Requests of others are counted beside them, because how long each takes depends on the machine.
import { request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReadyProvider, type ReadyProvider } from '../../scripts/bench/neighbours/ready-provider.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask, parseEvents } from '../support/e2e/gateway.ts'

let provider: ReadyProvider
let gateway: GatewayOnWorkerd
let key: string
let neighbour: string

beforeAll(async () => {
  provider = await startReadyProvider()
  const addresses = { OPENAI_BASE_URL: provider.url, GOOGLE_BASE_URL: provider.url }
  gateway = await startGatewayOnWorkerd({ ...addresses, CALLER_KEEP_ALIVE_MS: '50' })
  ;({ key } = await gateway.createKey({ scopes: ['chat', 'manage'] }))
  ;({ key: neighbour } = await gateway.createKey())
})
afterAll(async () => {
  // First: the gateway does not end while a provider keeps it waiting.
  provider.close()
  await gateway.close()
})

const post = (as: string, content: string, more: object = {}): Promise<Response> =>
  fetch(
    `${gateway.url}/v1/chat/completions`,
    postJson(as, ask('gpt-4.1-mini', { ...more, messages: [{ role: 'user', content }] })),
  )

/** Returns the text of a stream of a model, and how many events with text it had. */
async function streamed(model: string, content: string): Promise<{ done: boolean; texts: number }> {
  const { done, chunks } = parseEvents(await (await post(key, content, { model, stream: true })).text())
  return { done, texts: chunks.filter(({ choices }) => choices[0]?.delta.content === 'word ').length }
}

async function health(): Promise<void> {
  const response = await fetch(`${gateway.url}/healthz`)
  await response.text()
}

async function chat(): Promise<void> {
  const response = await post(neighbour, `hello ${crypto.randomUUID()}`)
  expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  // Its rate is 300 a minute.
  await sleep(20)
}

/** Sends requests one after the other until `work` ends, at most `most`. Returns how many were answered meanwhile. */
async function countBeside(send: () => Promise<void>, work: Promise<unknown>, most = 100): Promise<number> {
  let isOver = false
  void work.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  let count = 0
  while (count < most) {
    await send()
    if (isOver) break
    count += 1
  }
  await work
  return count
}

describe('beside answers whose pieces are always there', () => {
  it.each([
    ['three streams with an event a piece', 'gpt-4.1-mini', 'ready,8000,1', 8_000],
    ['three dense streams', 'gpt-4.1-mini', 'ready,60000,100', 60_000],
    ['three translated streams', 'gemini-3.8-flash', 'ready,6000,1', 6_001],
  ])('others are answered: %s', async (_, model, content, texts) => {
    const silent = await post(neighbour, 'silent', { stream: true })
    const reader = silent.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    let comments = 0
    const listen = async (): Promise<void> => {
      const { value = '' } = (await reader?.read()) ?? {}
      if (value.includes(': keep-alive')) comments += 1
    }
    const floods = Promise.all(Array.from({ length: 3 }, () => streamed(model, content)))
    const [healths, chats] = await Promise.all([
      countBeside(health, floods),
      countBeside(chat, floods, 10),
      countBeside(listen, floods),
    ])
    await reader?.cancel()
    expect(healths).toBeGreaterThan(20)
    expect(chats).toBeGreaterThan(5)
    expect(comments).toBeGreaterThan(3)
    expect(await floods).toEqual([1, 2, 3].map(() => ({ done: true, texts })))
  })

  it('others are answered: whole answers in many pieces', async () => {
    const answers = Array.from({ length: 3 }, async () => (await post(key, 'pieces,10000')).json())
    expect(await countBeside(health, Promise.all(answers))).toBeGreaterThan(20)
    expect((await answers[0]) as object).toMatchObject({ choices: [{ message: { content: 'x'.repeat(10_000) } }] })
  })
})

/** Posts a body in pieces, each a chunk of its own. Resolves to the status. */
function postInPieces(count: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sending = openRequest(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0))
  })
  sending.on('error', reject)
  for (let piece = 0; piece < count; piece += 1) sending.write(' ')
  sending.end()
  return promise
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

it('a body in tiny pieces takes no longer than many small requests', async () => {
  const requestsMs = await timeOf(async () => {
    for (let request = 0; request < 400; request += 1) await health()
  })
  const bodyMs = await timeOf(async () => expect(await postInPieces(40_000)).toBe(400))
  expect(bodyMs).toBeLessThan(requestsMs)
})

/** Sends requests at once on one connection. Resolves when all are answered. */
async function pipeline(count: number): Promise<void> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count))
  let answers = 0
  for await (const bytes of socket) {
    answers += String(bytes).split('HTTP/1.1 200').length - 1
    if (answers >= count - 1) break
  }
}

it('beside requests that wait on one connection others are answered', async () => {
  expect(await countBeside(health, pipeline(5_000))).toBeGreaterThan(20)
})

it.each(['(01)', 'one two three '])('beside a scan of a megabyte of %j others are answered', async (unit) => {
  const policy = { pii_scan: { default: 'redact' }, prompt_injection_guard: { action: 'block' } }
  const put = await fetch(`${gateway.url}/api/policies`, { ...postJson(key, policy), method: 'PUT' })
  expect(put.status).toBe(200)
  // No message has more than a million characters.
  const scanned = post(key, unit.repeat(1e6 / unit.length)).then((response) => response.json())
  expect(await countBeside(health, scanned)).toBeGreaterThan(20)
  expect(await scanned).toMatchObject({ object: 'chat.completion' })
})
