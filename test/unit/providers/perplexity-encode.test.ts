// Tests Perplexity's requests: they have only documented members, because it refuses all others.
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { textMessage, type ChatRequest } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const user = textMessage('user', 'Hello')
const look = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} }, strict: true }

function bodyOf(request: Partial<ChatRequest>, model = modelNamed('sonar')) {
  const encoded = encodeRequest({ messages: [user], ...request }, model)
  return encoded.ok ? encoded.body : encoded.unsupported
}

const sent = (request: Partial<ChatRequest>): string[] =>
  Object.entries(bodyOf(request)).flatMap(([name, value]) => (value === undefined ? [] : [name]))

const PLAIN = ['model', 'preset', 'input', 'max_output_tokens', 'max_steps', 'store']

describe('Perplexity is sent', () => {
  it('for a plain request what its API reference lists, and nothing else', () => {
    expect(sent({}).toSorted()).toEqual(PLAIN.toSorted())
    expect(bodyOf({})).toMatchObject({ model: 'perplexity/sonar', preset: 'fast', max_steps: 1, store: false })
  })

  it('nothing that asks for what is so anyway', () =>
    expect(
      sent({ tools: [look], toolChoice: 'auto', parallelToolCalls: true, responseFormat: { type: 'text' } }),
    ).toEqual(expect.not.arrayContaining(['tool_choice', 'parallel_tool_calls', 'response_format'])))

  it('the wish for a JSON object in words, after the instructions', () => {
    const asked = {
      messages: [textMessage('system', 'Be kind'), user],
      responseFormat: { type: 'json_object' },
    } as const
    expect(bodyOf(asked)).toMatchObject({
      instructions: expect.stringMatching(/^Be kind\n\n.*one JSON object/) as string,
      response_format: undefined,
    })
    const alone = bodyOf({ responseFormat: asked.responseFormat })
    expect(alone).toMatchObject({ instructions: expect.stringContaining('one JSON object') as string })
  })

  it('no stop sequences: they are applied here', () => {
    expect(sent({ stop: ['END'] }).toSorted()).toEqual(PLAIN.toSorted())
  })

  it('no user id: it has no member for one', () => expect(sent({ user: 'u' }).toSorted()).toEqual(PLAIN.toSorted()))

  it('the tools that may be called, and neither tool_choice nor parallel_tool_calls, which its reference does not have', () => {
    for (const parallelToolCalls of [true, false, undefined]) {
      const body = bodyOf({ tools: [look], toolChoice: 'auto', parallelToolCalls })
      expect(body).toMatchObject({ tools: [{ type: 'function', ...look }] })
      expect(sent({ tools: [look], toolChoice: 'none', parallelToolCalls }).toSorted()).toEqual(PLAIN.toSorted())
    }
  })

  it('how much to look up and where the caller is, on its search tool, beside the caller’s own', () => {
    const webSearch = { contextSize: 'high', location: { country: 'IE', city: 'Cork' } } as const
    expect(bodyOf({ tools: [look], webSearch })).toMatchObject({
      tools: [
        { type: 'function', name: 'look' },
        { type: 'web_search', search_context_size: 'high', user_location: { country: 'IE', city: 'Cork' } },
      ],
    })
  })

  it('no search tool where nothing is asked of it, so that its own settings hold', () => {
    expect(bodyOf({ webSearch: {} })).toMatchObject({ tools: undefined })
    expect(bodyOf({ webSearch: { location: { country: undefined } } })).toMatchObject({ tools: undefined })
  })

  it('the name and the signature of a call with its result', () => {
    const call = { id: 'c', name: 'look', arguments: '{}', signature: 'c2ln' }
    const messages = [
      user,
      { role: 'assistant', content: [], toolCalls: [call] } as const,
      { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'left' }] } as const,
    ]
    expect(bodyOf({ messages })).toMatchObject({
      input: [
        { type: 'message', role: 'user' },
        { type: 'function_call', call_id: 'c', name: 'look', thought_signature: 'c2ln' },
        { type: 'function_call_output', call_id: 'c', name: 'look', output: 'left', thought_signature: 'c2ln' },
      ],
    })
  })
})

describe('Perplexity is not asked for', () => {
  it.each(['required', { name: 'look' }] as const)('a call that must be made: %o', (toolChoice) =>
    expect(bodyOf({ tools: [look], toolChoice })).toMatchObject({ kind: 'unsupported', param: 'tool_choice' }),
  )

  it.each(['web_search', 'search_web', 'fetch_url', 'people_search', 'search_people', 'finance_search', 'sandbox'])(
    'a tool by the name %s, which it keeps for its own',
    (name) =>
      expect(bodyOf({ tools: [look, { name }] })).toMatchObject({
        kind: 'unsupported',
        param: 'tools[1].function.name',
      }),
  )

  it('a time zone, which it does not take', () => {
    const webSearch = { location: { country: 'IE', timezone: 'Europe/Dublin' } }
    for (const model of [modelNamed('sonar'), modelNamed('sonar-pro')]) {
      expect(bodyOf({ webSearch }, model)).toMatchObject({
        kind: 'unsupported',
        param: 'web_search_options.user_location.approximate.timezone',
      })
    }
  })
})
