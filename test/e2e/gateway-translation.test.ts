// Tests what clients ask of every model: generated schemas, loops of a thinking model, files, cached prompts.
// test/unit/providers tests what each provider receives of them.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { parseJsonObject } from '../../src/providers/lossless-json.ts'
import { modelNamed } from '../fixtures/providers/models.ts'
import { ask, signedIn, sharedGateway, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

type ToolCall = { id: string; function: { name: string; arguments: string } }
type Message = { role: string; content: string | null; tool_calls?: ToolCall[] }
type Completion = { choices: { message: Message; finish_reason: string }[] }

const MODELS = catalogueModels().filter(({ gateway: isOffered }) => isOffered)
const of = (...providers: string[]) => MODELS.filter(({ provider }) => providers.includes(provider)).map(({ id }) => id)

let gateway: Gateway
let key: GatewayKey

beforeAll(async () => {
  gateway = await sharedGateway()
  key = await gateway.createKey()
})
beforeEach(() => gateway.emulator.reset())

async function complete(body: object): Promise<Completion['choices'][number]> {
  const response = await gateway.chat(key.key, body)
  expect(response.status, await response.clone().text()).toBe(200)
  const [choice] = ((await response.json()) as Completion).choices
  if (choice === undefined) throw new Error('no choice')
  return choice
}

const user = (content: unknown) => ({ role: 'user', content })
const look = (parameters: object, more: object = {}) => ({
  type: 'function',
  function: { name: 'look_left', parameters, ...more },
})

/** As pydantic and zod write them: open objects, bounds, patterns, defaults, definitions with descriptions beside references. */
const GENERATED = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Referral',
  type: 'object',
  properties: {
    urgent: { type: 'boolean', default: false },
    age: { type: 'integer', minimum: 0, exclusiveMaximum: 130 },
    code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2 },
    clinic: { $ref: '#/$defs/Clinic', description: 'Where to' },
    notes: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] }, maxItems: 3 },
  },
  required: ['urgent', 'age', 'code', 'clinic', 'notes'],
  $defs: { Clinic: { type: 'object', properties: { name: { type: 'string', format: 'name' } }, required: ['name'] } },
}

describe.each(of('anthropic', 'google'))('%s takes a schema as generators write it', (model) => {
  it('for an answer', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'referral', schema: GENERATED } }
    const { message } = await complete(ask(model, { response_format: format }))
    expect(JSON.parse(message.content ?? '')).toMatchObject({ clinic: { name: expect.any(String) as string } })
  })

  it.each([true, false])('for a tool that is strict: %s', async (strict) => {
    const body = { messages: [user('Use look_left.')], tools: [look(GENERATED, { strict })], tool_choice: 'required' }
    const { message } = await complete(ask(model, body))
    expect(JSON.parse(message.tool_calls?.[0]?.function.arguments ?? '')).toHaveProperty('clinic.name')
  })
})

describe.each(['claude-opus-5', 'claude-sonnet-5', 'gemini-3.8-flash', 'gemini-3.5-flash-lite'])('%s', (model) => {
  const { provider, endpoint } = modelNamed(model)
  const tools = [look({ type: 'object', properties: {} })]
  const answerTo = (message: Message, content: unknown = 'Nothing.') =>
    (message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content }))

  it('goes on from what it thought before a call, and before an answer', async () => {
    gateway.emulator.behave(endpoint, ['thinking,2', 'thinking', 'thinking'])
    const asked = [user('Use look_left.')]
    const { message } = await complete(ask(model, { messages: asked, tools }))
    expect(JSON.stringify(message)).toContain('signature')
    const second = [...asked, message, ...answerTo(message)]
    const { message: answer } = await complete(ask(model, { messages: second, tools }))
    const third = [...second, answer, user('Thank you.')]
    expect((await complete(ask(model, { messages: third, tools }))).finish_reason).toBe('stop')
    const given =
      provider === 'google' ? ['call 000001-0-0', 'text'] : ['thought 000001.0', 'thought 000001.1', 'thought 000002.0']
    expect(signedIn(gateway.emulator.requests().at(-1)?.body ?? '')).toEqual(given)
  })

  it('goes on from a call that it was made to make, and from a result that has a reference', async () => {
    const messages = [user('Hello')]
    const forced = { type: 'function', function: { name: 'look_left' } }
    const { message } = await complete(ask(model, { messages, tools, tool_choice: forced }))
    gateway.emulator.behave(endpoint, ['thinking'])
    const result = '{"schema":{"$ref":"#/$defs/Clinic"}}'
    const next = ask(model, { messages: [...messages, message, ...answerTo(message, result)], tools })
    expect((await complete(next)).finish_reason).toBe('stop')
  })

  it('reads pictures and files that the caller sends, and that a tool answers with', async () => {
    const parts = [
      { type: 'text', text: 'See look_left.' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'letter.pdf' } },
      { type: 'file', file: { file_data: 'data:text/markdown;base64,aGk=', filename: 'notes.md' } },
    ]
    const { message } = await complete(ask(model, { messages: [user(parts)], tools }))
    const messages = [user(parts), message, ...answerTo(message, parts)]
    expect((await complete(ask(model, { messages, tools }))).finish_reason).toBe('stop')
  })
})

