// The provider client against real sockets: deadlines, silence, cuts and repeats, with deadlines of milliseconds.
import { gzipSync } from 'node:zlib'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StreamEvent } from '../../src/providers/chat-answer.ts'
import { complete, openStream, type Call } from '../../src/providers/provider-client.ts'
import { systemRuntime } from '../../src/providers/http-exchange.ts'
import { textMessage } from '../../src/providers/chat-request.ts'
import { modelNamed } from '../fixtures/providers/models.ts'
import { openai } from '../fixtures/providers/openai.ts'

const SHORT_MS = 50
const LONG_MS = 20_000
/** How long a busy provider asks its client to wait: no deadline is exactly this. */
const ASKED_WAIT_MS = 5_000

/** Time that passes once something has happened, however long that takes. */
const timeSince = (happened: Promise<void>): typeof systemRuntime => ({
  ...systemRuntime,
  after(delayMs, action) {
    let isCancelled = false
    const perform = (): void => {
      if (!isCancelled) action()
    }
    const starting = happened.then(() => systemRuntime.after(delayMs, perform))
    return () => {
      isCancelled = true
      void starting.then((cancel) => cancel())
    }
  },
})

/** A provider that answers as told; counts requests, and tells when it was asked and when a client hung up. */
async function provider(answer: RequestListener) {
  let requests = 0
  const asked = Promise.withResolvers<void>()
  const hungUp = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    requests += 1
    asked.resolve()
    response.on('close', () => {
      if (!response.writableFinished) hungUp.resolve()
    })
    request.resume()
    request.on('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    /** For deadlines that are to pass while the provider has the request, not on the way to it. */
    sinceAsked: timeSince(asked.promise),
    hungUp: hungUp.promise,
    server,
  }
}

function callTo(baseUrl: string, deadlines: Partial<Call['deadlines']> = {}, rest: Partial<Call> = {}): Call {
  return {
    provider: { baseUrl, apiKey: 'k' },
    model: modelNamed('gpt-4.1-mini'),
    request: { messages: [textMessage('user', 'Hello')] },
    signal: new AbortController().signal,
    deadlines: { headersMs: LONG_MS, silenceMs: LONG_MS, totalMs: LONG_MS, ...deadlines },
    retry: { retries: 2, baseMs: 1, capMs: 5, mostWaitedMs: ASKED_WAIT_MS },
    ...rest,
  }
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const startStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

const greet: RequestListener = (_, response) => void startStream(response).write(': hello\n\n')

async function openedStream(call: Call) {
  const opened = await openStream(call)
  if (!opened.ok) throw new Error(`not opened: ${opened.failure.kind}`)
  return opened
}

const eventsIn = async ({ batches }: Awaited<ReturnType<typeof openedStream>>): Promise<StreamEvent[]> =>
  (await Array.fromAsync(batches)).flat().flatMap((item) => item.events)

const eventsOf = async (call: Call): Promise<StreamEvent[]> => eventsIn(await openedStream(call))

/** The caller leaves once the client waits for its next try; what is left of a deadline is no such wait. */
const whenPausing = (caller: AbortController): typeof systemRuntime => ({
  ...systemRuntime,
  after(delayMs, action) {
    if (delayMs === ASKED_WAIT_MS) setImmediate(() => caller.abort())
    return systemRuntime.after(delayMs, action)
  },
})

const MIB = 1024 * 1024

/** How an answer begins, of which more is to come. */
type Begin = (response: ServerResponse, sent?: () => void) => void

const beginWith =
  (headers: Record<string, string>): Begin =>
  (response, sent) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).write('{"id":', sent)

const BEGUN: [string, Begin][] = [
  ['its length untold', beginWith({})],
  ['its length told', beginWith({ 'content-length': '60000' })],
]

const HALF = Math.floor(openai.stream.length / 2)

