// What providers are sent of a Messages request: Anthropic the bytes as they came, others what they know.
import { describe, expect, it } from 'vitest'
import { accepted, droppedBy, read, readText, refusal, sentBy, user } from './reading.ts'
import { AppError } from '../../../../../src/platform/errors.ts'
import { errorBody } from '../../../../../src/platform/render-error.ts'

const MARK = { type: 'ephemeral' }
const TOOL = {
  name: 'look_up',
  description: 'Looks up.',
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: { q: { type: 'string' } },
    required: ['q'],
    type: 'object',
  },
  cache_control: MARK,
}

/** A turn with tools, as Claude's own clients send it. */
const AGENT = {
  system: [
    { type: 'text', text: 'You are an agent.', cache_control: MARK },
    { type: 'text', text: 'Be brief.' },
  ],
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: '{"session_id":"x"}' },
  tools: [TOOL],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look at this.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ],
    },
    { role: 'system', content: 'The time is noon.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look.', signature: 'c2ln' },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { q: 'x' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go on.' },
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'nothing' }], is_error: true },
      ],
    },
    { role: 'system', content: [{ type: 'text', text: '1000 tokens left', cache_control: MARK }] },
  ],
}
const BETAS = {
  'anthropic-version': '2026-10-21',
  'anthropic-beta': 'interleaved-thinking-2025-05-14, never-heard-of-1',
}

describe('Anthropic itself', () => {
  it('is sent every byte but for the model', () => {
    const sent = `{ "messages":[{"role":"user","content":[{"type":"text","text":"\\u00e9","odd":1.50}]}],\n "model":"anthropic/claude-opus-5" ,"max_tokens":1e2,"stream":false}`
    const found = readText(sent)
    if (found instanceof AppError) throw found
    expect(sentBy(found).text).toBe(sent.replace('anthropic/claude-opus-5', 'claude-opus-5'))
  })

  it('is sent an agent’s turn, its betas and its version as they came', () => {
    const found = accepted(AGENT, 'claude-opus-5', BETAS)
    const { body, headers } = sentBy(found, 'anthropic')
    expect(body).toEqual({ model: 'claude-opus-5', max_tokens: 64, ...AGENT })
    expect(headers).toEqual({ ...BETAS, 'anthropic-beta': 'interleaved-thinking-2025-05-14,never-heard-of-1' })
    expect(droppedBy(found, 'anthropic')).toEqual([])
  })

  it('is sent a lower limit, and no sampling that the model does not take', () => {
    const found = accepted({ max_tokens: 1_000_000, temperature: 0.5, top_p: 0.5, top_k: 3, service_tier: null })
    expect(sentBy(found).body).toEqual({ model: 'claude-opus-5', max_tokens: 128_000, messages: [user] })
    expect(droppedBy(found, 'anthropic')).toEqual(['temperature', 'top_p', 'top_k', 'max_tokens'])
  })

  it('is sent instructions of the conversation as the user’s where the model takes none there', () => {
    const found = accepted({ messages: [user, { role: 'system', content: 'It is noon.' }] }, 'claude-haiku-4-5')
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'text', text: '<system-reminder>\nIt is noon.\n</system-reminder>' },
    ]
    expect(sentBy(found).body['messages']).toEqual([{ role: 'user', content }])
    expect(droppedBy(found, 'anthropic')).toEqual(['messages[1].role'])
  })

  it('is sent one more turn where the model cannot go on with the last, and the rest as it came', () => {
    const results = { type: 'search_result', source: 'x', title: 'x', content: [{ type: 'text', text: 'x' }] }
    const asked = { role: 'user', content: [results, { type: 'text', text: 'Hello' }] }
    const said = { role: 'assistant', content: 'Well' }
    const found = accepted({ messages: [asked, said] }, 'claude-opus-5', BETAS)
    const { body, headers } = sentBy(found)
    expect(body['messages']).toEqual([asked, said, { role: 'user', content: 'Continue.' }])
    expect(headers).toHaveProperty('anthropic-beta')
  })
})

