// Faults other gateways have had, one test each, named after what must not happen. Those of streams, usage, tools and
// errors are beside their features in the other gateway tests.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { modelNamed } from '../fixtures/providers/models.ts'
import { postJson } from '../support/e2e/deployment.ts'
import {
  answered,
  ask,
  MODEL_OF_EACH,
  readEvents,
  sharedGateway,
  type Aqta,
  type Gateway,
} from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(() => gateway.emulator.reset())

const reached = () => gateway.emulator.requests().length

describe('limits', () => {
  it('are not passed many times over by calls made at once (checked first, counted later)', async () => {
    const { key } = await gateway.createKey({}, { requests_per_minute: 3 })
    const answers = await Promise.all(Array.from({ length: 15 }, () => gateway.chat(key, ask('gpt-4.1-mini'))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12)
    expect(reached()).toBe(3)
  })

  it('of money are not overspent by calls made at once: each holds the most it can cost until it is settled', async () => {
    // 1,000 output tokens at 1.6 dollars a million, at 0.90 euro: 1,440 micro-euro, and a little for the input.
    const { key, organisationId } = await gateway.createKey({ monthly_budget_eur: 0.005 })
    gateway.emulator.behave(
      'openai',
      Array.from({ length: 10 }, () => 'until-released'),
    )
    const asked = Array.from({ length: 10 }, () => gateway.chat(key, ask('gpt-4.1-mini', { max_tokens: 1000 })))
    await answered(7, asked)
    gateway.emulator.release()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 402)).toHaveLength(7)
    expect(reached()).toBe(3)
    await gateway.settlements(organisationId, 3)
    expect((await gateway.chat(key, ask('gpt-4.1-mini', { max_tokens: 1000 }))).status).toBe(200)
  })

  it('of money are not escaped by asking for no limit of tokens', async () => {
    const { key } = await gateway.createKey({ monthly_budget_eur: 0.005 })
    expect((await gateway.chat(key, ask('gpt-4.1-mini'))).status).toBe(402)
    expect(reached()).toBe(0)
  })
})

