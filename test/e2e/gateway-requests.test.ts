// Generated requests, from the schema and from beyond it: none is answered with a 500, what is refused reaches no
// provider, and what is accepted breaks none of its provider's rules.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedGateway, type Gateway } from '../support/e2e/gateway.ts'
import * as z from 'zod'
import type { RecordedRequest } from '../../scripts/emulator/request-recorder.ts'
import { MATERIAL } from '../fixtures/providers/index.ts'
import { endpointNamed } from '../../src/providers/provider-registry.ts'
import { runs } from '../support/runs.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await sharedGateway()
})

const MODELS = [
  'gpt-5.6-sol',
  'gpt-4.1-mini',
  'claude-opus-5',
  'claude-haiku-4-5',
  'gemini-3.8-flash',
  'gemini-3.5-flash-lite',
  'sonar-pro',
  'sonar',
]

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== '')
const text = { type: fc.constant('text'), text: word }
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } }
const textContent = fc.oneof(word, fc.array(fc.record(text), { minLength: 1, maxLength: 3 }))
const userContent = fc.oneof(
  { weight: 4, arbitrary: textContent },
  fc.record(text).map((part) => [part, IMAGE]),
)
const toolName = fc.constantFrom('look', 'leap', 'lift')
const schema = fc.constantFrom(
  { type: 'object', properties: {}, required: [], additionalProperties: false },
  {
    type: 'object',
    properties: { far: { type: 'boolean' } },
    required: ['far'],
    additionalProperties: false,
  },
)

const exchange = fc.oneof(
  fc.record({ role: fc.constant('user'), content: userContent }).map((message) => [message]),
  fc.record({ role: fc.constantFrom('system', 'developer'), content: textContent }).map((message) => [message]),
  fc.record({ role: fc.constant('assistant'), content: textContent }).map((message) => [message]),
  fc.record({ name: toolName, result: word }).map(({ name, result }) => [
    { role: 'assistant', content: null, function_call: { name, arguments: '{}' } },
    { role: 'function', name, content: result },
  ]),
  fc.record({ said: word, declined: word }).map(({ said, declined }) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: said, cache_control: { type: 'ephemeral' } },
        { type: 'refusal', refusal: declined },
      ],
      parsed: null,
      reasoning_content: said,
      provider_specific_fields: { refusal: null },
    },
  ]),
  fc
    .tuple(fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 3 }), toolName, word)
    .map(([ids, name, result]) => {
      const calls = ids.map((id, index) => ({
        id: `call_${id}`,
        type: 'function',
        index,
        function: { name, arguments: index === 0 ? '' : '{"far":true}', parsed_arguments: null },
      }))
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, name, content: result }))
      return [[{ role: 'assistant', content: null, tool_calls: calls }], results].flat()
    }),
)

/** Turns in any order, and a question at the end; ids of calls are used once. */
const messages = fc.tuple(fc.array(exchange, { maxLength: 4 }), word).map(([turns, question]) => {
  const seen = new Set<string>()
  const kept = turns.filter((turn) => {
    const ids = turn.flatMap((message) => ('tool_calls' in message ? message.tool_calls.map(({ id }) => id) : []))
    const isNew = ids.every((id) => !seen.has(id))
    for (const id of ids) seen.add(id)
    return isNew
  })
  return kept.flat().concat([{ role: 'user', content: question }])
})

const tools = fc.uniqueArray(toolName, { minLength: 1, maxLength: 3 }).chain((names) =>
  fc
    .record(
      {
        tools: fc.constant(
          names.map((name) => ({ type: 'function', function: { name, description: 'Does it.', parameters: schema } })),
        ),
        tool_choice: fc.constantFrom<unknown>('auto', 'none', 'required', {
          type: 'function',
          function: { name: names[0] },
        }),
        parallel_tool_calls: fc.boolean(),
      },
      { requiredKeys: ['tools'] },
    )
    .chain((given) =>
      schema.map((parameters) => ({
        ...given,
        tools: given.tools.map((tool) => ({ ...tool, function: { ...tool.function, parameters } })),
      })),
    ),
)

const extras = fc.record({
  temperature: fc.constantFrom(0, 0.5, 1, 2),
  top_p: fc.constantFrom(0.1, 1),
  max_tokens: fc.constantFrom(16, 500),
  stop: fc.oneof(fc.constantFrom('END', 'STOP'), fc.constant(['a', 'b'])),
  n: fc.constantFrom(1, 2),
  seed: fc.integer({ min: 0, max: 1000 }),
  user: fc.constant('u-1'),
  frequency_penalty: fc.constantFrom(0, 0.5),
  logprobs: fc.boolean(),
  reasoning_effort: fc.constantFrom('none', 'low', 'high'),
  verbosity: fc.constantFrom('low', 'medium'),
  store: fc.constant(false),
  metadata: fc.constant({}),
  logit_bias: fc.constant({}),
  modalities: fc.constant(['text']),
  service_tier: fc.constantFrom('auto', 'default'),
  web_search_options: fc.constant({ search_context_size: 'low' }),
  response_format: fc.oneof(
    fc.constant({ type: 'text' }),
    schema.map((given) => ({ type: 'json_schema', json_schema: { name: 'reply', schema: given, strict: true } })),
  ),
})

