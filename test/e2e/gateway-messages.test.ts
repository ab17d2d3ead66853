// POST /v1/messages through the built Worker: at every provider, by every rule of a call, and with errors in Anthropic's shape.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MODEL_OF_EACH, sharedGateway, type Aqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'
import { parseEventStream } from '../../src/gateway/stream/event-writer.ts'

let gateway: Gateway
let pro: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  pro = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
})
beforeEach(() => gateway.emulator.reset())

type Sent = { key?: string | null; headers?: Record<string, string>; path?: string; text?: string }

const post = (body: object, { key = pro.key, headers = {}, path = '/v1/messages', text }: Sent = {}) =>
  gateway.service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }), ...headers },
    body: text ?? JSON.stringify(body),
  })

let asked = 0

/** A new question each time, because a repeated one counts as a loop. */
const question = (model: string, more: object = {}) => {
  asked += 1
  return { model, max_tokens: 256, messages: [{ role: 'user', content: `Question ${asked}` }], ...more }
}

type Message = {
  id: string
  model: string
  content: { type: string; text?: string; name?: string; input?: object; thinking?: string; signature?: string }[]
  stop_reason: string
  stop_sequence: string | null
  usage: { input_tokens: number; output_tokens: number }
  aqta: Aqta
}
type Event = {
  type: string
  message?: Message
  delta?: { type?: string; text?: string; stop_reason?: string }
  aqta?: Aqta
  error?: { type: string; code: string; message: string }
  request_id?: string
}

const answerTo = async (...sent: Parameters<typeof post>): Promise<Message> => {
  const response = await post(...sent)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return JSON.parse(text) as Message
}

async function eventsOf(response: Response): Promise<Event[]> {
  const events = parseEventStream(new Uint8Array(await response.arrayBuffer()))
  return events.flatMap(({ event, data }) => {
    if (data === null) return []
    const parsed = JSON.parse(data) as Event
    expect(event).toBe(parsed.type)
    return [parsed]
  })
}

const streamed = async (body: object, sent: Sent = {}): Promise<Event[]> =>
  eventsOf(await post({ ...body, stream: true }, sent))

const textOf = (events: readonly Event[]): string => events.map(({ delta }) => delta?.text ?? '').join('')

const sentBodies = (): string[] => gateway.emulator.requests().map(({ body }) => body)

const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  name,
  description: 'Looks.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}))

describe.each(MODEL_OF_EACH)('at %s', (provider, model, endpoint) => {
  it('answers in one piece and as a stream, alike', async () => {
    const body = question(model)
    const whole = await answerTo(body)
    expect(whole).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn', stop_sequence: null })
    expect(whole.aqta).toMatchObject({ provider, status: 'passed' })
    const events = await streamed(question(model))
    expect(events.map(({ type }) => type).filter((type) => type !== 'content_block_delta')).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(textOf(events)).toBe(whole.content[0]?.text)
    const [start, end] = [events[0]?.message, events.at(-2)]
    expect(end?.delta?.stop_reason).toBe('end_turn')
    expect(end?.aqta).toMatchObject({ provider, status: 'passed', cost_eur: whole.aqta.cost_eur })
    const { trace_id, attestation } = end?.aqta ?? {}
    expect(start?.aqta).toEqual({ trace_id, status: 'passed', attestation })
  })

  it('has calls of tools as blocks, one after another', async () => {
    gateway.emulator.behave(endpoint, ['tool-call,2'])
    const events = await streamed(question(model, { tools: TOOLS }))
    const blocks = events.filter(({ type }) => type === 'content_block_start' || type === 'content_block_stop')
    expect(blocks.length % 2).toBe(0)
    expect(blocks.map(({ type }) => type)).toEqual(
      blocks.map((_, at) => (at % 2 === 0 ? 'content_block_start' : 'content_block_stop')),
    )
    expect(events.at(-2)?.delta).toMatchObject({ stop_reason: 'tool_use' })
    gateway.emulator.behave(endpoint, ['tool-call'])
    const whole = await answerTo(question(model, { tools: TOOLS }))
    expect(whole.content.at(-1)).toMatchObject({
      type: 'tool_use',
      name: 'get_weather',
      input: expect.any(Object) as object,
    })
  })

  it('ends a stream that breaks with an error, and never with message_stop', async () => {
    for (const behaviour of ['cut', 'mid-error,3', 'malformed,3', 'truncate,4']) {
      gateway.emulator.behave(endpoint, [behaviour])
      const events = await streamed(question(model))
      expect([behaviour, events.at(-1)]).toMatchObject([
        behaviour,
        {
          type: 'error',
          error: { type: 'api_error', code: 'provider_error' },
          request_id: expect.stringMatching(/^req_/) as string,
        },
      ])
      expect(events.some(({ type }) => type === 'message_stop')).toBe(false)
    }
  })
})