describe('addresses', () => {
  it.each(['../../v1/files', 'x#@169.254.169.254/', 'gpt-4.1-mini?key=1', 'gpt-4.1-mini--500', 'https://evil.test/'])(
    'cannot be chosen by a model’s name: %s',
    async (model) => {
      const { key } = await gateway.createKey()
      expect((await gateway.chat(key, ask(model))).status).toBe(404)
      expect(reached()).toBe(0)
    },
  )

  it('of images are passed on and never fetched from here', async () => {
    const { key } = await gateway.createKey()
    const url = `${gateway.emulator.url.replace('http:', 'https:')}/openai/picture.png`
    const content = [{ type: 'image_url', image_url: { url } }]
    expect((await gateway.chat(key, ask('gpt-4.1-mini', { messages: [{ role: 'user', content }] }))).status).toBe(200)
    expect(gateway.emulator.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions'])
  })

  it('and headers of the caller do not reach a provider: only what the adapter sets', async () => {
    const { key } = await gateway.createKey()
    const headers = {
      'x-emulator-behaviour': '500',
      cookie: 'a=b',
      'x-forwarded-host': 'evil.test',
      'openai-project': 'p',
    }
    expect((await gateway.chat(key, ask('gpt-4.1-mini'), { headers })).status).toBe(200)
    const [request] = gateway.emulator.requests()
    for (const name of [...Object.keys(headers), 'x-request-id']) expect(request?.headers).not.toHaveProperty(name)
    expect(JSON.stringify(request)).not.toContain(key)
  })
})

describe('keys', () => {
  it.each(["' OR 1=1 --", "aqta_'; DROP TABLE keys; --", 'aqta_%00', `aqta_${'x'.repeat(5000)}`])(
    'are not a way into a database: %s',
    async (bearer) => {
      expect((await gateway.chat(bearer, ask('gpt-4.1-mini'))).status).toBe(401)
    },
  )
})

describe('usage', () => {
  it('of Anthropic’s cache is neither billed twice nor left out', async () => {
    const { key } = await gateway.createKey()
    const messages = [{ role: 'user', content: 'The same long beginning. '.repeat(40) }]
    const cost = async (behaviour: string) => {
      gateway.emulator.behave('anthropic', [behaviour])
      const answer = await gateway.chat(key, ask('claude-haiku-4-5', { messages }))
      return (await answer.json()) as { usage: { prompt_tokens: number }; aqta: Aqta }
    }
    const [plain, read, written] = [await cost('ok'), await cost('cached,200'), await cost('cache-write,200')]
    expect(new Set([plain, read, written].map(({ usage }) => usage.prompt_tokens)).size).toBe(1)
    // 200 tokens at 1 dollar a million; from the cache at 0.1, into it at 1.25; at 0.90 euro.
    expect(plain.aqta.cost_eur - read.aqta.cost_eur).toBeCloseTo(0.000162, 6)
    expect(written.aqta.cost_eur - plain.aqta.cost_eur).toBeCloseTo(0.000045, 6)
  })
})

describe('a stream', () => {
  it.each([
    ['openai', 'gpt-4.1-mini'],
    ['google', 'gemini-3.8-flash'],
  ] as const)('of %s with nothing in it is not taken for a success', async (provider, model) => {
    const { key } = await gateway.createKey()
    gateway.emulator.behave(provider, ['empty-choices'])
    const { chunks, done } = await readEvents(await gateway.chat(key, ask(model, { stream: true })))
    expect(done).toBe(false)
    expect(chunks.at(-1)?.error).toMatchObject({ code: 'provider_error' })
  })

  it('of one huge event comes through whole', async () => {
    const { key } = await gateway.createKey()
    // As much as any model of the catalogue may write.
    gateway.emulator.behave('openai', ['huge,512000'])
    const asked = ask('gpt-5.6-luna', { stream: true, max_completion_tokens: 128_000 })
    const { text, done } = await readEvents(await gateway.chat(key, asked))
    expect([text.length, done]).toEqual([512_000, true])
  })

  it('of four million characters comes through whole, as does such an answer in one piece', async () => {
    const { key } = await gateway.createKey()
    // Chunks that are passed on, events that are translated, and a last event that has the whole answer again.
    for (const [endpoint, model] of [
      ['openai', 'gpt-4.1-mini'],
      ['anthropic', 'claude-haiku-4-5'],
      ['perplexity', 'sonar-pro'],
    ] as const) {
      gateway.emulator.behave(endpoint, ['big', 'big'])
      const whole = (await (await gateway.chat(key, ask(model))).json()) as {
        choices: { message: { content: string } }[]
      }
      expect([model, whole.choices[0]?.message.content.length]).toEqual([model, 4_000_000])
      const { text, done } = await readEvents(await gateway.chat(key, ask(model, { stream: true })))
      expect([model, text.length, done]).toEqual([model, 4_000_000, true])
    }
  })

  it('that comes in one piece, and for which there is no memory, is refused as documented', async () => {
    const { key } = await gateway.createKey()
    gateway.emulator.behave('openai', ['big,9000000'])
    const answer = await gateway.chat(key, ask('gpt-4.1-mini'))
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([503, 'false'])
    expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } })
  })
})

