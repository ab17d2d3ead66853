// Claude at Amazon Bedrock against the emulator: a reader by a schema, and what Bedrock refuses of what Anthropic takes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { assembleAnswer } from '../../src/providers/assemble-answer.ts'
import type { Answer } from '../../src/providers/chat-answer.ts'
import { textMessage, type ChatRequest } from '../../src/providers/chat-request.ts'
import { findRoutes, type Model } from '../../src/providers/model-catalogue.ts'
import { complete, openStream, type Call } from '../../src/providers/provider-client.ts'
import { parseReaderAnswer, readerPrompt, readerRequest } from '../../src/referral/readers/reader-prompt.ts'
import { isAnotherModel } from '../../src/providers/served-model.ts'
import { accepted } from '../unit/gateway/operations/messages/reading.ts'
import { bedrockModel } from '../fixtures/providers/models.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ record: true })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())

const ROUTES = ['claude-haiku-5-5', 'claude-haiku-4-5'].flatMap((id) =>
  findRoutes(id).filter(({ provider }) => provider === 'bedrock'),
)
const haiku = bedrockModel('claude-haiku-5-5')

const callOf = (model: Model, request: ChatRequest, prefix = '/anthropic'): Call => ({
  provider: { baseUrl: `${emulator.url}/${model.endpoint}${prefix}`, apiKey: 'emulator-local' },
  model,
  request,
  signal: new AbortController().signal,
  deadlines: { headersMs: 60_000, silenceMs: 60_000, totalMs: 60_000 },
})

async function askWhole(model: Model, request: ChatRequest): Promise<Answer> {
  const completion = await complete(callOf(model, request))
  if (!completion.ok) throw new Error(JSON.stringify(completion.failure))
  return completion.answer
}

async function askStream(model: Model, request: ChatRequest): Promise<Answer> {
  const opened = await openStream(callOf(model, request))
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  const items = (await Array.fromAsync(opened.batches)).flat()
  return assembleAnswer(items.flatMap(({ events }) => events))
}

const causeOf = async (call: Call): Promise<string | null> => {
  const completion = await complete(call)
  return completion.ok || completion.failure.kind === 'unsupported' ? null : completion.failure.cause
}

const SPECIALTIES = ['Cardiology', 'Dermatology']
const letter = readerPrompt({
  text: 'Re: male, 54 yrs. Chest pain and palpitations.',
  specialties: SPECIALTIES,
  nonce: '00c0ffee',
})

describe.each(ROUTES.map((model) => [model.id, model.endpoint, model] as const))('%s at %s', (_id, _, model) => {
  it.each([
    ['whole', askWhole],
    ['streamed', askStream],
  ])('reads a letter by a schema, %s', async (_how, ask) => {
    const answer = await ask(model, readerRequest(letter, model, 1))
    const [choice] = answer.choices
    expect(choice && parseReaderAnswer(choice, new Set(SPECIALTIES))).toEqual({
      specialty: 'Cardiology',
      ageGroup: 'Adult',
      twoProblems: false,
    })
    expect(isAnotherModel(model.wire.model, answer.model)).toBe(false)
    expect(emulator.requests()).toMatchObject([{ endpoint: model.endpoint, path: '/anthropic/v1/messages' }])
  })
})

const hello: ChatRequest = { messages: [textMessage('user', 'Hello')] }

describe('Bedrock', () => {
  it('answers a schema with what fits it', async () => {
    const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
    const answer = await askWhole(haiku, { ...hello, responseFormat: { type: 'json_schema', name: 'a', schema } })
    expect(answer.choices).toMatchObject([{ text: '{"age":1}', finishReason: 'stop' }])
  })

  it('takes what is left of a message in Anthropic’s own format, and its answer is passed on', async () => {
    const mark = { type: 'ephemeral', scope: 'global' }
    const found = accepted(
      {
        system: [{ type: 'text', text: 'Be brief.', cache_control: mark }],
        thinking: { type: 'adaptive', display: 'summarized' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        metadata: { user_id: '{"session_id":"x"}' },
        tools: [{ name: 'a', input_schema: { type: 'object' }, input_examples: [{}], eager_input_streaming: true }],
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'system', content: 'It is noon.' },
        ],
      },
      'claude-haiku-5-5',
      { 'anthropic-beta': 'never-heard-of-1' },
    )
    const completion = await complete({ ...callOf(haiku, found.request), callersFormat: 'messages' })
    expect(completion).toMatchObject({ ok: true, passedBody: { type: 'message' } })
    const [{ headers, body } = { headers: {}, body: '' }] = emulator.requests()
    expect(headers).not.toHaveProperty('anthropic-beta')
    expect(body).toContain('<system-reminder>\\nIt is noon.\\n</system-reminder>')
  })

  it('has no model under its own name: that is for the operator to mend', async () => {
    const bare = { ...haiku, wire: { ...haiku.wire, model: 'anthropic.claude-haiku-5-5' } }
    expect(await causeOf(callOf(bare, hello))).toBe('access')
  })

  it('answers another path with 200, which is no answer', async () => {
    expect(await causeOf(callOf(haiku, hello, ''))).toBe('malformed')
    expect(emulator.requests()).toMatchObject([{ path: '/v1/messages', status: 200 }])
  })

  it.each([
    ['a schema of the answer', { output_config: { format: { type: 'json_schema', schema: {} } } }, {}],
    ['a strict tool', { tools: [{ name: 'a', input_schema: { type: 'object' }, strict: true }] }, {}],
    [
      'a tool with an empty description',
      { tools: [{ name: 'a', description: '', input_schema: { type: 'object' } }] },
      {},
    ],
    ['a user that its rule refuses', { metadata: { user_id: '{"a":1}' } }, {}],
    ['a beta', {}, { 'anthropic-beta': 'prompt-caching-scope-2026-01-05' }],
  ])('refuses %s, which Anthropic takes', async (_, members, headers) => {
    const send = ({ endpoint, prefix, model }: { endpoint: string; prefix: string; model: string }) =>
      fetch(`${emulator.url}/${endpoint}${prefix}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'emulator-local', 'anthropic-version': '2023-06-01', ...headers },
        body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...members }),
      })
    expect((await send({ endpoint: haiku.endpoint, prefix: '/anthropic', model: haiku.wire.model })).status).toBe(400)
    expect((await send({ endpoint: 'anthropic', prefix: '', model: haiku.id })).status).toBe(200)
  })
})