describe('what only Anthropic reads of a request', () => {
  const search = (text: string) => [
    { type: 'search_result', source: 'x', title: 'x', content: [{ type: 'text', text }] },
    { type: 'text', text: 'Hello' },
  ]
  const of = (content: object[], more: object = {}) =>
    accepted({ messages: [{ role: 'user', content }], ...more }).outline

  it('makes another request of it: other results of a search are no loop', () => {
    expect(of(search('a')).hashes.loopHash).not.toBe(of(search('b')).hashes.loopHash)
  })

  it('is reserved at the price of its cache: an hour costs more', () => {
    const mark = { cache_control: { ...MARK, ttl: '1h' } }
    const [found, ...others] = search('a')
    for (const { routes } of [of(search('a'), mark), of([{ ...found, ...mark }, ...others])]) {
      expect(routes[0].upFront).toMatchObject({ cacheWrite: 0, cacheWriteHour: expect.toSatisfy(Boolean) as number })
    }
  })
})

describe('Amazon Bedrock', () => {
  it('is sent what it knows, and the rest is named', () => {
    const tools = [{ ...TOOL, cache_control: { ...MARK, scope: 'global' }, input_examples: [{ q: 'x' }] }]
    const found = accepted({ ...AGENT, tools }, 'claude-haiku-5-5', BETAS)
    const { body, headers } = sentBy(found, 'bedrock-eu-west-1')
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(Object.keys(body).toSorted()).toEqual(
      ['max_tokens', 'messages', 'model', 'output_config', 'system', 'thinking', 'tool_choice', 'tools'].toSorted(),
    )
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, tools: [TOOL], system: AGENT.system })
    expect(JSON.stringify(body)).not.toMatch(/scope|display|input_examples|session_id|"role":"system"/)
    expect(body['messages']).toMatchObject([
      { role: 'user', content: [{}, {}, { text: '<system-reminder>\nThe time is noon.\n</system-reminder>' }] },
      { role: 'assistant' },
      {
        role: 'user',
        content: [{}, {}, { text: '<system-reminder>\n1000 tokens left\n</system-reminder>', cache_control: MARK }],
      },
    ])
    expect(droppedBy(found, 'bedrock-eu-west-1')).toEqual([
      'anthropic-beta',
      'context_management',
      'thinking.display',
      'metadata.user_id',
      'tools[0].input_examples',
      'messages[1].role',
    ])
    expect(droppedBy(found, 'anthropic')).toEqual([])
  })

  it('is sent no address of a picture or a document', () => {
    const source = { type: 'url', url: 'https://x.example/a' }
    for (const type of ['image', 'document']) {
      const { unfit } = accepted({ messages: [{ role: 'user', content: [{ type, source }] }] })
      expect(unfit.map(({ model }) => model.endpoint)).toEqual(['bedrock-eu-west-1', 'bedrock-eu-central-1'])
    }
  })

  it('is sent a schema as a tool', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    }
    const found = accepted({ output_config: { format: { type: 'json_schema', schema } } })
    expect(sentBy(found, 'anthropic').body).toHaveProperty('output_config')
    expect(sentBy(found, 'bedrock-eu-west-1').body).toMatchObject({ tool_choice: { type: 'tool', name: 'answer' } })
  })
})