describe('odd answers', () => {
  type Piece = { id?: string; function?: { name?: string; arguments?: string } }
  type StandardUsage = { prompt_tokens: number; completion_tokens: number; total_tokens: number }
  type Chunk = Awaited<ReturnType<typeof readEvents>>['chunks'][number]
  type Whole = { choices: { message: { tool_calls?: Piece[] } }[]; usage?: StandardUsage; aqta?: Aqta }

  /** The answer in one piece, and the chunks of it streamed. */
  async function both(
    key: string,
    behaviour: string,
    body: { model: string; tools?: object[] },
  ): Promise<[Whole, Chunk[]]> {
    for (const [, model, endpoint] of MODEL_OF_EACH) {
      if (model === body.model) gateway.emulator.behave(endpoint, [behaviour, behaviour])
    }
    const whole = (await (await gateway.chat(key, body)).json()) as Whole
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } }
    const { chunks, done } = await readEvents(await gateway.chat(key, streamed))
    expect(done).toBe(true)
    return [whole, chunks]
  }

  it('an answer whose usage cannot be read is answered, with estimates, whole and streamed', async () => {
    const { key } = await gateway.createKey()
    for (const [provider, model] of MODEL_OF_EACH) {
      // Only Perplexity has costs in its usage.
      for (const behaviour of provider === 'perplexity' ? ['odd-usage', 'odd-usage,cost'] : ['odd-usage']) {
        const [whole, chunks] = await both(key, behaviour, ask(model))
        for (const { usage, aqta } of [whole, chunks.at(-1)].flatMap((odd) => odd ?? [])) {
          expect(usage?.total_tokens).toEqual(expect.any(Number))
          expect(aqta).toMatchObject({ status: 'passed', cost_estimated: true })
        }
      }
    }
  })

  it.each([
    ['odd-usage,no-input', 'completion_tokens'],
    ['odd-usage,no-output', 'prompt_tokens'],
  ] as const)('usage in part is used in part, whole and streamed: %s', async (behaviour, reported) => {
    const { key } = await gateway.createKey()
    for (const [, model] of MODEL_OF_EACH) {
      const [plain] = await both(key, 'ok', ask(model))
      const [whole, chunks] = await both(key, behaviour, ask(model))
      for (const { usage: sent, aqta } of [whole, chunks.at(-1)].flatMap((odd) => odd ?? [])) {
        const usage = sent as StandardUsage | undefined
        expect(usage?.[reported]).toBe(plain.usage?.[reported])
        expect(usage?.prompt_tokens).toBeGreaterThan(0)
        expect(usage?.completion_tokens).toBeGreaterThan(0)
        expect(aqta).toMatchObject({ status: 'passed', cost_estimated: true })
      }
    }
  })

  const parameters = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }
  const tools = [{ type: 'function', function: { name: 'look', parameters } }]
  const calledBy = ([{ choices }, chunks]: [Whole, Chunk[]]): string[] => [
    choices[0]?.message.tool_calls?.map((call) => call.function?.arguments).join('') ?? '',
    chunks
      .flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      .map((piece) => piece.function?.arguments ?? '')
      .join(''),
  ]

  it('a call without arguments has none, whole and streamed', async () => {
    const { key } = await gateway.createKey()
    for (const [, model] of MODEL_OF_EACH) {
      const answers = await both(key, 'tool-call+no-arguments', { ...ask(model), tools })
      expect(calledBy(answers)).toEqual(['{}', '{}'])
    }
  })

  it('a call without an id gets one, whole and streamed', async () => {
    const { key } = await gateway.createKey()
    for (const [, model] of MODEL_OF_EACH) {
      const [{ choices }, chunks] = await both(key, 'tool-call,2+no-call-ids', { ...ask(model), tools })
      const whole = choices[0]?.message.tool_calls ?? []
      const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      for (const calls of [whole, pieces]) {
        expect(calls.flatMap(({ id }) => id ?? []).map((id) => /_\d+$/.exec(id)?.[0])).toEqual(['_0', '_1'])
      }
    }
  })

  it('arguments that Gemini streams in pieces are those that it sends at once', async () => {
    const { key } = await gateway.createKey()
    const [whole, streamed] = calledBy(
      await both(key, 'tool-call+partial-args,2', { ...ask('gemini-3.8-flash'), tools }),
    )
    expect(JSON.parse(streamed ?? '')).toEqual(JSON.parse(whole ?? ''))
    expect(whole).toContain('"at"')
  })
})

