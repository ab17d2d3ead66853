// Tests Anthropic's requests: schemas, thinking, files and marks for caching, and what of them is refused.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/platform/json.ts'
import { textMessage, type ChatRequest, type Message, type ThinkingBlock } from '../../../src/providers/chat-request.ts'
import { encode, loop, pdf, pngOf, refusal, refusedParam, textOf } from './encoding.ts'

const CLAUDES = ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-4-5'] as const
const open = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }
const closed = {
  type: 'object',
  properties: { a: { type: 'string', description: '{"minLength":2}' } },
  additionalProperties: false,
}
const bySchema = (schema: JsonObject) => ({
  responseFormat: { type: 'json_schema' as const, name: 'a', schema },
})

describe('a schema at Anthropic', () => {
  it.each(CLAUDES)('is closed for answers and strict tools of %s, and left alone elsewhere', (model) => {
    const tools = [
      { name: 'a', parameters: open, strict: true },
      { name: 'b', parameters: open },
    ]
    expect(encode({ ...bySchema(open), tools }, model).body).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: closed } },
      tools: [{ input_schema: closed }, { input_schema: open }],
    })
  })

  it.each<[string, Partial<ChatRequest>, string]>([
    [
      'a map in an answer',
      bySchema({ ...open, additionalProperties: { type: 'string' } }),
      'response_format.json_schema.schema',
    ],
    [
      'nobody knows what, within an answer',
      bySchema({ type: 'object', properties: { a: { type: 'object' } } }),
      'response_format.json_schema.schema.properties.a',
    ],
    [
      'a strict tool that refers to itself',
      {
        tools: [
          { name: 'b' },
          { name: 'a', strict: true, parameters: { type: 'object', properties: { a: { $ref: '#' } } } },
        ],
      },
      'tools[1].function.parameters',
    ],
    [
      'a choice at the top of a tool',
      { tools: [{ name: 'a', parameters: { anyOf: [open] } }] },
      'tools[0].function.parameters',
    ],
    [
      'a tool that takes a list',
      { tools: [{ name: 'a', parameters: { type: 'array' } }] },
      'tools[0].function.parameters.type',
    ],
    [
      'names of properties that it does not take',
      { tools: [{ name: 'a', parameters: { properties: { 'a b': {} } } }] },
      'tools[0].function.parameters',
    ],
  ])('is refused by its place: %s', (_, request, param) => {
    for (const model of CLAUDES) expect(refusedParam(request, model)).toBe(param)
  })

  it('is not gone on with from a beginning', () => {
    const messages = [textMessage('user', 'Hi'), textMessage('assistant', '{')]
    expect(refusedParam({ ...bySchema(open), messages }, 'claude-haiku-4-5')).toBe('messages')
  })

  it('is an object where a tool does not say so', () => {
    const tools = [
      { name: 'a', parameters: { properties: {} } },
      { name: 'b', parameters: {} },
    ]
    expect(encode({ tools }, 'claude-opus-5').body).toMatchObject({
      tools: [{ input_schema: { type: 'object', properties: {} } }, { input_schema: { type: 'object' } }],
    })
  })
})

describe('any JSON object', () => {
  it.each(CLAUDES)('is asked for in words, after the instructions of %s', (model) => {
    const messages = [textMessage('system', 'Be kind'), textMessage('user', 'JSON please')]
    const { body } = encode({ messages, responseFormat: { type: 'json_object' } }, model)
    expect(body).toMatchObject({
      system: [{ text: 'Be kind' }, { text: expect.stringContaining('one JSON object') as string }],
    })
    expect(body).not.toHaveProperty('output_config')
  })
})

describe('sampling at Anthropic', () => {
  it('leaves out what changes nothing, since both together are refused', () => {
    const { body } = encode({ temperature: 1, topP: 1 }, 'claude-haiku-4-5')
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(encode({ temperature: 0, topP: 1 }, 'claude-haiku-4-5').body).toMatchObject({ temperature: 0 })
    expect(encode({ temperature: 1, topP: 0.5 }, 'claude-haiku-4-5').body).toMatchObject({ top_p: 0.5 })
    for (const model of CLAUDES) expect(refusedParam({ temperature: 1, topP: 1 }, model)).toBeNull()
  })

  it('takes no stop sequence of blanks', () =>
    expect(refusedParam({ stop: ['a', '\n'] }, 'claude-opus-5')).toBe('stop'))
})