describe('at Anthropic', () => {
  const AGENT = {
    system: [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }],
    thinking: { type: 'adaptive', display: 'summarized' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    metadata: { user_id: '{"session_id":"x"}' },
    tools: TOOLS,
  }
  const BETAS = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'never-heard-of-1' }

  it('the body arrives as it came, and the events go on as they come', async () => {
    const body = question('claude-opus-5', AGENT)
    const messages = [...body.messages, { role: 'system', content: 'It is noon.' }]
    const text = JSON.stringify({ ...body, messages, stream: true }).replace('"is noon', '"is \\u006eoon')
    gateway.emulator.behave('anthropic', ['thinking,2'])
    const response = await post({}, { text, headers: BETAS, path: '/v1/messages?beta=true' })
    expect(response.headers.get('x-aqta-dropped')).toBeNull()
    const events = await eventsOf(response)
    expect(events.at(-1)).toEqual({ type: 'message_stop' })
    const [sent] = gateway.emulator.requests()
    expect(sent).toMatchObject({ body: text, headers: BETAS, path: '/v1/messages' })
    expect(events.some(({ delta }) => delta?.type === 'signature_delta')).toBe(true)
  })

  it('a stream is passed on byte for byte but for what gains aqta', async () => {
    const response = await post({ ...question('claude-haiku-4-5'), stream: true })
    const raw = await response.text()
    // The emulator pads its events with blanks, as Anthropic does.
    expect(raw).toMatch(/"text_delta","text":"[^"]*"\} +\}\n\n/)
  })

  it('is refused where the caller wants nothing left out', async () => {
    const response = await post(question('gpt-4.1-mini', AGENT), { headers: { 'x-aqta-unsupported': 'refuse' } })
    expect(await response.json()).toMatchObject({ type: 'error', error: { details: { param: 'context_management' } } })
  })
})

describe('what a policy takes out of a message', () => {
  const PPS = '1234567FA'
  let key: GatewayKey

  beforeEach(async () => {
    key = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
  })

  const REDACT = { pii_scan: { default: 'redact' } }
  const noted = { type: 'ephemeral', ttl: '5m' }
  const conversation = () => ({
    ...question('claude-opus-5'),
    system: [{ type: 'text', text: `About PPS number ${PPS}.`, cache_control: noted }],
    tools: TOOLS,
    messages: [
      { role: 'user', content: [{ type: 'text', text: `PPS number ${PPS}, question ${(asked += 1)}` }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { b: 1, note: `PPS ${PPS}` } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: `PPS number ${PPS}` }],
            is_error: true,
          },
          {
            type: 'document',
            title: `PPS number ${PPS}`,
            source: { type: 'text', media_type: 'text/plain', data: `PPS number ${PPS}` },
          },
        ],
      },
    ],
  })

  it('is not sent, keeps its place in the body, and comes back', async () => {
    await gateway.putPolicy(key, REDACT)
    gateway.emulator.behave('anthropic', ['echo,5', 'echo,5'])
    const body = conversation()
    const whole = await answerTo(body, { key: key.key })
    const events = await streamed({ ...conversation() }, { key: key.key })
    expect(sentBodies().join('')).not.toContain(PPS)
    const [sent = ''] = sentBodies()
    expect(JSON.parse(sent)).toEqual(JSON.parse(JSON.stringify(body).replaceAll(PPS, '[PPS_NUMBER_1]')))
    expect(JSON.stringify(whole.content)).toContain(PPS)
    expect(textOf(events)).toContain(PPS)
  })

  it('is refused where nobody here knows what it means, and before it leaves', async () => {
    await gateway.putPolicy(key, REDACT)
    const [tool] = TOOLS
    const body = question('claude-opus-5', { tools: [{ ...tool, input_examples: [{ city: `PPS number ${PPS}` }] }] })
    const response = await post(body, { key: key.key })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'permission_error', code: 'policy_blocked', details: { policy: 'pii_scan' } },
      aqta: { status: 'blocked' },
    })
    expect(sentBodies()).toEqual([])
  })
})

