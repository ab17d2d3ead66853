// Tests Mistral's requests: they have only members that it knows, because it refuses all others.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { textMessage, type ChatRequest, type Message } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const user = textMessage('user', 'Hello')

/** The body as it is sent: without members that have no value. */
function bodyOf(request: Partial<ChatRequest>) {
  const encoded = encodeRequest({ messages: [user], ...request }, modelNamed('mistral-medium-3-5'))
  if (!encoded.ok) throw new Error(encoded.unsupported.message)
  return z.looseObject({ messages: z.array(z.unknown()) }).parse(JSON.parse(JSON.stringify(encoded.body)))
}

describe('Mistral is sent', () => {
  it('for a plain request its own members, and always the effort', () => {
    expect(bodyOf({})).toEqual({
      model: 'mistral-medium-3-5',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 65_536,
      reasoning_effort: 'none',
    })
  })

  it('its own names of members, and none that it refuses', () => {
    const body = bodyOf({
      stream: true,
      seed: 7,
      user: 'u',
      cacheGroup: 'group',
      maxTokens: 9,
      reasoningEffort: 'high',
    })
    expect(body).toEqual({
      model: 'mistral-medium-3-5',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 9,
      reasoning_effort: 'high',
      random_seed: 7,
      prompt_cache_key: 'group',
      stream: true,
    })
  })

  it('top_p 1 beside a temperature of 0, which it refuses with any other', () => {
    expect(bodyOf({ temperature: 0, topP: 0.5 })).toMatchObject({ temperature: 0, top_p: 1 })
    expect(bodyOf({ temperature: 0.1, topP: 0.5 })).toMatchObject({ temperature: 0.1, top_p: 0.5 })
  })

  it('tools with a schema of their arguments, and `any` for a call that must be made', () => {
    const tools = [{ name: 'look' }]
    expect(bodyOf({ tools, toolChoice: 'required' })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'any',
    })
    const named = { type: 'function', function: { name: 'look' } }
    expect(bodyOf({ tools, toolChoice: { name: 'look' } })).toMatchObject({ tool_choice: named })
  })

  it('no role and no name that it does not know, and no assistant that says nothing', () => {
    const messages: Message[] = [
      { role: 'developer', name: 'rules', content: [{ type: 'text', text: 'Be brief' }] },
      { role: 'user', name: 'Ann', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', name: 'Bot', content: [] },
      user,
    ]
    expect(bodyOf({ messages }).messages).toEqual([
      { role: 'system', content: 'rules: Be brief' },
      { role: 'user', content: 'Ann: Hello' },
      { role: 'user', content: 'Hello' },
    ])
  })

  it('instructions first and in their order, wherever the caller put them', () => {
    const messages: Message[] = [
      textMessage('system', 'A'),
      user,
      textMessage('assistant', 'Hi'),
      textMessage('developer', 'B'),
      user,
      textMessage('system', 'C'),
    ]
    expect(bodyOf({ messages }).messages).toEqual([
      ...['A', 'B', 'C'].map((content) => ({ role: 'system', content })),
      ...['user', 'assistant', 'user'].map((role) => expect.objectContaining({ role }) as unknown),
    ])
  })
})

describe('the id of a call', () => {
  const idsOf = (...ids: string[]): unknown[] => {
    const calls = ids.map((id) => ({ id, name: 'look', arguments: '{}' }))
    const results = ids.map((id): Message => ({ role: 'tool', toolCallId: id, content: [{ type: 'text', text: 'x' }] }))
    const body = bodyOf({ messages: [user, { role: 'assistant', content: [], toolCalls: calls }, ...results] })
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: null, tool_calls: ids.map(() => ({ id: expect.any(String) as string })) },
      ...ids.map(() => ({ role: 'tool', content: 'x' })),
    ])
    const text = JSON.stringify(body)
    const called = [...text.matchAll(/"id":"([^"]*)"/g)].map(([, id]) => id)
    expect([...text.matchAll(/"tool_call_id":"([^"]*)"/g)].map(([, id]) => id)).toEqual(called)
    return called
  }

  it('stays as it is where Mistral takes it', () => expect(idsOf('D681PevKs')).toEqual(['D681PevKs']))

  it('becomes nine letters or digits elsewhere, the same each time and another for another id', () => {
    const ids = ['call_abcdefghijkl_1', 'call_abcdefghijkl_2', 'a', '', 'D681Pev_s', 'D681PevKsX']
    const sent = idsOf(...ids)
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(new Set(sent).size).toBe(ids.length)
    expect(idsOf(...ids)).toEqual(sent)
  })
})