const thinking: ThinkingBlock[] = [
  { type: 'thinking', thinking: '', signature: 'c2ln' },
  { type: 'redacted_thinking', data: 'ZGF0YQ' },
]

describe('thinking at Anthropic', () => {
  it('goes back unchanged, before what was said and called', () => {
    const request = loop({ thinking, content: [textOf('Let me look')] }, [textOf('A cat')])
    expect(encode(request, 'claude-sonnet-5').body).toMatchObject({
      messages: [{}, { role: 'assistant', content: [...thinking, { type: 'text' }, { type: 'tool_use' }] }, {}],
    })
  })

  it('goes back to no model that does not think, and to no other provider', () => {
    const request = loop({ thinking })
    for (const model of ['claude-haiku-4-5', 'gpt-5.6-sol', 'gemini-3.8-flash', 'sonar']) {
      expect(JSON.stringify(encode(request, model).body)).not.toMatch(/c2ln|ZGF0YQ/)
    }
    expect(JSON.stringify(encode({ ...request, reasoningEffort: 'none' }, 'claude-opus-5').body)).not.toContain('c2ln')
  })

  it('is no turn by itself', () => {
    const messages: Message[] = [
      textMessage('user', 'a'),
      { role: 'assistant', content: [], thinking },
      textMessage('user', 'b'),
    ]
    expect(encode({ messages }, 'claude-opus-5').body).toMatchObject({ messages: [{ role: 'user' }] })
  })

  it('is switched off by the effort none, and by nothing else: a forced tool leaves it out by itself', () => {
    expect(encode({ reasoningEffort: 'none' }, 'claude-opus-5').body).toMatchObject({ thinking: { type: 'disabled' } })
    expect(encode({ reasoningEffort: 'none' }, 'claude-opus-5').body).not.toHaveProperty('output_config')
    const forced = encode({ ...loop({}), toolChoice: 'required', reasoningEffort: 'max' }, 'claude-opus-5').body
    expect(forced).toMatchObject({ tool_choice: { type: 'any' }, output_config: { effort: 'max' } })
    expect(forced).not.toHaveProperty('thinking')
  })

  it('is not missed where the first turn of a loop was forced and did without it', () => {
    expect(encode(loop({}, [textOf('A cat')]), 'claude-opus-5').body).toMatchObject({
      messages: [{}, { content: [{ type: 'tool_use' }] }, { content: [{ type: 'tool_result' }] }],
    })
  })
})

describe('calls without tools at Anthropic', () => {
  it('have their tools declared, which cannot be called again', () => {
    const { messages } = loop({}, [textOf('A cat')])
    const again = [...messages, ...loop({}, [textOf('A dog')]).messages]
    expect(encode({ messages: again }, 'claude-opus-5').body).toMatchObject({
      tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'none' },
    })
  })

  it('are left alone beside tools, or where nothing was called', () => {
    const tools = [{ name: 'listen' }]
    const { body } = encode({ ...loop({}, [textOf('A cat')]), tools }, 'claude-opus-5')
    expect(body).toMatchObject({ tools: [{ name: 'listen' }], tool_choice: { type: 'auto' } })
    expect(encode({}, 'claude-opus-5').body).not.toHaveProperty('tools')
  })
})

it.each(['', '  '])('an empty description of a tool is not sent to Anthropic: %j', (description) => {
  const { body } = encode({ tools: [{ name: 'look', description }] }, 'claude-opus-5')
  expect(body).not.toHaveProperty('tools[0].description')
})

