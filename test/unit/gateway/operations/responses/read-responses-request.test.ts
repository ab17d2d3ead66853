// Tests what a Responses body asks for, or the name of its fault, in this format's own names.
import { describe, expect, it } from 'vitest'
import { encodeReasoning } from '../../../../../src/gateway/operations/responses/item-writers.ts'
import { withoutDefaults } from '../../../../../src/providers/adapt-request.policy.ts'
import { accepted, call, look, output, refusal, user } from './reading.ts'

const text = (words: string) => [{ type: 'text', text: words }]
const input = (...items: unknown[]) => ({ input: items })
/** For what OpenAI’s models take. */
const claude = (...items: unknown[]) => ({ ...input(...items), model: 'claude-haiku-4-5' })
const parts = (...content: unknown[]) => input({ role: 'user', content })
const PDF = 'data:application/pdf;base64,aGk='
const PART = 'input[0].content[0]'
const fileOf = (more: object) => parts({ type: 'input_file', ...more })
const tooled = (more: object) => ({ tools: [{ ...look, ...more }] })
const searching = (more: object) => ({ tools: [{ type: 'web_search', ...more }] })
const allowed = (name: string) => ({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name }] })

describe('a request that is refused', () => {
  it.each<[string, object, string]>([
    ['an empty input', { input: '' }, 'input'],
    ['no item', input(), 'input'],
    ['an item of an unknown type', input(user, { type: 'computer_call' }), 'input[1].type'],
    ['a reference to an item', input(user, { type: 'item_reference', id: 'msg_1' }), 'input[1].type'],
    ['a reference without a type', input(user, { id: 'msg_1', type: null }), 'input[1]'],
    ['an unknown role', input({ role: 'tool', content: 'x' }), 'input[0].role'],
    ['an unknown part', parts({ type: 'input_audio' }), `${PART}.type`],
    ['a text that is none', parts({ type: 'input_text', text: 5 }), `${PART}.text`],
    ['a picture by its id', parts({ type: 'input_image', file_id: 'f', image_url: 'x' }), `${PART}.file_id`],
    ['a file by its id', fileOf({ file_id: 'f' }), `${PART}.file_id`],
    ['a file of no source', fileOf({ filename: 'a' }), PART],
    ['a file of two', fileOf({ file_data: PDF, file_url: 'https://a.test' }), PART],
    ['a file by its address', fileOf({ file_url: 'https://a.test' }), `${PART}.file_url`],
    [
      'a mark of a part',
      parts({ type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }),
      `${PART}.prompt_cache_breakpoint`,
    ],
    ['how well a file is read', fileOf({ file_data: PDF, detail: 'low' }), `${PART}.detail`],
    ['a tool of programs', tooled({ allowed_callers: ['direct', 'programmatic'] }), 'tools[0].allowed_callers[1]'],
    ['a tool to be found', tooled({ defer_loading: true }), 'tools[0].defer_loading'],
    [
      'a call that was made by a program',
      input(user, call('a', { caller: { type: 'program', caller_id: 'b' } }), output('a')),
      'input[1].caller.type',
    ],
    ['a search of what is kept', searching({ external_web_access: false }), 'tools[0].external_web_access'],
    ['a picture by http', parts({ type: 'input_image', image_url: 'http://a.test' }), `${PART}.image_url`],
    ['an unknown member of an item', input({ ...user, colour: 1 }), 'input[0].colour'],
    ['a call that nothing answers', input(user, call('a')), 'input'],
    ['arguments that are no object', claude(user, call('a', { arguments: '5' }), output('a')), 'input[1].arguments'],
    ['a result of no call', input(user, output('a')), 'input[1].call_id'],
    [
      'a picture as a tool’s result',
      input(user, call('a'), output('a', [{ type: 'input_image', image_url: 'https://a.test' }])),
      'input[2].output[0]',
    ],
    [
      'an empty message after an answer',
      claude(user, { role: 'assistant', content: 'a' }, { role: 'user', content: ' ' }),
      'input[2].content',
    ],
    ['nothing but instructions', claude({ role: 'developer', content: 'x' }), 'input'],
    [
      'reasoning from elsewhere',
      input(user, { type: 'reasoning', encrypted_content: 'gAAAAB', summary: [] }),
      'input[1].encrypted_content',
    ],
    ['a tool that is run elsewhere', { tools: [look, { type: 'code_interpreter' }] }, 'tools[1].type'],
    ['a custom tool', { tools: [{ type: 'custom', name: 'look' }] }, 'tools[0].type'],
    ['a search by a model that does not', { tools: [look, { type: 'web_search' }] }, 'tools[1]'],
    ['two searches', { tools: [{ type: 'web_search' }, { type: 'web_search' }] }, 'tools[1]'],
    ['a limit to searches', { tools: [{ type: 'web_search' }], max_tool_calls: 1 }, 'max_tool_calls'],
    ['a call that must be made, of no tools', { tool_choice: 'required' }, 'tool_choice'],
    ['no search beside one', { tools: [{ type: 'web_search' }], tool_choice: 'none' }, 'tool_choice'],
    ['a search that must be made', { tools: [look, { type: 'web_search' }], tool_choice: 'required' }, 'tool_choice'],
    [
      'a search that may not be made',
      {
        tools: [look, { type: 'web_search' }],
        tool_choice: allowed('look'),
      },
      'tool_choice',
    ],
    [
      'a place without a name',
      searching({ user_location: { type: 'approximate', city: '' } }),
      'tools[0].user_location.city',
    ],
    ['a choice of no tool', { tools: [look], tool_choice: { type: 'function', name: 'see' } }, 'tool_choice.name'],
    [
      'allowed tools that are none',
      {
        tools: [look],
        tool_choice: allowed('see'),
      },
      'tool_choice.tools[0].name',
    ],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['pages that a search is to keep to', searching({ filters: { allowed_domains: ['a.test'] } }), 'tools[0].filters'],
    ['storing', { store: true }, 'store'],
    ['the background', { background: true }, 'background'],
    ['a conversation cut to fit', { truncation: 'auto' }, 'truncation'],
    ['log probabilities', { top_logprobs: 2 }, 'top_logprobs'],
    ['log probabilities, included', { include: ['message.output_text.logprobs'] }, 'include'],
    ['another tier', { service_tier: 'flex' }, 'service_tier'],
    ['marks of what is to be kept', { prompt_cache_options: { mode: 'explicit' } }, 'prompt_cache_options.mode'],
    ['how long a prompt is kept', { prompt_cache_retention: '24h' }, 'prompt_cache_retention'],
    ['who asks, at length', { safety_identifier: 's'.repeat(257) }, 'safety_identifier'],
    ['moderation', { moderation: { model: 'm' } }, 'moderation'],
    ['more to include than there is', { include: Array(65).fill('file_search_call.results') }, 'include'],
    ['an unknown member', { colour: 1 }, 'colour'],
    ['a temperature of no model', { temperature: 3 }, 'temperature'],
    ['no token at all', { max_output_tokens: 0 }, 'max_output_tokens'],
    ['an effort that the model does not have', { reasoning: { effort: 'high' } }, 'reasoning.effort'],
    ['reasoning of one turn', { reasoning: { context: 'current_turn' } }, 'reasoning.context'],
    ['an unknown summary', { reasoning: { summary: 'long' } }, 'reasoning.summary'],
    ['a verbosity that the model does not have', { text: { verbosity: 'low' } }, 'text.verbosity'],
    ['an unknown format', { text: { format: { type: 'xml' } } }, 'text.format.type'],
  ])('%s', (_, body, param) => {
    const found = refusal(body)
    expect([found.code, found.param]).toEqual(['invalid_request', param])
    expect(found.message).toContain(param)
  })

  it.each<[string, object, string]>([
    ['an item of no form', input({}), 'input[0].role'],
    ['a tool in the form of the chat', { tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0].name'],
  ])('%s, for what it lacks', (_, body, param) => {
    const found = refusal(body)
    expect([found.code, found.param]).toEqual(['missing_parameter', param])
  })

  it('a type that there is not, without saying that none is to be sent', () => {
    const { message } = refusal(input({ type: 5, role: 'user', content: 'a' }))
    expect(message).toBe(
      'input[0].type: expected one of message, function_call, custom_tool_call, function_call_output, custom_tool_call_output, reasoning, additional_tools.',
    )
  })

  it.each<[string, object, string]>([
    [
      'a time zone of a search',
      { tools: [look, { type: 'web_search', user_location: { type: 'approximate', timezone: 'Europe/Dublin' } }] },
      'tools[1].user_location.timezone',
    ],
  ])('%s, by its name here', (_, body, param) => {
    expect(refusal(body, 'sonar').param).toBe(param)
  })

  it('the tool it is about, however many are not sent on', () => {
    const circle = { type: 'object', properties: { inner: { $ref: '#' } } }
    const tools = [look, { ...look, name: 'hear' }, { ...look, name: 'see', strict: true, parameters: circle }]
    expect(refusal({ tools, tool_choice: allowed('see') }, 'claude-haiku-4-5').param).toBe('tools[2].parameters')
  })
})

it('reasoning of more blocks than a message may have is refused', () => {
  const thinking = Array.from({ length: 1_001 }, () => ({ type: 'redacted_thinking', data: 'd' }) as const)
  const carried = (blocks: typeof thinking) => {
    const encrypted_content = encodeReasoning({ provider: 'anthropic', thinking: blocks })
    return input(user, { type: 'reasoning', encrypted_content }, { role: 'assistant', content: 'a' }, user)
  }
  expect(refusal(carried(thinking)).param).toBe('input[1].encrypted_content')
  expect(accepted(carried(thinking.slice(1))).request.messages[1]).toHaveProperty('thinking.length', 1_000)
})

describe('what means nothing here', () => {
  it.each<[string, object]>([
    ['nothing but the least', {}],
    [
      'null throughout',
      { instructions: null, tools: null, store: null, metadata: null, text: null, previous_response_id: null },
    ],
    [
      'what is the case anyway',
      { store: false, background: false, truncation: 'disabled', top_logprobs: 0, metadata: {} },
    ],
    ['a tier', { service_tier: 'auto' }],
    ['no tools, and how to use them', { tools: [], tool_choice: 'auto', parallel_tool_calls: false }],
    ['what else to include', { include: ['web_search_call.action.sources', 'file_search_call.results'] }],
    ['a summary of what no model here thought', { reasoning: { summary: 'detailed' } }],
    ['reasoning of all turns', { reasoning: { context: 'all_turns', mode: 'standard' } }],
    ['prompts that are kept as they are anyway', { prompt_cache_options: { mode: 'implicit', ttl: '30m' } }],
    ['a limit to tools that are not here', { max_tool_calls: 3 }],
    ['no padding', { stream: true, stream_options: { include_obfuscation: false } }],
    ['plain text', { text: { format: { type: 'text' } } }],
    ['labels', { metadata: { a: 'b' } }],
    ['members without members', { text: {}, reasoning: {}, include: [] }],
    ['what a client tells of itself', { client_metadata: { 'x-installation': 'a', turn: { id: 1 } } }],
  ])('%s', (_, body) => {
    const { request, outline } = accepted(body)
    const members = Object.entries(withoutDefaults(request, outline.model))
    const {
      stream,
      padding: _padding,
      ...plain
    } = Object.fromEntries(members.filter(([, value]) => value !== undefined))
    expect(plain).toEqual({ messages: [{ role: 'user', content: text('Hello') }] })
    expect(stream).toBe('stream' in body ? true : undefined)
  })
})

describe('a conversation', () => {
  const messages = (body: object, model?: string) => accepted(body, model).request.messages

  it('begins with the instructions', () => {
    expect(messages({ instructions: 'Be brief.' })).toEqual([
      { role: 'system', content: text('Be brief.') },
      { role: 'user', content: text('Hello') },
    ])
  })

  it('keeps roles and parts', () => {
    const image = { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'low' }
    const items = [
      { type: 'message', role: 'developer', content: 'a' },
      { role: 'user', content: [{ type: 'input_text', text: 'b' }, image] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'c' }] },
      { role: 'user', content: 'd' },
    ]
    expect(messages(input(...items))).toEqual([
      { role: 'developer', content: text('a') },
      { role: 'user', content: [...text('b'), { type: 'image', url: 'https://a.test/b.png', detail: 'low' }] },
      { role: 'assistant', content: text('c') },
      { role: 'user', content: text('d') },
    ])
  })

  it('is the same with the notes that a client makes on its items', () => {
    const items = [
      { role: 'developer', content: 'a' },
      user,
      { type: 'reasoning', summary: [] },
      call('a'),
      output('a'),
    ]
    const noted = items.map((item) => ({ ...item, internal_chat_message_metadata_passthrough: { turn_id: 't' } }))
    expect(messages(input(...noted))).toEqual(messages(input(...items)))
  })

  it('takes what says no more than is the case anyway, and a tool that had nothing to say', () => {
    const unmarked = { prompt_cache_breakpoint: null }
    const direct = { caller: { type: 'direct' } }
    const file = { type: 'input_file', file_data: PDF, detail: 'auto', ...unmarked }
    const items = [
      { role: 'user', content: [{ type: 'input_text', text: 'a', ...unmarked }, file] },
      { type: null, role: 'assistant', content: 'b' },
      call('a', { ...direct, created_by: 'b' }),
      { ...output('a', []), ...direct, created_by: null },
    ]
    const tool = { ...look, allowed_callers: ['direct'], async: false, defer_loading: false, output_schema: null }
    const { request } = accepted({
      ...input(...items),
      tools: [tool, { ...look, name: 'hear', allowed_callers: null }],
    })
    expect(request.messages[0]).toMatchObject({ content: [{ text: 'a' }, { url: PDF }] })
    expect(request.messages[2]).toMatchObject({ toolCallId: 'a', content: text('') })
    expect(request.tools).toHaveLength(2)
  })

  it('takes the items of an answer, sent back, for one message', () => {
    const said = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', phase: 'commentary' }
    const content = [{ type: 'output_text', text: 'Looking.', annotations: [], logprobs: [], parsed: null }]
    const items = [
      user,
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { ...said, content },
      call('a', { id: 'fc_1', status: 'completed', parsed_arguments: {}, namespace: null }),
      call('b'),
      output('a'),
      output('b', [{ type: 'input_text', text: 'no' }]),
      { ...said, content: [{ type: 'refusal', refusal: 'I will not.' }] },
      user,
    ]
    expect(messages(input(...items)).slice(1, -1)).toMatchObject([
      { role: 'assistant', content: text('Looking.'), toolCalls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', toolCallId: 'a', content: text('ok') },
      { role: 'tool', toolCallId: 'b', content: text('no') },
      { role: 'assistant', content: text('I will not.') },
    ])
  })

  it('hands reasoning back to the model it came from, with the call or the text it belongs to', () => {
    const carry = (carried: Parameters<typeof encodeReasoning>[0]) => ({
      type: 'reasoning',
      summary: [],
      encrypted_content: encodeReasoning(carried),
    })
    const thinking = [{ type: 'thinking', thinking: 'Grüße 👋', signature: 's' }] as const
    const items = [
      user,
      carry({ provider: 'anthropic', thinking }),
      carry({ provider: 'google', signature: 'of the call', call: 'a' }),
      call('a'),
      output('a'),
      { role: 'assistant', content: 'Done.' },
      carry({ provider: 'google', signature: 'of the text' }),
      user,
    ]
    const [, first, , second] = messages(input(...items))
    expect(first).toMatchObject({ thinking, toolCalls: [{ signature: 'of the call' }] })
    expect(second).toMatchObject({ content: text('Done.'), signature: 'of the text' })
    expect(second).not.toHaveProperty('thinking')
  })

  it('lets go of reasoning that led to nothing, and keeps two answers apart', () => {
    const thought = encodeReasoning({ provider: 'anthropic', thinking: [{ type: 'redacted_thinking', data: 'd' }] })
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: thought }
    const said = (content: string) => ({ role: 'assistant', content })
    const [first, second, ...rest] = messages(
      input(user, said('a'), reasoning, said('b'), user, reasoning, user),
    ).slice(1)
    expect(first).toMatchObject({ content: text('a') })
    expect(first).not.toHaveProperty('thinking')
    expect(second).toMatchObject({ content: text('b'), thinking: [{ data: 'd' }] })
    expect(rest.map(({ role }) => role)).toEqual(['user', 'user'])
  })
})

