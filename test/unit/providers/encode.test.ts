import { providerNamed } from '../../../src/providers/provider-registry.ts'
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import type { Model } from '../../../src/providers/model-catalogue.ts'
import { textMessage, type ChatRequest, type Message } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'
import { CONVERSATION, SCHEMA, TOOL } from '../../fixtures/providers/material.ts'

function encode(request: ChatRequest, model: Model | string) {
  const encoded = encodeRequest(request, typeof model === 'string' ? modelNamed(model) : model)
  if (!encoded.ok) throw new Error(`refused: ${encoded.unsupported.param}`)
  // As it goes over the wire: members without a value are gone.
  const body: unknown = JSON.parse(JSON.stringify(encoded.body))
  return { ...encoded, body }
}

const structured: ChatRequest = {
  messages: [textMessage('user', 'Choose')],
  responseFormat: { type: 'json_schema', name: 'choice', schema: SCHEMA, strict: true },
}

describe.each(EACH_PROVIDER)('to %s', (provider, { model, sent, key, forcesCalls }) => {
  it('sends a conversation with pictures, calls and results in its own words', () => {
    const { path, headers, body } = encode({ ...CONVERSATION, ...sent.more }, model)
    expect({ path, headers, body }).toEqual({ path: sent.path, headers: sent.headers, body: sent.body })
  })

  it('asks for a schema', () => {
    expect(encode(structured, model).body).toMatchObject(sent.schema)
  })

  it('sends each parameter that its model takes (a stop sequence that is dropped lets the answer go on)', () => {
    const { capabilities: can } = model
    const asked: Partial<ChatRequest>[] = [
      { maxTokens: 9 },
      { stream: true },
      ...(can.maxStopSequences > 0 && chatOf(provider).hasStop ? [{ stop: ['END'] }] : []),
      ...(can.temperature?.honoured === true ? [{ temperature: 0.3 }] : []),
      ...(can.topP ? [{ topP: 0.5 }] : []),
      ...(can.seed ? [{ seed: 7 }] : []),
      ...can.reasoningEfforts.map((reasoningEffort) => ({ reasoningEffort })).slice(-1),
      ...(can.responseFormats.includes('json_object') ? [{ responseFormat: { type: 'json_object' } as const }] : []),
      { tools: [TOOL] },
      ...(forcesCalls ? [{ tools: [TOOL], toolChoice: 'required' } as const] : []),
      ...(forcesCalls ? [{ tools: [TOOL], toolChoice: { name: 'look' } }] : []),
    ]
    const plain = { messages: [textMessage('user', 'Answer in JSON')] }
    const sentFor = (more: Partial<ChatRequest>) => {
      const { path, body } = encode({ ...plain, ...more }, model)
      return JSON.stringify([path, body])
    }
    const all = [{}, ...asked].map(sentFor)
    expect(new Set(all).size).toBe(all.length)
    expect(sentFor({ tools: [TOOL], toolChoice: 'none' })).not.toBe(sentFor({ tools: [TOOL] }))
  })

  it('sends the key in a header, never in an address or a body (keys in ?key= end up in traces)', () => {
    const { path, body, headers } = encode({ ...structured, stream: true }, model)
    expect(JSON.stringify({ path, body, headers })).not.toMatch(/key|secret/i)
    expect(Object.entries(providerNamed(model.provider).authorise('k-1'))).toEqual([key])
  })
})

describe('to OpenAI', () => {
  it('asks for the usage of every stream, which would otherwise go unbilled', () => {
    expect(encode({ ...structured, stream: true }, 'gpt-4.1-mini').body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('has nothing stored, which an account may do by default', () => {
    expect(encode(structured, 'gpt-5.6-luna').body).toMatchObject({ store: false })
  })

  it('has GPT-5.6 not reason beside tools, which it refuses even where nobody asks for reasoning', () => {
    for (const reasoningEffort of [undefined, 'none'] as const) {
      expect(encode({ ...CONVERSATION, reasoningEffort }, 'gpt-5.6-luna').body).toMatchObject({
        reasoning_effort: 'none',
      })
    }
    expect(encode(structured, 'gpt-5.6-luna').body).not.toHaveProperty('reasoning_effort')
    expect(encode(CONVERSATION, 'gpt-4.1-mini').body).not.toHaveProperty('reasoning_effort')
  })

  it('is told what prompts to keep together, by the name of their organisation and never by the caller’s', () => {
    const kept = { ...structured, cacheKey: 'mine' }
    expect(encode({ ...kept, cacheGroup: 'group' }, 'gpt-4.1-mini').body).toMatchObject({ prompt_cache_key: 'group' })
    for (const { model } of Object.values(MATERIAL)) {
      expect(JSON.stringify(encode(kept, model).body)).not.toContain('mine')
      if (model.provider === 'openai' || model.provider === 'mistral') continue
      expect(encode({ ...kept, cacheGroup: 'group' }, model)).toEqual(encode(structured, model))
    }
  })

  it('lets GPT-5.6 sample otherwise where it does not reason, and there alone', () => {
    const sampled = { ...structured, temperature: 0, topP: 0.5, extraParameters: { logprobs: true } }
    const sent = { temperature: 0, top_p: 0.5, logprobs: true }
    expect(encode({ ...sampled, reasoningEffort: 'none' }, 'gpt-5.6-luna').body).toMatchObject(sent)
    expect(encode({ ...sampled, tools: [TOOL] }, 'gpt-5.6-luna').body).toMatchObject({
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
    const sent = encode({ messages, tools: [TOOL] }, 'gpt-4.1-mini').body as {
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
    const request = { ...CONVERSATION, toolChoice, parallelToolCalls }
    expect(encode(request, 'claude-haiku-4-5').body).toMatchObject({ tool_choice: choice })
  })

  it('asks for a schema, and never sends a temperature to a model that knows only its own', () => {
    const { body } = encode({ ...structured, temperature: 1, reasoningEffort: 'low', user: 'u' }, 'claude-opus-5')
    expect(body).toMatchObject({
      output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
      metadata: { user_id: 'u' },
    })
    expect(body).not.toHaveProperty('temperature')
  })
})

describe('to Gemini', () => {
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
        responseJsonSchema: SCHEMA,
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
    const odd: Model = { ...flash, wire: { ...flash.wire, model: '../x#@169.254.169.254/?key=' } }
    expect(encode(structured, odd).path).toBe('/v1beta/models/..%2Fx%23%40169.254.169.254%2F%3Fkey%3D:generateContent')
  })
})
