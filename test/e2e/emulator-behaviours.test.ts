// The model emulator misbehaving on request, reading letters by its keyword table, and remembering what it saw.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { REFUSAL_TEXT } from '../../scripts/emulator/answer.ts'
import { BEHAVIOURS } from '../../scripts/emulator/behaviours.ts'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import {
  ALL,
  at,
  createClient,
  dataOf,
  DIALECTS,
  GEMINI,
  parsed,
  rawChunks,
  textAt,
  textOf,
} from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'

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
      await call('google', {}, { at: `/google${GEMINI}--429:generateContent` }),
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

  it('joins several, and refuses one it does not know or that has too many arguments', async () => {
    const text = await (await stream('openai', {}, { behave: 'crlf+comments+chars,30' })).text()
    expect(text).toMatch(/^: emulator\r\n\r\ndata: /)
    expect(textOf('openai', dataOf(text))).toHaveLength(30)
    expect((await call('openai', {}, { behave: 'explode' })).status).toBe(400)
    expect((await call('openai', {}, { behave: 'slow,1,2,3' })).status).toBe(400)
    expect(() => emulator.behave('openai', ['explode'])).toThrow('unknown behaviour')
  })

  it('is driven from another process over loopback', async () => {
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`${emulator.url}/_emulator/${path}`, { method: 'POST', body: JSON.stringify(body) })
    expect((await post('behave', { provider: 'openai', behaviours: ['401', '403'] })).status).toBe(200)
    expect((await call('openai')).status).toBe(401)
    const seen: unknown = await (await fetch(`${emulator.url}/_emulator/requests?wait=idle`)).json()
    expect(seen).toMatchObject({ requests: [{ provider: 'openai', status: 401, behaviour: '401', state: 'finished' }] })
    expect((await post('reset', {})).status).toBe(200)
    expect((await call('openai')).status).toBe(200)
    expect((await post('behave', { provider: 'other', behaviours: [] })).status).toBe(400)
    expect((await post('behave', { provider: 'openai', behaviours: ['explode'] })).status).toBe(400)
    expect((await post('other', {})).status).toBe(404)
  })

  it('misbehaves at random in the same way for the same seed', async () => {
    const first = await chaosOf(7, 40)
    expect(await chaosOf(7, 40)).toEqual(first)
    expect(await chaosOf(8, 40)).not.toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(5)
  })

  it('is documented, every one', async () => {
    const page = await readFile(new URL('../../docs/emulator.md', import.meta.url), 'utf8')
    for (const [usage] of BEHAVIOURS) expect(page).toContain(`\`${usage.split(' ')[0]}\``)
  })
})

describe('errors', () => {
  it.each<[Dialect, number, Body]>([
    ['openai', 403, { error: { type: 'invalid_request_error' } }],
    ['openai', 500, { error: { type: 'server_error' } }],
    ['anthropic', 429, { type: 'error', error: { type: 'rate_limit_error' } }],
    ['anthropic', 500, { type: 'error', error: { type: 'api_error' } }],
    ['anthropic', 529, { type: 'error', error: { type: 'overloaded_error' } }],
    ['google', 401, { error: { code: 401, status: 'UNAUTHENTICATED' } }],
    ['google', 503, { error: { code: 503, status: 'UNAVAILABLE' } }],
    ['agent', 429, { error: { type: 'rate_limit_exceeded', code: 429 } }],
  ])('%s: answers %d in its own shape', async (dialect, status, shape) => {
    const answer = await call(dialect, {}, { behave: `${status}` })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-emulator')).toBe('countersign')
    expect(await answer.json()).toMatchObject(shape)
  })

  it('says when to come back: in a header, and at Google in a detail', async () => {
    expect((await call('openai', {}, { behave: '429,7' })).headers.get('retry-after')).toBe('7')
    expect((await call('anthropic', {}, { behave: '429' })).headers.get('retry-after')).toBe('1')
    expect(await json('google', {}, { behave: '429,7' })).toMatchObject({ error: { details: [{ retryDelay: '7s' }] } })
  })

  it('wraps Google errors in an array on request', async () => {
    expect(await json('google', {}, { behave: '503,array' })).toMatchObject([{ error: { code: 503 } }])
  })

  it('sends an HTML page and a JSON body that stops half-way', async () => {
    const page = await call('openai', {}, { behave: 'html,504' })
    expect([page.status, page.headers.get('content-type')]).toEqual([504, 'text/html; charset=utf-8'])
    const broken = await (await call('openai', {}, { behave: 'malformed' })).text()
    expect(() => parsed(broken)).toThrow(SyntaxError)
  })

  it('sends one broken event and goes on', async () => {
    const text = await (await stream('openai', {}, { behave: 'malformed,2' })).text()
    expect(() => dataOf(text)).toThrow(SyntaxError)
    expect(text).toContain('data: [DONE]')
  })

  it.each<[Dialect, Body]>([
    ['openai', { error: { type: 'server_error' } }],
    ['anthropic', { type: 'error', error: { type: 'overloaded_error' } }],
    ['google', { error: { code: 503 } }],
    ['agent', { type: 'response.failed', error: { type: 'server_error' } }],
  ])('%s: fails in the middle of a stream in its own way, and with a 500 without one', async (dialect, shape) => {
    const items = await events(dialect, {}, { behave: 'mid-error,2' })
    expect(items).toHaveLength(3)
    expect(items.at(-1)).toMatchObject(shape)
    expect((await call(dialect, {}, { behave: 'mid-error' })).status).toBe(500)
  })
})

