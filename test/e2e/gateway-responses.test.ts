// POST /v1/responses through the built Worker, with OpenAI's own client: whole and streamed, at every provider, and settled
// as a chat completion is.
import OpenAI from 'openai'
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems'
import type { Response as Answer, ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { postJson } from '../support/e2e/deployment.ts'
import {
  MODEL_OF_EACH,
  PIXEL,
  ask,
  signedIn,
  sharedGateway,
  type Aqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'

const WEATHER = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
}
const TOOLS = ['look_left', 'look_right'].map((name) => ({
  type: 'function' as const,
  name,
  description: 'Looks.',
  parameters: WEATHER,
  strict: null,
}))

let gateway: Gateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  pro = await gateway.createKey()
})
beforeEach(() => gateway.emulator.reset())

const client = ({ key } = pro) => new OpenAI({ apiKey: key, baseURL: `${gateway.service.url}/v1`, maxRetries: 0 })

/** The answer is checked against the OpenAPI document. */
const post = (body: object, key = pro.key) => gateway.service.fetch('/v1/responses', postJson(key, body))

const WithAqtaSchema = z.looseObject({
  aqta: z.custom<Aqta>((value) => typeof value === 'object' && value !== null),
})
const aqtaOf = (answer: unknown): Aqta => WithAqtaSchema.parse(answer).aqta

let asked = 0

/** Asks a new question each time, because a repeated one counts as a loop. */
const question = (model: string): { model: string; input: string } => ({ model, input: `Question ${(asked += 1)}` })

const sent = (): string => gateway.emulator.requests().at(-1)?.body ?? ''

const failureOf = async (failing: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return await failing
  } catch (thrown) {
    return thrown
  }
}

