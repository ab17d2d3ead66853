// The emulated prompt caches: what a marked prompt writes at first and reads when it comes again, to the token, and the
// marks that Anthropic refuses.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { at, createClient, GEMINI } from './emulator-client.ts'
import type { Body } from './emulator-client.ts'
import { readAs } from './emulator-reading.ts'

let emulator: Emulator
let now = 0
beforeAll(async () => {
  emulator = await startEmulator({ now: () => now })
})
afterAll(() => emulator.close())
beforeEach(() => {
  now = 0
  emulator.reset()
})
const { json, events } = createClient(() => emulator.url)

const MINUTE = 60_000
/** Text of so many tokens. */
const tokens = (count: number, letter = 'a'): string => letter.repeat(count * 4)
const block = (text: string, mark?: Body): Body => ({ type: 'text', text, ...(mark && { cache_control: mark }) })
const FIVE_MINUTES = { type: 'ephemeral' }
const HOUR = { type: 'ephemeral', ttl: '1h' }
const ask = (...content: Body[]): Body => ({ role: 'user', content })
const opus = (more: Body): Body => ({ model: 'claude-opus-5', ...more })
const asked = (more: Body, key?: string): Promise<unknown> =>
  json('anthropic', opus({ messages: [ask(block(tokens(10)))], ...more }), key === undefined ? {} : { key })

describe('anthropic', () => {
  it('writes a marked beginning at first, and reads it when it comes again', async () => {
    const marked = { system: [block(tokens(600), FIVE_MINUTES)] }
    expect(at(await asked(marked), 'usage')).toMatchObject({
      input_tokens: 10,
      cache_creation_input_tokens: 600,
      cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 0 },
      cache_read_input_tokens: 0,
    })
    const other = { ...marked, messages: [ask(block(tokens(20, 'b')))] }
    const usage = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 600 }
    expect(at(await asked(other), 'usage')).toMatchObject(usage)
    const streamed = await events('anthropic', opus(other))
    expect(at(streamed[0], 'message.usage')).toMatchObject({ ...usage, cache_creation: {} })
    expect(at(streamed.at(-2), 'usage')).toMatchObject(usage)
    expect(at(streamed.at(-2), 'usage.cache_creation')).toBeUndefined()
  })

  it('tells apart what is kept for an hour and what for five minutes', async () => {
    const marked = { system: [block(tokens(600), HOUR), block(tokens(100, 'b'), FIVE_MINUTES)] }
    expect(at(await asked(marked), 'usage')).toMatchObject({
      input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 600 },
    })
    now = 6 * MINUTE
    expect(at(await asked(marked), 'usage')).toMatchObject({
      cache_read_input_tokens: 600,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
    })
    now = 5 * 60 * MINUTE
    expect(at(await asked(marked), 'usage')).toMatchObject({ cache_read_input_tokens: 0 })
  })

  it('reads the turns of a conversation that grows, and writes only what is new', async () => {
    const first = ask(block(tokens(600), FIVE_MINUTES))
    const answer = { role: 'assistant', content: [block(tokens(30, 'b'))] }
    await asked({ messages: [first] })
    const unmarked = ask(block(tokens(600)))
    const grown = [unmarked, answer, ask(block(tokens(50, 'c'), FIVE_MINUTES))]
    expect(at(await asked({ messages: grown }), 'usage')).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 80,
    })
  })

  it('marks the end by a mark on the whole request', async () => {
    const whole = { cache_control: FIVE_MINUTES, system: tokens(600) }
    expect(at(await asked(whole), 'usage.cache_creation_input_tokens')).toBe(610)
    expect(at(await asked(whole), 'usage.cache_read_input_tokens')).toBe(610)
  })

  it.each<[string, Body, string?]>([
    ['another key', {}, 'emulator-other'],
    ['another model', { model: 'claude-sonnet-5' }],
    ['another tool before it', { tools: [{ name: 'look', input_schema: { type: 'object' } }] }],
    ['another text in it', { system: [block(tokens(1200, 'b'), FIVE_MINUTES)] }],
  ])('reads nothing for %s', async (_case, more, key) => {
    const marked = { system: [block(tokens(1200), FIVE_MINUTES)] }
    await asked(marked)
    const usage = at(await asked({ ...marked, ...more }, key), 'usage')
    expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 1200 })
  })

  it.each([
    ['claude-opus-5', 512],
    ['claude-sonnet-5', 1024],
    ['claude-haiku-4-5', 4096],
  ])('%s: caches nothing shorter than %d tokens, and says nothing of it', async (model, least) => {
    const written = async (count: number): Promise<unknown> =>
      at(await asked({ model, system: [block(tokens(count), FIVE_MINUTES)] }), 'usage.cache_creation_input_tokens')
    expect([await written(least - 1), await written(least)]).toEqual([0, least])
  })

  it('forgets with a reset, and caches nothing without a mark', async () => {
    const marked = { system: [block(tokens(600), FIVE_MINUTES)] }
    await asked(marked)
    emulator.reset()
    expect(at(await asked(marked), 'usage.cache_read_input_tokens')).toBe(0)
    expect(at(await asked({ system: tokens(600) }), 'usage')).toMatchObject({
      input_tokens: 610,
      cache_read_input_tokens: 0,
    })
  })

  const five = (mark: Body): Body[] => Array.from({ length: 5 }, () => block('a', mark))
  const call = { type: 'tool_use', id: 't1', name: 'look', input: {} }
  it.each<[string, Body, string]>([
    ['more than four marks', { system: five(FIVE_MINUTES) }, '5 blocks with cache_control'],
    [
      'four marks and one on the whole',
      { cache_control: FIVE_MINUTES, system: five(FIVE_MINUTES).slice(1) },
      '5 blocks',
    ],
    [
      'an hour after five minutes',
      { system: [block('a', FIVE_MINUTES)], messages: [ask(block('b'), block('c', HOUR))] },
      'messages.0.content.1.cache_control.ttl: ',
    ],
    [
      'the same in a tool and the system text',
      {
        tools: [{ name: 'look', input_schema: { type: 'object' }, cache_control: FIVE_MINUTES }],
        system: [block('a', HOUR)],
      },
      'system.0.cache_control.ttl: ',
    ],
    ['a mark on an empty text', { messages: [ask(block('', FIVE_MINUTES))] }, 'messages.0.content.0.text: '],
    [
      'an unknown life',
      { messages: [ask(block('a', { type: 'ephemeral', ttl: '1d' }))] },
      'messages.0.content.0.text.cache_control.ttl: ',
    ],
    [
      'an unknown kind of mark',
      { messages: [ask(block('a', { type: 'lasting' }))] },
      'messages.0.content.0.text.cache_control.type: ',
    ],
    [
      'a mark on thinking',
      {
        messages: [
          ask(block('a')),
          {
            role: 'assistant',
            content: [{ type: 'thinking', thinking: '', signature: 's', cache_control: FIVE_MINUTES }, call],
          },
        ],
      },
      'messages.1.content.0.thinking.cache_control: ',
    ],
  ])('refuses %s', (_case, more, place) => {
    const { status, message } = readAs('anthropic', more)
    expect(status).toBe(400)
    expect(message.startsWith(place), message).toBe(true)
  })

  it('takes marks on tools, calls, results and media', () => {
    const result = { type: 'tool_result', tool_use_id: 't1', content: [block('a', HOUR)] }
    const image = {
      type: 'image',
      source: { type: 'url', url: 'https://example.invalid/a.png' },
      cache_control: FIVE_MINUTES,
    }
    const messages = [
      ask(block('a')),
      { role: 'assistant', content: [{ ...call, cache_control: HOUR }] },
      ask(result, image),
    ]
    const tools = [{ name: 'look', input_schema: { type: 'object' }, cache_control: HOUR }]
    expect(readAs('anthropic', { messages, tools })).toMatchObject({ message: '', taken: true })
  })
})

