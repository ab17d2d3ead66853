import { describe, expect, it } from 'vitest'
import { adapters, encodeRequest } from '../../../src/providers/adapter-by-dialect.ts'
import type { Model } from '../../../src/providers/model-catalogue.ts'
import { textMessage, type ChatRequest, type Message } from '../../../src/providers/chat-request.ts'
import { dialectModels, modelNamed } from '../../fixtures/providers/models.ts'

function encode(request: ChatRequest, model: Model | string) {
  const encoded = encodeRequest(request, typeof model === 'string' ? modelNamed(model) : model)
  if (!encoded.ok) throw new Error(`refused: ${encoded.unsupported.param}`)
  // As it goes over the wire: members without a value are gone.
  const body: unknown = JSON.parse(JSON.stringify(encoded.body))
  return { ...encoded, body }
}

const tool = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
}
const schema = { type: 'object', properties: { a: { enum: ['x', 'y'] } }, required: ['a'], additionalProperties: false }
const structured: ChatRequest = {
  messages: [textMessage('user', 'Choose')],
  responseFormat: { type: 'json_schema', name: 'choice', schema, strict: true },
}
const image = 'data:image/png;base64,iVBORw0KGgo='

/** Instructions in two places, an image, text and two calls in one assistant turn, two results, another question. */
const conversation: Message[] = [
  textMessage('system', 'Be kind'),
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image', url: image },
    ],
  },
  textMessage('developer', 'Be brief'),
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'Looking' }],
    toolCalls: [
      { id: 'a', name: 'look', arguments: '{"at":"left"}', signature: 'c2ln' },
      { id: 'b', name: 'listen', arguments: '{}' },
    ],
  },
  { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: '{"seen":"cat"}' }] },
  { role: 'tool', toolCallId: 'b', content: [{ type: 'text', text: 'nothing' }] },
  textMessage('user', 'And?'),
]
const withTools: ChatRequest = { messages: conversation, tools: [tool, { name: 'listen' }] }

describe('to OpenAI', () => {
  it('says everything in the standard’s own words', () => {
    const { path, body } = encode(
      { ...withTools, toolChoice: { name: 'look' }, maxTokens: 9, n: 5, seed: 1 },
      'gpt-4.1-mini',
    )
    expect(path).toBe('/v1/chat/completions')
    expect(body).toEqual({
      model: 'gpt-4.1-mini',
      store: false,
      max_completion_tokens: 9,
      n: 5,
      seed: 1,
      tools: [
        { type: 'function', function: tool },
        { type: 'function', function: { name: 'listen' } },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      messages: [
        { role: 'system', content: 'Be kind' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: image } },
          ],
        },
        { role: 'developer', content: 'Be brief' },
        {
          role: 'assistant',
          content: 'Looking',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"left"}' } },
            { id: 'b', type: 'function', function: { name: 'listen', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '{"seen":"cat"}' },
        { role: 'tool', tool_call_id: 'b', content: 'nothing' },
        { role: 'user', content: 'And?' },
      ],
    })
  })

  it('asks for the usage of every stream, which would otherwise go unbilled', () => {
    expect(encode({ ...structured, stream: true }, 'gpt-4.1-mini').body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('has nothing stored, which an account may do by default', () => {
    expect(encode(structured, 'gpt-5.6-luna').body).toMatchObject({ store: false })
  })

  it('asks for a schema', () => {
    expect(encode(structured, 'gpt-4.1-mini').body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'choice', schema, strict: true } },
    })
  })

  it('has GPT-5.6 not reason beside tools, which it refuses even where nobody asks for reasoning', () => {
    for (const reasoningEffort of [undefined, 'none'] as const) {
      expect(encode({ ...withTools, reasoningEffort }, 'gpt-5.6-luna').body).toMatchObject({ reasoning_effort: 'none' })
    }
    expect(encode(structured, 'gpt-5.6-luna').body).not.toHaveProperty('reasoning_effort')
    expect(encode(withTools, 'gpt-4.1-mini').body).not.toHaveProperty('reasoning_effort')
  })

  it('is told what prompts to keep together, by the name of their organisation and never by the caller’s', () => {
    const kept = { ...structured, cacheKey: 'mine' }
    expect(encode({ ...kept, cacheGroup: 'group' }, 'gpt-4.1-mini').body).toMatchObject({ prompt_cache_key: 'group' })
    for (const model of dialectModels) {
      expect(JSON.stringify(encode(kept, model).body)).not.toContain('mine')
      if (model.provider === 'openai' || model.provider === 'mistral') continue
      expect(encode({ ...kept, cacheGroup: 'group' }, model)).toEqual(encode(structured, model))
    }
  })

  it('lets GPT-5.6 sample otherwise where it does not reason, and there alone', () => {
    const sampled = { ...structured, temperature: 0, topP: 0.5, extraParameters: { logprobs: true } }
    const sent = { temperature: 0, top_p: 0.5, logprobs: true }
    expect(encode({ ...sampled, reasoningEffort: 'none' }, 'gpt-5.6-luna').body).toMatchObject(sent)
    expect(encode({ ...sampled, tools: [tool] }, 'gpt-5.6-luna').body).toMatchObject({
      ...sent,
      reasoning_effort: 'none',
    })
    for (const reasoningEffort of [undefined, 'low'] as const) {
      expect(encodeRequest({ ...sampled, reasoningEffort }, modelNamed('gpt-5.6-luna')).ok).toBe(false)
    }
  })

  it('shortens ids of calls that are longer than OpenAI takes, the same in a call and its result, each to its own', () => {
    const ids = ['a'.repeat(40), 'b'.repeat(41), `${'b'.repeat(41)}c`]
    const toolCalls = ids.map((id) => ({ id, name: 'look', arguments: '{}' }))
    const results = ids.map((id): Message => ({ role: 'tool', toolCallId: id, content: [{ type: 'text', text: id }] }))
    const messages: Message[] = [textMessage('user', 'Look'), { role: 'assistant', content: [], toolCalls }, ...results]
    const sent = encode({ messages, tools: [tool] }, 'gpt-4.1-mini').body as {
      messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[]
    }
    const called = sent.messages[1]?.tool_calls?.map(({ id }) => id) ?? []
    expect(called).toEqual([ids[0], expect.stringMatching(/^call_[0-9a-f]{35}$/), expect.stringMatching(/^call_/)])
    expect(new Set(called).size).toBe(3)
    expect(sent.messages.slice(2).map(({ tool_call_id: id }) => id)).toEqual(called)
  })

  it.each<[object, object]>([
    [{}, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ properties: { at: {} } }, { type: 'object', properties: { at: {} } }],
    [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }],
    [{ anyOf: [{ type: 'object' }] }, { anyOf: [{ type: 'object' }] }],
  ])('says that a tool without arguments has none: %j', (parameters, sent) => {
    const tools = [{ name: 'look', parameters: { ...parameters } }]
    expect(encode({ ...structured, tools }, 'gpt-4.1-mini').body).toMatchObject({
      tools: [{ function: { name: 'look', parameters: sent } }],
    })
  })

  it('hands on a file with its name, and with one where it has none, since OpenAI wants one', () => {
    const url = 'data:application/pdf;base64,aGk='
    const content = [
      { type: 'file', url, name: 'letter.pdf' },
      { type: 'file', url },
    ] as const
    const file = (filename: string) => ({ type: 'file', file: { file_data: url, filename } })
    expect(encode({ messages: [{ role: 'user', content }] }, 'gpt-4.1-mini').body).toMatchObject({
      messages: [{ content: [file('letter.pdf'), file('file.pdf')] }],
    })
  })

  it('forwards standard parameters the model takes', () => {
    const request = { ...structured, extraParameters: { frequency_penalty: 0.5 } }
    expect(encode(request, 'gpt-4.1-mini').body).toMatchObject({ frequency_penalty: 0.5 })
  })
})

