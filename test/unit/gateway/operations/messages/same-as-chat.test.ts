// A conversation that can be sent as a chat completion and as a message reaches a provider as the same request.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accepted as acceptedChat } from '../chat/reading.ts'
import { accepted, sentBy } from './reading.ts'

type Turn =
  | { role: 'user'; text: string; image: boolean }
  | { role: 'assistant'; text: string; calls: readonly { city: string }[] }

const PIXEL = 'iVBORw0KGgo='
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const text = fc.string({ minLength: 1 }).map((said) => `x${said}`)
const turns = fc
  .array(
    fc.record({
      question: text,
      image: fc.boolean(),
      answer: text,
      calls: fc.array(fc.record({ city: text }), { maxLength: 2 }),
    }),
    { maxLength: 3 },
  )
  .map((rounds) =>
    rounds.flatMap(({ question, image, answer, calls }): Turn[] => [
      { role: 'user', text: question, image },
      { role: 'assistant', text: answer, calls },
    ]),
  )
const conversation = fc.record({
  system: fc.option(text),
  turns,
  last: text,
  choice: fc.constantFrom('auto', 'any', 'none', 'look_up'),
  isOne: fc.boolean(),
  temperature: fc.option(fc.constantFrom(0, 0.5, 1)),
  stop: fc.option(fc.constantFrom(['END'], ['A', 'B'])),
  stream: fc.boolean(),
})
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never

const idOf = (turn: number, call: number): string => `call_${turn}_${call}`

function asMessages({ system, turns: said, last, choice, isOne, temperature, stop, stream }: Conversation): object {
  const messages: object[] = []
  let results: object[] = []
  for (const [at, turn] of [...said, { role: 'user', text: last, image: false } as const].entries()) {
    if (turn.role === 'user') {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }
      messages.push({
        role: 'user',
        content: [...results, { type: 'text', text: turn.text }, ...(turn.image ? [image] : [])],
      })
      results = []
      continue
    }
    const calls = turn.calls.map((input, call) => ({ type: 'tool_use', id: idOf(at, call), name: 'look_up', input }))
    messages.push({ role: 'assistant', content: [{ type: 'text', text: turn.text }, ...calls] })
    results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'found' }))
  }
  return {
    max_tokens: 99,
    messages,
    ...(system !== null && { system }),
    tools: [{ name: 'look_up', description: 'Looks up.', input_schema: SCHEMA }],
    tool_choice: {
      ...(choice === 'look_up' ? { type: 'tool', name: choice } : { type: choice }),
      ...(isOne && { disable_parallel_tool_use: true }),
    },
    ...(temperature !== null && { temperature }),
    ...(stop !== null && { stop_sequences: stop }),
    stream,
  }
}

function asChat({ system, turns: said, last, choice, isOne, temperature, stop, stream }: Conversation): object {
  const messages: object[] = system === null ? [] : [{ role: 'system', content: system }]
  for (const [at, turn] of [...said, { role: 'user', text: last, image: false } as const].entries()) {
    if (turn.role === 'user') {
      const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }
      messages.push({ role: 'user', content: [{ type: 'text', text: turn.text }, ...(turn.image ? [image] : [])] })
      continue
    }
    const calls = turn.calls.map((input, call) => ({
      id: idOf(at, call),
      type: 'function',
      function: { name: 'look_up', arguments: JSON.stringify(input) },
    }))
    const called = calls.length > 0 && { tool_calls: calls }
    messages.push({ role: 'assistant', content: [{ type: 'text', text: turn.text }], ...called })
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'found' })
  }
  const choices = { auto: 'auto', any: 'required', none: 'none' } as const
  return {
    max_tokens: 99,
    messages,
    tools: [{ type: 'function', function: { name: 'look_up', description: 'Looks up.', parameters: SCHEMA } }],
    tool_choice: choice === 'look_up' ? { type: 'function', function: { name: choice } } : choices[choice],
    ...(isOne && { parallel_tool_calls: false }),
    ...(temperature !== null && { temperature }),
    ...(stop !== null && { stop }),
    stream,
  }
}

describe.each(['gpt-4.1-mini', 'gemini-3.8-flash', 'mistral-medium-3-5'])('by %s, a conversation', (model) => {
  it('is the same request in either form', () =>
    fc.assert(
      fc.property(conversation, (said) => {
        const chat = acceptedChat({ model, ...asChat(said) })
        const message = accepted(asMessages(said), model)
        expect(sentBy(message).body).toEqual(sentBy(chat).body)
        expect(message.outline.hashes.loopHash).toBe(chat.outline.hashes.loopHash)
        expect(message.outline.inputTokens).toBe(chat.outline.inputTokens)
      }),
    ))
})

describe('the hash by which loops are found', () => {
  const hashOf = (body: object, headers = {}) => accepted(body, 'gpt-4.1-mini', headers).outline.hashes.loopHash
  const said = (more: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...more }] }] })
  const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }]

  it('tells apart what a client leaves out to try again, and nothing that changes no answer', () => {
    const plain = hashOf({})
    const tries = [
      plain,
      hashOf({}, { 'anthropic-beta': 'a' }),
      hashOf({}, { 'anthropic-beta': 'b' }),
      hashOf({ thinking: { type: 'adaptive', display: 'omitted' } }),
      hashOf({ context_management: { edits } }),
    ]
    expect(new Set(tries).size).toBe(tries.length)
    for (const same of [
      { stream: true },
      { metadata: { user_id: 'a' } },
      said({ cache_control: { type: 'ephemeral' } }),
    ]) {
      expect(hashOf(same)).toBe(plain)
    }
  })
})
