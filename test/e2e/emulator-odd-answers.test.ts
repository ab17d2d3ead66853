// Answers that end in unusual ways, refusals on demand, and silences that pass: each in the shape of its provider.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../scripts/emulator/server.ts'
import type { Emulator } from '../../scripts/emulator/server.ts'
import { ALL, at, createClient, DIALECTS, textOf } from './emulator-client.ts'
import type { Body, Dialect } from './emulator-client.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
const { call, stream, json, events } = createClient(() => emulator.url)

describe('google', () => {
  const tools = [{ functionDeclarations: [{ name: 'look' }] }]

  it('ends an unexpected call with the call and its usage, whole and streamed', async () => {
    const behave = 'finish,UNEXPECTED_TOOL_CALL+tool-call'
    const shape = { finishReason: 'UNEXPECTED_TOOL_CALL', finishMessage: expect.any(String) as string }
    const whole = await json('google', { tools }, { behave })
    expect(at(whole, 'candidates.0')).toMatchObject({
      ...shape,
      content: { parts: [{ functionCall: { name: 'look' } }] },
    })
    expect(at(whole, 'usageMetadata.candidatesTokenCount')).toBeGreaterThan(0)
    const items = await events('google', { tools }, { behave })
    expect(items).toMatchObject([
      { candidates: [{ content: { parts: [{ functionCall: { name: 'look' } }] } }] },
      { candidates: [shape], usageMetadata: { candidatesTokenCount: at(whole, 'usageMetadata.candidatesTokenCount') } },
    ])
  })

  it.each(['MODEL_ARMOR', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'SOMETHING_NEW'])(
    'ends with %s, or has its prompt blocked for it',
    async (reason) => {
      const ended = await events('google', {}, { behave: `finish,${reason}` })
      expect(at(ended.at(-1), 'candidates.0.finishReason')).toBe(reason)
      const blocked = { promptFeedback: { blockReason: reason }, usageMetadata: { promptTokenCount: 2 } }
      expect(await json('google', {}, { behave: `blocked,${reason}` })).toMatchObject(blocked)
      expect(await events('google', {}, { behave: `blocked,${reason}` })).toMatchObject([blocked])
    },
  )
})

describe('anthropic', () => {
  const typesOf = async (behave: string): Promise<unknown[]> =>
    (await events('anthropic', {}, { behave })).map((item) => at(item, 'type'))

  it('begins once more in the middle of a stream', async () => {
    const types = await typesOf('second-start,4')
    expect(types.slice(0, 5)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'message_start',
    ])
    expect(types.at(-1)).toBe('message_stop')
  })

  it('tells its end in two events, of which the second has the reason', async () => {
    const ends = (await events('anthropic', {}, { behave: 'two-finishes' })).filter(
      (item) => at(item, 'type') === 'message_delta',
    )
    expect(ends).toMatchObject([
      { delta: { stop_reason: null } },
      { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 21 } },
    ])
  })

  it('ends for a reason that nobody knows', async () => {
    const items = await events('anthropic', {}, { behave: 'finish,something_new' })
    expect(items.at(-2)).toMatchObject({ delta: { stop_reason: 'something_new' } })
  })
})

it.each<[Dialect, string]>([
  ['openai', 'model'],
  ['anthropic', 'model'],
  ['google', 'modelVersion'],
  ['agent', 'model'],
])('%s: names another model as the one that answered', async (dialect, path) => {
  const answer = await json(dialect, {}, { behave: 'model,vendor%2Fother' })
  expect(at(answer, path)).toBe('vendor/other-emulated')
  expect(JSON.stringify(await events(dialect, {}, { behave: 'model,vendor%2Fother' }))).toContain(
    '"vendor/other-emulated"',
  )
})

it('agent: tells cached input and what it cost', async () => {
  const usage = at(await json('agent', {}, { behave: 'cached,1+cache-write,1' }), 'usage')
  expect(usage).toMatchObject({
    input_tokens_details: { cache_read_input_tokens: 1, cache_creation_input_tokens: 1 },
    cost: { cache_read_cost: 1e-7, cache_creation_cost: 1e-6 },
  })
})

it.each(ALL)('%s: counts in texts, costs in a number, and calls without arguments', async (dialect) => {
  const usage = /"usage(?:Metadata)?":\{[^}]*[tT]okens?(?:Count)?":"\d/
  expect(JSON.stringify(await json(dialect, {}, { behave: 'odd-usage' }))).toMatch(usage)
  const more = dialect === 'openai' ? { stream_options: { include_usage: true } } : {}
  expect(JSON.stringify(await events(dialect, more, { behave: 'odd-usage' }))).toMatch(usage)
  expect(JSON.stringify(await json(dialect, {}, { behave: 'odd-usage,cost' }))).toContain('"cost":0.0021')
  const called = JSON.stringify(await events(dialect, {}, { behave: 'tool-call+no-arguments' }))
  expect(called).not.toMatch(/"(?:arguments|args|partial_json)"/)
})