describe('everything else', () => {
  it('has its counterpart', () => {
    const schema = { type: 'object', properties: {} }
    const { request, outline } = accepted({
      tools: [look, { ...look, name: 'see', strict: true, description: 'Sees.' }],
      tool_choice: { type: 'function', name: 'see' },
      parallel_tool_calls: false,
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
      temperature: 0.5,
      top_p: 0.5,
      max_output_tokens: 9,
      user: 'u',
      prompt_cache_key: 'k',
      stream: true,
    })
    expect(request).toMatchObject({
      tools: [
        { name: 'look', parameters: schema },
        { name: 'see', strict: true, description: 'Sees.' },
      ],
      toolChoice: { name: 'see' },
      parallelToolCalls: false,
      responseFormat: { type: 'json_schema', name: 'answer', schema, strict: true },
      temperature: 0.5,
      topP: 0.5,
      maxTokens: 9,
      user: 'u',
      cacheKey: 'k',
      stream: true,
    })
    expect(outline.chat).toMatchObject({ maxTokens: 9, choices: 1 })
    const reasoned = accepted({ reasoning: { effort: 'high' }, text: { verbosity: 'low' } }, 'gpt-5.6-terra')
    expect(reasoned.request).toMatchObject({ reasoningEffort: 'high', extraParameters: { verbosity: 'low' } })
  })

  it.each([
    ['s', { safety_identifier: 's', user: 'u' }],
    ['u', { safety_identifier: '', user: 'u' }],
  ])('has the user %s of %o', (sent, body) => expect(accepted(body).request.user).toBe(sent))

  it('asks a model that searches to do so, and with how much and from where', () => {
    const place = { type: 'approximate', country: 'IE', city: null }
    const search = { type: 'web_search', search_context_size: 'low', user_location: place }
    const { request } = accepted({ tools: [search] }, 'sonar-pro')
    expect(request).toMatchObject({ webSearch: { contextSize: 'low', location: { country: 'IE' } } })
    expect(request).not.toHaveProperty('tools')
    for (const type of ['web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11']) {
      const named = { type, external_web_access: true, search_content_types: ['text'], filters: null }
      expect(accepted({ tools: [named] }, 'sonar-pro').request.webSearch).toBeDefined()
    }
  })

  it('leaves out the tools that may not be called', () => {
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] }
    const { request } = accepted({ tools: [{ ...look, name: 'see' }, look], tool_choice })
    expect(request).toMatchObject({ tools: [{ name: 'look' }], toolChoice: 'required' })
  })
})

