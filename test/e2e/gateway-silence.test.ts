// Providers that are silent for long, on plain workerd: the caller hears that the answer goes on, and what fails then is told
// in an event. The provider is one that speaks when it is told to, so that nothing depends on how fast anything is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask, parseEvents } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

const MODEL = 'gpt-4.1-mini'
const COMMENT = ': keep-alive\n\n'

type Taker = { question: string; take: (response: ServerResponse) => void }

/** Hands over each request's response, in turn; nothing is answered by itself. */
async function startSilentProvider() {
  const waiting: { text: string; response: ServerResponse }[] = []
  const takers: Taker[] = []
  // As providers do, it keeps connections for longer than the runtime leaves them idle.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void hear(request, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request).catch(() => null)
    if (text === null) return
    const at = takers.findIndex(({ question }) => text.includes(question))
    const [taker] = at === -1 ? [] : takers.splice(at, 1)
    if (taker === undefined) waiting.push({ text, response })
    else taker.take(response)
  }
  function wait(taker: Taker): void {
    const at = waiting.findIndex(({ text }) => text.includes(taker.question))
    const [asked] = at === -1 ? [] : waiting.splice(at, 1)
    if (asked === undefined) takers.push(taker)
    else taker.take(asked.response)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    /** @param question that the request is to have in it */
    next: (question = '') => new Promise<ServerResponse>((take) => wait({ question, take })),
    /** Null where the caller is answered and no such request has come. */
    nextBefore: (answered: Promise<unknown>, question: string) =>
      new Promise<ServerResponse | null>((take) => {
        const taker = { question, take }
        wait(taker)
        const giveUp = (): void => {
          const at = takers.indexOf(taker)
          if (at !== -1) takers.splice(at, 1)
          take(null)
        }
        answered.then(giveUp, giveUp)
      }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

let gateway: GatewayOnWorkerd
let key: string
let provider: Awaited<ReturnType<typeof startSilentProvider>>

beforeAll(async () => {
  provider = await startSilentProvider()
  gateway = await startGatewayOnWorkerd({ OPENAI_BASE_URL: provider.url, CALLER_KEEP_ALIVE_MS: '50' })
  ;({ key } = await gateway.createKey())
})
afterAll(async () => {
  // First: the gateway does not end while a provider keeps it waiting.
  provider.close()
  await gateway.close()
})

const post = (body: object, as = key) => fetch(`${gateway.url}/v1/chat/completions`, postJson(as, body))

/** So many requests as large as this have room, of one organisation. */
const LARGE_AT_ONCE = 5
const LARGE_BYTES = 3 * 1024 * 1024

/** One that is like no other. */
function large(): object {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(LARGE_BYTES)}` } }
  const text = { type: 'text', text: crypto.randomUUID() }
  return ask(MODEL, { stream: true, messages: [{ role: 'user', content: [text, image] }] })
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ role: 'assistant', content: 'Well, ' }))
}

const end = (response: ServerResponse): void => {
  response.end(`${chunk({ content: 'yes.' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
}

/** It may have happened already. */
const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve()
    else response.once('close', resolve)
  })

/** Reads on until what was read ends like this. */
function createReader(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let read = ''
  return async (isEnd: (read: string) => boolean): Promise<string> => {
    while (!isEnd(read)) {
      const next = await reader?.read()
      if (next === undefined || next.done) break
      read += next.value
    }
    return read
  }
}

describe('a provider that is silent', () => {
  it('before its first byte and within its answer is heard of in comments between whole events', async () => {
    const answer = await post(ask(MODEL, { stream: true }))
    expect([answer.status, answer.headers.get('x-aqta-status')]).toEqual([200, 'passed'])
    const read = createReader(answer)
    const early = await read((text) => text.length >= 2 * COMMENT.length)
    expect(early).toBe(COMMENT.repeat(early.length / COMMENT.length))
    const response = await provider.next()
    begin(response)
    const silent = await read((text) => text.includes('Well') && text.endsWith(COMMENT.repeat(2)))
    expect(silent.split('\n\n').filter((event) => event !== '' && event !== ': keep-alive')).toHaveLength(1)
    end(response)
    const whole = await read(() => false)
    expect(whole).not.toContain(`${COMMENT}data: [DONE]\n\n${COMMENT}`)
    const { done, text } = parseEvents(whole)
    expect([done, text]).toEqual([true, 'Well, yes.'])
    expect(whole.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('and goes on slowly has its cost so far noted, for the case that the service ends before it does', async () => {
    const answer = await post(ask(MODEL, { stream: true }))
    const response = await provider.next()
    begin(response)
    const read = createReader(answer)
    await read((text) => text.includes('Well') && text.endsWith(COMMENT))
    response.write(chunk({ content: 'a longer text '.repeat(40) }))
    const [noted] = await until(
      'a cost is noted',
      () => gateway.costsSoFar(),
      (costs) => costs.length > 0,
    )
    end(response)
    await read(() => false)
    const settled = await gateway.settlementOf({ trace_id: answer.headers.get('x-aqta-trace-id') ?? '' })
    expect(noted).toBeGreaterThan(0)
    expect(settled.cost_microeur).toBeGreaterThanOrEqual(noted ?? Infinity)
  })

  it('and then refuses is told in an event, and is free', async () => {
    const answer = await post(ask(MODEL, { stream: true }))
    const read = createReader(answer)
    await read((text) => text.includes(COMMENT))
    const response = await provider.next()
    response.writeHead(400, { 'content-type': 'application/json' })
    const error = { message: 'zebra', type: 'invalid_request_error', param: 'messages.[0].content', code: null }
    response.end(JSON.stringify({ error }))
    const whole = await read(() => false)
    const { done, chunks } = parseEvents(whole)
    expect([done, chunks.length]).toEqual([false, 1])
    expect(chunks[0]?.error).toMatchObject({ code: 'invalid_request', param: 'messages[0].content' })
    expect(whole).not.toContain('zebra')
    expect(await gateway.settlementOf({ trace_id: answer.headers.get('x-aqta-trace-id') ?? '' })).toMatchObject({
      ended: 'failed',
      error_cause: 'refused',
      cost_microeur: 0,
    })
  })

  it('is cancelled when its caller leaves: a comment that cannot be delivered tells of it', async () => {
    const leaving = new AbortController()
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      ...postJson(key, ask(MODEL, { stream: true })),
      signal: leaving.signal,
    })
    const read = createReader(answer)
    await read((text) => text.includes(COMMENT))
    const response = await provider.next()
    leaving.abort()
    await closed(response)
    const settlement = await gateway.settlementOf({ trace_id: answer.headers.get('x-aqta-trace-id') ?? '' })
    expect(settlement).toMatchObject({ ended: 'cancelled', error_cause: 'caller' })
  })

  it('is no matter to OpenAI’s SDK, which passes over comments', async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'A silent one' }],
      stream: true,
    })
    const response = await provider.next()
    begin(response)
    let text = ''
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? ''
      if (text === 'Well, ') end(response)
    }
    expect(text).toBe('Well, yes.')
  })

  it('does not let streams that have begun take more room with their requests than there is', async () => {
    const other = await gateway.createKey()
    const sending = Array.from({ length: LARGE_AT_ONCE }, () => post(large(), other.key))
    const begun = await Promise.all(sending)
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
    expect((await post(large(), other.key)).status).toBe(503)
    const answer = async () => {
      const response = await provider.next()
      begin(response)
      end(response)
    }
    await Promise.all(begun.map(answer))
    for (const each of begun) expect(parseEvents(await each.text()).done).toBe(true)
    // Room is given back soon after the last byte is read, and not before it.
    const retry = () => post(large(), other.key)
    const another = await until('a call has memory again', retry, ({ status }) => status !== 503)
    expect(another.status).toBe(200)
    await answer()
    expect(parseEvents(await another.text()).done).toBe(true)
  })

  it('makes an answer in one piece wait, without a byte before it', async () => {
    const asked = post(ask(MODEL))
    const response = await provider.next()
    response.writeHead(200, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }]
    response.end(JSON.stringify({ id: 'c-2', object: 'chat.completion', created: 1, model: MODEL, choices }))
    const answer = await asked
    expect([answer.status, (await answer.text()).startsWith('{')]).toEqual([200, true])
  })
})