describe('a call by Messages', () => {
  it('applies stops that the model has not, and says which one ended it', async () => {
    gateway.emulator.behave('openai', ['echo,4', 'echo,4'])
    const body = { ...question('gpt-6-luna'), stop_sequences: ['STOP'] }
    const messages = [{ role: 'user', content: `One ${asked} STOP two` }]
    const whole = await answerTo({ ...body, messages })
    expect(whole).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'STOP' })
    expect(whole.content[0]?.text).toBe(`One ${asked} `)
    const events = await streamed({ ...body, messages: [{ role: 'user', content: `Two ${asked} STOP two` }] })
    expect(events.at(-2)?.delta).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'STOP' })
  })

  it('is a loop with the same chat, and not with the tries of a client that was refused', async () => {
    const key = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
    const body = question('gpt-4.1-mini')
    const tries = ['a', 'b', 'c', 'd', 'e', 'f'].map((beta) => ({ 'anthropic-beta': beta }))
    for (const headers of tries) expect((await post(body, { key: key.key, headers })).status).toBe(200)
    const statuses: number[] = []
    for (let at = 0; at < 3; at++) {
      statuses.push((await post(body, { key: key.key })).status)
      statuses.push((await gateway.chat(key.key, { ...body, max_tokens: 256 })).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })

  it('is repeated with its first answer, and answered by the cache under its own id', async () => {
    const key = await gateway.createKey({ idempotent_replays: true }, { scopes: ['chat', 'manage'] })
    await gateway.putPolicy(key, { cache: { ttl_seconds: 60 } })
    const body = question('claude-haiku-4-5')
    const headers = { 'idempotency-key': 'once' }
    const first = await answerTo(body, { key: key.key, headers })
    const again = await answerTo(body, { key: key.key, headers })
    expect(again).toEqual(first)
    const cached = await answerTo(body, { key: key.key })
    expect(cached.aqta).toMatchObject({ cached: true, cost_eur: 0 })
    expect(cached.id).toBe(cached.aqta.trace_id.replace('tr_', 'msg_'))
    expect(cached.content).toEqual(first.content)
    const other = { key: key.key, headers: { 'anthropic-beta': 'another-1' } }
    expect((await answerTo(body, other)).aqta).toMatchObject({ cached: false })
    const repeat = { key: key.key, headers: { ...headers, ...other.headers } }
    expect((await post(body, repeat)).status).toBe(409)
  })
})

