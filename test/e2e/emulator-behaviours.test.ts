// How the emulator is asked for a behaviour, those of time and of the connection, and what it remembers.

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { EMULATED } from '../fixtures/providers/index.ts'
import { GEMINI } from '../fixtures/providers/google.ts'
import { at, createClient, rawChunks, textAt, textOf } from './emulator-client.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ record: true })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())
const { call, stream, json, events } = createClient(() => emulator.url)

/** The behaviours that so many requests meet in the chaos of a seed. */
async function chaosOf(chaosSeed: number, requests: number): Promise<string[]> {
  const chaotic = await startEmulator({ chaosSeed, record: true, holdLimitMs: 1 })
  const client = createClient(() => chaotic.url)
  for (let index = 0; index < requests; index += 1) {
    await client
      .call('openai')
      .then((response) => response.text())
      .catch(() => '')
  }
  const asked = chaotic.requests().map((request) => request.behaviour)
  await chaotic.close()
  return asked
}

describe('asking for a behaviour', () => {
  it('takes it from the header, the base URL, the model name or the queue', async () => {
    const statuses = [
      await call('openai', {}, { behave: '500' }),
      await call('openai', {}, { at: '/openai/_behave/503/v1/chat/completions' }),
      await call('openai', { model: 'gpt-4.1-mini--529' }),
      await call('google', {}, { at: `${GEMINI}--429:generateContent` }),
    ].map((response) => response.status)
    expect(statuses).toEqual([500, 503, 529, 429])
  })

  it('takes one queued behaviour for each request of that provider, before any other', async () => {
    emulator.behave('openai', ['500', 'ok'])
    const openai = { at: '/openai/_behave/503/v1/chat/completions' }
    const anthropic = await call('anthropic')
    const statuses = [
      await call('openai', {}, openai),
      await call('openai', {}, openai),
      await call('openai', {}, openai),
    ]
    expect([anthropic, ...statuses].map((response) => response.status)).toEqual([200, 500, 200, 503])
  })

  it('refuses one that it does not know or that has too many arguments', async () => {
    expect((await call('openai', {}, { behave: 'explode' })).status).toBe(400)
    expect((await call('openai', {}, { behave: 'slow,1,2,3' })).status).toBe(400)
    expect(() => emulator.behave('openai', ['explode'])).toThrow('unknown behaviour')
  })

  it('is driven from another process over loopback', async () => {
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`${emulator.url}/_emulator/${path}`, { method: 'POST', body: JSON.stringify(body) })
    expect((await post('behave', { endpoint: 'openai', behaviours: ['401', '403'] })).status).toBe(200)
    expect((await call('openai')).status).toBe(401)
    const seen: unknown = await (await fetch(`${emulator.url}/_emulator/requests?wait=idle`)).json()
    expect(seen).toMatchObject({ requests: [{ endpoint: 'openai', status: 401, behaviour: '401', state: 'finished' }] })
    expect((await post('reset', {})).status).toBe(200)
    expect((await call('openai')).status).toBe(200)
    expect((await post('behave', { endpoint: 'other', behaviours: [] })).status).toBe(400)
    expect((await post('behave', { endpoint: 'openai', behaviours: ['explode'] })).status).toBe(400)
    expect((await post('other', {})).status).toBe(404)
  })

  it('misbehaves at random in the same way for the same seed', async () => {
    const first = await chaosOf(7, 40)
    expect(await chaosOf(7, 40)).toEqual(first)
    expect(await chaosOf(8, 40)).not.toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(5)
  })
})