describe('other providers', () => {
  it('are sent the conversation in their form, without what only Claude reads', () => {
    const found = accepted({ ...AGENT, stop_sequences: ['END'] }, 'gpt-4.1-mini', BETAS)
    expect(sentBy(found).body).toMatchObject({
      model: 'gpt-4.1-mini',
      stop: ['END'],
      max_completion_tokens: 64,
      parallel_tool_calls: false,
      tools: [{ type: 'function', function: { name: 'look_up', parameters: { properties: { q: {} } } } }],
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [{ text: 'Look at this.' }, { image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
        },
        { role: 'system', content: 'The time is noon.' },
        {
          role: 'assistant',
          content: 'I look it up.',
          tool_calls: [{ id: 'toolu_1', function: { arguments: '{"q":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: nothing' },
        { role: 'user', content: 'Go on.' },
        { role: 'system', content: '1000 tokens left' },
      ],
    })
    expect(sentBy(found).text).not.toMatch(/session_id|I look\.|cache_control/)
    expect(droppedBy(found, 'openai')).toEqual([
      'anthropic-beta',
      'context_management',
      'thinking.display',
      'metadata.user_id',
      'messages[2].content',
      'cache_control',
    ])
  })

  const [noon, left] = ['The time is noon.', '1000 tokens left'].map(
    (text) => `<system-reminder>\n${text}\n</system-reminder>`,
  )
  const called = { name: 'look_up', arguments: '{"q":"x"}' }

  it('are sent their own members: Google’s', () => {
    expect(sentBy(accepted({ ...AGENT, stop_sequences: ['END'] }, 'gemini-3.8-flash')).body).toMatchObject({
      systemInstruction: { parts: [{ text: 'You are an agent.' }, { text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Look at this.' }, { inlineData: { data: 'iVBORw0KGgo=' } }, { text: noon }] },
        { role: 'model', parts: [{ text: 'I look it up.' }, { functionCall: { name: 'look_up', args: { q: 'x' } } }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'look_up', response: { result: 'Error: nothing' } } },
            { text: 'Go on.' },
            { text: left },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      generationConfig: {
        maxOutputTokens: 64,
        stopSequences: ['END'],
        thinkingConfig: { thinkingLevel: 'high' },
      },
    })
  })

  it('are sent their own members: Mistral’s', () => {
    const { body } = sentBy(accepted({ ...AGENT, stop_sequences: ['END'] }, 'mistral-medium-3-5'))
    expect(body).toMatchObject({
      stop: ['END'],
      max_tokens: 64,
      reasoning_effort: 'high',
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ text: 'Look at this.' }, { type: 'image_url' }] },
        { role: 'user', content: noon },
        { role: 'assistant', content: 'I look it up.', tool_calls: [{ function: called }] },
        { role: 'tool', content: 'Error: nothing' },
        { role: 'user', content: 'Go on.' },
        { role: 'user', content: left },
      ],
    })
  })

  it('are sent their own members: Perplexity’s, which has no stops beside tools', () => {
    const found = accepted(AGENT, 'sonar-pro')
    expect(sentBy(found).body).toMatchObject({
      instructions: 'You are an agent.\n\nBe brief.',
      max_output_tokens: 64,
      input: [
        { role: 'user', content: [{ text: 'Look at this.' }, { type: 'input_image' }] },
        { role: 'user', content: noon },
        { role: 'assistant', content: 'I look it up.' },
        { type: 'function_call', call_id: 'toolu_1', ...called },
        { type: 'function_call_output', call_id: 'toolu_1', output: 'Error: nothing' },
        { role: 'user', content: 'Go on.' },
        { role: 'user', content: left },
      ],
      tools: [{ type: 'function', name: 'look_up' }],
    })
    expect(refusal({ ...AGENT, stop_sequences: ['END'] }, 'sonar-pro')).toMatchObject({ param: 'stop_sequences' })
  })

  it('are sent the nearest effort that they have', () => {
    const body = { output_config: { effort: 'max' } }
    expect(sentBy(accepted(body, 'gpt-6-luna')).body).toMatchObject({ reasoning_effort: expect.any(String) as string })
    expect(sentBy(accepted({ thinking: { type: 'enabled', budget_tokens: 5_000 } }, 'gpt-6-luna')).body).toMatchObject({
      reasoning_effort: 'medium',
    })
    expect(sentBy(accepted(body, 'gpt-4.1-mini')).body).not.toHaveProperty('reasoning_effort')
  })

  it('are not sent stops that their model has not: these are applied to the answer', () => {
    const found = accepted({ stop_sequences: ['END'] }, 'gpt-6-luna')
    expect(sentBy(found).body).not.toHaveProperty('stop')
    expect(found.request.stopHere).toEqual(['END'])
  })

  it('are not sent a tool that is loaded later', () => {
    const later = { name: 'later', input_schema: { type: 'object' }, defer_loading: true }
    const found = accepted({ tools: [later, TOOL] }, 'gpt-4.1-mini')
    expect(sentBy(found).body['tools']).toMatchObject([{ function: { name: 'look_up' } }])
    expect(droppedBy(found, 'openai')).toContain('tools[0].defer_loading')
    const atBedrock = sentBy(accepted({ tools: [later, TOOL] }, 'claude-haiku-5-5'), 'bedrock-eu-west-1')
    expect(atBedrock.body['tools']).toMatchObject([{ name: 'look_up' }])
  })
})

describe('a member that is refused by name', () => {
  const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const FORMAT = { type: 'json_schema', schema: { type: 'object' } }
  const UNREADABLE = JSON.parse('{"type":"object","__proto__":{"a":"x"}}') as object
  it.each([
    ['container', { container: 'x' }, 'claude-opus-5'],
    ['mcp_servers', { mcp_servers: [] }, 'claude-opus-5'],
    ['speed', { speed: 'fast' }, 'claude-opus-5'],
    ['never_heard_of', { never_heard_of: 1 }, 'claude-opus-5'],
    ['tools[0].type', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, 'claude-opus-5'],
    ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] }, 'claude-opus-5'],
    ['tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'gpt-4.1-mini'],
    ['thinking.type', { thinking: { type: 'enabled', budget_tokens: 2_048 } }, 'claude-opus-5'],
    [
      'context_management.edits[0].type',
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
      'gpt-4.1-mini',
    ],
    [
      'context_management.edits[0].type',
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'claude-opus-5',
    ],
    ['output_format', { output_config: { format: FORMAT }, output_format: FORMAT }, 'claude-opus-5'],
    ['tool_choice.name', { tools: [TOOL], tool_choice: { type: 'auto', name: 'x' } }, 'claude-opus-5'],
    ['tools[0].input_schema.__proto__', { tools: [{ ...TOOL, input_schema: UNREADABLE }] }, 'claude-opus-5'],
    ['messages[0].content[0].type', said({ type: 'container_upload', file_id: 'x' }), 'claude-opus-5'],
    [
      'messages[0].content[0].source.type',
      said({ type: 'image', source: { type: 'file', file_id: 'x' } }),
      'claude-opus-5',
    ],
    ['messages[0].content[0].citations', said({ type: 'text', text: 'x', citations: [{ type: 'x' }] }), 'gpt-4.1-mini'],
    [
      'messages[0].content[1].source',
      said({ type: 'text', text: 'x' }, { type: 'search_result', source: 'x' }),
      'gpt-4.1-mini',
    ],
  ])('%s', (param, body, model) => {
    expect(refusal(body, model)).toMatchObject({ param })
  })

  it('tells a tool runner of the SDKs to go on without a thread', () => {
    const found = read({ thread: { type: 'create' } })
    const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'], param: 'thread' }
    expect(found instanceof AppError && errorBody(found, 'r', 'messages')).toMatchObject({ error: { details } })
  })

  it('or a header', () => {
    expect(refusal({}, 'claude-opus-5', { 'anthropic-version': '2020-01-01' })).toMatchObject({
      param: 'anthropic-version',
    })
    expect(refusal({}, 'claude-opus-5', { 'anthropic-beta': 'a b' })).toMatchObject({ param: 'anthropic-beta' })
  })

  it('is named where it stands, also behind a tool’s result', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } }
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look_up', input: {} }] }
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }, image] }
    const body = {
      tools: [TOOL],
      messages: [user, call, { role: 'user', content: [{ type: 'text', text: 'y' }, result, image] }],
    }
    expect(refusal(body)).toMatchObject({ param: 'messages[2].content[1].content[1].source' })
  })
})