describe('files and pictures at Anthropic', () => {
  it('are documents: a PDF as data or by address, a text as text', () => {
    const text = { type: 'file' as const, url: `data:text/markdown;base64,${btoa('# Caf\u00c3\u00a9')}` }
    const content = [pdf, { type: 'file' as const, url: 'https://a.test/b.pdf' }, text]
    expect(encode({ messages: [{ role: 'user', content }] }, 'claude-haiku-4-5').body).toMatchObject({
      messages: [
        {
          content: [
            {
              type: 'document',
              title: 'letter.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
            },
            { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# Café' } },
          ],
        },
      ],
    })
  })

  it('can be what a tool answers with', () => {
    expect(encode(loop({}, [textOf('Seen'), pngOf(), pdf]), 'claude-opus-5').body).toMatchObject({
      messages: [
        {},
        {},
        { content: [{ type: 'tool_result', content: [{ type: 'text' }, { type: 'image' }, { type: 'document' }] }] },
      ],
    })
  })
})

describe('a call of another provider at Anthropic', () => {
  it('gets an id that is taken, and its result the same one', () => {
    const toolCalls = [{ id: 'functions.look:0', name: 'look', arguments: '{}' }]
    const messages: Message[] = [
      textMessage('user', 'Look'),
      { role: 'assistant', content: [], toolCalls },
      { role: 'tool', toolCallId: 'functions.look:0', content: [textOf('A cat')] },
    ]
    const id = 'functions_46_look_58_0'
    expect(encode({ messages }, 'claude-opus-5').body).toMatchObject({
      messages: [{}, { content: [{ id }] }, { content: [{ tool_use_id: id }] }],
    })
  })

  it('goes on from a beginning without the blanks at its end', () => {
    const messages = [textMessage('user', 'Count'), textMessage('assistant', 'One, ')]
    expect(encode({ messages }, 'claude-haiku-4-5').body).toMatchObject({
      messages: [{}, { content: [{ text: 'One,' }] }],
    })
  })
})

const minutes = { ttl: '5m' as const }
const hour = { ttl: '1h' as const }
const system = (text: string, cache?: typeof minutes | typeof hour): Message => ({
  role: 'system',
  content: [{ type: 'text', text, cache }],
})
const user = (...caches: (typeof minutes | typeof hour | undefined)[]): Message => ({
  role: 'user',
  content: caches.map((cache) => ({ type: 'text', text: 'Hi', cache })),
})

describe('a mark up to which the prompt is kept', () => {
  it('goes to every kind of block, for five minutes unless it says an hour', () => {
    const request = loop({}, [{ ...textOf('A cat'), cache: minutes }])
    const messages = [system('Be kind', hour), ...request.messages, user(minutes)]
    const tools = [{ name: 'look', cache: hour }]
    const [long, short] = [{ type: 'ephemeral', ttl: '1h' }, { type: 'ephemeral' }]
    expect(encode({ messages, tools }, 'claude-opus-5').body).toMatchObject({
      tools: [{ cache_control: long }],
      system: [{ cache_control: long }],
      messages: [
        {},
        {},
        {
          content: [
            { type: 'tool_result', content: 'A cat', cache_control: short },
            { type: 'text', cache_control: short },
          ],
        },
      ],
    })
  })

  it('of a message is on its last block, be it a call, and on no blank text', () => {
    const [, , result] = loop({}).messages
    if (result === undefined) throw new Error('no result')
    const messages: Message[] = [
      { ...system('Be kind'), cache: hour },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: ' ', cache: minutes },
        ],
      },
      ...loop({ cache: minutes }).messages.slice(1, 2),
      { ...result, cache: minutes },
    ]
    const marked = { cache_control: { type: 'ephemeral' } }
    expect(encode({ messages }, 'claude-opus-5').body).toMatchObject({
      system: [{ text: 'Be kind', cache_control: { ttl: '1h' } }],
      messages: [
        { content: [{ text: 'Hi', ...marked }] },
        { content: [{ type: 'tool_use', ...marked }] },
        { content: [{ type: 'tool_result', ...marked }] },
      ],
    })
  })

  it('of its own is not shortened by that of blanks after it', () => {
    const long = { type: 'text' as const, text: 'Hi', cache: hour }
    const blank = { type: 'text' as const, text: ' ' }
    const messages: Message[] = [
      { role: 'user', content: [long, blank], cache: minutes },
      { role: 'user', content: [long, { ...blank, cache: minutes }] },
    ]
    for (const message of messages) {
      expect(encode({ messages: [message] }, 'claude-opus-5').body).toMatchObject({
        messages: [{ content: [{ text: 'Hi', cache_control: { ttl: '1h' } }] }],
      })
    }
  })

  it('of a call stands at the call, and counts', () => {
    const calling = (cache: typeof minutes | typeof hour, first?: typeof minutes) => {
      const toolCalls = [{ id: 'a', name: 'look', arguments: '{}', cache }]
      return [user(first), ...loop({ toolCalls }).messages.slice(1)]
    }
    expect(encode({ messages: calling(minutes) }, 'claude-opus-5').body).toMatchObject({
      messages: [{}, { content: [{ type: 'tool_use', cache_control: { type: 'ephemeral' } }] }, {}],
    })
    const late = { messages: calling(hour, minutes) }
    expect(refusedParam(late, 'claude-opus-5')).toBe('messages[1].tool_calls[0].cache_control')
  })

  it('goes to no other provider', () => {
    for (const model of ['gpt-5.6-luna', 'gemini-3.8-flash', 'sonar']) {
      expect(JSON.stringify(encode({ messages: [user(minutes)] }, model).body)).not.toMatch(/cache|ephemeral/)
    }
  })

  it.each<[string, Partial<ChatRequest>, string]>([
    [
      'the fifth, counted from the tools on',
      {
        tools: [{ name: 'a', cache: hour }],
        messages: [user(minutes, minutes, undefined, minutes), system('b', minutes)],
      },
      'messages[0].content[3].cache_control',
    ],
    ['an hour after minutes', { messages: [user(minutes), user(hour)] }, 'messages[1].content[0].cache_control'],
    [
      'an hour after the minutes of instructions',
      { messages: [user(hour), system('a', minutes)] },
      'messages[0].content[0].cache_control',
    ],
  ])('is refused by its place: %s', (_, request, param) => {
    expect(refusal(request, 'claude-opus-5')?.param).toBe(param)
    expect(refusal(request, 'gpt-5.6-luna')).toBeNull()
  })
})

