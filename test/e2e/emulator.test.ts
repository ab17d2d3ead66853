// The model emulator over real HTTP: each provider's wire format, whole and streamed, and its refusals of keys, models and what it cannot read.

import { array as arrays, assert, asyncProperty, string as strings } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { ALL, at, createClient, dataOf, DIALECTS, parsed, textAt, textOf } from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
const { call, stream, json, events } = createClient(() => emulator.url)

describe('answers', () => {
  it.each(ALL)('%s: says in header, text and model that it is an emulator, streamed or not', async (dialect) => {
    const whole = await call(dialect)
    const body: unknown = await whole.json()
    expect(whole.headers.get('x-emulator')).toBe('countersign')
    expect(at(body, DIALECTS[dialect].text)).toBe(
      'This is the Countersign emulator, not a model. You sent 1 messages, 5 characters.',
    )
    expect(JSON.stringify(body)).toContain('-emulated"')
    const streamed = await events(dialect)
    expect(textOf(dialect, streamed)).toBe(at(body, DIALECTS[dialect].text))
  })

  it('counts a token for every four characters of any prompt', async () => {
    const message = strings({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    const property = asyncProperty(arrays(message, { minLength: 1, maxLength: 4 }), async (texts) => {
      const body = await json('openai', { messages: texts.map((content) => ({ role: 'user', content })) })
      const tokens = Math.ceil(Array.from(texts.join('')).length / 4)
      expect(at(body, 'usage.prompt_tokens')).toBe(tokens)
    })
    await assert(property, { numRuns: 25 })
  })

  it.each([
    ['openai', 'usage', { prompt_tokens: 2, completion_tokens: 21 + 9, prompt_tokens_details: { cached_tokens: 1 } }],
    ['anthropic', 'usage', { input_tokens: 1, cache_read_input_tokens: 1, output_tokens: 21 + 9 }],
    [
      'google',
      'usageMetadata',
      { promptTokenCount: 2, cachedContentTokenCount: 1, candidatesTokenCount: 21, thoughtsTokenCount: 9 },
    ],
    ['agent', 'usage', { input_tokens: 2, output_tokens: 30, input_tokens_details: { cache_read_input_tokens: 1 } }],
  ] as const)('%s: keeps cached and reasoning tokens where the provider does', async (dialect, path, usage) => {
    expect(at(await json(dialect, {}, { behave: 'cached,1+reasoning,9' }), path)).toMatchObject(usage)
  })

  it('openai: sends usage in a stream only when asked, on a chunk without choices, before [DONE]', async () => {
    const plain = await events('openai')
    expect(plain.some((chunk) => at(chunk, 'usage') !== undefined)).toBe(false)
    expect(plain.at(0)).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] })
    const counted = await events('openai', { stream_options: { include_usage: true } })
    expect(counted.at(-3)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: null })
    expect(counted.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 23 } })
    expect(counted.at(-1)).toBe('[DONE]')
  })

  it('anthropic: names its events in order, with a ping and usage at both ends', async () => {
    const text = await (await stream('anthropic')).text()
    const names = [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1])
    const distinct = names.filter((name, index) => name !== names[index - 1])
    const order =
      'message_start ping content_block_start content_block_delta content_block_stop message_delta message_stop'
    expect(distinct).toEqual(order.split(' '))
    expect(dataOf(text).at(0)).toMatchObject({ message: { usage: { input_tokens: 2 } } })
    expect(dataOf(text).at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 21 } })
  })

  it('google: streams CRLF events with cumulative usage', async () => {
    const text = await (await stream('google')).text()
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const counts = dataOf(text).map((chunk) => at(chunk, 'usageMetadata.candidatesTokenCount'))
    expect(counts).toEqual(counts.toSorted((a, b) => Number(a) - Number(b)))
    expect(counts.at(-1)).toBe(21)
  })

  it('agent: numbers its events and ends with the whole response, at either path', async () => {
    const items = await events('agent', {}, { at: '/perplexity/v1/responses' })
    expect(items.map((item) => at(item, 'sequence_number'))).toEqual(items.map((_, index) => index))
    expect(items.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed', usage: { total_tokens: 23, cost: { currency: 'USD' } } },
    })
  })

  it('agent: a preset without a model answers as the model of another vendor', async () => {
    const body = await json('agent', { model: undefined, preset: 'fast' })
    expect(at(body, 'model')).toBe('other-vendor/preset-choice-emulated')
  })

  it('openai: gives as many choices as n, in JSON and in a stream', async () => {
    expect(at(await json('openai', { n: 3 }), 'choices')).toHaveLength(3)
    const indexes = (await events('openai', { n: 3 })).map((chunk) => at(chunk, 'choices.0.index'))
    expect(new Set(indexes)).toEqual(new Set([0, 1, 2, undefined]))
  })

  it('stops at a stop sequence, and at the token limit', async () => {
    expect(await json('anthropic', { stop_sequences: [' not'] })).toMatchObject({
      content: [{ text: 'This is the Countersign emulator,' }],
      stop_reason: 'stop_sequence',
      stop_sequence: ' not',
    })
    expect(await json('google', { generationConfig: { maxOutputTokens: 3 } })).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'This is the ' }] }, finishReason: 'MAX_TOKENS' }],
    })
    expect(await json('agent', { max_output_tokens: 2 })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })
})

