// The gateway through the built Worker: every model, in one piece and streamed, with what the standard offers.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withKey } from '../support/e2e/deployment.ts'
import {
  MODEL_OF_EACH,
  PIXEL,
  ask,
  readEvents,
  sharedGateway,
  type Aqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { MATERIAL } from '../fixtures/providers/index.ts'

const OFFERED = catalogueModels().filter(({ gateway: isOffered }) => isOffered)

type Completion = {
  id: string
  object: string
  created: number
  model: string
  choices: {
    index: number
    message: { role: string; content: string | null; refusal?: string | null; tool_calls?: ToolCall[] }
    finish_reason: string
  }[]
  usage: Usage
  aqta: Aqta
  citations?: string[]
}
type ToolCall = { id: string; type: string; function: { name: string; arguments: string } }
type Usage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
}

const TRACE = /^tr_[0-9a-f]{32}$/
const TOOLS = ['look_left', 'look_right'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'Looks.',
    parameters: {
      type: 'object',
      properties: { far: { type: 'boolean' } },
      required: ['far'],
      additionalProperties: false,
    },
  },
}))
const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' }, sure: { type: 'boolean' } },
  required: ['answer', 'sure'],
  additionalProperties: false,
}

let gateway: Gateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  pro = await gateway.createKey()
})
beforeEach(() => gateway.emulator.reset())

const complete = async (body: object): Promise<Completion> => {
  const response = await gateway.chat(pro.key, body)
  expect(response.status, await response.clone().text()).toBe(200)
  return (await response.json()) as Completion
}
const stream = async (body: object) => {
  const response = await gateway.chat(pro.key, { ...body, stream: true })
  expect(response.status).toBe(200)
  return readEvents(response)
}

/** Returns the newest body that reached the provider. */
const sent = (): Record<string, unknown> =>
  JSON.parse(gateway.emulator.requests().at(-1)?.body ?? '{}') as Record<string, unknown>

