import { describe, expect, it, vi } from 'vitest'
import { complete, openStream, type Call } from '../../../src/providers/provider-client.ts'
import type { Runtime } from '../../../src/providers/http-exchange.ts'
import { defaultRetryPolicy } from '../../../src/providers/call-retry.policy.ts'
import { textMessage } from '../../../src/providers/chat-request.ts'
import { FramedItem } from '../../../src/providers/sse.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'
import { openai } from '../../fixtures/providers/openai.ts'
import { perplexity } from '../../fixtures/providers/perplexity.ts'
import { EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'

type Sent = { url: string; init: RequestInit }

/** A world whose time passes only by waiting, and whose provider answers what it is told, last answer for ever. */
function world(...answers: ((sent: Sent) => Response | Promise<Response>)[]) {
  const sent: Sent[] = []
  const waits: number[] = []
  let now = 0
  const runtime: Runtime = {
    now: () => now,
    random: () => 0.5,
    after(delayMs, action) {
      // Deadlines are long here and never fire; a pause between attempts is short and passes at once.
      if (delayMs >= 1_000) return () => undefined
      waits.push(delayMs)
      now += delayMs
      queueMicrotask(action)
      return () => undefined
    },
    fetch: async (url, init) => {
      const request = { url, init }
      sent.push(request)
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      if (answer === undefined) throw new Error('no answer')
      return answer(request)
    },
  }
  const call: Call = {
    provider: { baseUrl: 'https://provider.test/', apiKey: 'k-zebra' },
    model: modelNamed('gpt-4.1-mini'),
    request: { messages: [textMessage('user', 'Hello')] },
    signal: new AbortController().signal,
    deadlines: { headersMs: 6_000, silenceMs: 6_000, totalMs: 10_000 },
    runtime,
  }
  return { sent, waits, call }
}

function refuseConnection(): never {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
}

/** Time that passes when told to, running what is due. */
function createClock() {
  let now = 0
  const timers = new Map<symbol, { at: number; action: () => void }>()
  return {
    pending: () => timers.size,
    advance(ms: number) {
      now += ms
      for (const [timer, { at, action }] of timers) {
        if (at > now) continue
        timers.delete(timer)
        action()
      }
    },
    runtime: {
      now: () => now,
      after(delayMs: number, action: () => void) {
        const timer = Symbol(String(delayMs))
        timers.set(timer, { at: now + delayMs, action })
        return () => void timers.delete(timer)
      },
    },
  }
}

const json = (body: unknown, init: ResponseInit = {}) => Response.json(body, init)
const busy = (headers: Record<string, string> = {}) => json({ error: { message: 'zebra' } }, { status: 429, headers })

const eventStream = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/event-stream' } })

describe('complete', () => {
  it('answers with what was said, the provider’s request id, and the body where it speaks the standard', async () => {
    const { call, sent } = world(() => json(openai.answer, { headers: { 'x-request-id': 'req_1' } }))
    const completion = await complete(call)
    expect(completion).toMatchObject({ ok: true, upstreamRequestId: 'req_1', attempts: 1, ms: 0 })
    expect(completion.ok && completion.answer.choices[0]?.text).toBe('Grüße 👋')
    expect(completion.ok && completion.passedBody).toEqual(openai.answer)
    expect(sent[0]?.url).toBe('https://provider.test/v1/chat/completions')
  })

  it('carries the key in a header and follows no redirect, which would take it elsewhere', async () => {
    for (const { model } of Object.values(MATERIAL)) {
      const { call, sent } = world(
        () => new Response(null, { status: 302, headers: { location: 'https://evil.test' } }),
      )
      const completion = await complete({ ...call, model })
      expect(completion).toMatchObject({ ok: false, failure: { upstreamStatus: 302, retryable: false } })
      expect(sent).toHaveLength(1)
      expect(sent[0]?.url).not.toContain('k-zebra')
      expect(sent[0]?.init.redirect).toBe('manual')
      expect(JSON.stringify(sent[0]?.init.headers)).toContain('k-zebra')
    }
  })

  it('keeps what a run that failed says it has used', async () => {
    const { call } = world(() => json({ ...perplexity.answer, status: 'failed' }))
    const completion = await complete({ ...call, model: modelNamed('sonar') })
    expect(completion).toMatchObject({
      ok: false,
      failure: { cause: 'error_event', billed: 'maybe' },
      usage: { cacheRead: 40, outputVisible: 30, feesMicrousd: 5_000 },
    })
  })

  it('sends nothing that the model does not support', async () => {
    const { call, sent } = world()
    const completion = await complete({ ...call, request: { ...call.request, n: 99 } })
    expect(completion).toMatchObject({ ok: false, failure: { kind: 'unsupported', param: 'n', billed: 'no' } })
    expect(sent).toHaveLength(0)
  })

  it('sends nothing when the caller has already left', async () => {
    const { call, sent } = world()
    const completion = await complete({ ...call, signal: AbortSignal.abort() })
    expect(completion).toMatchObject({ ok: false, failure: { kind: 'cancelled', billed: 'no' } })
    expect(sent).toHaveLength(0)
  })

  it('sends nothing when the time is over before', async () => {
    const { call, sent } = world()
    const completion = await complete({ ...call, deadlines: { ...call.deadlines, totalMs: 0 } })
    expect(completion).toMatchObject({ ok: false, attempts: 0, failure: { cause: 'deadline', billed: 'no' } })
    expect(sent).toHaveLength(0)
  })

  it.each([
    ['had it at an attempt before, though nobody is there at the last', [() => busy(), refuseConnection], true],
    ['was never there', [refuseConnection], false],
  ])('tells whether the provider %s', async (_, answers, isReached) => {
    const { call } = world(...answers)
    expect(await complete(call)).toMatchObject({ attempts: 3, failure: { cause: 'unreachable', isReached } })
  })

  it('tells that the provider had it where the caller leaves, or time is up, before the next attempt', async () => {
    const leaving = new AbortController()
    const { call } = world(() => {
      queueMicrotask(() => leaving.abort())
      return busy()
    })
    const left = await complete({ ...call, signal: leaving.signal })
    expect(left).toMatchObject({ attempts: 1, failure: { cause: 'caller', billed: 'no', isReached: true } })
    const before = await complete({ ...call, signal: AbortSignal.abort() })
    expect(before).toMatchObject({ failure: { cause: 'caller', isReached: false } })
  })

  it('tells what a refusal is about', async () => {
    const error = { code: 'context_length_exceeded', param: 'messages', message: 'zebra' }
    const { call, sent } = world(() => json({ error }, { status: 400, headers: { 'x-request-id': 'req_2' } }))
    const completion = await complete(call)
    const failure = { cause: 'refused', billed: 'no', rejection: { reason: 'too_long', member: 'messages' } }
    expect(completion).toMatchObject({ ok: false, attempts: 1, failure: { ...failure, upstreamRequestId: 'req_2' } })
    expect(JSON.stringify(completion)).not.toContain('zebra')
    expect(sent).toHaveLength(1)
  })

  it('waits five seconds for the body of an error, which its status tells as well', async () => {
    const clock = createClock()
    const { call } = world()
    const asked = Promise.withResolvers<void>()
    const body = new ReadableStream({ type: 'bytes', pull: () => asked.resolve() }, { highWaterMark: 0 })
    const fetch = async () => new Response(body, { status: 400 })
    const completing = complete({ ...call, runtime: { ...clock.runtime, random: () => 0, fetch } })
    await asked.promise
    clock.advance(4_999)
    clock.advance(1)
    expect(await completing).toMatchObject({ ok: false, failure: { cause: 'refused', billed: 'no' } })
    expect(clock.pending()).toBe(0)
  })

  it('tries again while the provider is busy, no sooner than asked', async () => {
    const { call, sent, waits } = world(
      () => busy({ 'retry-after': '0.7' }),
      () => busy(),
      () => json(openai.answer),
    )
    expect(await complete(call)).toMatchObject({ ok: true, attempts: 3, ms: 950 })
    expect(waits).toEqual([700, 250])
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1)
  })

  it('gives up after the last try, and says how long to wait', async () => {
    const { call, sent } = world(() => busy({ 'retry-after-ms': '300' }))
    expect(await complete(call)).toMatchObject({
      ok: false,
      attempts: 3,
      failure: { retryable: true, billed: 'no', upstreamStatus: 429, retryAfterMs: 300 },
    })
    expect(sent).toHaveLength(3)
  })

  it('adds its waits up, and gives up rather than wait longer than it may in all', async () => {
    const { call, waits } = world(() => busy({ 'retry-after': '0.7' }))
    const retry = { ...defaultRetryPolicy, retries: 9, mostWaitedMs: 2_500 }
    expect(await complete({ ...call, retry })).toMatchObject({ ok: false, attempts: 4, ms: 2_100 })
    expect(waits).toEqual([700, 700, 700])
  })

  it('does not begin to wait for longer than five seconds, and says how long it was asked to', async () => {
    const absurd = world(() => busy({ 'retry-after': '840' }))
    const failure = { retryable: true, billed: 'no', retryAfterMs: 840_000 }
    expect(await complete(absurd.call)).toMatchObject({ ok: false, attempts: 1, ms: 0, failure })
  })

  it('does not wait beyond the deadline', async () => {
    const { call, sent } = world(() => busy({ 'retry-after': '11' }))
    expect(await complete(call)).toMatchObject({ ok: false, attempts: 1, failure: { retryAfterMs: 11_000 } })
    expect(sent).toHaveLength(1)
  })

  it.each([500, 502, 504])('never repeats a %i, which may have been billed', async (status) => {
    const { call, sent } = world(() => new Response('<html>zebra</html>', { status }))
    expect(await complete(call)).toMatchObject({ ok: false, failure: { billed: 'maybe', retryable: false } })
    expect(sent).toHaveLength(1)
  })

  it('takes HTML, broken JSON and an empty body for no answer', async () => {
    for (const body of ['<html>zebra</html>', '{"choices":[', '', 'null', '"zebra"']) {
      const { call, sent } = world(() => new Response(body))
      const completion = await complete(call)
      expect(completion).toMatchObject({ ok: false, failure: { kind: 'invalid_answer', billed: 'maybe' } })
      expect(JSON.stringify(completion)).not.toContain('zebra')
      expect(sent).toHaveLength(1)
    }
  })

  it('does not take an odd request id into the logs', async () => {
    const { call } = world(() => json(openai.answer, { headers: { 'x-request-id': 'a b?key=zebra' } }))
    expect(await complete(call)).toMatchObject({ ok: true, upstreamRequestId: null })
  })

  it('lets go of every body, also of a long error it does not read to the end', async () => {
    let cancelled = false
    const endless = new ReadableStream({
      type: 'bytes',
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
      cancel: () => {
        cancelled = true
      },
    })
    const { call } = world(() => new Response(endless, { status: 500 }))
    expect(await complete(call)).toMatchObject({ ok: false, failure: { upstreamStatus: 500 } })
    expect(cancelled).toBe(true)
  })

  it('does not read an answer without end', async () => {
    const endless = new ReadableStream({ type: 'bytes', pull: (to) => to.enqueue(new Uint8Array(1_000_000)) })
    const { call } = world(() => new Response(endless))
    expect(await complete(call)).toMatchObject({ ok: false, failure: { cause: 'too_large', kind: 'invalid_answer' } })
  })
})