describe('a refusal of a member that is not supported', () => {
  it.each(['prompt_cache_retention', 'moderation'])('of %s does not say that it is unknown', (name) =>
    expect(refusal({ [name]: 'x' }).message).toMatch(/leave (?:it|this) out/i),
  )

  it.each([
    ['messages', 'input'],
    ['max_tokens', 'max_output_tokens'],
    ['response_format', 'text.format'],
    ['reasoning_effort', 'reasoning.effort'],
    ['verbosity', 'text.verbosity'],
    ['functions', 'tools'],
  ])('of %s, a name of chat completions, says that it is %s here', (name, here) => {
    expect(refusal({ [name]: 'x' }).message).toBe(
      `${name}: This is a member of chat completions. Send ${here} instead.`,
    )
  })

  it.each([
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['the chat’s messages', { messages: [user] }, 'messages'],
  ])('is about %s and not about the input that it stands in the place of', (_, body, param) => {
    expect(refusal({ input: null, ...body }).param).toBe(param)
  })

  it.each([
    [
      'a search of what is kept',
      { type: 'web_search', external_web_access: false },
      'leave the tool out, or send true',
    ],
    ['pages to keep to', { type: 'web_search', filters: { allowed_domains: ['a.test'] } }, 'leave it out'],
    ['a tool that takes free text', { type: 'custom', name: 'look' }, 'Declare a function with one text parameter'],
    ['a tool of another type', { type: 'shell' }, 'as a tool of the type function'],
  ])('of %s says what to send', (_, tool, words) => {
    expect(refusal({ tools: [tool] }).message).toContain(words)
  })
})