describe('broken and odd transport', () => {
  it.each(EMULATED)('%s: breaks the connection inside an event or a body', async (provider) => {
    await expect((await stream(provider, {}, { behave: 'cut,2' })).text()).rejects.toThrow('terminated')
    await expect((await call(provider, {}, { behave: 'cut' })).text()).rejects.toThrow('terminated')
    await emulator.idle()
    expect(emulator.requests().map((request) => request.state)).toEqual(['broken', 'broken'])
  })

  it.each(EMULATED)('%s: breaks chunks inside characters, and the whole is still right', async (provider) => {
    const strict = new TextDecoder('utf-8', { fatal: true })
    const streamed = provider === 'google' ? {} : { stream: true }
    for (const more of [{}, streamed]) {
      const chunks = await rawChunks(emulator.url, provider, 'split', more)
      expect(() => chunks.map((chunk) => strict.decode(chunk))).toThrow(TypeError)
      expect(Buffer.concat(chunks).toString('utf8')).toContain('漢')
    }
  })

  it('holds back headers, a body, or pieces of it until the caller leaves, and notes that it left', async () => {
    const leave = new AbortController()
    const waiting = call('openai', {}, { behave: 'never', signal: leave.signal })
    const silent = await stream('anthropic', {}, { behave: 'silent', signal: leave.signal })
    expect(silent.status).toBe(200)
    const slow = await stream('google', {}, { behave: 'slow-body,60000', signal: leave.signal })
    const reader = slow.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    leave.abort()
    await expect(waiting).rejects.toThrow('aborted')
    await emulator.idle()
    const seen = emulator.requests().map(({ state, status, eventsSent }) => ({ state, status, eventsSent }))
    expect(seen).toContainEqual({ state: 'cancelled', status: null, eventsSent: 0 })
    expect(seen).toContainEqual({ state: 'cancelled', status: 200, eventsSent: 0 })
    expect(seen).toContainEqual({ state: 'cancelled', status: 200, eventsSent: 1 })
  })

  it('keeps a slow request waiting for its headers while others are answered', async () => {
    const leave = new AbortController()
    const slow = call('openai', {}, { behave: 'slow,60000', signal: leave.signal })
    const plain = await call('openai', {}, { behave: 'slow,1' })
    expect(plain.status).toBe(200)
    leave.abort()
    await expect(slow).rejects.toThrow('aborted')
    await emulator.idle()
    const seen = emulator.requests().map(({ behaviour, state, status }) => ({ behaviour, state, status }))
    expect(seen).not.toContainEqual({ behaviour: 'slow,60000', state: 'finished', status: 200 })
    expect(seen).toContainEqual({ behaviour: 'slow,1', state: 'finished', status: 200 })
  })

  it('waits for its release, from another process too, and again after a reset', async () => {
    const waiting = call('openai', {}, { behave: 'until-released' })
    const leave = new AbortController()
    const left = call('openai', {}, { behave: 'until-released', signal: leave.signal })
    expect((await call('openai')).status).toBe(200)
    leave.abort()
    await expect(left).rejects.toThrow('aborted')
    expect((await fetch(`${emulator.url}/_emulator/release`, { method: 'POST' })).status).toBe(200)
    expect((await waiting).status).toBe(200)
    expect((await call('openai', {}, { behave: 'until-released' })).status).toBe(200)
    emulator.reset()
    const again = call('openai', {}, { behave: 'until-released' })
    await expect.poll(() => emulator.requests().length).toBe(1)
    expect((await call('openai')).status).toBe(200)
    expect(emulator.requests().map(({ state }) => state)).toEqual(['open', 'finished'])
    emulator.release()
    expect((await again).status).toBe(200)
  })

  it('breaks off what nobody releases after its own limit', async () => {
    const impatient = await startEmulator({ record: true, holdLimitMs: 1 })
    onTestFinished(() => impatient.close())
    const answer = createClient(() => impatient.url).call('openai', {}, { behave: 'until-released' })
    await expect(answer).rejects.toThrow()
    await impatient.idle()
    expect(impatient.requests()).toMatchObject([{ state: 'broken', status: null }])
  })

  it('sends a JSON body in quarters', async () => {
    const chunks = await rawChunks(emulator.url, 'openai', 'slow-body,1')
    expect(chunks).toHaveLength(4)
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ object: 'chat.completion' })
  })

  it('streams as many events as asked for, or one that is huge', async () => {
    const many = await events('openai', { stream_options: { include_usage: true } }, { behave: 'stream,300,0' })
    expect(many.filter((item) => at(item, 'choices.0.delta.content'))).toHaveLength(300)
    expect(many.at(-2)).toMatchObject({ usage: { completion_tokens: 300 } })
    const huge = await events('anthropic', {}, { behave: 'huge,1500000' })
    const texts = huge.map((item) => textAt(item, 'delta.text').length)
    expect(Math.max(...texts)).toBe(4000)
    const unlimited = await events('perplexity', {}, { behave: 'huge,1500000' })
    expect(Math.max(...unlimited.map((item) => textAt(item, 'delta').length))).toBe(1_500_000)
  })
})

describe('what is remembered', () => {
  it('keeps bodies but no key, and notes a key that was sent in the URL', async () => {
    await call('anthropic', { messages: [{ role: 'user', content: 'marked letter' }] }, { key: 'emulator-marked-key' })
    await call('google', {}, { at: `${GEMINI}:generateContent?key=emulator-marked-key` })
    const [first, second] = emulator.requests()
    expect(first).toMatchObject({ headers: { 'x-api-key': '[removed]' }, path: '/v1/messages', keyInUrl: false })
    expect(first?.body).toContain('marked letter')
    expect(second?.keyInUrl).toBe(true)
    expect(JSON.stringify(emulator.requests())).not.toContain('marked-key')
  })

  it('is nothing unless it was asked to', async () => {
    const plain = await startEmulator()
    await createClient(() => plain.url).json('openai')
    expect(plain.requests()).toEqual([])
    await plain.close()
  })
})

describe('silences', () => {
  it.each(EMULATED)('%s: says nothing for a while, and then everything', async (provider, emulated) => {
    const whole = await json(provider, {}, { behave: 'silent,1' })
    const plain = at(whole, emulated.text)
    expect(plain).toEqual(expect.stringContaining('emulator'))
    expect(textOf(provider, await events(provider, {}, { behave: 'silent,1' }))).toBe(plain)
    expect(textOf(provider, await events(provider, {}, { behave: 'pause,2,1' }))).toBe(plain)
  })

  it('sends its headers before a silence, and so many events before a pause', async () => {
    const leave = new AbortController()
    const options = { signal: leave.signal }
    const silent = await stream('openai', {}, { ...options, behave: 'silent,60000' })
    const paused = await stream('openai', {}, { ...options, behave: 'pause,3,60000' })
    const reader = paused.body?.getReader()
    let text = ''
    while (text.split('data: ').length <= 3) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString()
    }
    leave.abort()
    await emulator.idle()
    const seen = emulator.requests().map(({ state, status, eventsSent }) => ({ state, status, eventsSent }))
    expect([silent.status, paused.status]).toEqual([200, 200])
    expect(seen).toEqual([
      { state: 'cancelled', status: 200, eventsSent: 0 },
      { state: 'cancelled', status: 200, eventsSent: 3 },
    ])
  })
})