describe('caching unasked', () => {
  it('openai: reads in steps of 128 tokens, and counts writes for the newer models', async () => {
    const body = { model: 'gpt-5.6-sol', messages: [{ role: 'user', content: tokens(1300) }] }
    const details = async (behave: string, more: Body = {}): Promise<unknown> =>
      at(await json('openai', { ...body, ...more }, { behave }), 'usage.prompt_tokens_details')
    expect(await details('ok')).toMatchObject({ cached_tokens: 0 })
    expect(await details('auto-cache')).toMatchObject({ cached_tokens: 0, cache_write_tokens: 1300 })
    expect(await details('auto-cache')).toEqual({ cached_tokens: 1280, audio_tokens: 0 })
    const older = { model: 'gpt-4.1-mini' }
    expect(await details('auto-cache', older)).toEqual({ cached_tokens: 0, audio_tokens: 0 })
    expect(await details('auto-cache', older)).toEqual({ cached_tokens: 1280, audio_tokens: 0 })
  })

  it('google: reads a prompt that comes again', async () => {
    const contents = [{ role: 'user', parts: [{ text: tokens(1100) }] }]
    const cached = async (): Promise<unknown> =>
      at(
        await json('google', { contents }, { at: `/google${GEMINI}:generateContent`, behave: 'auto-cache' }),
        'usageMetadata.cachedContentTokenCount',
      )
    expect([await cached(), await cached()]).toEqual([undefined, 1100])
  })
})