describe('a caller who gives a deadline', () => {
  const within = async (ms: string, body: object) => {
    const init = postJson(key, body)
    const sent = new Headers(init.headers)
    sent.set('x-aqta-deadline-ms', ms)
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, { ...init, headers: sent })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  /** Asks a question of its own, so that no earlier call at the provider is taken for this one. */
  const askOwn = (more: object = {}) => {
    const question = crypto.randomUUID()
    return { question, body: ask(MODEL, { ...more, messages: [{ role: 'user', content: question }] }) }
  }

  /** The answer to a call that its provider got before the deadline was over, however slow the machine is. */
  async function lateAnswer(more: { stream?: boolean }) {
    for (let ms = 1000; ; ms *= 4) {
      const { question, body } = askOwn(more)
      const asked = within(String(ms), body)
      const response = await provider.nextBefore(asked, question)
      const answer = await asked
      if (response !== null) await closed(response)
      const hasBegun = response !== null && (more.stream !== true || answer.status !== 504)
      if (hasBegun || ms > 60_000) return answer
    }
  }

  it('gets 504 when it is over, and the provider is cancelled and settled by estimate', async () => {
    const answer = await lateAnswer({})
    const { error } = JSON.parse(answer.text) as { error: { code: string } }
    const retry = answer.headers.get('x-should-retry')
    expect([answer.status, error.code, retry]).toEqual([504, 'provider_timeout', 'false'])
    expect(await gateway.settlementOf({ trace_id: answer.headers.get('x-aqta-trace-id') ?? '' })).toMatchObject({
      ended: 'failed',
      error_cause: 'deadline',
      estimated: true,
    })
  })

  it('gets an error event where the stream has begun', async () => {
    const answer = await lateAnswer({ stream: true })
    const { done, chunks } = parseEvents(answer.text)
    expect([answer.status, done, chunks.at(-1)?.error?.code]).toEqual([200, false, 'provider_timeout'])
  })

  it('may ask for more than there is: the service’s own limit stays', async () => {
    const { question, body } = askOwn()
    const asked = within('999999999', body)
    const response = await provider.next(question)
    response.writeHead(400).end()
    expect((await asked).status).toBe(400)
  })

  it.each(['999', '0', '-1', '1e9', '1000.5', '30 s', 'soon', '1'.repeat(13)])(
    'that is %s is refused by name, and nothing is sent',
    async (ms) => {
      const answer = await within(ms, ask(MODEL))
      const { error } = JSON.parse(answer.text) as { error: { code: string; param: string; message: string } }
      expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', 'x-aqta-deadline-ms'])
      expect(error.message).not.toContain(` ${ms}`)
    },
  )
})