describe('tools and structured output', () => {
  const parameters = {
    type: 'object',
    properties: { place: { type: 'string' }, days: { type: 'integer' } },
    required: ['place', 'days'],
    additionalProperties: false,
  }
  const twoTools = ['get_rain', 'get_wind']
  const ask = 'Use get_rain and get_wind.'
  const openAiTools = twoTools.map((name) => ({ type: 'function', function: { name, parameters } }))
  const sample = { place: 'emulator', days: 1 }
  const callsFor = async (more: Body): Promise<unknown> => {
    const body = await json('openai', { tools: openAiTools, messages: [{ role: 'user', content: ask }], ...more })
    return at(body, 'choices.0.message.tool_calls')
  }

  it('openai: streams the arguments of parallel calls in pieces, each under its index', async () => {
    const items = await events('openai', { tools: openAiTools, messages: [{ role: 'user', content: ask }] })
    const deltas = items.map((item) => at(item, 'choices.0.delta.tool_calls.0')).filter((delta) => delta !== undefined)
    const argumentsOf = (index: number): unknown =>
      parsed(
        deltas
          .filter((delta) => at(delta, 'index') === index)
          .map((delta) => at(delta, 'function.arguments'))
          .join(''),
      )
    expect([argumentsOf(0), argumentsOf(1)]).toEqual([sample, sample])
    expect(deltas.length).toBeGreaterThan(4)
    expect(items.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  it('openai: calls one tool where parallel calls are off, the named one, or none, as told', async () => {
    expect(await callsFor({ parallel_tool_calls: false })).toHaveLength(1)
    const choice = { type: 'function', function: { name: 'get_wind' } }
    expect(await callsFor({ tool_choice: choice })).toMatchObject([{ function: { name: 'get_wind' } }])
    expect(await callsFor({ tool_choice: 'none' })).toBeUndefined()
  })

  it('anthropic: streams tool input as partial JSON and ends with tool_use', async () => {
    const tools = twoTools.map((name) => ({ name, input_schema: parameters }))
    const items = await events('anthropic', { tools, messages: [{ role: 'user', content: ask }] })
    const partial = items.filter((item) => at(item, 'index') === 1).map((item) => textAt(item, 'delta.partial_json'))
    expect(parsed(partial.join(''))).toEqual(sample)
    expect(items.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  it('google: sends calls whole, signs the first, and stops in a later chunk', async () => {
    const tools = [{ functionDeclarations: twoTools.map((name) => ({ name, parametersJsonSchema: parameters })) }]
    const items = await events('google', { tools, contents: [{ role: 'user', parts: [{ text: ask }] }] })
    expect(items).toMatchObject([
      {
        candidates: [
          { content: { parts: [{ functionCall: { args: sample }, thoughtSignature: expect.any(String) as string }] } },
        ],
      },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'get_wind' } }] } }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ])
    expect(at(items[1], 'candidates.0.finishReason')).toBeUndefined()
  })

  it('agent: gives function calls as items of the output', async () => {
    const tools = twoTools.map((name) => ({ type: 'function', name, parameters }))
    expect(at(await json('agent', { tools, input: ask }), 'output')).toMatchObject([
      { type: 'function_call', name: 'get_rain', arguments: JSON.stringify(sample) },
      { type: 'function_call', name: 'get_wind' },
    ])
  })

  it('answers a schema with a value that fits it, and a JSON object with one', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: parameters } }
    const structured = await json('openai', { response_format: format })
    expect(parsed(textAt(structured, DIALECTS.openai.text))).toEqual(sample)
    const asked = { response_format: { type: 'json_object' }, messages: [{ role: 'user', content: 'json please' }] }
    expect(parsed(String(at(await json('openai', asked), DIALECTS.openai.text)))).toMatchObject({
      emulator: 'countersign',
    })
  })
})

describe('refusals', () => {
  it.each([
    ['openai', 401, { error: { code: 'invalid_api_key', type: 'authentication_error' } }],
    ['anthropic', 401, { type: 'error', error: { type: 'authentication_error' } }],
    ['google', 400, { error: { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } }],
    ['agent', 401, { error: { type: 'invalid_api_key', code: 401 } }],
  ] as const)(
    '%s: refuses a key that does not begin with emulator-, and never repeats it',
    async (dialect, status, shape) => {
      const answer = await call(dialect, {}, { key: 'sk-marked-key' })
      const text = await answer.text()
      expect(answer.status).toBe(status)
      expect(parsed(text)).toMatchObject(shape)
      expect(text).not.toContain('marked')
    },
  )

  it.each<[Dialect, string, Body, number, string]>([
    ['openai', 'a model it does not know', { model: 'gpt-9' }, 404, 'model_not_found'],
    ['openai', 'no messages', { messages: [] }, 400, 'messages'],
    ['anthropic', 'a model it does not know', { model: 'claude-9' }, 404, 'not_found_error'],
    ['anthropic', 'no max_tokens', { max_tokens: undefined }, 400, 'max_tokens'],
    ['google', 'no contents', { contents: undefined }, 400, 'contents'],
    ['agent', 'neither model nor preset', { model: undefined }, 400, 'no model'],
  ])('%s: refuses %s', async (dialect, _case, more, status, named) => {
    const answer = await call(dialect, more)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(named)
  })

  it('refuses what no provider has: another path, a body that is not JSON', async () => {
    expect((await call('openai', {}, { at: '/openai/v1/other' })).status).toBe(404)
    expect((await call('google', {}, { at: '/google/v1beta/models/gemini-9:generateContent' })).status).toBe(404)
    const init = {
      method: 'POST',
      body: '{',
      headers: { authorization: 'Bearer emulator-1', 'x-api-key': 'emulator-1' },
    }
    expect((await fetch(`${emulator.url}/openai/v1/chat/completions`, init)).status).toBe(400)
  })
})
