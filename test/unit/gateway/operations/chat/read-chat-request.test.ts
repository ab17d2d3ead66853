// Tests what a body asks for, or the name of what is wrong with it.
import { describe, expect, it } from 'vitest'
import { refuseAdapted } from '../../../../../src/gateway/call/prepare-call.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import { encodeRequest } from '../../../../../src/providers/model-support.policy.ts'
import { accepted, look, messages, mini, read, refusal, user } from './reading.ts'

const call = (args: string, id = 'call_1') => ({ id, type: 'function', function: { name: 'look', arguments: args } })
const assistant = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const image = (url: string) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })
/** For what OpenAI’s models take. */
const claude = (...more: object[]) => ({ ...messages(...more), model: 'claude-haiku-4-5' })
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

describe('a body that is refused', () => {
  it.each<[string, unknown, string, string | undefined]>([
    ['no JSON', '{"model":', 'invalid_request', undefined],
    ['a list', [], 'invalid_request', undefined],
    ['no model', { messages: [user] }, 'missing_parameter', 'model'],
    ['no messages', { model: 'gpt-4.1-mini' }, 'missing_parameter', 'messages'],
    ['an unknown model', { model: 'gpt-2', messages: [user] }, 'model_not_found', 'model'],
    ['a reader’s model', { model: 'gemini-3.6-flash', messages: [user] }, 'model_not_found', 'model'],
    ['a model that is no text', mini({ model: 5 }), 'invalid_request', 'model'],
    ['a model that is null', mini({ model: null }), 'missing_parameter', 'model'],
    ['no message at all', mini({ messages: [] }), 'invalid_request', 'messages'],
    ['too many messages', mini({ messages: Array.from({ length: 2049 }, () => user) }), 'invalid_request', 'messages'],
    ['messages that are no list', mini({ messages: 'Hello' }), 'invalid_request', 'messages'],
    ['a message that is no object', messages('Hello'), 'invalid_request', 'messages[1]'],
    ['an unknown role', messages({ role: 'doctor', content: 'x' }), 'invalid_request', 'messages[1].role'],
    ['no content', messages({ role: 'user' }), 'missing_parameter', 'messages[1].content'],
    ['content that is a number', messages({ role: 'user', content: 5 }), 'invalid_request', 'messages[1].content'],
    ['empty content', claude({ role: 'user', content: ' ' }), 'invalid_request', 'messages[1].content'],
    ['an empty list of parts', messages({ role: 'user', content: [] }), 'invalid_request', 'messages[1].content'],
    [
      'a part of an unknown type',
      messages({ role: 'user', content: [{ type: 'input_audio' }] }),
      'invalid_request',
      'messages[1].content[0].type',
    ],
    [
      'a text part without text',
      messages({ role: 'user', content: [{ type: 'text' }] }),
      'missing_parameter',
      'messages[1].content[0].text',
    ],
    [
      'a text that is too long',
      messages({ role: 'user', content: 'x'.repeat(1_000_001) }),
      'invalid_request',
      'messages[1].content',
    ],
    [
      'an image in a system message',
      messages({ ...image('https://a.test/b.png'), role: 'system' }),
      'invalid_request',
      'messages[1].content[0].type',
    ],
    ['an unknown member of a message', messages({ ...user, weight: 0 }), 'invalid_request', 'messages[1].weight'],
    [
      'an image at an odd address',
      messages(image('ftp://a.test/b.png')),
      'invalid_request',
      'messages[1].content[0].image_url',
    ],
    ['an assistant that says nothing', messages({ role: 'assistant' }), 'invalid_request', 'messages[1].content'],
    ['a tool result without a call', messages(tool('call_1')), 'invalid_request', 'messages[1].tool_call_id'],
    [
      'a tool result for another call',
      messages(assistant(call('{}')), tool('call_2')),
      'invalid_request',
      'messages[2].tool_call_id',
    ],
    ['a call nobody answered', messages(assistant(call('{}'))), 'invalid_request', 'messages'],
    ['a message before the tool result', messages(assistant(call('{}')), user), 'invalid_request', 'messages[2]'],
    [
      'arguments that are no JSON',
      claude(assistant(call('{oops')), tool('call_1')),
      'invalid_request',
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments that are a list',
      claude(assistant(call('[]')), tool('call_1')),
      'invalid_request',
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'only a system message',
      { model: 'claude-haiku-4-5', messages: [{ role: 'system', content: 'x' }] },
      'invalid_request',
      'messages',
    ],
    ['a temperature above 2', mini({ temperature: 2.1 }), 'invalid_request', 'temperature'],
    ['a temperature below 0', mini({ temperature: -0.1 }), 'invalid_request', 'temperature'],
    ['a temperature in words', mini({ temperature: 'hot' }), 'invalid_request', 'temperature'],
    ['top_p above 1', mini({ top_p: 1.1 }), 'invalid_request', 'top_p'],
    ['max_tokens of 0', mini({ max_tokens: 0 }), 'invalid_request', 'max_tokens'],
    ['max_tokens that is no integer', mini({ max_tokens: 1.5 }), 'invalid_request', 'max_tokens'],
    ['two limits that differ', mini({ max_tokens: 5, max_completion_tokens: 6 }), 'invalid_request', 'max_tokens'],
    ['stream in words', mini({ stream: 'yes' }), 'invalid_request', 'stream'],
    [
      'stream_options without a stream',
      mini({ stream_options: { include_usage: true } }),
      'invalid_request',
      'stream_options',
    ],
    [
      'padding that not every provider has',
      mini({ stream: true, stream_options: { include_obfuscation: true } }),
      'invalid_request',
      'stream_options.include_obfuscation',
    ],
    ['n of 0', mini({ n: 0 }), 'invalid_request', 'n'],
    ['too many choices', mini({ n: 9 }), 'invalid_request', 'n'],
    ['a stop that is a number', mini({ stop: 5 }), 'invalid_request', 'stop'],
    ['more stops than the model takes', mini({ stop: ['a', 'b', 'c', 'd', 'e'] }), 'invalid_request', 'stop'],
    [
      'a tool without a name',
      mini({ tools: [{ type: 'function', function: {} }] }),
      'missing_parameter',
      'tools[0].function.name',
    ],
    ['a tool of another type', mini({ tools: [{ type: 'custom' }] }), 'invalid_request', 'tools[0].type'],
    [
      'a tool name with a space',
      mini({ tools: [{ type: 'function', function: { name: 'a b' } }] }),
      'invalid_request',
      'tools[0].function.name',
    ],
    ['a choice of tool without tools', mini({ tool_choice: 'required' }), 'invalid_request', 'tool_choice'],
    [
      'a choice of an unknown tool',
      mini({ tools: [look], tool_choice: { type: 'function', function: { name: 'leap' } } }),
      'invalid_request',
      'tool_choice',
    ],
    [
      'a response format without a schema',
      mini({ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }),
      'missing_parameter',
      'response_format.json_schema.schema',
    ],
    ['top_logprobs without logprobs', mini({ top_logprobs: 3 }), 'invalid_request', 'top_logprobs'],
    ['a bias for a word', mini({ logit_bias: { word: 1 } }), 'invalid_request', 'logit_bias'],
    [
      'a body nested without end',
      `{"model":"gpt-4.1-mini","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      'invalid_request',
      undefined,
    ],
    [
      'a schema nested too deep',
      mini({ tools: [{ ...look, function: { name: 'look', parameters: { a: nested(120) } } }] }),
      'invalid_request',
      undefined,
    ],
    [
      'half of a surrogate pair',
      '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"\\ud800"}]}',
      'invalid_request',
      undefined,
    ],
    [
      'a number beyond all bounds',
      '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"a"}],"seed":1e999}',
      'invalid_request',
      'seed',
    ],
  ])('%s', (_, body, code, param) => {
    expect(refusal(body)).toEqual([code, param])
  })

  it.each([
    ['audio', {}],
    ['functions', {}],
    ['function_call', { name: 'look' }],
    ['modalities', {}],
    ['prediction', {}],
    ['prompt_cache_retention', '24h'],
    ['service_tier', 'flex'],
    ['web_search_options', {}],
    ['top_k', 1],
    ['an_invented_one', {}],
  ])('the member %s, by its name and never dropped', (name, value) =>
    expect(refusal(mini({ [name]: value }))).toEqual(['invalid_request', name]),
  )

  it('an unknown member within a message, a tool and a choice of one, with those that exist there', () => {
    const rules = (body: unknown) => {
      const found = read(body)
      return found instanceof AppError ? found.details.fields : null
    }
    expect(rules(messages({ ...user, weight: 2 }))).toEqual([
      { path: 'messages[1].weight', rule: 'unknown member; those that exist: role, content, name, cache_control' },
    ])
    expect(rules(mini({ tools: [{ ...look, cached: true }] }))).toEqual([
      { path: 'tools[0].cached', rule: 'unknown member; those that exist: type, function, cache_control' },
    ])
    const choice = { type: 'function', function: { name: 'look' }, force: true }
    expect(rules(mini({ tools: [look], tool_choice: choice }))).toEqual([
      { path: 'tool_choice.force', rule: 'unknown member; those that exist: type, function' },
    ])
  })

  it('a value that is none of those that may be null too, with those that exist', () => {
    const found = read(
      mini({
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/b.png', detail: 'x' } }] },
        ],
      }),
    )
    expect(found).toMatchObject({
      details: {
        fields: [{ path: 'messages[0].content[0].image_url.detail', rule: 'expected one of auto, low, high' }],
      },
    })
  })

  it('a member named twice, at any depth: a receipt would be for one of two requests', () => {
    const twice = [
      '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"a"}],"model":"gpt-5.6-sol"}',
      '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"a","content":"b"}]}',
      '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"a"}],"\\u006dodel":"gpt-5.6-sol"}',
    ]
    for (const body of twice) expect(refusal(body), body).toEqual(['invalid_request', undefined])
  })

  it('a member whose name is not a plain word, without repeating it', () => {
    expect(JSON.stringify(read(mini({ logit_bias: { 'Dear Dr Zebra': 'x' } })))).not.toContain('Zebra')
    expect(refusal(mini({ 'Dear Dr Zebra': 1 }))).toEqual(['invalid_request', undefined])
    expect(JSON.stringify(read(mini({ 'Dear Dr Zebra': 1 })))).not.toContain('Zebra')
  })

  it('storing at the provider', () => {
    expect(refusal(mini({ store: true }))).toEqual(['invalid_request', 'store'])
    accepted(mini({ store: false }))
  })

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['']])('content of type %s', (type) => {
    expect(refusal(mini({}), type)).toEqual(['unsupported_media_type', undefined])
  })

  it('over 1 MiB, where images do not explain it', () => {
    const long = { role: 'user', content: 'x'.repeat(600_000) }
    expect(refusal(messages(long, long))).toEqual(['payload_too_large', undefined])
    const { outline } = accepted(messages(image(`data:image/png;base64,${'A'.repeat(3_000_000)}`)))
    expect(outline.bytes).toBeGreaterThan(3_000_000)
  })
})

const json = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
})

describe('what a model does not take is refused by name', () => {
  it.each<[string, object, string]>([
    ['gpt-5.6-sol', { stop: 'END' }, 'stop'],
    ['claude-haiku-4-5', { n: 2 }, 'n'],
    ['claude-haiku-4-5', { logprobs: true }, 'logprobs'],
    ['claude-haiku-4-5', json({ type: 'array', items: {} }), 'response_format.json_schema.schema.items'],
    ['sonar', { stop: 'x', tools: [look] }, 'stop'],
    ['gemini-3.8-flash', { messages: [image('https://a.test/b.png')] }, 'messages[0].content[0].image_url'],
    ['sonar', { reasoning_effort: 'low' }, 'reasoning_effort'],
    ['gpt-4.1-mini', { reasoning_effort: 'low' }, 'reasoning_effort'],
    ['gpt-4.1-mini', { verbosity: 'low' }, 'verbosity'],
  ])('%s: %o', (model, more, param) => {
    expect(refusal({ model, messages: [user], ...more })).toEqual(['invalid_request', param])
  })
})

describe('sampling parameters that a model does not take', () => {
  it.each<[string, object, string[]]>([
    ['gpt-5.6-sol', { temperature: 0.5 }, ['temperature']],
    ['claude-haiku-4-5', { temperature: 1.5 }, ['temperature']],
    ['claude-haiku-4-5', { temperature: 0.5, top_p: 0.5 }, ['top_p']],
    ['claude-haiku-4-5', { seed: 1, frequency_penalty: 0.5 }, ['frequency_penalty', 'seed']],
    ['claude-sonnet-5', { temperature: null, seed: null, top_p: 1, presence_penalty: 0 }, []],
  ])('are not sent, and named: %s: %o', (model, more, names) => {
    const asked = accepted({ model, messages: [user], ...more })
    expect(asked.adapted.map(({ param }) => param)).toEqual(names)
    const plain = accepted({ model, messages: [user] })
    expect(asked.outline.routes).toEqual(plain.outline.routes)
    if (names.length < 2) return
    expect(encodeRequest(asked.request, asked.outline.model)).toEqual(encodeRequest(plain.request, plain.outline.model))
  })

  it.each(['max_tokens', 'max_completion_tokens'])('are joined by a limit above the model’s, as %s', (name) => {
    const asked = accepted(mini({ [name]: 10_000_000 }))
    expect(asked.adapted.map(({ param }) => param)).toEqual([name])
    expect(refuseAdapted(asked)).toMatchObject({ code: 'invalid_request', details: { param: name } })
    const { maxOutputTokens } = asked.outline.model.limits
    expect([asked.request.maxTokens, asked.outline.chat?.maxTokens]).toEqual([maxOutputTokens, maxOutputTokens])
  })

  it('are refused by the name of the first where nothing may be left out, and nothing is where all are sent', () => {
    const asked = accepted({ model: 'claude-sonnet-5', messages: [user], top_p: 0.5, temperature: 0 })
    expect(refuseAdapted(asked)).toMatchObject({ code: 'invalid_request', details: { param: 'temperature' } })
    expect(refuseAdapted(accepted({ model: 'claude-sonnet-5', messages: [user] }))).toBeNull()
  })

  it('beside what is refused anyway do not hide it', () => {
    expect(refusal({ model: 'claude-sonnet-5', messages: [user], temperature: 0, stop: ['a'], n: 2 })[1]).toBe('n')
  })
})

describe('a body that is accepted', () => {
  it('is read in every member', () => {
    const {
      request,
      outline: { model },
    } = accepted(
      mini({
        messages: [
          { role: 'system', content: 'Be brief.', name: 'rules' },
          { role: 'developer', content: [{ type: 'text', text: 'In English.' }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: 'https://a.test/b.png', detail: 'low' } },
            ],
          },
          { ...assistant(call('{"at":"left"}')), refusal: null, annotations: [] },
          tool('call_1'),
          { role: 'assistant', content: null, refusal: 'No.' },
          user,
        ],
        temperature: 0.5,
        top_p: 0.9,
        max_completion_tokens: 50,
        stop: 'END',
        n: 2,
        seed: 7,
        user: 'u',
        tools: [look],
        tool_choice: { type: 'function', function: { name: 'look' } },
        parallel_tool_calls: false,
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {}, strict: true } },
        stream: true,
        stream_options: { include_usage: true },
        logprobs: true,
        top_logprobs: 2,
        frequency_penalty: 0.1,
      }),
    )
    expect(model.id).toBe('gpt-4.1-mini')
    expect(request).toMatchObject({
      stream: true,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 50,
      stop: ['END'],
      n: 2,
      seed: 7,
      user: 'u',
      tools: [{ name: 'look' }],
      toolChoice: { name: 'look' },
      parallelToolCalls: false,
      responseFormat: { type: 'json_schema', name: 'a', schema: {}, strict: true },
      extraParameters: { logprobs: true, top_logprobs: 2, frequency_penalty: 0.1 },
    })
    expect(request.messages).toMatchObject([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], name: 'rules' },
      { role: 'developer', content: [{ type: 'text', text: 'In English.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', url: 'https://a.test/b.png', detail: 'low' },
        ],
      },
      { role: 'assistant', content: [], toolCalls: [{ id: 'call_1', name: 'look', arguments: '{"at":"left"}' }] },
      { role: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text: 'ok' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
      { role: 'user' },
    ])
  })

  it.each([
    ['s', { safety_identifier: 's' }],
    ['s', { safety_identifier: 's', user: 'u' }],
    ['u', { safety_identifier: '', user: 'u' }],
    [undefined, { safety_identifier: '' }],
  ])('has the user %s of %o', (sent, body) => expect(accepted(mini(body)).request.user).toBe(sent))

  it('may say null for what it does not say', () => {
    const nothing = {
      temperature: null,
      stream: null,
      tools: null,
      stop: null,
      user: null,
      safety_identifier: null,
      metadata: null,
      store: null,
    }
    expect(accepted(mini(nothing)).request).toEqual(accepted(mini({})).request)
  })

  it('may say defaults that change nothing to a model that has no such parameter', () => {
    const neutral = {
      frequency_penalty: 0,
      presence_penalty: 0,
      logprobs: false,
      top_logprobs: 0,
      n: 1,
      temperature: 1,
    }
    expect(accepted({ model: 'claude-sonnet-5', messages: [user], ...neutral }).request.extraParameters).toBeUndefined()
  })

  it('hands a thought signature back to the model it came from', () => {
    const signed = { ...call('{}'), extra_content: { google: { thought_signature: 'c2ln' } } }
    const body = { model: 'gemini-3.8-flash', messages: [user, assistant(signed), tool('call_1')] }
    expect(accepted(body).request.messages[1]).toMatchObject({ toolCalls: [{ signature: 'c2ln' }] })
  })
})
