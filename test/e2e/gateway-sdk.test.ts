// OpenAI's SDK, unchanged, against the built Worker: what it hands on of ours, and what it repeats. Retries are counted at the
// emulator and at the organisation. clients-node.test.ts drives it and others through what any client does.
import OpenAI, { type ClientOptions } from 'openai'
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { MODEL_OF_EACH, ask, sharedGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

const WEATHER = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
}

let gateway: Gateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  pro = await gateway.createKey()
})
beforeEach(() => gateway.emulator.reset())

const client = (key = pro.key, options: ClientOptions = {}) =>
  new OpenAI({ apiKey: key, baseURL: `${gateway.service.url}/v1`, ...options })

const user = (content: string) => ({ role: 'user' as const, content })
const reached = () => gateway.emulator.requests().length

const AqtaSchema = z.custom<Aqta>((value) => typeof value === 'object' && value !== null)
const WithAqtaSchema = z.looseObject({ aqta: AqtaSchema })

describe.each([
  ['anthropic', 'claude-sonnet-5'],
  ['google', 'gemini-3.8-flash'],
] as const)('OpenAI’s SDK, on %s that thinks', (provider, model) => {
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: WEATHER } }]
  const asked = [user('Use get_weather please')]
  const signature = provider === 'google' ? /"thought_signature":"./ : /"thinking_blocks":.*"signature":"./

  it.each(['create', 'stream'] as const)('hands back with a message of %s what was thought', async (way) => {
    gateway.emulator.behave(provider, ['thinking', 'thinking'])
    const turn = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const { completions } = client().chat
      const completion =
        way === 'create'
          ? await completions.create({ model, messages, tools })
          : await completions.stream({ model, messages, tools }).finalChatCompletion()
      const [choice] = completion.choices
      if (choice === undefined) throw new Error('no choice')
      return choice
    }
    const called = await turn(asked)
    const [call] = called.message.tool_calls ?? []
    expect(called.finish_reason).toBe('tool_calls')
    expect(JSON.stringify(called.message)).toMatch(signature)
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'Mild.' }
    const answered = await turn([...asked, called.message, result])
    expect(answered.finish_reason).toBe('stop')
    expect(JSON.stringify(answered.message)).toMatch(signature)
    expect((await turn([...asked, called.message, result, answered.message, user('And?')])).finish_reason).toBe('stop')
  })

  it.each([true, false])('goes on in a loop that hands nothing back (stream: %s)', async (stream) => {
    gateway.emulator.behave(provider, ['thinking', 'thinking'])
    const runnable: RunnableToolFunctionWithParse<object> = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather',
        parameters: WEATHER,
        parse: JSON.parse,
        function: () => 'Mild.',
      },
    }
    const loop = { model, messages: asked, tools: [runnable] }
    const { completions } = client().chat
    const runner = stream ? completions.runTools({ ...loop, stream }) : completions.runTools(loop)
    expect(await runner.finalContent()).toContain('Countersign emulator')
    expect(reached()).toBe(2)
  })
})

describe.each(MODEL_OF_EACH)('OpenAI’s SDK, on %s', (provider, model, endpoint) => {
  it('completes, with aqta on the answer and the request id', async () => {
    const completion = await client().chat.completions.create({ model, messages: [user('Good day')] })
    expect(completion.choices[0]?.message.content).toContain('Countersign emulator')
    expect(WithAqtaSchema.parse(completion).aqta).toMatchObject({ provider, status: 'passed' })
    expect(completion._request_id).toMatch(/^req_/)
  })

  it('puts a stream together with its helper, aqta included', async () => {
    const stream = client().chat.completions.stream({ model, messages: [user('Good evening')] })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    const final = await stream.finalChatCompletion()
    expect(text).toContain('Countersign emulator')
    expect(final.choices[0]?.message).toMatchObject({ role: 'assistant', content: text })
    expect(WithAqtaSchema.parse(final).aqta).toMatchObject({ provider })
  })

  it('gets the usage it asks for at the end of a stream', async () => {
    const options = { include_usage: true }
    const stream = client().chat.completions.stream({ model, messages: [user('Hi')], stream_options: options })
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0)
  })

  it('runs tools until the answer is there', async () => {
    const asked: unknown[] = []
    const runner = client().chat.completions.runTools({
      model,
      messages: [user('Use get_weather please')],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather',
            parameters: WEATHER,
            parse: JSON.parse,
            function: (input: object) => {
              asked.push(input)
              return 'Rain.'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toContain('Countersign emulator')
    expect(asked).toEqual([{ city: expect.any(String) as string }])
    expect(reached()).toBe(2)
  })

  it('parses a structured answer', async () => {
    const completion = await client().chat.completions.parse({
      model,
      messages: [user('Where?')],
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema: WEATHER, strict: true } },
    })
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ city: expect.any(String) as string })
  })

  it('may stop reading a stream', async () => {
    gateway.emulator.behave(endpoint, ['stream,50,5'])
    const stream = await client().chat.completions.create({ model, messages: [user('Long')], stream: true })
    let chunks = 0
    for await (const chunk of stream) {
      expect(chunk.choices).toBeDefined()
      chunks += 1
      if (chunks === 3) break
    }
    expect(chunks).toBe(3)
  })

  it('throws where a stream fails half-way, instead of taking it for whole', async () => {
    gateway.emulator.behave(endpoint, ['mid-error,4'])
    const stream = await client().chat.completions.create({ model, messages: [user('Fail')], stream: true })
    const reading = (async () => {
      for await (const chunk of stream) expect(chunk).toBeDefined()
    })()
    const error: unknown = await reading.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ code: 'provider_error', error: { aqta: { provider } } })
    expect(reached()).toBe(1)
  })
})

