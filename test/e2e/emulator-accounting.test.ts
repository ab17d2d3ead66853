// The emulator's token counts of a request, and the thoughts and cached tokens beside its answer.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { at, createClient, DIALECTS, textAt } from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())
const { json, events } = createClient(() => emulator.url)

/** Text of so many tokens. */
const tokens = (count: number, letter = 'a'): string => letter.repeat(count * 4)

describe('a prompt', () => {
  const png = 'data:image/png;base64,aGk='
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }
  const called = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }
  const signed = { functionCall: { name: 'look', args: { at: 'it' } }, thoughtSignature: 's' }
  const messages = [
    { role: 'system', content: 'Be brief' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: png } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'c1', content: 'A cat' },
  ]
  // 8 characters of instructions, 3 of the user, 4 and 11 of the call, 5 of its result
  it.each<[Dialect, string, Body, number, number]>([
    ['openai', 'usage.prompt_tokens', { messages }, 4, 1],
    [
      'anthropic',
      'usage.input_tokens',
      {
        system: [{ type: 'text', text: 'Be brief' }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image', source: { ...pdf, media_type: 'image/png' } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Not counted', signature: 's' },
              { type: 'tool_use', id: 'c1', name: 'look', input: { at: 'it' } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'c1',
                content: [
                  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A cat' } },
                  { type: 'document', source: pdf },
                ],
              },
            ],
          },
        ],
      },
      4,
      2,
    ],
    [
      'google',
      'usageMetadata.promptTokenCount',
      {
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [
          { role: 'user', parts: [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
          { role: 'model', parts: [signed] },
          { role: 'user', parts: [{ functionResponse: { name: 'look', response: 'cat', parts: [{}] } }] },
        ],
      },
      4,
      2,
    ],
    [
      'agent',
      'usage.input_tokens',
      {
        instructions: 'Be brief',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'See' },
              { type: 'input_image', image_url: png },
            ],
          },
          { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"it"}' },
          { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'A cat' }] },
        ],
      },
      4,
      1,
    ],
  ])('%s: counts its instructions, texts, calls, results and media', async (dialect, path, body, count, media) => {
    const answer = await json(dialect, body)
    expect(at(answer, DIALECTS[dialect].text)).toContain(`You sent ${count} messages, 31 characters.`)
    expect(at(answer, path)).toBe(Math.ceil(31 / 4) + media * 256)
  })
})

describe('thoughts of Anthropic', () => {
  const opus = {
    model: 'claude-opus-5',
    messages: [{ role: 'user', content: 'Please look.' }],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
  }
  const shown = { thinking: { type: 'adaptive', display: 'summarized' } }
  const blocksOf = async (more: Body, behave: string): Promise<Body[]> =>
    at(await json('anthropic', { ...opus, ...more }, { behave }), 'content') as Body[]

  it('stand before a text and before a call, their text hidden unless it is asked for, each signed', async () => {
    const hidden = await blocksOf({ tools: [] }, 'thinking')
    expect(hidden).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'text' }])
    const blocks = await blocksOf(shown, 'thinking,2+tool-call')
    expect(blocks).toMatchObject([
      { type: 'thinking', thinking: expect.stringContaining('thought 1') as string },
      { type: 'thinking', thinking: expect.stringContaining('thought 2') as string },
      { type: 'tool_use' },
    ])
    const signatures = [...hidden, ...blocks].flatMap(({ signature }) => signature ?? [])
    expect(new Set(signatures).size).toBe(3)
  })

  it('count as output, and are told apart', async () => {
    const usage = at(await json('anthropic', { ...opus, tools: [] }, { behave: 'thinking,2' }), 'usage')
    expect(usage).toMatchObject({ output_tokens: 21 + 32, output_tokens_details: { thinking_tokens: 32 } })
  })

  it('are streamed in pieces with the signature last, and whole where they are redacted', async () => {
    const items = await events('anthropic', { ...opus, ...shown }, { behave: 'thinking+tool-call' })
    const thought = items.filter((item) => at(item, 'index') === 0)
    expect(thought[0]).toMatchObject({ content_block: { type: 'thinking', thinking: '', signature: '' } })
    expect(thought.map((item) => textAt(item, 'delta.thinking')).join('')).toContain('This is thought 1.')
    expect(thought.at(-2)).toMatchObject({
      delta: { type: 'signature_delta', signature: expect.any(String) as string },
    })
    expect(items.find((item) => at(item, 'index') === 1)).toMatchObject({ content_block: { type: 'tool_use' } })
    const redacted = await events('anthropic', opus, { behave: 'redacted-thinking' })
    const whole = redacted.filter((item) => at(item, 'index') === 0)
    expect(whole).toHaveLength(2)
    expect(whole[0]).toMatchObject({ content_block: { type: 'redacted_thinking', data: expect.any(String) as string } })
  })

  it.each<[string, Body]>([
    ['a model told not to think', { model: 'claude-sonnet-5', thinking: { type: 'disabled' } }],
    ['Haiku 4.5 unless it is asked to', { model: 'claude-haiku-4-5' }],
  ])('are none of %s', async (_case, more) => {
    expect(await blocksOf(more, 'thinking')).toMatchObject([{ type: 'tool_use' }])
  })
})