describe('a completion over HTTP', () => {
  it('is answered', async () => {
    const { baseUrl, requests } = await provider((_, response) => json(response, 200, openai.answer))
    expect(await complete(callTo(baseUrl))).toMatchObject({ ok: true, attempts: 1 })
    expect(requests()).toBe(1)
  })

  it('times out when no headers come, and hangs up', async () => {
    const { baseUrl, requests, sinceAsked, hungUp } = await provider(() => undefined)
    expect(await complete(callTo(baseUrl, { headersMs: SHORT_MS }, { runtime: sinceAsked }))).toMatchObject({
      ok: false,
      failure: { kind: 'timeout', cause: 'no_headers', billed: 'maybe', retryable: false },
    })
    await hungUp
    expect(requests()).toBe(1)
  })

  it.each(BEGUN)('times out when the body falls silent, %s', async (_, begin) => {
    const { baseUrl, hungUp } = await provider((__, response) => begin(response))
    expect(await complete(callTo(baseUrl, { silenceMs: SHORT_MS }))).toMatchObject({
      ok: false,
      failure: { kind: 'timeout', cause: 'silence', billed: 'maybe', upstreamStatus: 200 },
    })
    await hungUp
  })

  it.each(BEGUN)('times out as a whole, though bytes keep coming, %s', async (_, begin) => {
    const { baseUrl, sinceAsked, hungUp } = await provider((__, response) => {
      begin(response)
      const drip = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(drip))
    })
    expect(await complete(callTo(baseUrl, { totalMs: 2 * SHORT_MS }, { runtime: sinceAsked }))).toMatchObject({
      ok: false,
      failure: { kind: 'timeout', cause: 'deadline' },
    })
    await hungUp
  })

  it.each(BEGUN)('is cut when the connection breaks within the body, and not repeated, %s', async (_, begin) => {
    const { baseUrl, requests } = await provider((__, response) => begin(response, () => response.destroy()))
    expect(await complete(callTo(baseUrl))).toMatchObject({
      ok: false,
      failure: { kind: 'provider_error', cause: 'cut', billed: 'maybe', retryable: false },
    })
    expect(requests()).toBe(1)
  })

  it.each(BEGUN)('ends when the caller leaves within the body, and hangs up, %s', async (_, begin) => {
    const caller = new AbortController()
    const { baseUrl, hungUp } = await provider((__, response) => begin(response, () => caller.abort()))
    expect(await complete(callTo(baseUrl, {}, { signal: caller.signal }))).toMatchObject({
      ok: false,
      failure: { kind: 'cancelled', cause: 'caller', billed: 'maybe' },
    })
    await hungUp
  })

  it.each([10, 100_000])(
    'is read as one of the length it is told to have, whatever follows: %i letters',
    async (letters) => {
      const choices = [{ index: 0, message: { content: 'é'.repeat(letters) }, finish_reason: 'stop' }]
      const bytes = Buffer.from(JSON.stringify({ ...openai.answer, choices }))
      const { baseUrl } = await provider((_, response) => {
        response.writeHead(200, { 'content-length': bytes.length }).end(Buffer.concat([bytes, Buffer.alloc(MIB, ' ')]))
      })
      expect(await complete(callTo(baseUrl))).toMatchObject({
        ok: true,
        answer: { choices: [{ text: 'é'.repeat(letters) }] },
      })
    },
  )

  it('is bounded by what it unpacks to, not by the length it is told to have', async () => {
    const packed = gzipSync(Buffer.alloc(9 * MIB, ' '))
    const { baseUrl } = await provider((_, response) => {
      response.writeHead(200, { 'content-length': packed.length, 'content-encoding': 'gzip' }).end(packed)
    })
    expect(await complete(callTo(baseUrl))).toMatchObject({ ok: false, failure: { cause: 'too_large' } })
  })

  it.each([10, 100_000])('is not read where there is no room for it: %i letters', async (letters) => {
    const { baseUrl } = await provider((_, response) =>
      json(response, 200, { ...openai.answer, id: 'a'.repeat(letters) }),
    )
    const asked: number[] = []
    const hasRoom = (bytes: number) => asked.push(bytes) === 0
    expect(await complete(callTo(baseUrl, {}, { hasRoom }))).toMatchObject({ ok: false, failure: { cause: 'no_room' } })
    expect(asked).toHaveLength(1)
  })

  it('is cut when the connection breaks before any answer, and not repeated: it may have been billed', async () => {
    const { baseUrl, requests } = await provider((_, response) => response.destroy())
    expect(await complete(callTo(baseUrl))).toMatchObject({ ok: false, failure: { cause: 'cut', billed: 'maybe' } })
    expect(requests()).toBe(1)
  })

  it.each([429, 503, 529])('is repeated after a %i until it is answered', async (status) => {
    let turn = 0
    const { baseUrl, requests } = await provider((_, response) => {
      turn += 1
      if (turn < 3) json(response, status, { error: { message: 'busy' } }, { 'retry-after-ms': '2' })
      else json(response, 200, openai.answer)
    })
    expect(await complete(callTo(baseUrl))).toMatchObject({ ok: true, attempts: 3 })
    expect(requests()).toBe(3)
  })

  it.each([400, 401, 500])('is not repeated after a %i', async (status) => {
    const { baseUrl, requests } = await provider((_, response) => json(response, status, { error: {} }))
    expect(await complete(callTo(baseUrl))).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { upstreamStatus: status },
    })
    expect(requests()).toBe(1)
  })

  it('is not repeated when the wait would keep its caller waiting', async () => {
    const { baseUrl, requests } = await provider((_, response) => json(response, 429, {}, { 'retry-after': '60' }))
    expect(await complete(callTo(baseUrl))).toMatchObject({ ok: false, failure: { retryAfterMs: 60_000 } })
    expect(requests()).toBe(1)
  })

  it('is repeated when the connection is refused, since nothing was sent', async () => {
    const { baseUrl, server } = await provider(() => undefined)
    await new Promise((resolve) => {
      server.close(resolve)
    })
    expect(await complete(callTo(baseUrl))).toMatchObject({
      ok: false,
      attempts: 3,
      failure: { cause: 'unreachable', billed: 'no', retryable: true },
    })
  })

  it('ends at once when the caller leaves, while waiting for the answer or for the next try', async () => {
    const leaving = new AbortController()
    const silent = await provider(() => leaving.abort())
    const waiting = complete(callTo(silent.baseUrl, {}, { signal: leaving.signal }))
    expect(await waiting).toMatchObject({ ok: false, failure: { kind: 'cancelled', billed: 'maybe' } })
    await silent.hungUp

    const patient = new AbortController()
    const busy = await provider((_, response) => json(response, 429, {}, { 'retry-after-ms': String(ASKED_WAIT_MS) }))
    const pausing = complete(callTo(busy.baseUrl, {}, { signal: patient.signal, runtime: whenPausing(patient) }))
    expect(await pausing).toMatchObject({ ok: false, attempts: 1, failure: { kind: 'cancelled', billed: 'no' } })
    expect(busy.requests()).toBe(1)
  })

  it('leaves no timer and no listener behind', async () => {
    const { baseUrl } = await provider((_, response) => json(response, 200, openai.answer))
    const open = new Set<symbol>()
    const runtime = {
      ...systemRuntime,
      after(delayMs: number, action: () => void) {
        const timer = Symbol(String(delayMs))
        open.add(timer)
        const cancel = systemRuntime.after(delayMs, () => {
          open.delete(timer)
          action()
        })
        return () => {
          open.delete(timer)
          cancel()
        }
      },
    }
    await complete(callTo(baseUrl, {}, { runtime }))
    const streaming = await provider((_, to) => startStream(to).end(openai.stream))
    const opened = await openedStream(callTo(streaming.baseUrl, {}, { runtime }))
    await eventsIn(opened)
    await opened.closed
    expect([...open]).toEqual([])
  })
})