describe('openStream', () => {
  it.each(EACH_PROVIDER)('%s: passes on every byte beside what it means', async (provider, { model, stream }) => {
    const { call } = world(() => eventStream(stream))
    const opened = await openStream({ ...call, model })
    if (!opened.ok) throw new Error('not opened')
    const items = (await Array.fromAsync(opened.batches)).flat()
    const bytes = items.flatMap((item) => [...item.raw])
    expect(new TextDecoder().decode(Uint8Array.from(bytes))).toBe(stream)
    expect(items.flatMap((item) => item.events).at(-1)).toEqual({ type: 'end' })
    expect(opened.isPassed).toBe(provider === 'openai')
  })

  it('decodes no piece of text that its reader does not read', async () => {
    const decoded = vi.spyOn(FramedItem.prototype, 'events', 'get')
    const { call } = world(() => eventStream(openai.stream))
    const opened = await openStream(call)
    if (!opened.ok) throw new Error('not opened')
    const items = (await Array.fromAsync(opened.batches)).flat()
    expect(items.some((item) => item instanceof FramedItem)).toBe(true)
    expect(decoded).not.toHaveBeenCalled()
    decoded.mockRestore()
  })

  it('asks for a stream even where the request did not', async () => {
    const { call, sent } = world(() => eventStream(openai.stream))
    const opened = await openStream(call)
    if (opened.ok) await opened.batches.return()
    expect(await new Response(sent[0]?.init.body).text()).toContain('"stream":true')
  })

  it('cancels the upstream when its reader leaves early (every disconnect leaked a generation)', async () => {
    let cancelled = false
    const source = new ReadableStream({
      type: 'bytes',
      pull: (controller) => controller.enqueue(new TextEncoder().encode(': ping\n\n')),
      cancel: () => {
        cancelled = true
      },
    })
    const { call } = world(() => eventStream(source))
    const opened = await openStream(call)
    if (!opened.ok) throw new Error('not opened')
    for await (const batch of opened.batches) if (batch.length > 0) break
    expect(cancelled).toBe(true)
  })

  describe('behind the end of a whole answer', () => {
    const KIB = 1024

    /** A provider that has sent a whole answer and goes on as told; the world's time is the clock's. */
    async function open(goOn: (to: ReadableByteStreamController) => void) {
      const clock = createClock()
      const { call } = world()
      const provider = { isCancelled: false, pulls: 0 }
      const body = new ReadableStream(
        {
          type: 'bytes',
          start: (to) => to.enqueue(new TextEncoder().encode(openai.stream)),
          pull(to) {
            provider.pulls += 1
            goOn(to)
          },
          cancel: () => void (provider.isCancelled = true),
        },
        { highWaterMark: 0 },
      )
      const caller = new AbortController()
      const runtime: Runtime = { ...clock.runtime, random: () => 0, fetch: async () => eventStream(body) }
      const opened = await openStream({ ...call, runtime, signal: caller.signal })
      if (!opened.ok) throw new Error('not opened')
      const closed = { is: false }
      void opened.closed.then(() => (closed.is = true))
      const items = (await Array.fromAsync(opened.batches)).flat()
      expect(items.at(-1)?.events).toEqual([{ type: 'end' }])
      await settled()
      return { clock, provider, caller, closed }
    }

    /** A read may wait for a turn of the event loop. */
    async function settled(): Promise<void> {
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0))
    }

    it('the rest is read and thrown away, and nothing is cancelled', async () => {
      let sent = 0
      const { clock, provider, closed } = await open((to) => {
        sent += 1
        if (sent === 64) to.close()
        else to.enqueue(new Uint8Array(KIB))
      })
      expect([closed.is, provider.isCancelled, sent]).toEqual([true, false, 64])
      expect(clock.pending()).toBe(0)
    })

    it('no more than 64 KiB and one read are taken: then the provider is cancelled', async () => {
      const { clock, provider, closed } = await open((to) => to.enqueue(new Uint8Array(KIB)))
      expect([closed.is, provider.isCancelled, provider.pulls]).toEqual([true, true, 65])
      expect(clock.pending()).toBe(0)
    })

    it('a provider that does not close is cancelled after a second, and its reader has not waited', async () => {
      const { clock, provider, closed } = await open(() => undefined)
      clock.advance(999)
      await settled()
      expect([closed.is, provider.isCancelled]).toEqual([false, false])
      clock.advance(1)
      await settled()
      expect([closed.is, provider.isCancelled, clock.pending()]).toEqual([true, true, 0])
    })

    it('a provider that drips is cancelled after a second as well', async () => {
      let drip = (): void => undefined
      const { clock, provider, closed } = await open((to) => {
        drip = () => to.enqueue(new Uint8Array(1))
      })
      for (let ms = 0; ms < 1_000; ms += 100) {
        expect(closed.is).toBe(false)
        drip()
        clock.advance(100)
        await settled()
      }
      expect([closed.is, provider.isCancelled, clock.pending()]).toEqual([true, true, 0])
    })

    it('it is cancelled at once where the caller leaves', async () => {
      const { clock, provider, caller, closed } = await open(() => undefined)
      caller.abort()
      await settled()
      expect([closed.is, provider.isCancelled, clock.pending()]).toEqual([true, true, 0])
    })
  })

  it('tries again before the first byte only', async () => {
    const { call, sent } = world(
      () => busy(),
      () => eventStream(openai.stream.slice(0, 300)),
    )
    const opened = await openStream(call)
    expect(opened).toMatchObject({ ok: true, attempts: 2 })
    const items = opened.ok ? (await Array.fromAsync(opened.batches)).flat() : []
    expect(items.at(-1)?.events.at(-1)).toMatchObject({ type: 'failed', failure: { cause: 'cut', billed: 'maybe' } })
    expect(sent).toHaveLength(2)
  })

  it('takes anything but an event stream for no answer', async () => {
    for (const response of [() => json(openai.answer), () => new Response('<html>')]) {
      expect(await openStream(world(response).call)).toMatchObject({ ok: false, failure: { kind: 'invalid_answer' } })
    }
  })

  it('counts only the provider’s silence, not the time a slow reader takes', async () => {
    const clock = createClock()
    const { call } = world()
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    const runtime: Runtime = { ...clock.runtime, random: () => 0, fetch: async () => eventStream(readable) }
    const opened = await openStream({ ...call, runtime, deadlines: { ...call.deadlines, totalMs: 1_000_000 } })
    if (!opened.ok) throw new Error('not opened')
    const [first = '', second = ''] = openai.stream.split(/(?<=\n\n)/)

    void writer.write(new TextEncoder().encode(first))
    expect((await opened.batches.next()).value).toHaveLength(1)
    clock.advance(60_000)
    void writer.write(new TextEncoder().encode(second))
    expect((await opened.batches.next()).value).toMatchObject([{ events: [{ type: 'text' }] }])

    const waiting = opened.batches.next()
    clock.advance(call.deadlines.silenceMs - 1)
    clock.advance(1)
    expect((await waiting).value).toMatchObject([{ events: [{ type: 'failed', failure: { cause: 'silence' } }] }])
    expect(await opened.batches.next()).toMatchObject({ done: true })
    expect(clock.pending()).toBe(0)
  })
})