describe('thoughts of others', () => {
  const tools = [{ functionDeclarations: [{ name: 'look' }, { name: 'leap' }] }]
  const includeThoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } }

  it('google: signs the first call of a step, and the last part of a text after thinking', async () => {
    const calls = await json('google', { tools }, { behave: 'tool-call,2' })
    expect(at(calls, 'candidates.0.content.parts.0.thoughtSignature')).toEqual(expect.any(String))
    expect(at(calls, 'candidates.0.content.parts.1.thoughtSignature')).toBeUndefined()
    const whole = await json('google', includeThoughts, { behave: 'thinking' })
    expect(at(whole, 'candidates.0.content.parts')).toMatchObject([
      { thought: true, text: expect.stringContaining('thought 1') as string },
      { thoughtSignature: expect.any(String) as string },
    ])
    const streamed = await events('google', includeThoughts, { behave: 'thinking' })
    expect(at(streamed[0], 'candidates.0.content.parts.0')).toMatchObject({ thought: true })
    expect(at(streamed.at(-1), 'candidates.0.content.parts.0')).toMatchObject({
      text: '',
      thoughtSignature: at(whole, 'candidates.0.content.parts.1.thoughtSignature'),
    })
  })

  it('google: hides its thoughts unless they are asked for', async () => {
    const answer = await json('google', {}, { behave: 'thinking' })
    expect(at(answer, 'candidates.0.content.parts')).toHaveLength(1)
    expect(at(answer, 'usageMetadata.thoughtsTokenCount')).toBe(16)
  })

  it('agent: signs a call after thinking', async () => {
    const answer = await json(
      'agent',
      { tools: [{ type: 'function', name: 'look' }] },
      { behave: 'thinking+tool-call' },
    )
    expect(at(answer, 'output.0')).toMatchObject({ name: 'look', thought_signature: expect.any(String) as string })
  })

  it('openai: shows none', async () => {
    expect(await json('openai', {}, { behave: 'thinking' })).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  })
})

describe('a prompt that Anthropic is asked to keep', () => {
  const block = (text: string, mark?: Body): Body => ({ type: 'text', text, ...(mark && { cache_control: mark }) })
  const FIVE_MINUTES = { type: 'ephemeral' }
  const HOUR = { type: 'ephemeral', ttl: '1h' }
  const ask = (...content: Body[]): Body => ({ role: 'user', content })
  const usageOf = async (more: Body, key?: string): Promise<unknown> =>
    at(
      await json('anthropic', { messages: [ask(block(tokens(10)))], ...more }, key === undefined ? {} : { key }),
      'usage',
    )
  const marked = { system: [block(tokens(1200), FIVE_MINUTES)] }

  it('is written at first, and read when it comes again, whole and streamed', async () => {
    expect(await usageOf(marked)).toMatchObject({
      input_tokens: 10,
      cache_creation_input_tokens: 1200,
      cache_creation: { ephemeral_5m_input_tokens: 1200, ephemeral_1h_input_tokens: 0 },
      cache_read_input_tokens: 0,
    })
    const other = { ...marked, messages: [ask(block(tokens(20, 'b')))] }
    const usage = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 1200 }
    expect(await usageOf(other)).toMatchObject(usage)
    const streamed = await events('anthropic', other)
    expect(at(streamed[0], 'message.usage')).toMatchObject({ ...usage, cache_creation: {} })
    expect(at(streamed.at(-2), 'usage')).toMatchObject(usage)
    expect(at(streamed.at(-2), 'usage.cache_creation')).toBeUndefined()
  })

  it('is told apart by how long it is kept', async () => {
    const both = { system: [block(tokens(1200), HOUR), block(tokens(100, 'b'), FIVE_MINUTES)] }
    expect(await usageOf(both)).toMatchObject({
      input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 1200 },
    })
  })

  it('grows with the conversation, and ends where the whole request is marked', async () => {
    await usageOf({ messages: [ask(block(tokens(1200), FIVE_MINUTES))] })
    const answer = { role: 'assistant', content: [block(tokens(30, 'b'))] }
    const grown = [ask(block(tokens(1200))), answer, ask(block(tokens(50, 'c')))]
    expect(await usageOf({ messages: grown, cache_control: FIVE_MINUTES })).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 1200,
      cache_creation_input_tokens: 80,
    })
  })

  it.each<[string, Body, string?]>([
    ['another key', {}, 'emulator-other'],
    ['another model', { model: 'claude-sonnet-5' }],
    ['another tool before it', { tools: [{ name: 'look', input_schema: { type: 'object' } }] }],
    ['another text in it', { system: [block(tokens(1200, 'b'), FIVE_MINUTES)] }],
  ])('is not read for %s', async (_case, more, key) => {
    await usageOf(marked)
    const usage = await usageOf({ ...marked, ...more }, key)
    expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 1200 })
  })

  it('is not kept where it is short, unmarked or from before a reset', async () => {
    await usageOf(marked)
    emulator.reset()
    expect(await usageOf(marked)).toMatchObject({ cache_read_input_tokens: 0 })
    for (const system of [tokens(1200), [block(tokens(1023), FIVE_MINUTES)]]) {
      expect(await usageOf({ system })).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 })
    }
  })
})
