import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { catalogueModels } from '../../../src/providers/model-catalogue.ts'
import { fitToModel } from '../../../src/providers/model-support.policy.ts'
import { textMessage, type ChatRequest, type Message } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'
import { MATERIAL } from '../../fixtures/providers/index.ts'

const ask: ChatRequest = { messages: [textMessage('user', 'Hello')] }
const tool = { name: 'look', parameters: { type: 'object', properties: {} } }

/** The parameter a model refuses the request for, or null. */
function refusedParam(id: string, request: Partial<ChatRequest>): string | null {
  const encoded = encodeRequest({ ...ask, ...request }, modelNamed(id))
  return encoded.ok ? null : encoded.unsupported.param
}

describe('a conversation that ends with the assistant', () => {
  const messages = [...ask.messages, textMessage('assistant', 'Well,')]
  const schema = { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } as const
  const fit = (id: string, request: Partial<ChatRequest>) => fitToModel({ messages, ...request }, modelNamed(id))

  /** The models that get a user's message: always, or only beside a schema. Any other goes on by itself. */
  const NEED: Readonly<Record<string, 'always' | 'schema'>> = {
    'claude-opus-5': 'always',
    'claude-sonnet-5': 'always',
    'claude-haiku-5-5': 'always',
    'claude-haiku-4-5': 'schema',
    'gemini-3.8-flash': 'always',
    'gemini-3.5-flash-lite': 'always',
    'gemini-3.6-flash': 'always',
    'gemini-3.7-flash': 'always',
    'mistral-medium-3-5': 'always',
    'mistral-large-4': 'always',
  }

  it.each(catalogueModels().map(({ id }) => id))('%s', (id) => {
    for (const [request, isNeeded] of [
      [{}, NEED[id] === 'always'],
      [{ responseFormat: { type: 'json_object' } }, NEED[id] === 'always'],
      [{ responseFormat: schema }, NEED[id] !== undefined],
      [{ messages: [...messages, textMessage('system', 'Go on.')] }, NEED[id] === 'always'],
      [{ ...ask, responseFormat: schema }, false],
    ] as const) {
      const { request: sent, addedFaults } = fit(id, request)
      expect(addedFaults.map(({ param }) => param)).toEqual(isNeeded ? ['messages'] : [])
      const before = 'messages' in request ? request.messages : messages
      expect(sent.messages).toEqual(isNeeded ? [...before, textMessage('user', 'Continue.')] : before)
      const encoded = encodeRequest(sent, modelNamed(id))
      expect(encoded.ok || encoded.unsupported.param).not.toBe('messages')
    }
  })

  it('is continued too if a model that may be asked in its place needs it', () => {
    const request = { ...ask, messages }
    expect(fitToModel(request, modelNamed('gpt-4.1-mini'), [modelNamed('claude-opus-5')]).addedFaults).toHaveLength(1)
  })

  it('with a call that has no result is refused for that', () => {
    const calling: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] }
    const { request, addedFaults } = fit('claude-opus-5', { messages: [...ask.messages, calling] })
    expect([addedFaults, request.messages.length]).toEqual([[], 2])
  })
})

