// An answer in the history of a conversation, as clients send it back: what they put into it is taken where it says
// nothing to a model, and reaches the model where it does.
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../../src/providers/chat-request.ts'
import { encode } from '../../../providers/encoding.ts'
import { accepted, messages, refusal, refused, user } from './reading.ts'

const called = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"left"}' } }
const result = { role: 'tool', tool_call_id: 'call_1', content: 'ok' }
const plain = { role: 'assistant', content: 'Well.' }

/** Reads an assistant's message that follows a user's. */
function readBack(message: object, ...more: object[]): Message | undefined {
  return accepted(messages({ role: 'assistant', ...message }, ...more)).request.messages[1]
}

const signed = { google: { thought_signature: 'c2ln' } }
const blocks = [
  { type: 'thinking', thinking: 'Hm.', signature: 'first' },
  { type: 'redacted_thinking', data: 'hidden' },
]

describe('members that tell a model nothing', () => {
  it.each<[string, object]>([
    ['parsed', { parsed: { at: 'left' } }],
    ['parsed', { parsed: null }],
    ['index', { index: 0 }],
    ['parsed_arguments', { parsed_arguments: null }],
    ['annotations', { annotations: [{ type: 'url_citation' }] }],
    ['reasoning', { reasoning: 'I think' }],
    ['reasoning_content', { reasoning_content: 'I think' }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: 'I think' }] }],
    ['reasoning_details', { reasoning_details: 'I think' }],
    ['reasoning_text', { reasoning_text: 'I think', reasoning_opaque: 'c2VhbGVk' }],
    ['refusal', { refusal: null }],
    ['audio', { audio: null }],
    ['function_call', { function_call: null }],
    ['images', { images: null }],
    ['reasoning_items', { reasoning_items: null }],
    ['thinking_blocks', { thinking_blocks: null }],
    ['provider_specific_fields', { provider_specific_fields: { refusal: null, other: 1 } }],
    ['extra_content', { extra_content: {} }],
    ['tool_calls', { tool_calls: [] }],
  ])('of a message are ignored: %s %o', (_, extra) => {
    expect(readBack({ ...plain, ...extra })).toEqual(readBack(plain))
  })

  it.each([{ index: 0 }, { parsed_arguments: {} }, { provider_specific_fields: { a: 1 } }, { extra_content: null }])(
    'of a call are ignored: %o',
    (extra) => {
      expect(readBack({ tool_calls: [{ ...called, ...extra }] }, result)).toEqual(
        readBack({ tool_calls: [called] }, result),
      )
    },
  )

  it('of a called function are ignored: what a client has made of its arguments', () => {
    const parsed = { ...called, function: { ...called.function, parsed_arguments: { at: 'left' } } }
    expect(readBack({ tool_calls: [parsed] }, result)).toEqual(readBack({ tool_calls: [called] }, result))
  })

  it('of a part are ignored: a message’s own, which some clients put there', () => {
    const part = {
      type: 'text',
      text: 'Well.',
      role: 'assistant',
      refusal: null,
      annotations: [],
      tool_calls: [called],
    }
    expect(readBack({ content: [part] })).toEqual(readBack(plain))
  })

  it('of a tool’s message are ignored: its name', () => {
    const [, , tool] = accepted(messages({ role: 'assistant', tool_calls: [called] }, { ...result, name: 'look' }))
      .request.messages
    expect(tool).toEqual({ role: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text: 'ok' }] })
  })

  it.each<[string, object]>([
    ['weight', { weight: 0 }],
    ['aqta', { aqta: {} }],
    ['audio', { audio: { id: 'audio_1' } }],
    ['images', { images: [{}] }],
    ['reasoning_items', { reasoning_items: [{}] }],
    ['tool_calls[0].weight', { tool_calls: [{ ...called, weight: 0 }] }],
    ['content[0].weight', { content: [{ type: 'text', text: 'a', weight: 0 }] }],
    ['content[0].refusal', { content: [{ type: 'text', text: 'a', refusal: 'No.' }] }],
  ])('are known one by one: %s is refused', (member, extra) => {
    expect(refusal(messages({ ...plain, ...extra }))).toEqual(['invalid_request', `messages[1].${member}`])
  })

  it('are not taken in a user’s message', () => {
    expect(refusal(messages({ ...user, parsed: null }))).toEqual(['invalid_request', 'messages[1].parsed'])
  })
})