it('google: streams the arguments of a call in pieces under their places', async () => {
  const tools = [
    {
      functionDeclarations: [
        {
          name: 'look',
          parametersJsonSchema: { type: 'object', required: ['at'], properties: { at: { type: 'string' } } },
        },
      ],
    },
  ]
  const items = await events('google', { tools }, { behave: 'tool-call+partial-args,2' })
  const calls = items.map((item) => at(item, 'candidates.0.content.parts.0.functionCall')).filter(Boolean)
  expect(calls[0]).toEqual({ name: 'look', willContinue: true })
  expect(calls[1]).toMatchObject({ partialArgs: [{ jsonPath: '$["at"]', willContinue: true }], willContinue: true })
  expect(calls.at(-1)).toEqual({})
})

describe('refusals on demand', () => {
  it.each<[Dialect, string, number, Body]>([
    [
      'openai',
      'refuse,400,messages[2].name',
      400,
      { error: { param: 'messages[2].name', type: 'invalid_request_error' } },
    ],
    ['openai', 'refuse,413', 413, { error: { param: 'messages' } }],
    ['openai', 'context', 400, { error: { param: 'messages', code: 'context_length_exceeded' } }],
    ['openai', 'quota', 429, { error: { type: 'insufficient_quota', code: 'insufficient_quota' } }],
    [
      'anthropic',
      'refuse,400,tools.0.custom.name',
      400,
      {
        error: {
          type: 'invalid_request_error',
          message: expect.stringMatching(/^tools\.0\.custom\.name: Countersign/) as string,
        },
      },
    ],
    ['anthropic', 'refuse,413', 413, { error: { type: 'request_too_large' } }],
    ['anthropic', 'refuse,422', 422, { error: { type: 'invalid_request_error' } }],
    ['anthropic', 'context', 400, { error: { message: expect.stringContaining('prompt is too long: ') as string } }],
    [
      'anthropic',
      'quota',
      400,
      { error: { type: 'invalid_request_error', message: expect.stringContaining('credit balance') as string } },
    ],
    ['anthropic', '402', 402, { error: { type: 'billing_error' } }],
    [
      'google',
      'refuse,400,generationConfig.topK',
      400,
      { error: { status: 'INVALID_ARGUMENT', details: [{ fieldViolations: [{ field: 'generation_config.top_k' }] }] } },
    ],
    [
      'google',
      'context',
      400,
      { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('token count') as string } },
    ],
    ['google', 'quota', 429, { error: { status: 'RESOURCE_EXHAUSTED', details: [{ violations: [{}] }] } }],
    [
      'agent',
      'refuse,422,input.0.role',
      422,
      { error: { code: 422, message: expect.stringContaining('input.0.role: ') as string } },
    ],
    ['agent', 'context', 400, { error: { type: 'invalid_parameter' } }],
    ['agent', 'quota', 401, { error: { type: 'insufficient_quota' } }],
  ])('%s: %s', async (dialect, behave, status, shape) => {
    for (const answer of [await call(dialect, {}, { behave }), await stream(dialect, {}, { behave })]) {
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject(shape)
    }
  })
})

describe('silences', () => {
  it.each(ALL)('%s: says nothing for a while, and then everything', async (dialect) => {
    const whole = await json(dialect, {}, { behave: 'silent,1' })
    const plain = at(whole, DIALECTS[dialect].text)
    expect(plain).toEqual(expect.stringContaining('emulator'))
    expect(textOf(dialect, await events(dialect, {}, { behave: 'silent,1' }))).toBe(plain)
    expect(textOf(dialect, await events(dialect, {}, { behave: 'pause,2,1' }))).toBe(plain)
  })

  it('sends its headers before a silence, and so many events before a pause', async () => {
    const recorded = await startEmulator({ record: true })
    const client = createClient(() => recorded.url)
    const leave = new AbortController()
    const options = { signal: leave.signal }
    const silent = await client.stream('openai', {}, { ...options, behave: 'silent,60000' })
    const paused = await client.stream('openai', {}, { ...options, behave: 'pause,3,60000' })
    const reader = paused.body?.getReader()
    let text = ''
    while (text.split('data: ').length <= 3) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString()
    }
    leave.abort()
    await recorded.idle()
    const seen = recorded.requests().map(({ state, status, eventsSent }) => ({ state, status, eventsSent }))
    await recorded.close()
    expect([silent.status, paused.status]).toEqual([200, 200])
    expect(seen).toEqual([
      { state: 'cancelled', status: 200, eventsSent: 0 },
      { state: 'cancelled', status: 200, eventsSent: 3 },
    ])
  })
})