describe('sampling parameters that a model does not take can be left out', () => {
  const leftOut = (id: string, request: Partial<ChatRequest>) => {
    const result = fitToModel({ ...ask, ...request }, modelNamed(id))
    expect(encodeRequest(result.request, modelNamed(id)).ok).toBe(true)
    return result.droppedFaults.map(({ param }) => param)
  }

  it.each<[string, string[], Partial<ChatRequest>]>([
    ['gpt-5.6-sol', ['temperature', 'top_p'], { temperature: 0.2, topP: 0.5 }],
    ['gpt-5.6-sol', [], { temperature: 0.2, topP: 0.5, seed: 7, reasoningEffort: 'none' }],
    [
      'gpt-5.6-sol',
      ['frequency_penalty', 'presence_penalty'],
      { extraParameters: { frequency_penalty: 1, presence_penalty: 1 } },
    ],
    [
      'gpt-4.1-mini',
      [],
      { temperature: 2, topP: 0, seed: 1, extraParameters: { frequency_penalty: 1, presence_penalty: -2 } },
    ],
    ['claude-sonnet-5', ['temperature'], { temperature: 0 }],
    ['claude-sonnet-5', [], { temperature: 1, topP: 1 }],
    ['claude-haiku-4-5', ['temperature'], { temperature: 1.5 }],
    ['claude-haiku-4-5', ['top_p'], { temperature: 0.5, topP: 0.5 }],
    ['claude-haiku-4-5', ['temperature'], { temperature: 1.5, topP: 0.5 }],
    ['claude-haiku-4-5', ['presence_penalty', 'seed'], { seed: 7, extraParameters: { presence_penalty: 1 } }],
    ['gemini-3.8-flash', ['frequency_penalty'], { temperature: 2, seed: 7, extraParameters: { frequency_penalty: 1 } }],
    ['sonar', ['seed'], { temperature: 2, topP: 0.1, seed: 7 }],
  ])('%s: %j', (id, expected, request) => expect(leftOut(id, request)).toEqual(expected))

  it('and an output limit above its own is lowered to that', () => {
    const { maxOutputTokens } = modelNamed('gpt-4.1-mini').limits
    const fitted = (maxTokens: number) => fitToModel({ ...ask, seed: 7, maxTokens }, modelNamed('gpt-4.1-mini'))
    expect(fitted(maxOutputTokens)).toMatchObject({ request: { maxTokens: maxOutputTokens }, droppedFaults: [] })
    expect(fitted(maxOutputTokens + 1)).toMatchObject({
      request: { maxTokens: maxOutputTokens },
      droppedFaults: [
        {
          param: 'max_completion_tokens',
          message: `gpt-4.1-mini does not support more than ${maxOutputTokens} output tokens.`,
        },
      ],
    })
    expect(leftOut('claude-sonnet-5', { temperature: 0, maxTokens: 10_000_000 })).toEqual([
      'temperature',
      'max_completion_tokens',
    ])
  })

  it('and nothing else is', () => {
    for (const request of [
      { n: 2 },
      { extraParameters: { logprobs: true } },
      { extraParameters: { logit_bias: { 1: 1 } } },
    ]) {
      const asked = { ...ask, temperature: 0.2, ...request }
      const { request: rest, droppedFaults: named } = fitToModel(asked, modelNamed('sonar'))
      expect([rest, named]).toEqual([asked, []])
      expect(encodeRequest(rest, modelNamed('sonar')).ok).toBe(false)
    }
  })
})