describe.each(OFFERED.map((model) => [model.id, model] as const))('%s', (id, model) => {
  it('answers in one piece, with its cost and its trace', async () => {
    const response = await gateway.chat(pro.key, ask(id))
    const body = (await response.json()) as Completion
    expect(body).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
    })
    expect(body.choices[0]?.message.content).toContain('Countersign emulator')
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens)
    expect(body.aqta).toEqual({
      trace_id: expect.stringMatching(TRACE) as string,
      cost_eur: expect.any(Number) as number,
      provider: model.provider,
      route: model.endpoint,
      data_region: 'any',
      status: 'passed',
      cached: false,
      loop_detected: false,
      served_model: `${model.wire.model}-2000-01-01`,
      attestation: expect.objectContaining({ trace_id: body.aqta.trace_id, outcome: 'ALLOWED' }) as object,
    })
    expect(body.aqta.cost_eur).toBeGreaterThan(0)
    expect(response.headers.get('x-aqta-trace-id')).toBe(body.aqta.trace_id)
    expect(response.headers.get('x-aqta-status')).toBe('passed')
    expect(response.headers.get('server-timing')).toMatch(/upstream;dur=\d/)
  })

  it('streams: one id, the role first, aqta on the finish chunk, no empty choices, the closing mark', async () => {
    const { chunks, done, text } = await stream(ask(id))
    expect(done).toBe(true)
    expect(text).toContain('Countersign emulator')
    expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created} ${chunk.object}`)).size).toBe(1)
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.every(({ choices }) => choices.length > 0)).toBe(true)
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true)
    expect(chunks.slice(0, -1).every(({ aqta }) => aqta === undefined)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      aqta: { provider: model.provider, status: 'passed', trace_id: expect.stringMatching(TRACE) as string },
    })
  })

  it('streams usage where it is asked for, with aqta on that chunk', async () => {
    const { chunks, done } = await stream(ask(id, { stream_options: { include_usage: true } }))
    expect(done).toBe(true)
    const last = chunks.at(-1)
    expect(last?.choices).toEqual([])
    expect(last?.usage?.total_tokens).toBe((last?.usage?.prompt_tokens ?? 0) + (last?.usage?.completion_tokens ?? 0))
    expect(last?.aqta).toMatchObject({ provider: model.provider })
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && chunk.aqta === undefined)).toBe(true)
  })

  it('costs the same in one piece and streamed, as settled in the ledger', async () => {
    const { key, organisationId } = await gateway.createKey()
    const body = ask(id)
    const whole = (await (await gateway.chat(key, body)).json()) as Completion
    const { chunks } = await readEvents(await gateway.chat(key, { ...body, stream: true }))
    expect(chunks.at(-1)?.aqta?.cost_eur).toBe(whole.aqta.cost_eur)
    const settlements = await gateway.settlements(organisationId, 2)
    expect(settlements.map(({ ended, estimated }) => [ended, estimated])).toEqual([
      ['completed', false],
      ['completed', false],
    ])
    expect(settlements.map((settlement) => settlement.cost_microeur / 1e6)).toEqual([
      whole.aqta.cost_eur,
      whole.aqta.cost_eur,
    ])
  })
})

describe.each(MODEL_OF_EACH)('%s', (provider, model, endpoint) => {
  it('takes system and developer messages wherever they stand, and turns in order', async () => {
    const body = ask(model, {
      messages: [
        { role: 'system', content: 'Alpha rule' },
        { role: 'user', content: 'Bravo' },
        { role: 'assistant', content: 'Charlie' },
        { role: 'developer', content: 'Delta rule' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Echo' },
            { type: 'text', text: 'Foxtrot' },
          ],
        },
      ],
    })
    await complete(body)
    for (const word of ['Alpha rule', 'Bravo', 'Charlie', 'Delta rule', 'Echo', 'Foxtrot']) {
      expect(JSON.stringify(sent())).toContain(word)
    }
  })

  it('calls tools in parallel, and takes their results in the next turn', async () => {
    const body = ask(model, {
      messages: [{ role: 'user', content: 'Use look_left and look_right.' }],
      tools: TOOLS,
      tool_choice: 'auto',
    })
    const { choices } = await complete(body)
    const message = choices[0]?.message
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(message?.tool_calls?.map((call) => call.function.name)).toEqual(['look_left', 'look_right'])
    for (const call of message?.tool_calls ?? []) expect(JSON.parse(call.function.arguments)).toBeTypeOf('object')
    const results = (message?.tool_calls ?? []).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'Nothing.',
    }))
    const next = await complete({ ...body, messages: [...body.messages, message, ...results] })
    expect(next.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) as string } })
  })

  it('streams the arguments of parallel calls under increasing indexes', async () => {
    const { chunks } = await stream(
      ask(model, { messages: [{ role: 'user', content: 'Use look_left and look_right.' }], tools: TOOLS }),
    )
    const calls = new Map<number, { id?: string; name?: string; text: string }>()
    for (const delta of chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.delta.tool_calls ?? []))) {
      const call = calls.get(delta.index) ?? { text: '' }
      calls.set(delta.index, {
        ...call,
        ...(delta.id === undefined ? {} : { id: delta.id }),
        ...(delta.function?.name === undefined ? {} : { name: delta.function.name }),
        text: call.text + (delta.function?.arguments ?? ''),
      })
    }
    expect([...calls].map(([index, { name }]) => [index, name])).toEqual([
      [0, 'look_left'],
      [1, 'look_right'],
    ])
    expect(new Set([...calls.values()].map(({ id }) => id)).size).toBe(2)
    for (const { text } of calls.values()) expect(JSON.parse(text)).toBeTypeOf('object')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('calls one tool at a time where the caller wants no parallel calls', async () => {
    const messages = [{ role: 'user', content: 'Use look_left and look_right.' }]
    const body = ask(model, { messages, tools: TOOLS, parallel_tool_calls: false })
    const { choices } = await complete(body)
    expect(choices[0]?.message.tool_calls?.map((call) => call.function.name)).toEqual(['look_left'])
    const { chunks } = await stream(body)
    const deltas = chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.delta.tool_calls ?? []))
    expect(new Set(deltas.map(({ index }) => index))).toEqual(new Set([0]))
  })

  it('can be made to call a certain tool, or none', async () => {
    const named = { type: 'function', function: { name: 'look_right' } }
    const forced = await gateway.chat(pro.key, ask(model, { tools: TOOLS, tool_choice: named }))
    const { choices, error } = (await forced.json()) as Partial<Completion> & { error?: { param: string } }
    if (!MATERIAL[provider].forcesCalls) expect(error?.param).toBe('tool_choice')
    else expect(choices?.[0]?.message.tool_calls?.map((call) => call.function.name)).toEqual(['look_right'])
    const none = await complete(ask(model, { tools: TOOLS, tool_choice: 'none' }))
    expect(none.choices[0]?.message.tool_calls).toBeUndefined()
  })

  it('answers by a JSON schema', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'reply', schema: SCHEMA, strict: true } }
    const { choices } = await complete(ask(model, { response_format: format }))
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
      answer: expect.any(String) as string,
      sure: expect.any(Boolean) as boolean,
    })
  })

  it('answers with any JSON object', async () => {
    const messages = [{ role: 'user', content: 'Answer in JSON.' }]
    const response = await gateway.chat(pro.key, ask(model, { messages, response_format: { type: 'json_object' } }))
    const { choices } = (await response.json()) as Completion
    expect(JSON.parse(choices[0]?.message.content ?? '')).toMatchObject({ emulator: 'countersign' })
  })

  it('takes images as data', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ]
    const { usage } = await complete(ask(model, { messages: [{ role: 'user', content }] }))
    expect(JSON.stringify(sent())).toContain(PIXEL.slice('data:image/png;base64,'.length))
    expect(usage.prompt_tokens).toBeGreaterThanOrEqual(256)
  })

  it('ends for its length where the limit is reached, under either name of the limit', async () => {
    for (const limit of ['max_tokens', 'max_completion_tokens']) {
      gateway.emulator.behave(endpoint, ['length'])
      const { choices } = await complete(ask(model, { [limit]: 20 }))
      expect(choices[0]?.finish_reason).toBe('length')
      expect(JSON.stringify(sent())).toContain(`"${MATERIAL[provider].limit}":20`)
    }
  })

  it('tells cached tokens apart, and charges their price', async () => {
    const content = 'The same long beginning. '.repeat(40)
    const messages = [{ role: 'user', content }]
    const plain = await complete(ask(model, { messages }))
    gateway.emulator.behave(endpoint, ['cached,200'])
    const cached = await complete(ask(model, { messages }))
    expect(cached.usage.prompt_tokens_details.cached_tokens).toBe(200)
    expect(cached.usage.prompt_tokens).toBe(plain.usage.prompt_tokens)
    const prices = catalogueModels().find(({ id }) => id === model)?.prices[0].usdPerMillion
    if (prices?.cachedInput === prices?.input) expect(cached.aqta.cost_eur).toBe(plain.aqta.cost_eur)
    else expect(cached.aqta.cost_eur).toBeLessThan(plain.aqta.cost_eur)
  })

  it('counts reasoning as completion, so that thinking is billed', async () => {
    gateway.emulator.behave(endpoint, ['reasoning,500'])
    const { usage, aqta } = await complete(ask(model, { max_completion_tokens: 2000 }))
    expect(usage.completion_tokens).toBeGreaterThanOrEqual(500)
    expect(aqta.cost_eur).toBeGreaterThan(0.0004)
  })

  it('puts the role in where its provider leaves it out: SDKs that put a stream together fail without it', async () => {
    gateway.emulator.behave(endpoint, ['no-role'])
    const { chunks } = await stream(ask(model))
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
  })

  it('keeps its key out of addresses, where logs would show it', async () => {
    await complete(ask(model))
    expect(gateway.emulator.requests().map(({ keyInUrl, state }) => [keyInUrl, state])).toEqual([[false, 'finished']])
  })
})

describe('what only some providers have', () => {
  it.each(MODEL_OF_EACH)(
    '%s: only the standard’s finish reasons leave, whatever a provider says',
    async (_, model, endpoint) => {
      gateway.emulator.behave(endpoint, ['finish,something_new', 'finish,something_new'])
      expect((await complete(ask(model))).choices[0]?.finish_reason).toBe('content_filter')
      const { chunks } = await stream(ask(model))
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('content_filter')
    },
  )

  it('a run of Perplexity’s that failed is an error, and what it says it has used is charged', async () => {
    gateway.emulator.behave('perplexity', ['finish,failed'])
    const response = await gateway.chat(pro.key, ask('sonar'))
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ aqta: { cost_estimated: true } })
  })

  it('several choices at OpenAI, each with its role and its finish, aqta once', async () => {
    const { choices } = await complete(ask('gpt-4.1-mini', { n: 3 }))
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    const { chunks } = await stream(ask('gpt-4.1-mini', { n: 3 }))
    for (const index of [0, 1, 2]) {
      const own = chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index))
      expect(own[0]?.delta.role).toBe('assistant')
      expect(own.filter(({ finish_reason: reason }) => reason !== null)).toHaveLength(1)
    }
    expect(chunks.filter(({ aqta }) => aqta !== undefined)).toEqual([chunks.at(-1)])
  })

  it('penalties, a seed and log probabilities are passed on to OpenAI as they are', async () => {
    const extra = { seed: 7, frequency_penalty: 0.5, presence_penalty: -0.5, logprobs: true, top_logprobs: 2 }
    await complete(ask('gpt-4.1-mini', { ...extra, stop: ['END'], user: 'u-1', temperature: 0.4, top_p: 0.9 }))
    expect(sent()).toMatchObject({ ...extra, stop: ['END'], user: 'u-1', temperature: 0.4, top_p: 0.9, store: false })
  })

  it('stop sequences go to Anthropic and Google by their names', async () => {
    await complete(ask('claude-haiku-4-5', { stop: ['END'] }))
    expect(sent()).toMatchObject({ stop_sequences: ['END'] })
    await complete(ask('gemini-3.8-flash', { stop: 'END' }))
    expect(sent()).toMatchObject({ generationConfig: { stopSequences: ['END'] } })
  })

  it('the effort of reasoning goes to those that reason', async () => {
    await complete(ask('gpt-5.6-luna', { reasoning_effort: 'low', verbosity: 'low' }))
    expect(sent()).toMatchObject({ reasoning_effort: 'low', verbosity: 'low' })
    await complete(ask('claude-sonnet-5', { reasoning_effort: 'low' }))
    expect(sent()).toMatchObject({ output_config: { effort: 'low' } })
    await complete(ask('gemini-3.8-flash', { reasoning_effort: 'low' }))
    expect(JSON.stringify(sent())).toContain('"thinkingLevel":"low"')
  })

  it('a prompt that Gemini blocks is an empty answer with its reason, not an error', async () => {
    gateway.emulator.behave('google', ['content-filter,prompt', 'content-filter,prompt'])
    const { choices } = await complete(ask('gemini-3.8-flash'))
    expect(choices).toMatchObject([{ message: { role: 'assistant' }, finish_reason: 'content_filter' }])
    const { chunks, done } = await stream(ask('gemini-3.8-flash'))
    expect(done).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }], aqta: { status: 'passed' } })
  })

  it('what Claude refuses before it has said anything costs what Anthropic bills: nothing, or the prompt', async () => {
    for (const isBilled of [false, true]) {
      const behaviour = isBilled ? 'content-filter,bio' : 'content-filter,cyber'
      gateway.emulator.behave('anthropic', [behaviour, behaviour])
      const { choices, usage, aqta } = await complete(ask('claude-haiku-4-5'))
      expect(choices).toMatchObject([{ finish_reason: 'content_filter' }])
      expect([usage.prompt_tokens > 0, aqta.cost_eur > 0]).toEqual([isBilled, isBilled])
      const { chunks } = await stream(ask('claude-haiku-4-5'))
      expect(chunks.at(-1)?.aqta?.cost_eur).toBe(aqta.cost_eur)
      expect(aqta).not.toHaveProperty('cost_estimated')
    }
  })

  it('a refusal of OpenAI’s is handed on as one', async () => {
    gateway.emulator.behave('openai', ['refusal', 'refusal'])
    expect((await complete(ask('gpt-4.1-mini'))).choices[0]?.message.refusal).toEqual(expect.any(String))
    const { chunks } = await stream(ask('gpt-4.1-mini'))
    expect(chunks.some(({ choices }) => typeof choices[0]?.delta.refusal === 'string')).toBe(true)
  })

  it('an answer without usage has estimated usage, and says so', async () => {
    for (const [, model, endpoint] of MODEL_OF_EACH) {
      gateway.emulator.behave(endpoint, ['no-usage'])
      const { usage, aqta } = await complete(ask(model))
      expect(usage.total_tokens).toBeGreaterThan(0)
      expect(aqta).toMatchObject({ cost_estimated: true })
    }
  })
})

describe('an OpenAI stream', () => {
  it('keeps the bytes of every event it need not change', async () => {
    const body = ask('gpt-4.1-mini', { stream: true, stream_options: { include_usage: true } })
    const through = await (await gateway.chat(pro.key, body)).text()
    const direct = await fetch(`${gateway.emulator.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer emulator-direct', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // Ids count up at the emulator, and time passes.
    const plain = (text: string) => text.replaceAll(/emulator-\d{6}/g, 'id').replaceAll(/"created":\d+/g, 'at')
    const withoutAqta = plain(through).replace(/,"aqta":\{.*\}(?=\}\n)/, '')
    expect(withoutAqta).toBe(plain(await direct.text()))
  })
})

describe('GET /v1/models', () => {
  const list = async (key: string) => {
    const response = await gateway.service.fetch('/v1/models', withKey(key))
    expect(response.status).toBe(200)
    return (await response.json()) as { object: string; data: { id: string; provider: string }[] }
  }

  it('lists every model to a tier that has all', async () => {
    const { object, data } = await list(pro.key)
    expect(object).toBe('list')
    expect(data.map(({ id }) => id)).toEqual(OFFERED.map(({ id }) => id))
  })

  it('lists the cost-effective ones to the free tier', async () => {
    const { key } = await gateway.createKey({ tier: 'free' })
    const ids = (await list(key)).data.map(({ id }) => id)
    expect(ids).toEqual(OFFERED.filter(({ costEffective }) => costEffective).map(({ id }) => id))
  })

  it('leaves out the models of providers that are not enabled', async () => {
    const { key } = await gateway.createKey({ enabled_providers: ['google'] })
    expect(new Set((await list(key)).data.map(({ provider }) => provider))).toEqual(new Set(['google']))
  })
})