describe('a prompt that is kept', () => {
  const system = (more: object = {}) => ({
    role: 'system',
    content: [{ type: 'text', text: 'Answer in one sentence. '.repeat(400), ...more }],
  })
  const atLeast = (least: number) => expect.toSatisfy((tokens) => tokens >= least) as number

  /** Makes a call, and returns its usage and its cost in micro-euro. */
  async function settled({ key: secret, organisationId }: GatewayKey, body: object, count: number) {
    expect((await gateway.chat(secret, body)).status).toBe(200)
    const settlement = (await gateway.settlements(organisationId, count)).at(-1)
    return { usage: settlement?.usage ?? {}, cost: settlement?.cost_microeur ?? 0 }
  }

  it('for an hour, because the caller marks it, costs more to write and less to read', async () => {
    const own = await gateway.createKey()
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const body = (more: object) => ask('claude-sonnet-5', { messages: [system(more), user('Hello')] })
    const plain = await settled(own, body({}), 1)
    const written = await settled(own, body(hour), 2)
    const read = await settled(own, body(hour), 3)
    expect(written.usage).toMatchObject({ cache_write: 0, cache_write_hour: atLeast(1024) })
    expect(read.usage).toMatchObject({ cache_read: written.usage['cache_write_hour'], cache_write_hour: 0 })
    expect(written.cost / plain.cost).toBeGreaterThan(1.7)
    expect(read.cost / plain.cost).toBeLessThan(0.3)
  })

  it('for minutes, because its organisation wants that, and not when it no longer does', async () => {
    const own = await gateway.createKey({ cache_instructions: true })
    const body = ask('claude-sonnet-5', { messages: [system(), user('Hello')] })
    const written = await settled(own, body, 1)
    const read = await settled(own, body, 2)
    expect(written.usage).toMatchObject({ cache_read: 0, cache_write: atLeast(1024), cache_write_hour: 0 })
    expect(read.usage).toMatchObject({ cache_read: written.usage['cache_write'], cache_write: 0 })
    expect(read.cost).toBeLessThan(written.cost / 4)
    await gateway.service.operate('PATCH', `/organisations/${own.organisationId}`, { cache_instructions: false })
    expect((await settled(own, body, 3)).usage).toMatchObject({ cache_read: 0, cache_write: 0 })
  })
})

it('a key for the cache is one of the organisation’s own, and tells neither', async () => {
  const [first, second] = [await gateway.createKey(), await gateway.createKey()]
  async function sentFor(asking: GatewayKey, cacheKey: string): Promise<unknown> {
    const response = await gateway.chat(asking.key, ask('gpt-4.1-mini', { prompt_cache_key: cacheKey }))
    expect(response.status).toBe(200)
    await response.text()
    return parseJsonObject(gateway.emulator.requests().at(-1)?.body ?? '')?.['prompt_cache_key']
  }
  const sent = [
    await sentFor(first, 'a'),
    await sentFor(first, 'a'),
    await sentFor(first, 'b'),
    await sentFor(second, 'a'),
  ]
  expect(sent).toEqual(sent.map(() => expect.stringMatching(/^[0-9a-f]{64}$/) as string))
  expect(sent[1]).toBe(sent[0])
  expect(new Set(sent).size).toBe(3)
})
