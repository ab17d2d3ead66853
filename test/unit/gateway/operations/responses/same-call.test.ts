// The same words in both formats are the same call: what is sent, and what is held in the budget for it.
import { describe, expect, it } from 'vitest'
import { readChatRequest } from '../../../../../src/gateway/operations/chat/read-chat-request.ts'
import { encodeReasoning } from '../../../../../src/gateway/operations/responses/item-writers.ts'
import { readResponsesRequest } from '../../../../../src/gateway/operations/responses/read-responses-request.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import { encodeRequest } from '../../../../../src/providers/model-support.policy.ts'
import { catalogueModels } from '../../../../../src/providers/model-catalogue.ts'
import { READ_CONTEXT } from '../../../../fixtures/providers/models.ts'
import { call, output, user } from './reading.ts'

const models = catalogueModels().filter(({ gateway }) => gateway)

const PNG = 'data:image/png;base64,aGk='
const PDF = 'data:application/pdf;base64,aGk='
const schema = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'], additionalProperties: false }
const [look, see] = ['look', 'see'].map((name) => ({ name, description: 'Looks.', parameters: schema, strict: true }))
const chatTools = { tools: [look, see].map((tool) => ({ type: 'function', function: tool })) }
const tools = {
  tools: [
    { type: 'function', ...look },
    { type: 'function', ...see },
  ],
}
const chatCall = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...more,
})
const chatOutput = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const carried = (reasoning: Parameters<typeof encodeReasoning>[0]) => ({
  type: 'reasoning',
  summary: [],
  encrypted_content: encodeReasoning(reasoning),
})
const thinking = [{ type: 'thinking', thinking: 'hm', signature: 's' }] as const
const named = { name: 'place', schema, description: 'A place.', strict: true }

const CASES: [string, { chat: object; response: object }][] = [
  ['a text', { chat: {}, response: { input: 'Hello' } }],
  [
    'instructions, and notes of the developer',
    {
      chat: { messages: [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, user] },
      response: { instructions: 'a', input: [{ role: 'developer', content: 'b' }, user] },
    },
  ],
  [
    'pictures and files',
    {
      chat: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: PNG } },
              { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } },
            ],
          },
        ],
      },
      response: {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: PNG },
              { type: 'input_file', file_data: PDF, filename: 'a.pdf' },
            ],
          },
        ],
      },
    },
  ],
  [
    'a tool that is named',
    {
      chat: {
        ...chatTools,
        tool_choice: { type: 'function', function: { name: 'see' } },
        parallel_tool_calls: false,
      },
      response: { ...tools, tool_choice: { type: 'function', name: 'see' }, parallel_tool_calls: false },
    },
  ],
  [
    'tools that are allowed',
    {
      chat: {
        ...chatTools,
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'see' } }] },
        },
      },
      response: {
        ...tools,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'see' }] },
      },
    },
  ],
  [
    'calls and their results, with the thoughts of Claude',
    {
      chat: {
        ...chatTools,
        messages: [
          user,
          {
            role: 'assistant',
            content: 'Looking.',
            extra_content: { anthropic: { thinking_blocks: thinking } },
            tool_calls: [chatCall('a'), chatCall('b')],
          },
          chatOutput('a'),
          chatOutput('b'),
        ],
      },
      response: {
        ...tools,
        input: [
          user,
          carried({ provider: 'anthropic', thinking }),
          { role: 'assistant', content: [{ type: 'output_text', text: 'Looking.', annotations: [] }] },
          call('a'),
          call('b'),
          output('a'),
          output('b'),
        ],
      },
    },
  ],
  [
    'a call with the signatures of Gemini',
    {
      chat: {
        ...chatTools,
        messages: [
          user,
          {
            role: 'assistant',
            content: 'Looking.',
            extra_content: { google: { thought_signature: 't' } },
            tool_calls: [chatCall('a', { extra_content: { google: { thought_signature: 'c' } } })],
          },
          chatOutput('a'),
        ],
      },
      response: {
        ...tools,
        input: [
          user,
          { role: 'assistant', content: 'Looking.' },
          carried({ provider: 'google', signature: 'c', call: 'a' }),
          call('a'),
          carried({ provider: 'google', signature: 't' }),
          output('a'),
        ],
      },
    },
  ],
  [
    'a schema',
    {
      chat: { response_format: { type: 'json_schema', json_schema: named } },
      response: { text: { format: { type: 'json_schema', ...named } } },
    },
  ],
  [
    'an object of any form',
    { chat: { response_format: { type: 'json_object' } }, response: { text: { format: { type: 'json_object' } } } },
  ],
  [
    'numbers, and a stream',
    {
      chat: {
        temperature: 1,
        top_p: 1,
        max_completion_tokens: 77,
        stream: true,
        stream_options: { include_obfuscation: false },
      },
      response: {
        temperature: 1,
        top_p: 1,
        max_output_tokens: 77,
        stream: true,
        stream_options: { include_obfuscation: false },
      },
    },
  ],
  ['a user', { chat: { user: 'u' }, response: { user: 'u' } }],
  ['an effort', { chat: { reasoning_effort: 'low' }, response: { reasoning: { effort: 'low' } } }],
  ['a verbosity', { chat: { verbosity: 'medium' }, response: { text: { verbosity: 'medium' } } }],
  [
    'a search',
    {
      chat: { web_search_options: { search_context_size: 'low' } },
      response: { tools: [{ type: 'web_search', search_context_size: 'low' }] },
    },
  ],
]

function readAs(read: typeof readChatRequest, body: object) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const found = read(new Headers({ 'content-type': 'application/json' }), bytes, READ_CONTEXT)
  if (found instanceof AppError) return { refused: found.code }
  const { request, outline } = found
  const { model, routes, inputTokens, chat } = outline
  return { sent: encodeRequest(request, model), held: { routes, inputTokens, chat } }
}

describe.each(CASES)('%s', (_, { chat, response }) => {
  it.each(models.map(({ id }) => id))('to %s', (model) => {
    const asResponse = readAs(readResponsesRequest, { model, input: [user], ...response })
    expect(asResponse).toEqual(readAs(readChatRequest, { model, messages: [user], ...chat }))
  })

  it('is taken by one model at least', () => {
    expect(models.some(({ id }) => 'sent' in readAs(readChatRequest, { model: id, messages: [user], ...chat }))).toBe(
      true,
    )
  })
})