describe('to Anthropic', () => {
  it('lifts every instruction to the top in order, and keeps text beside calls and results in one turn', () => {
    const { path, headers, body } = encode(withTools, 'claude-haiku-4-5')
    expect(path).toBe('/v1/messages')
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(body).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 64_000,
      system: [
        { type: 'text', text: 'Be kind' },
        { type: 'text', text: 'Be brief' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Looking' },
            { type: 'tool_use', id: 'a', name: 'look', input: { at: 'left' } },
            { type: 'tool_use', id: 'b', name: 'listen', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: '{"seen":"cat"}' },
            { type: 'tool_result', tool_use_id: 'b', content: 'nothing' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      tools: [
        { name: 'look', description: 'Looks', input_schema: tool.parameters },
        { name: 'listen', input_schema: { type: 'object', properties: {} } },
      ],
      tool_choice: { type: 'auto' },
    })
  })

  it('leaves out blank text, which the API refuses', () => {
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'Hi' },
        ],
      },
      textMessage('assistant', ''),
      textMessage('user', 'Still there?'),
    ]
    const said = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Still there?' },
        ],
      },
    ]
    expect(encode({ messages }, 'claude-haiku-4-5').body).toMatchObject({ messages: said })
  })

  it.each<[ChatRequest['toolChoice'], boolean | undefined, object]>([
    ['auto', undefined, { type: 'auto' }],
    ['none', false, { type: 'none' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [{ name: 'look' }, true, { type: 'tool', name: 'look' }],
  ])('translates tool_choice %j with parallel_tool_calls %j', (toolChoice, parallelToolCalls, choice) => {
    const request = { ...withTools, toolChoice, parallelToolCalls }
    expect(encode(request, 'claude-haiku-4-5').body).toMatchObject({ tool_choice: choice })
  })

  it('asks for a schema, and never sends a temperature to a model that knows only its own', () => {
    const { body } = encode({ ...structured, temperature: 1, reasoningEffort: 'low', user: 'u' }, 'claude-opus-5')
    expect(body).toMatchObject({
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      metadata: { user_id: 'u' },
    })
    expect(body).not.toHaveProperty('temperature')
  })
})