describe('a conversation that ends with the assistant', () => {
  const ADDED = 'x-aqta-added'
  const parameters = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"left"}' } }
  const body = (model: string, more: object = {}) => ({
    model,
    messages: [
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Left.' },
      { role: 'assistant', content: 'Left.' },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema: parameters, strict: true } },
    ...more,
  })

  it('gets a structured answer at every provider that refuses it, and the answer names what was added', async () => {
    const { key } = await gateway.createKey()
    for (const [provider, model] of [...MODEL_OF_EACH, ['anthropic', 'claude-sonnet-5']] as const) {
      const isAdded = ['anthropic', 'google', 'mistral'].includes(provider)
      const whole = await gateway.chat(key, body(model))
      expect([whole.status, whole.headers.get(ADDED)]).toEqual([200, isAdded ? 'messages' : null])
      const { choices } = (await whole.json()) as { choices: { message: { content: string } }[] }
      expect(JSON.parse(choices[0]?.message.content ?? '')).toHaveProperty('at')
      const streamed = await gateway.chat(key, body(model, { stream: true }))
      expect([streamed.headers.get(ADDED), (await readEvents(streamed)).done]).toEqual([whole.headers.get(ADDED), true])
    }
  })

  it('is named beside what was dropped, and is refused where the caller or the organisation would rather have that', async () => {
    const { key } = await gateway.createKey()
    const answer = await gateway.chat(key, body('claude-sonnet-5', { temperature: 0.1 }))
    expect([answer.headers.get(ADDED), answer.headers.get('x-aqta-dropped')]).toEqual(['messages', 'temperature'])
    expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain(ADDED)
    const { key: strict } = await gateway.createKey({ unsupported: 'refuse' })
    const init = withHeaders(postJson(key, body('claude-sonnet-5')), { 'x-aqta-unsupported': 'refuse' })
    for (const refused of [
      await gateway.service.fetch('/v1/chat/completions', init),
      await gateway.chat(strict, body('claude-sonnet-5')),
    ]) {
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request', param: 'messages' } })
    }
  })

  it('is sent as it is to a model that goes on with it', async () => {
    const { key } = await gateway.createKey()
    const answer = await gateway.chat(key, body('claude-haiku-4-5', { response_format: undefined }))
    expect([answer.status, answer.headers.get(ADDED)]).toEqual([200, null])
    expect(gateway.emulator.requests().at(-1)?.body).not.toContain('Continue.')
  })
})