describe('broken and odd transport', () => {
  it.each(ALL)('%s: breaks the connection inside an event or a body', async (dialect) => {
    await expect((await stream(dialect, {}, { behave: 'cut,2' })).text()).rejects.toThrow('terminated')
    await expect((await call(dialect, {}, { behave: 'cut' })).text()).rejects.toThrow('terminated')
    await emulator.idle()
    expect(emulator.requests().map((request) => request.state)).toEqual(['broken', 'broken'])
  })

  it('ends a stream early as if nothing were missing', async () => {
    const items = await events('openai', {}, { behave: 'truncate,2' })
    expect(items).toHaveLength(2)
    expect(items.every((item) => at(item, 'choices.0.finish_reason') === null)).toBe(true)
  })

  it.each(ALL)('%s: breaks chunks inside characters, and the whole is still right', async (dialect) => {
    const strict = new TextDecoder('utf-8', { fatal: true })
    const streamed = dialect === 'google' ? {} : { stream: true }
    for (const more of [{}, streamed]) {
      const chunks = await rawChunks(emulator.url, dialect, 'split', more)
      expect(() => chunks.map((chunk) => strict.decode(chunk))).toThrow(TypeError)
      expect(Buffer.concat(chunks).toString('utf8')).toContain('漢')
    }
  })

  it('puts comments, and at Anthropic pings, between events', async () => {
    const text = await (await stream('anthropic', {}, { behave: 'comments' })).text()
    expect(text.match(/^: emulator$/gm)?.length).toBeGreaterThan(5)
    expect(text.match(/^event: ping$/gm)?.length).toBeGreaterThan(5)
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
    const unlimited = await events('agent', {}, { behave: 'huge,1500000' })
    expect(Math.max(...unlimited.map((item) => textAt(item, 'delta').length))).toBe(1_500_000)
  })
})

describe('odd answers', () => {
  const USAGE_AT = { openai: 'usage', anthropic: 'usage', google: 'usageMetadata', agent: 'usage' }

  it.each(ALL)('%s: leaves usage out, or counts nothing', async (dialect) => {
    expect(at(await json(dialect, {}, { behave: 'no-usage' }), USAGE_AT[dialect])).toBeUndefined()
    const streamed = await events(dialect, {}, { behave: 'no-usage' })
    expect(JSON.stringify(streamed)).not.toMatch(/usage/i)
    const zero = JSON.stringify(at(await json(dialect, {}, { behave: 'zero-usage' }), USAGE_AT[dialect]))
    expect(zero).toMatch(/okens?(?:Count)?":0/)
    expect(zero).not.toMatch(/okens?(?:Count)?":[1-9]/)
  })

  it.each<[Dialect, (item: unknown) => unknown]>([
    ['openai', (item) => at(item, 'usage.total_tokens')],
    ['anthropic', (item) => (at(item, 'type') === 'message_delta' ? at(item, 'usage') : undefined)],
    ['google', (item) => (at(item, 'candidates') === undefined ? at(item, 'usageMetadata') : undefined)],
    ['agent', (item) => at(item, 'response.usage')],
  ])('%s: sends final usage twice', async (dialect, usageIn) => {
    const more = dialect === 'openai' ? { stream_options: { include_usage: true } } : {}
    const count = async (behave: string): Promise<number> =>
      (await events(dialect, more, { behave })).filter((item) => usageIn(item) !== undefined).length
    expect((await count('double-usage')) - (await count('ok'))).toBe(1)
  })

  it.each(ALL)('%s: answers with nothing in it, and without a role', async (dialect) => {
    expect(at(await json(dialect, {}, { behave: 'empty-choices' }), DIALECTS[dialect].text)).toBeUndefined()
    expect(textOf(dialect, await events(dialect, {}, { behave: 'empty-choices' }))).toBe('')
    expect(JSON.stringify(await json(dialect, {}, { behave: 'no-role' }))).not.toContain('"role"')
    expect(JSON.stringify(await events(dialect, {}, { behave: 'no-role' }))).not.toContain('"role"')
  })

  it.each<[Dialect, string, Body]>([
    ['openai', 'refusal', { choices: [{ finish_reason: 'stop', message: { content: null, refusal: REFUSAL_TEXT } }] }],
    ['openai', 'content-filter', { choices: [{ finish_reason: 'content_filter' }] }],
    ['openai', 'length', { choices: [{ finish_reason: 'length' }] }],
    ['anthropic', 'refusal', { stop_reason: 'refusal' }],
    ['anthropic', 'length', { stop_reason: 'max_tokens' }],
    ['anthropic', 'finish,pause_turn', { stop_reason: 'pause_turn' }],
    ['google', 'content-filter', { candidates: [{ finishReason: 'SAFETY' }] }],
    ['google', 'content-filter,prompt', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
    ['google', 'finish,MALFORMED_FUNCTION_CALL', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }],
    ['agent', 'content-filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ])('%s: ends with %s', async (dialect, behave, shape) => {
    const body = await json(dialect, {}, { behave })
    expect(body).toMatchObject(shape)
  })

  it('calls a tool that nobody asked for', async () => {
    const body = await json('openai', {}, { behave: 'tool-call,2' })
    expect(at(body, 'choices.0.message.tool_calls')).toHaveLength(2)
  })
})

describe('what is remembered', () => {
  it('keeps bodies but no key, and notes a key that was sent in the URL', async () => {
    await call('anthropic', { messages: [{ role: 'user', content: 'marked letter' }] }, { key: 'emulator-marked-key' })
    await call('google', {}, { at: `/google${GEMINI}:generateContent?key=emulator-marked-key` })
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