describe.each(MODEL_OF_EACH)('at %s', (provider, model, endpoint) => {
  const create = (body: Omit<ResponseCreateParamsNonStreaming, 'model'>): Promise<Answer> =>
    client().responses.create({ model, ...body })

  it('answers in one piece, with its cost and its trace', async () => {
    const response = await post(question(model))
    expect(response.status).toBe(200)
    const answer = (await response.json()) as Answer
    expect(answer).toMatchObject({ object: 'response', status: 'completed', store: false, instructions: null })
    expect(answer.output.at(-1)).toMatchObject({ type: 'message', role: 'assistant', status: 'completed' })
    expect(aqtaOf(answer)).toMatchObject({ provider, status: 'passed' })
    expect(answer.id).toBe(aqtaOf(answer).trace_id.replace('tr_', 'resp_'))
    expect(response.headers.get('x-aqta-trace-id')).toBe(aqtaOf(answer).trace_id)
  })

  it('streams the same answer, which the client puts together', async () => {
    const stream = client().responses.stream(question(model))
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => (text += delta))
    const answer = await stream.finalResponse()
    expect(text).toContain('Countersign emulator')
    expect(answer.output_text).toBe(text)
    expect(answer.usage?.total_tokens).toBeGreaterThan(0)
    expect(aqtaOf(answer)).toMatchObject({ provider })
  })

  it('is admitted, recorded, charged and settled as a chat completion is', async () => {
    const own = await gateway.createKey()
    const asChat = ask(model)
    const [{ content }] = z
      .array(z.object({ content: z.string() }))
      .min(1)
      .parse(asChat.messages) as [{ content: string }]
    const chat = aqtaOf(await (await gateway.chat(own.key, asChat)).json())
    const whole = await client(own).responses.create({ model, input: content })
    const streamed = await client(own).responses.stream({ model, input: content }).finalResponse()
    expect([aqtaOf(whole).cost_eur, aqtaOf(streamed).cost_eur]).toEqual([chat.cost_eur, chat.cost_eur])
    const [first, ...others] = (await gateway.settlements(own.organisationId, 3)).map(
      ({ ended, cost_microeur, estimated, usage, finish_reason }) => ({
        ended,
        cost_microeur,
        estimated,
        usage,
        finish_reason,
      }),
    )
    expect(others).toEqual([first, first])
    const decisions = (await gateway.service.ledger(own.organisationId)).filter(({ kind }) => kind === 'chat_decision')
    expect(decisions).toHaveLength(3)
  })

  it('calls tools in parallel, and takes the answer back with their results', async () => {
    const input = [{ role: 'user' as const, content: 'Use look_left and look_right.' }]
    for (const stream of [false, true]) {
      const body = { model, input, tools: TOOLS, instructions: `Look around: ${stream}` }
      const { output, status } = stream
        ? await client().responses.stream(body).finalResponse()
        : await client().responses.create(body)
      expect(status).toBe('completed')
      const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
      expect(calls.map(({ name }) => name)).toEqual(['look_left', 'look_right'])
      const results = calls.map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: 'Nothing.',
      }))
      const next = await create({ ...body, input: [...input, ...toResponseInputItems(output), ...results] })
      expect(next.output_text).toContain('Countersign emulator')
    }
  })

  it('answers by a JSON schema', async () => {
    const format = { type: 'json_schema' as const, name: 'place', schema: WEATHER, strict: true }
    const answer = await client().responses.parse({ ...question(model), text: { format } })
    expect(JSON.parse(answer.output_text)).toEqual({ city: expect.any(String) as string })
  })

  it('takes pictures as data', async () => {
    const image = { type: 'input_image' as const, image_url: PIXEL, detail: 'auto' as const }
    const content = [{ type: 'input_text' as const, text: 'What is this?' }, image]
    const { usage } = await create({ input: [{ role: 'user', content }] })
    expect(sent()).toContain(PIXEL.slice('data:image/png;base64,'.length))
    expect(usage?.input_tokens).toBeGreaterThanOrEqual(256)
  })

  it('says where it ended for its length', async () => {
    for (const stream of [false, true]) {
      gateway.emulator.behave(endpoint, ['length'])
      const body = { ...question(model), max_output_tokens: 20 }
      const answer = stream
        ? await client().responses.stream(body).finalResponse()
        : await client().responses.create(body)
      expect(answer).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        max_output_tokens: 20,
      })
    }
  })

  it('throws where a stream fails half-way, instead of taking it for whole', async () => {
    gateway.emulator.behave(endpoint, ['mid-error,4'])
    const error = await failureOf(client().responses.stream(question(model)).finalResponse())
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ code: 'provider_error', error: { aqta: { provider } } })
  })
})

describe('reasoning that is carried', () => {
  it.each([
    ['anthropic', 'claude-opus-5', 'thinking,2+tool-call', ['thought *.0', 'thought *.1']],
    ['anthropic', 'claude-opus-5', 'redacted-thinking,2+tool-call', ['thought *.0', 'thought *.1']],
    ['google', 'gemini-3.8-flash', 'tool-call', ['call *-0-0']],
  ] as const)(
    'goes through a loop of tools at %s, whole and streamed: %s, %s',
    async (provider, model, behaviour, given) => {
      const include = ['reasoning.encrypted_content' as const]
      for (const stream of [false, true]) {
        const { input } = question(model)
        const opening = [{ role: 'user' as const, content: input }]
        const body = { model, tools: TOOLS, include }
        gateway.emulator.behave(provider, [behaviour])
        const { output } = stream
          ? await client()
              .responses.stream({ ...body, input: opening })
              .finalResponse()
          : await client().responses.create({ ...body, input: opening })
        const results = output.flatMap((item) =>
          item.type === 'function_call'
            ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'Nothing.' }]
            : [],
        )
        const { serial = '' } = gateway.emulator.requests().at(-1) ?? {}
        expect(results).not.toEqual([])
        expect(output[0]).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) as string })
        const next = await client().responses.create({
          ...body,
          input: [...opening, ...toResponseInputItems(output), ...results],
        })
        expect(next.output_text).toContain('Countersign emulator')
        expect(signedIn(sent())).toEqual(given.map((place) => place.replace('*', serial)))
      }
    },
  )

  it('is not in an answer that did not ask for it', async () => {
    gateway.emulator.behave('anthropic', ['thinking,2'])
    const { output } = await client().responses.create(question('claude-opus-5'))
    expect(output.map(({ type }) => type)).toEqual(['message'])
  })
})