describe('what a model cannot do is refused by name', () => {
  it.each<[string, string, Partial<ChatRequest>]>([
    ['gpt-5.6-sol', 'temperature', { temperature: 0.2 }],
    ['gpt-5.6-sol', 'top_p', { topP: 0.5 }],
    ['gpt-5.6-sol', 'top_p', { topP: 0.5, reasoningEffort: 'low' }],
    ['gpt-5.6-sol', 'logprobs', { extraParameters: { logprobs: true } }],
    ['gpt-5.6-sol', 'stop', { stop: ['.'] }],
    ['gpt-5.6-luna', 'reasoning_effort', { tools: [tool], reasoningEffort: 'low' }],
    ['gpt-4.1-mini', 'stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['gpt-4.1-mini', 'n', { n: 9 }],
    ['gpt-4.1-mini', 'reasoning_effort', { reasoningEffort: 'low' }],
    ['gpt-4.1-mini', 'prompt_cache_key', { extraParameters: { prompt_cache_key: 'shared' } }],
    ['gpt-4.1-mini', 'store', { extraParameters: { store: true } }],
    ['claude-sonnet-5', 'temperature', { temperature: 0 }],
    ['claude-haiku-4-5', 'temperature', { temperature: 1.5 }],
    ['claude-haiku-4-5', 'top_p', { temperature: 0.5, topP: 0.5 }],
    ['claude-haiku-4-5', 'seed', { seed: 7 }],
    ['claude-haiku-4-5', 'n', { n: 2 }],
    ['claude-haiku-4-5', 'frequency_penalty', { extraParameters: { frequency_penalty: 1 } }],
    ['claude-haiku-4-5', 'logprobs', { extraParameters: { logprobs: true } }],
    ['gemini-3.8-flash', 'n', { n: 2 }],
    ['gemini-3.8-flash', 'reasoning_effort', { reasoningEffort: 'minimal' }],
    ['gpt-5.6-sol', 'stop', { stop: ['.'] }],
    ['sonar', 'stop', { stop: ['.'], tools: [{ name: 'look' }] }],
    ['sonar', 'stop', { stop: ['.', 'x'.repeat(257)] }],
    ['sonar', 'seed', { seed: 7 }],
  ])('%s: %s', (id, param, request) => expect(refusedParam(id, request)).toBe(param))

  it('images by address, where nothing but data is taken: the gateway fetches no address for anybody', () => {
    const content = [{ type: 'image', url: 'https://example.org/a.png' }] as const
    expect(refusedParam('gemini-3.8-flash', { messages: [{ role: 'user', content }] })).toBe(
      'messages[0].content[0].image_url',
    )
  })

  it.each(['http://example.org/a.png', 'file:///etc/passwd', 'data:text/html;base64,AAAA', 'data:image/png,raw', ''])(
    'an image at %j, by every model',
    (url) => {
      const messages: Message[] = [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', url },
          ],
        },
      ]
      for (const { id } of catalogueModels())
        expect(refusedParam(id, { messages })).toBe('messages[0].content[1].image_url')
    },
  )

  it.each([
    ['gpt-4.1-mini', 'image/tiff'],
    ['claude-haiku-4-5', 'image/tiff'],
    ['gemini-3.8-flash', 'image/gif'],
    ['sonar', 'image/heic'],
  ])('a picture of a type that %s does not know: %s', (id, type) => {
    const content = [{ type: 'image', url: `data:${type};base64,AAAA` }] as const
    expect(refusedParam(id, { messages: [{ role: 'user', content }] })).toBe('messages[0].content[0].image_url')
  })

  it.each([
    ['sonar', 'data:application/pdf;base64,AAAA'],
    ['gpt-4.1-mini', 'data:text/plain;base64,AAAA'],
    ['gpt-4.1-mini', 'https://example.org/a.pdf'],
    ['claude-opus-5', 'data:application/msword;base64,AAAA'],
    ['claude-opus-5', 'data:text/plain;base64,/w=='],
    ['gemini-3.8-flash', 'data:audio/wav;base64,AAAA'],
    ['gemini-3.8-flash', 'https://example.org/a.pdf'],
    ['gemini-3.8-flash', 'ftp://example.org/a.pdf'],
  ])('a file that %s does not take: %s', (id, url) => {
    const content = [{ type: 'file', url }] as const
    expect(refusedParam(id, { messages: [{ role: 'user', content }] })).toBe('messages[0].content[0].file.file_data')
  })

  it('pictures and files as what a tool answers with, where that is a text', () => {
    const content = [{ type: 'image', url: 'data:image/png;base64,AAAA' }] as const
    const messages: Message[] = [hello, assistant(['a', '{}']), { role: 'tool', toolCallId: 'a', content }]
    expect(refusedParam('gpt-5.6-luna', { messages })).toBe('messages[2].content[0]')
    expect(refusedParam('claude-opus-5', { messages })).toBeNull()
    expect(refusedParam('gemini-3.8-flash', { messages })).toBeNull()
  })

  it('a lower detail of pictures, outside OpenAI: elsewhere they are always seen in full', () => {
    const url = 'data:image/png;base64,AAAA'
    const seen = (detail: 'auto' | 'low' | 'high'): Partial<ChatRequest> => ({
      messages: [{ role: 'user', content: [{ type: 'image', url, detail }] }],
    })
    for (const { id, capabilities: can } of catalogueModels()) {
      expect(refusedParam(id, seen('low'))).toBe(can.imageDetail ? null : 'messages[0].content[0].image_url.detail')
      expect(refusedParam(id, seen('high'))).toBeNull()
      expect(refusedParam(id, seen('auto'))).toBeNull()
    }
  })

  it('a conversation that ends with the assistant, where prefilling is gone', () => {
    const messages = [...ask.messages, textMessage('assistant', 'Well,')]
    expect(refusedParam('claude-opus-5', { messages })).toBe('messages')
    expect(refusedParam('gemini-3.8-flash', { messages })).toBe('messages')
    expect(refusedParam('claude-haiku-4-5', { messages })).toBeNull()
  })

  it('the same with instructions after it, which go elsewhere', () => {
    const messages = [...ask.messages, textMessage('assistant', 'Well,'), textMessage('system', 'Go on.')]
    expect(refusedParam('claude-opus-5', { messages })).toBe('messages')
    expect(refusedParam('gemini-3.8-flash', { messages })).toBe('messages')
    expect(refusedParam('gpt-5.6-luna', { messages })).toBeNull()
  })

  it('a choice of a tool without tools, and one of no tool given', () => {
    for (const { id } of catalogueModels()) {
      expect(refusedParam(id, { toolChoice: 'required' })).toBe('tool_choice')
      expect(refusedParam(id, { tools: [], toolChoice: { name: 'look' } })).toBe('tool_choice')
      expect(refusedParam(id, { tools: [tool], toolChoice: { name: 'other' } })).toBe('tool_choice')
    }
  })

  it('a search, where nothing is looked up', () => {
    expect(refusedParam('gpt-4.1-mini', { webSearch: {} })).toBe('web_search_options')
  })

  it.each([
    ['claude-opus-5', { temperature: 0 }, 'Send 1, or leave it out'],
    ['gpt-5.6-sol', { topP: 0.5 }, 'while it reasons. Send 1, leave it out, or ask for the effort none'],
    ['gemini-3.8-flash', { reasoningEffort: 'max' }, 'send one of '],
    ['gpt-4.1-mini', { reasoningEffort: 'low' }, 'does not support reasoning efforts'],
  ] satisfies [string, Partial<ChatRequest>, string][])(
    '%s, %o: in words that say what works',
    (id, request, words) => {
      const encoded = encodeRequest({ ...ask, ...request }, modelNamed(id))
      expect(encoded.ok ? '' : encoded.unsupported.message).toContain(words)
    },
  )
})