describe('instructions that the organisation has kept', () => {
  const long = 'Be kind. '.repeat(200) // some 600 tokens
  const messages = [system('First'), system(long), user(undefined)]
  const kept = { messages, cacheInstructions: true }

  it('are marked at their end where they are long enough for the model', () => {
    expect(encode(kept, 'claude-opus-5').body).toMatchObject({ system: [{}, { cache_control: { type: 'ephemeral' } }] })
    expect(JSON.stringify(encode(kept, 'claude-haiku-4-5').body)).not.toContain('cache_control')
    const words = { ...kept, responseFormat: { type: 'json_object' as const } }
    expect(encode(words, 'claude-opus-5').body).toMatchObject({ system: [{}, { cache_control: {} }, {}] })
  })

  it('count with the tools before them', () => {
    const tools = [{ name: 'look', description: long.repeat(10) }]
    const short = [system('Be kind'), user(undefined)]
    expect(encode({ ...kept, messages: short, tools }, 'claude-haiku-4-5').body).toMatchObject({
      system: [{ cache_control: { type: 'ephemeral' } }],
    })
  })

  it('are not marked where the caller marks anything, or the organisation has not asked for it', () => {
    expect(encode({ ...kept, cacheInstructions: false }, 'claude-opus-5').body).not.toHaveProperty(
      'system[1].cache_control',
    )
    const own = encode({ ...kept, messages: [...messages, user(hour)] }, 'claude-opus-5').body
    expect(own).not.toHaveProperty('system[1].cache_control')
  })

  it('need instructions', () =>
    expect(encode({ ...kept, messages: [user(undefined)] }, 'claude-opus-5').body).not.toHaveProperty('system'))
})