/** The wider the choice of members, the likelier that a model refuses one: so two of them at most. */
const someExtras = extras.chain((all) =>
  fc.subarray(Object.entries(all), { maxLength: 2 }).map((entries) => Object.fromEntries(entries)),
)

const good = fc
  .tuple(
    fc.record({ model: fc.constantFrom(...MODELS), messages, stream: fc.boolean() }),
    someExtras,
    fc.option(tools, { nil: {}, freq: 2 }),
  )
  .map((parts): Record<string, unknown> => Object.assign({}, ...parts))

/** A good request with one member replaced by anything, added, or taken away. */
const bad = fc
  .tuple(
    good,
    fc.oneof(fc.constantFrom('model', 'messages', 'stream', 'tools', 'temperature', 'stop', 'n'), word),
    fc.option(fc.jsonValue(), { nil: undefined }),
  )
  .map(([request, name, value]): Record<string, unknown> => Object.assign({}, request, { [name]: value }))

const NUM_RUNS = runs(60)

async function send(key: string, body: unknown) {
  gateway.emulator.reset()
  const response = await gateway.chat(key, body)
  const answer = await response.text()
  await gateway.emulator.idle()
  const sent = gateway.emulator.requests()
  expect(sent.flatMap(brokenRules), JSON.stringify(body)).toEqual([])
  return { status: response.status, answer, reached: sent.length }
}

describe('generated requests', () => {
  it('are answered, or refused by name: whatever is accepted keeps to the rules of its provider', async () => {
    const { key } = await gateway.createKey()
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(good, async (body) => {
        const { status, answer, reached } = await send(key, body)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        expect([200, 400, 429], `${JSON.stringify(body)} ${answer}`).toContain(status)
        expect(reached).toBe(status === 200 ? 1 : 0)
        if (status === 400)
          expect((JSON.parse(answer) as { error: { param?: string } }).error.param, answer).toBeTypeOf('string')
      }),
      { numRuns: NUM_RUNS },
    )
    expect(statuses.get(200)).toBeGreaterThan(NUM_RUNS / 4)
  })

  it('with something wrong in them are refused and reach nobody, or are not wrong', async () => {
    const { key } = await gateway.createKey()
    await fc.assert(
      fc.asyncProperty(bad, async (body) => {
        const { status, answer, reached } = await send(key, body)
        expect([200, 400, 404, 429], `${JSON.stringify(body)} ${answer}`).toContain(status)
        expect(reached).toBe(status === 200 ? 1 : 0)
      }),
      { numRuns: NUM_RUNS },
    )
  })

  it('that are any JSON at all are refused and reach nobody', async () => {
    const { key } = await gateway.createKey()
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        const { status, reached } = await send(key, body)
        expect([status, reached]).toEqual([400, 0])
      }),
      { numRuns: NUM_RUNS },
    )
  })
})

describe('functions, the older form of tools', () => {
  const functions = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]
  const first = { role: 'user', content: 'Use look.' }
  type Answer = { choices: { message: { function_call?: { name: string } }; finish_reason: string }[] }

  it.each([
    ['gpt-4.1-mini', { name: 'look' }],
    ['claude-haiku-4-5', { name: 'look' }],
    ['gemini-3.8-flash', { name: 'look' }],
    ['sonar-pro', 'auto'],
  ])('are called and answered: %s', async (model, chosen) => {
    const { key } = await gateway.createKey()
    const asked = await gateway.chat(key, { model, messages: [first], functions, function_call: chosen })
    const [choice] = ((await asked.json()) as Answer).choices
    expect(choice).toMatchObject({ finish_reason: 'function_call', message: { function_call: { name: 'look' } } })
    const result = { role: 'function', name: 'look', content: 'Nothing.' }
    const answered = await gateway.chat(key, { model, messages: [first, choice?.message, result], functions })
    expect(((await answered.json()) as Answer).choices[0]).toMatchObject({ finish_reason: 'stop' })
  })
})

/** Every rule of its provider that a recorded request breaks. */
function brokenRules({ endpoint, body }: RecordedRequest): string[] {
  const { members, broken } = MATERIAL[endpointNamed(endpoint).provider].rules
  const value: unknown = JSON.parse(body)
  const known = new Set(members.split(' '))
  const alien = Object.keys(z.looseObject({}).parse(value)).filter((name) => !known.has(name))
  return [...alien.map((name) => `unknown member ${name}`), ...broken(value)]
}