describe('to Gemini', () => {
  it('takes every instruction, finds the name behind each result, and keeps text beside calls', () => {
    const { path, body } = encode({ ...withTools, toolChoice: 'required' }, 'gemini-3.8-flash')
    expect(path).toBe('/v1beta/models/gemini-3.8-flash:generateContent')
    expect(body).toEqual({
      store: false,
      systemInstruction: { parts: [{ text: 'Be kind' }, { text: 'Be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        {
          role: 'model',
          parts: [
            { text: 'Looking' },
            { functionCall: { id: 'a', name: 'look', args: { at: 'left' } }, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'b', name: 'listen', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'look', response: { seen: 'cat' } } },
            { functionResponse: { id: 'b', name: 'listen', response: { result: 'nothing' } } },
            { text: 'And?' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'look', description: 'Looks', parametersJsonSchema: tool.parameters },
            { name: 'listen' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: { maxOutputTokens: 65_536 },
    })
  })

  it('gives the documented stand-in where a client lost the thought signature, on the first call alone', () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'look', arguments: '{}' }))
    const results = ['a', 'b'].map((id): Message => ({ role: 'tool', toolCallId: id, content: [] }))
    const messages: Message[] = [
      textMessage('user', 'Look'),
      { role: 'assistant', content: [], toolCalls: calls },
      ...results,
    ]
    expect(JSON.stringify(encode({ messages }, 'gemini-3.8-flash').body).match(/skip_thought/g)).toHaveLength(1)
  })

  it('asks for a schema, and for server-sent events, which are otherwise a JSON list', () => {
    const { path, body } = encode({ ...structured, stream: true, reasoningEffort: 'low' }, 'gemini-3.6-flash')
    expect(path).toBe('/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse')
    expect(body).toMatchObject({
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
        thinkingConfig: { thinkingLevel: 'low' },
      },
    })
  })

  it('asks for several candidates where a model takes them', () => {
    const flash = modelNamed('gemini-3.8-flash')
    const several: Model = { ...flash, capabilities: { ...flash.capabilities, maxChoices: 8 } }
    expect(encode({ ...structured, n: 5 }, several).body).toMatchObject({ generationConfig: { candidateCount: 5 } })
  })

  it('cannot be sent to another host or path by a model’s name', () => {
    const flash = modelNamed('gemini-3.8-flash')
    const odd: Model = { ...flash, wire: { dialect: 'gemini-generate', model: '../x#@169.254.169.254/?key=' } }
    expect(encode(structured, odd).path).toBe('/v1beta/models/..%2Fx%23%40169.254.169.254%2F%3Fkey%3D:generateContent')
  })
})

describe('to Perplexity', () => {
  it('sends the Agent API nothing it does not know, and the model beside the preset', () => {
    const { path, body } = encode({ ...withTools, toolChoice: 'auto', maxTokens: 99 }, 'sonar-pro')
    expect(path).toBe('/v1/agent')
    expect(body).toEqual({
      model: 'perplexity/sonar',
      preset: 'low',
      max_steps: 3,
      store: false,
      instructions: 'Be kind\n\nBe brief',
      max_output_tokens: 99,
      tools: [
        { type: 'function', ...tool },
        { type: 'function', name: 'listen' },
      ],
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: image },
          ],
        },
        { type: 'message', role: 'assistant', content: 'Looking' },
        {
          type: 'function_call',
          call_id: 'a',
          name: 'look',
          arguments: '{"at":"left"}',
          thought_signature: 'c2ln',
        },
        { type: 'function_call', call_id: 'b', name: 'listen', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'a',
          name: 'look',
          output: '{"seen":"cat"}',
          thought_signature: 'c2ln',
        },
        { type: 'function_call_output', call_id: 'b', name: 'listen', output: 'nothing' },
        { type: 'message', role: 'user', content: 'And?' },
      ],
    })
  })

  it('asks for a schema', () => {
    const responseFormat = { type: 'json_schema', json_schema: { name: 'choice', schema, strict: true } }
    expect(encode(structured, 'sonar').body).toMatchObject({ response_format: responseFormat })
  })
})

describe('the key', () => {
  it('is in a header at every provider, never in an address or a body (keys in ?key= end up in traces)', () => {
    const names = dialectModels.map((model) => {
      const { path, body, headers } = encode({ ...structured, stream: true }, model)
      expect(JSON.stringify({ path, body, headers })).not.toMatch(/key|secret/i)
      return Object.entries(adapters[model.wire.dialect].authorise('k-1'))
    })
    expect(names.flat()).toEqual([
      ['authorization', 'Bearer k-1'],
      ['x-api-key', 'k-1'],
      ['x-goog-api-key', 'k-1'],
      ['authorization', 'Bearer k-1'],
      ['authorization', 'Bearer k-1'],
    ])
  })
})