it('calls tools that take free text, and takes the calls back', async () => {
  const tools = [
    { type: 'namespace' as const, name: 'shell', description: '', tools: [{ type: 'custom' as const, name: 'exec' }] },
  ]
  const input = [{ role: 'user' as const, content: 'Use shell__exec.' }]
  for (const stream of [false, true]) {
    const body = { model: 'gpt-5.6-luna', input, tools, instructions: `Type: ${stream}` }
    const { output } = stream
      ? await client().responses.stream(body).finalResponse()
      : await client().responses.create(body)
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'exec', namespace: 'shell', input: 'emulator' }])
    const results = output.flatMap((item) =>
      item.type === 'custom_tool_call'
        ? [item, { type: 'custom_tool_call_output' as const, call_id: item.call_id, output: 'Done.' }]
        : [],
    )
    const next = await client().responses.create({ ...body, input: [...input, ...results] })
    expect(next.output_text).toContain('Countersign emulator')
  }
})

describe('a refusal', () => {
  const refuse = async (body: object, key?: string) => {
    const response = await post(body, key)
    const { error } = (await response.json()) as { error: { code: string; param?: string } }
    return [response.status, error.code, error.param]
  }

  it.each<[string, object, unknown[]]>([
    ['of no input', { input: undefined }, [400, 'missing_parameter', 'input']],
    ['of an unknown model', { model: 'gpt-2' }, [404, 'model_not_found', 'model']],
    [
      'of what would need a memory',
      { previous_response_id: 'resp_1' },
      [400, 'invalid_request', 'previous_response_id'],
    ],
    ['of what its model cannot do', { reasoning: { effort: 'low' } }, [400, 'invalid_request', 'reasoning.effort']],
    [
      'of a part',
      { input: [{ role: 'user', content: [{ type: 'x' }] }] },
      [400, 'invalid_request', 'input[0].content[0].type'],
    ],
  ])('%s names the member, and reaches nobody', async (_, more, refused) => {
    expect(await refuse({ ...question('gpt-4.1-mini'), ...more })).toEqual(refused)
    expect(gateway.emulator.requests()).toEqual([])
  })

  it('of a key, a limit, a tier and a loop is the chat’s own', async () => {
    expect(await refuse(question('gpt-4.1-mini'), `aqta_${'1'.repeat(89)}`)).toEqual([
      401,
      'invalid_api_key',
      undefined,
    ])
    const free = await gateway.createKey({ tier: 'free' })
    expect(await refuse(question('claude-opus-5'), free.key)).toEqual([403, 'model_not_allowed', 'model'])
    const poor = await gateway.createKey({ monthly_budget_eur: 0.000001 })
    expect(await refuse(question('gpt-4.1-mini'), poor.key)).toEqual([402, 'quota_exceeded', undefined])
    const slow = await gateway.createKey({}, { requests_per_minute: 1 })
    expect((await post(question('gpt-4.1-mini'), slow.key)).status).toBe(200)
    expect(await refuse(question('gpt-4.1-mini'), slow.key)).toEqual([429, 'rate_limit_exceeded', undefined])
    const looping = await gateway.createKey()
    const same = question('gpt-4.1-mini')
    for (let n = 0; n < 4; n++) expect((await post({ ...same, store: false }, looping.key)).status).toBe(200)
    expect(await refuse(same, looping.key)).toEqual([429, 'loop_detected', undefined])
  })

  it('may be read by a page of another origin, as every answer', async () => {
    const { status, headers } = await gateway.service.fetch('/v1/responses', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.test', 'access-control-request-method': 'POST' },
    })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(headers.get('access-control-allow-methods')).toContain('POST')
  })
})