describe('what was said', () => {
  it.each<[string, object]>([
    ['null', { content: null }],
    ['nothing', {}],
    ['an empty text', { content: '' }],
    ['an empty list', { content: [] }],
  ])('may be %s beside calls', (_, content) => {
    expect(readBack({ ...content, tool_calls: [called] }, result)).toMatchObject({
      content: 'content' in content && content.content === '' ? [{ text: '' }] : [],
      toolCalls: [{ id: 'call_1' }],
    })
  })

  it.each([{ content: [] }, { content: null }, { content: null, tool_calls: [], parsed: null }])(
    'may be nothing, as clients make it of an empty stream, and is sent on as an empty text: %o',
    (message) => {
      const { request } = accepted(messages({ role: 'assistant', ...message }, user))
      expect(encode(request, 'gpt-4.1-mini').body).toMatchObject({ messages: [{}, { content: '' }, {}] })
      expect(encode(request, 'claude-opus-5').body).toMatchObject({ messages: [{ role: 'user' }] })
    },
  )

  it('may not be missing where there are no calls', () => {
    const expected = ['invalid_request', 'messages[1].content']
    expect(refusal(messages({ role: 'assistant' }))).toEqual(expected)
    expect(refusal(messages({ role: 'assistant', tool_calls: [] }))).toEqual(expected)
  })

  it('may be a list of texts and refusals', () => {
    const content = [
      { type: 'text', text: 'Well,' },
      { type: 'refusal', refusal: 'no.', content: null },
    ]
    expect(readBack({ content })).toMatchObject({
      content: [
        { type: 'text', text: 'Well,' },
        { type: 'text', text: 'no.' },
      ],
    })
  })

  it.each(['', ' ', null, undefined])('to a function may be nothing (%j): an object without members', (text) => {
    const call = { ...called, function: { name: 'look', arguments: text } }
    expect(readBack({ tool_calls: [call] }, result)).toMatchObject({ toolCalls: [{ arguments: '{}' }] })
  })
})

describe('what was thought', () => {
  const anthropic = { anthropic: { thinking_blocks: blocks } }

  it.each<[string, object]>([
    ['extra_content', { extra_content: anthropic }],
    ['provider_specific_fields', { provider_specific_fields: { extra_content: anthropic } }],
    ['thinking_blocks', { thinking_blocks: blocks }],
    ['a part', { content: [{ type: 'text', text: 'Well.', extra_content: anthropic }] }],
  ])('comes back in %s, in its order and unchanged', (_, place) => {
    expect(readBack({ ...plain, ...place })).toMatchObject({ thinking: blocks })
  })

  it('is in the order of its indexes where it has any, and may have no text', () => {
    const streamed = [
      { type: 'redacted_thinking', data: 'second', index: 1 },
      { type: 'thinking', signature: 'first', index: 0 },
    ]
    expect(readBack({ ...plain, extra_content: { anthropic: { thinking_blocks: streamed } } })).toMatchObject({
      thinking: [
        { type: 'thinking', thinking: '', signature: 'first' },
        { type: 'redacted_thinking', data: 'second' },
      ],
    })
  })

  it('is named where it is broken', () => {
    const unsigned = { anthropic: { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.' }] } }
    expect(refused(messages({ ...plain, extra_content: unsigned })).message).toBe(
      'messages[1].extra_content.anthropic.thinking_blocks[0].signature: missing; expected a string.',
    )
    expect(refusal(messages({ ...plain, extra_content: { other: {} } }))[1]).toBe('messages[1].extra_content.other')
  })

  it('signs the text, or the first call where there is no text and the call has no signature of its own', () => {
    const extra = { extra_content: signed }
    expect(readBack({ ...plain, ...extra })).toMatchObject({ signature: 'c2ln' })
    const beside = readBack({ ...plain, ...extra, tool_calls: [called] }, result)
    expect(beside).toMatchObject({ signature: 'c2ln', toolCalls: [{ signature: undefined }] })
    const alone = readBack({ content: null, ...extra, tool_calls: [called] }, result)
    expect(alone).toMatchObject({ toolCalls: [{ signature: 'c2ln' }] })
    const same = { ...called, extra_content: signed }
    const twice = readBack({ ...plain, ...extra, tool_calls: [same] }, result)
    expect(twice).toMatchObject({ signature: undefined, toolCalls: [{ signature: 'c2ln' }] })
    const own = { ...called, extra_content: { google: { thought_signature: 'own' } } }
    const kept = readBack({ content: null, ...extra, tool_calls: [own] }, result)
    expect(kept).toMatchObject({ signature: 'c2ln', toolCalls: [{ signature: 'own' }] })
  })
})