describe('a stream over HTTP', () => {
  it('is read to its end, however it is cut into pieces', async () => {
    const bytes = Buffer.from(openai.stream)
    const { baseUrl } = await provider((_, response) => {
      startStream(response)
      for (const byte of bytes) response.write(Buffer.of(byte))
      response.end()
    })
    const events = await eventsOf(callTo(baseUrl))
    expect(events.filter((event) => event.type === 'text')).toMatchObject([{ text: 'Grüße ' }, { text: '👋' }])
    expect(events.at(-1)).toEqual({ type: 'end' })
  })

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['breaks off', (response) => response.write(openai.stream.slice(0, HALF), () => response.destroy())],
    ['ends too soon', (response) => response.end(openai.stream.slice(0, HALF))],
  ])('that %s ends in a failure, not as if it were complete', async (_, send) => {
    const { baseUrl, requests } = await provider((__, response) => send(startStream(response)))
    const events = await eventsOf(callTo(baseUrl))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'provider_error', cause: 'cut' } })
    expect(requests()).toBe(1)
  })

  it('that falls silent ends in a time-out, and hangs up', async () => {
    const { baseUrl, hungUp } = await provider((_, response) => {
      startStream(response).write(openai.stream.slice(0, HALF))
    })
    const events = await eventsOf(callTo(baseUrl, { silenceMs: SHORT_MS }))
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout', cause: 'silence' } })
    await hungUp
  })

  it('that goes on and on behind its end is whole, and its provider is hung up on', async () => {
    const { baseUrl, hungUp } = await provider((_, response) => {
      startStream(response).write(openai.stream)
      response.write(Buffer.alloc(1024 * 1024, '\n'))
    })
    const opened = await openedStream(callTo(baseUrl))
    expect((await eventsIn(opened)).at(-1)).toEqual({ type: 'end' })
    await opened.closed
    await hungUp
  })

  it('hangs up on the provider when its reader leaves, or its caller does', async () => {
    const left = await provider(greet)
    const opened = await openedStream(callTo(left.baseUrl))
    for await (const batch of opened.batches) if (batch.length > 0) break
    await left.hungUp

    const abandoned = await provider(greet)
    const caller = new AbortController()
    const stream = await openedStream(callTo(abandoned.baseUrl, {}, { signal: caller.signal }))
    caller.abort()
    expect((await eventsIn(stream)).at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'cancelled' } })
    await abandoned.hungUp
  })
})