describe('parameters that a model does not take', () => {
  const claude = (more: object) => ask('claude-sonnet-5', { temperature: 0.1, seed: 7, ...more })
  const DROPPED = 'x-aqta-dropped'
  const sent = () => JSON.parse(gateway.emulator.requests().at(-1)?.body ?? '{}') as object
  const respond = (key: string, body: object, headers: Record<string, string> = {}) =>
    gateway.service.fetch('/v1/responses', withHeaders(postJson(key, body), headers))

  it('are not dropped in silence: the answer names them, whole and streamed, in both formats', async () => {
    const { key } = await gateway.createKey()
    const whole = await gateway.chat(key, claude({}))
    expect([whole.status, whole.headers.get(DROPPED)]).toEqual([200, 'temperature, seed'])
    expect(sent()).not.toHaveProperty('temperature')
    const streamed = await gateway.chat(key, claude({ stream: true }))
    expect([streamed.headers.get(DROPPED), (await readEvents(streamed)).done]).toEqual(['temperature, seed', true])
    const body = {
      model: 'claude-sonnet-5',
      input: 'Hello',
      temperature: 0.1,
      top_p: 0.5,
      max_output_tokens: 10_000_000,
    }
    const response = await respond(key, body)
    expect(response.headers.get(DROPPED)).toBe('temperature, top_p, max_output_tokens')
    const { maxOutputTokens } = modelNamed('claude-sonnet-5').limits
    expect(await response.json()).toMatchObject({ temperature: 1, top_p: 1, max_output_tokens: maxOutputTokens })
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining([DROPPED, 'idempotency-replayed', 'x-aqta-trace-id']))
    const plain = await gateway.chat(key, ask('gpt-4.1-mini', { temperature: 0.1, seed: 7 }))
    expect([plain.headers.has(DROPPED), sent()]).toMatchObject([false, { temperature: 0.1, seed: 7 }])
  })

  it('are named by an error of the provider too, and by an answer that is given again', async () => {
    const { key } = await gateway.createKey({ idempotent_replays: true })
    gateway.emulator.behave('anthropic', ['500'])
    const failed = await gateway.chat(key, claude({}))
    expect([failed.status, failed.headers.get(DROPPED)]).toEqual([502, 'temperature, seed'])
    const headers = { 'idempotency-key': 'once' }
    const body = claude({ model: 'anthropic/claude-sonnet-5' })
    await (await gateway.chat(key, body, { headers })).text()
    const again = await answeredAgain(() => gateway.chat(key, body, { headers }))
    expect(['idempotency-replayed', DROPPED, 'x-aqta-model'].map((name) => again.headers.get(name))).toEqual([
      'true',
      'temperature, seed',
      'claude-sonnet-5',
    ])
    const other = await gateway.chat(key, { ...body, temperature: 0.2 }, { headers })
    expect([other.status, ((await other.json()) as Failed).error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it.each([
    ['X-Aqta-Unsupported', 'refuse'],
    ['x-aqta-unsupported', ' Refuse '],
  ])('are refused by name where the request asks for that (%s: %s)', async (name, value) => {
    const { key } = await gateway.createKey()
    const before = reached()
    for (const response of [
      await gateway.chat(key, claude({}), { headers: { [name]: value } }),
      await respond(key, { model: 'claude-sonnet-5', input: 'Hi', temperature: 0.1 }, { [name]: value }),
    ]) {
      const { error } = (await response.json()) as Failed
      expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', 'temperature'])
      expect(response.headers.has(DROPPED)).toBe(false)
    }
    expect(
      (await gateway.chat(key, ask('gpt-4.1-mini', { temperature: 0.1 }), { headers: { [name]: value } })).status,
    ).toBe(200)
    expect(reached()).toBe(before + 1)
  })

  it('are refused where the organisation wants that, whatever the request says', async () => {
    const { key, organisationId } = await gateway.createKey()
    const change = (unsupported: string) =>
      gateway.service.operate<{ unsupported: string }>('PATCH', `/organisations/${organisationId}`, { unsupported })
    expect((await change('refuse')).unsupported).toBe('refuse')
    for (const headers of [{}, { 'x-aqta-unsupported': 'drop' }]) {
      const response = await gateway.chat(key, claude({}), { headers })
      const { error } = (await response.json()) as Failed
      expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', 'temperature'])
      expect(response.headers.get('x-ratelimit-remaining')).not.toBeNull()
    }
    expect(reached()).toBe(0)
    await change('drop')
    expect((await gateway.chat(key, claude({}))).status).toBe(200)
  })

  it('an unknown word for what becomes of them is refused with those that are known', async () => {
    const { key } = await gateway.createKey()
    for (const word of ['ignore', '', 'refuse, drop']) {
      const response = await gateway.chat(key, ask('gpt-4.1-mini'), { headers: { 'x-aqta-unsupported': word } })
      const { error } = (await response.json()) as Failed
      expect([response.status, error.param, error.message]).toEqual([
        400,
        'x-aqta-unsupported',
        'The header x-aqta-unsupported has a wrong value. Send one of drop, refuse.',
      ])
    }
  })

  it('do not hide a loop: a request that differs in them alone is the same one', async () => {
    const { key } = await gateway.createKey()
    const statuses: number[] = []
    for (let n = 0; n < 5; n += 1) {
      const content = n % 2 === 0 ? 'Hello' : [{ type: 'text', text: 'Hello' }]
      const messages = [{ role: 'user', content }]
      statuses.push((await gateway.chat(key, claude({ messages, temperature: n / 10, n: 1 }))).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('labels are taken and not sent on', async () => {
    const { key } = await gateway.createKey()
    const metadata = { run: 'label-of-the-caller' }
    expect((await gateway.chat(key, ask('gpt-4.1-mini', { metadata }))).status).toBe(200)
    expect((await respond(key, { model: 'gpt-4.1-mini', input: 'Hello', metadata })).status).toBe(200)
    expect(JSON.stringify(gateway.emulator.requests())).not.toContain('label-of-the-caller')
  })
})

type Failed = { error: { code: string; message: string; param?: string } }

const withHeaders = (init: RequestInit, headers: Record<string, string>): RequestInit => ({
  ...init,
  headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
})

/** Resolves when the first call is settled. */
const answeredAgain = (call: () => Promise<Response>): Promise<Response> =>
  until('the answer is replayed', call, ({ status }) => status === 200)