describe('what OpenAI’s SDK repeats', () => {
  const failing = async (key: string, model: string, options: ClientOptions = {}): Promise<unknown> =>
    client(key, { maxRetries: 2, ...options })
      .chat.completions.create(ask(model) as never)
      .catch((thrown: unknown) => thrown)

  it('nothing that a provider has seen: its failures are told and not multiplied', async () => {
    gateway.emulator.behave('openai', ['500', 'ok', 'ok'])
    const error = await failing(pro.key, 'gpt-4.1-mini')
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status: 502, code: 'provider_error', type: 'api_error' })
    expect(reached()).toBe(1)
  })

  it('nothing that timed out at its provider', async () => {
    gateway.emulator.behave('openai', ['never', 'ok', 'ok'])
    const impatient = { defaultHeaders: { 'x-aqta-deadline-ms': '5000' } }
    expect(await failing(pro.key, 'gpt-4.1-mini', impatient)).toMatchObject({ status: 504, code: 'provider_timeout' })
    expect(reached()).toBe(1)
  })

  it('what reached nobody', async () => {
    gateway.emulator.behave('openai', ['522', '522', '522', 'ok'])
    expect(await failing(pro.key, 'gpt-4.1-mini')).toMatchObject({ object: 'chat.completion' })
    expect(reached()).toBe(4)
  })

  it('no loop, no quota, no blocked model', async () => {
    const own = await gateway.createKey({ tier: 'free' })
    const blocked = await failing(own.key, 'claude-opus-5')
    expect(blocked).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(blocked).toMatchObject({ code: 'model_not_allowed', error: { aqta: { status: 'blocked' } } })
    const poor = await gateway.createKey({ monthly_budget_eur: 0.000001 })
    expect(await failing(poor.key, 'gpt-4.1-mini')).toMatchObject({ status: 402, code: 'quota_exceeded' })
    const looping = await gateway.createKey()
    const same = { model: 'gpt-4.1-mini', messages: [user('Again')] }
    for (let i = 0; i < 4; i++) await client(looping.key).chat.completions.create(same)
    const error: unknown = await client(looping.key)
      .chat.completions.create(same)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ code: 'loop_detected', error: { aqta: { status: 'suppressed' } } })
    expect(reached()).toBe(4)
    const decided = await gateway.service.ledger(looping.organisationId)
    expect(decided.filter(({ kind }) => kind === 'chat_decision')).toHaveLength(5)
  })

  it('a rate, which the SDK is told when to come back to', async () => {
    const { key } = await gateway.createKey({}, { requests_per_minute: 1 })
    await client(key).chat.completions.create(ask('gpt-4.1-mini') as never)
    const error = await failing(key, 'gpt-4.1-mini', { maxRetries: 0 })
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' })
  })

  it('a class of error for each status', async () => {
    expect(await failing(`aqta_${'1'.repeat(89)}`, 'gpt-4.1-mini')).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await failing(pro.key, 'gpt-2')).toBeInstanceOf(OpenAI.NotFoundError)
    const invalid: unknown = await client()
      .chat.completions.create({ model: 'gpt-4.1-mini', messages: [user('Hi')], temperature: 3 })
      .catch((thrown: unknown) => thrown)
    expect(invalid).toBeInstanceOf(OpenAI.BadRequestError)
    expect(invalid).toMatchObject({ param: 'temperature', code: 'invalid_request' })
  })

  it('and its own time-out is its own', async () => {
    gateway.emulator.behave('openai', ['never'])
    const asked = client(pro.key, { timeout: 200, maxRetries: 0 }).chat.completions.create(ask('gpt-4.1-mini') as never)
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
  })

  it('and it lists the models', async () => {
    const ids = (await client().models.list()).data.map(({ id }) => id)
    const offered = catalogueModels().filter((model) => model.gateway)
    expect(ids).toEqual(offered.map(({ id }) => id))
  })
})
