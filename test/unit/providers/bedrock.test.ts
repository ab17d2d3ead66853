// Claude at Amazon Bedrock: what its requests leave out, and a schema as a tool that must be called, whole and streamed.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/platform/json.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { textMessage, type ChatRequest, type ResponseFormat } from '../../../src/providers/chat-request.ts'
import { systemRuntime } from '../../../src/providers/http-exchange.ts'
import { complete, openStream, type Call } from '../../../src/providers/provider-client.ts'
import { bedrockModel } from '../../fixtures/providers/models.ts'
import { namedStream } from '../../fixtures/providers/material.ts'
import { encode, loop, refusedParam, textOf } from './encoding.ts'

const MODELS = ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5-5', 'claude-haiku-4-5'] as const
const haiku = bedrockModel('claude-haiku-5-5')

const text = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }
const formOf = (schema: JsonObject): ResponseFormat => ({ type: 'json_schema', name: 'form', schema })
const bySchema = (schema: JsonObject = text) => ({ responseFormat: formOf(schema) })

describe('a schema at Bedrock', () => {
  it.each(MODELS)('is the input of the only tool of %s, which must be called', (id) => {
    const { body, headers } = encode(bySchema(), bedrockModel(id))
    expect(body).toMatchObject({
      tools: [
        {
          name: 'answer',
          input_schema: {
            type: 'object',
            properties: { a: { type: 'string', description: '{"minLength":2}' } },
            additionalProperties: false,
          },
        },
      ],
      tool_choice: { type: 'tool', name: 'answer' },
      thinking: { type: 'disabled' },
    })
    expect(body).not.toHaveProperty('output_config')
    expect(body).not.toHaveProperty('tools[0].strict')
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
  })

  it('is the only tool after a loop of tools too', () => {
    const { messages } = loop({}, [textOf('A cat')])
    expect(encode({ ...bySchema(), messages }, haiku).body).toMatchObject({
      tools: [{ name: 'answer' }],
      tool_choice: { type: 'tool', name: 'answer' },
    })
  })

  it('sends no thoughts back, since nothing is thought', () => {
    const { messages } = loop({ thinking: [{ type: 'redacted_thinking', data: 'ZGF0YQ' }] }, [textOf('A cat')])
    expect(JSON.stringify(encode({ messages, ...bySchema() }, haiku).body)).not.toContain('ZGF0YQ')
  })

  const schemaMember = 'response_format.json_schema.schema'
  it.each<[string, Partial<ChatRequest>, string | null]>([
    ['tools', { ...bySchema(), tools: [{ name: 'answer' }] }, 'tools'],
    ['reasoning', { ...bySchema(), reasoningEffort: 'low' }, 'reasoning_effort'],
    ['the effort none', { ...bySchema(), reasoningEffort: 'none' }, null],
    ['a list', bySchema({ type: 'array', items: text }), schemaMember],
    ['a reference to an object at its top', bySchema({ $ref: '#/$defs/a', $defs: { a: text } }), null],
    ['a choice at its top', bySchema({ ...text, anyOf: [text] }), schemaMember],
    ['a name with a blank', bySchema({ type: 'object', properties: { 'a b': { type: 'string' } } }), schemaMember],
    ['a map', bySchema({ ...text, additionalProperties: { type: 'string' } }), schemaMember],
  ])('with %s is refused by its member, or not', (_, request, param) =>
    expect(refusedParam(request, haiku)).toBe(param),
  )
})

describe('a user at Bedrock', () => {
  it.each(['{"a":1}', 'a:b', '"a"'])('that its rule refuses is not sent: %s', (user) => {
    expect(refusedParam({ user }, haiku)).toBe('user')
    expect(refusedParam({ user }, 'claude-haiku-4-5')).toBeNull()
  })

  it('is sent where it is plain', () =>
    expect(encode({ user: 'a-b_c@d.e' }, haiku).body).toMatchObject({ metadata: { user_id: 'a-b_c@d.e' } }))
})

const tool = (name: string, input: object) => ({ type: 'tool_use', id: `toolu_${name}`, name, input })
const message = (content: readonly object[], stop_reason: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-5-5',
  content,
  stop_reason,
  usage: { input_tokens: 7, output_tokens: 9 },
})

/** The same message in events. Its blocks come whole, the input of a tool in two pieces. */
function eventsOf(whole: ReturnType<typeof message>) {
  const blocks = whole.content.flatMap((block, index) => {
    const json = 'input' in block ? JSON.stringify(block.input) : ''
    const pieces = json === '' ? [] : [json.slice(0, 3), json.slice(3)]
    return [
      { type: 'content_block_start', index, content_block: json === '' ? block : { ...block, input: {} } },
      ...pieces.map((partial_json) => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: whole.stop_reason }, usage: whole.usage },
    { type: 'message_stop' },
  ]
}

const callOf = (response: Response, request: Partial<ChatRequest>): Call => ({
  provider: { baseUrl: 'https://provider.test', apiKey: 'k' },
  model: haiku,
  request: { messages: [textMessage('user', 'Hello')], ...request },
  signal: new AbortController().signal,
  deadlines: { headersMs: 5_000, silenceMs: 5_000, totalMs: 10_000 },
  runtime: { ...systemRuntime, fetch: () => Promise.resolve(response) },
})

type Ask = (whole: ReturnType<typeof message>, request: Partial<ChatRequest>) => Promise<unknown>

const askWhole: Ask = async (whole, request) => {
  const completion = await complete(callOf(Response.json(whole), request))
  return completion.ok && completion.answer.choices[0]
}

const askStream: Ask = async (whole, request) => {
  const headers = { 'content-type': 'text/event-stream' }
  const opened = await openStream(callOf(new Response(namedStream(eventsOf(whole)), { headers }), request))
  if (!opened.ok) return null
  const items = (await Array.fromAsync(opened.batches)).flat()
  return assembleAnswer(items.flatMap(({ events }) => events)).choices[0]
}

describe.each([
  ['whole', askWhole],
  ['streamed', askStream],
])('an answer of Bedrock’s by a schema, %s', (_, ask) => {
  const answer = tool('answer', { a: 'Hi' })
  const said = { type: 'text', text: 'Let me answer' }

  it.each([
    ['the input of the tool', [answer], 'tool_use', '{"a":"Hi"}', 'stop'],
    [
      'the first input of two, without what was said or called beside them',
      [said, tool('look', {}), answer, tool('answer', {})],
      'tool_use',
      '{"a":"Hi"}',
      'stop',
    ],
    ['cut where the tokens ended', [answer], 'max_tokens', '{"a":"Hi"}', 'length'],
    ['not whole without the call', [said], 'end_turn', '', 'content_filter'],
    ['not whole with another call', [tool('look', {})], 'tool_use', '', 'content_filter'],
    ['refused', [], 'refusal', '', 'content_filter'],
  ])('is %s', async (_name, content, reason, written, finishReason) => {
    expect(await ask(message(content, reason), bySchema())).toMatchObject({
      text: written,
      toolCalls: [],
      finishReason,
    })
  })

  it('is no call of a tool that the caller has named so', async () => {
    const request = { tools: [{ name: 'answer' }] }
    expect(await ask(message([answer], 'tool_use'), request)).toMatchObject({
      text: '',
      toolCalls: [{ name: 'answer', arguments: '{"a":"Hi"}' }],
      finishReason: 'tool_calls',
    })
  })
})