describe('an error', () => {
  const errorOf = async (response: Response) => {
    const requestId = response.headers.get('request-id')
    expect(requestId).toBe(response.headers.get('x-request-id'))
    const body = (await response.json()) as Event & { error: { details: { error_code: string } } }
    expect(body).toMatchObject({ type: 'error', request_id: requestId, error: { code: body.error.details.error_code } })
    return { status: response.status, retry: response.headers.get('x-should-retry'), ...body }
  }

  it.each([
    [
      'a member that is absent',
      {},
      {},
      400,
      { type: 'invalid_request_error', code: 'missing_parameter', details: { param: 'model' } },
    ],
    [
      'a member that is refused',
      question('claude-opus-5', { container: 'x' }),
      {},
      400,
      { details: { param: 'container' } },
    ],
    ['no key', question('gpt-4.1-mini'), { key: null }, 401, { type: 'authentication_error', code: 'invalid_api_key' }],
    ['an unknown model', question('no-such'), {}, 404, { type: 'not_found_error', details: { param: 'model' } }],
    ['no such address', {}, { path: '/v1/messages/batches' }, 404, { type: 'not_found_error', code: 'not_found' }],
    ['a body that is too large', {}, { text: 'x'.repeat(4_400_000) }, 413, { type: 'request_too_large' }],
    [
      'too much text',
      question('gpt-4.1-mini', {
        system: 'x'.repeat(999_999),
        messages: [{ role: 'user', content: 'y'.repeat(99_999) }],
      }),
      {},
      400,
      {
        type: 'invalid_request_error',
        code: 'payload_too_large',
        message: expect.stringMatching(/^prompt is too long: /) as string,
      },
    ],
  ])('of %s has the shape of Anthropic’s', async (_, body, sent, status, error) => {
    expect(await errorOf(await post(body, sent))).toMatchObject({ status, retry: 'false', error })
  })

  it('of a provider has the statuses that a client tells apart', async () => {
    gateway.emulator.behave('anthropic', ['529', '529', '529'])
    expect(await errorOf(await post(question('claude-haiku-4-5')))).toMatchObject({
      status: 529,
      error: { type: 'overloaded_error', code: 'service_unavailable' },
    })
    gateway.emulator.behave('anthropic', ['context'])
    expect(await errorOf(await post(question('claude-haiku-4-5')))).toMatchObject({
      status: 400,
      retry: 'false',
      error: { message: expect.stringMatching(/^prompt is too long: /) as string },
    })
  })

  it('is repeated in its own shape', async () => {
    const key = await gateway.createKey({ idempotent_replays: true })
    gateway.emulator.behave('anthropic', ['500'])
    const body = question('claude-haiku-4-5')
    const sent = { key: key.key, headers: { 'idempotency-key': 'failed' } }
    const first = await post(body, sent)
    const again = await post(body, sent)
    expect([again.status, await again.json()]).toEqual([first.status, await first.json()])
  })

  it('tells of two keys', async () => {
    const other = await gateway.createKey()
    const headers = { authorization: `Bearer ${other.key}` }
    expect(await errorOf(await post(question('gpt-4.1-mini'), { headers }))).toMatchObject({
      status: 401,
      error: { details: { param: 'x-api-key' } },
    })
    const same = { authorization: `Bearer ${pro.key}` }
    expect((await post(question('gpt-4.1-mini'), { headers: same })).status).toBe(200)
    const foreign = { authorization: 'Bearer sk-ant-api03-of-somebody-elses-service' }
    expect((await post(question('gpt-4.1-mini'), { headers: foreign })).status).toBe(200)
  })
})

describe('beside messages', () => {
  it('tokens are counted, many at once on the smallest tier, and nothing is sent', async () => {
    const key = await gateway.createKey({ tier: 'free' })
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'x'.repeat(300) }], tools: TOOLS }
    const path = '/messages/count_tokens?beta=true'
    const counts = await Promise.all(Array.from({ length: 28 }, () => post(body, { key: key.key, path })))
    expect(new Set(counts.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await counts[0]?.json()).toEqual({
      input_tokens: expect.toSatisfy((tokens: number) => tokens > 100) as number,
    })
    expect(sentBodies()).toEqual([])
    expect((await post(question('gpt-4.1-mini'), { key: key.key })).status).toBe(200)
  })

  it('models are listed in the shape that the header asks for', async () => {
    const list = async (query: string) => {
      const headers = { 'x-api-key': pro.key, 'anthropic-version': '2023-06-01' }
      return (await (await gateway.service.fetch(`/v1/models${query}`, { headers })).json()) as {
        data: { id: string; type: string }[]
        has_more: boolean
        last_id: string
      }
    }
    const all = await list('?limit=1000')
    expect(all).toMatchObject({
      has_more: false,
      data: expect.arrayContaining([expect.objectContaining({ type: 'model' })]) as unknown,
    })
    const first = await list('?limit=3')
    const second = await list(`?limit=1000&after_id=${first.last_id}`)
    expect([...first.data, ...second.data]).toEqual(all.data)
    expect(first.has_more).toBe(true)
    const chat = await gateway.service.fetch('/v1/models', { headers: { authorization: `Bearer ${pro.key}` } })
    expect(await chat.json()).toMatchObject({ object: 'list' })
  })
})