const assistant = (...calls: [string, string][]): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: calls.map(([id, text]) => ({ id, name: 'look', arguments: text })),
})
const result = (toolCallId: string): Message => ({
  role: 'tool',
  toolCallId,
  content: [{ type: 'text', text: 'ok' }],
})
const hello = textMessage('user', 'Hello')

describe('a conversation that does not hang together is refused for every provider', () => {
  it.each<[string, string, Message[]]>([
    ['no message at all', 'messages', []],
    ['a user message of no parts', 'messages[0].content', [{ role: 'user', content: [] }]],
    ['a tool result nobody asked for', 'messages[1].tool_call_id', [hello, result('call_1')]],
    ['a result given twice', 'messages[3].tool_call_id', [hello, assistant(['a', '{}']), result('a'), result('a')]],
    ['a call left unanswered', 'messages', [hello, assistant(['a', '{}'], ['b', '{}']), result('a')]],
    ['a call answered too late', 'messages[2]', [hello, assistant(['a', '{}']), hello, result('a')]],
    [
      'two calls of one id',
      'messages[1].tool_calls[1].id',
      [hello, assistant(['a', '{}'], ['a', '{}']), result('a'), result('a')],
    ],
  ])('%s', (_, param, messages) => {
    for (const { model } of Object.values(MATERIAL)) {
      const encoded = encodeRequest({ messages }, model)
      expect(encoded.ok ? null : encoded.unsupported.param).toBe(param)
    }
  })

  it('in words that do not repeat what was sent', () => {
    const secret = 'zebra-secret'
    const encoded = encodeRequest({ messages: [hello, assistant([secret, secret])] }, modelNamed('sonar'))
    expect(JSON.stringify(encoded)).not.toContain(secret)
  })
})

/** Each with its result, so that nothing but the arguments is wrong. */
const callsWith = (...texts: string[]): Message[] => [
  hello,
  assistant(...texts.map((text, at): [string, string] => [`c${at}`, text])),
  ...texts.map((_, at) => result(`c${at}`)),
]
const FIRST_ARGUMENTS = 'messages[1].tool_calls[0].function.arguments'

describe('what OpenAI takes and no other provider', () => {
  it.each<[string, string, Message[]]>([
    ['only instructions', 'messages', [textMessage('system', 'Be kind'), textMessage('developer', 'Be brief')]],
    ['an empty user message', 'messages[0].content', [textMessage('user', ' \n')]],
    [
      'arguments that are nested too deep',
      FIRST_ARGUMENTS,
      callsWith(`{"a":${'['.repeat(9_999)}${']'.repeat(9_999)}}`),
    ],
    ['arguments that are a number of many digits', FIRST_ARGUMENTS, callsWith('12345678901234567891')],
    ['arguments that were cut off', FIRST_ARGUMENTS, callsWith('{"city":"Co')],
    ['arguments that are a list', FIRST_ARGUMENTS.replace('calls[0]', 'calls[1]'), callsWith('{}', '[]')],
    [
      'arguments that are nested too deep behind a member that is named twice',
      FIRST_ARGUMENTS,
      callsWith(`{"a":1,"a":2,"b":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    ],
  ])('%s', (_, param, messages) => {
    for (const { model } of Object.values(MATERIAL)) {
      const encoded = encodeRequest({ messages }, model)
      expect(encoded.ok ? null : encoded.unsupported.param).toBe(model.provider === 'openai' ? null : param)
    }
  })
})
