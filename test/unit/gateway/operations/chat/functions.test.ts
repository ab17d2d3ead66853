// Functions, the older form of tools: read as tools, answered with a function_call.
import { describe, expect, it } from 'vitest'
import {
  createFunctionCallWriter,
  FunctionCallHasher,
  withFunctionCall,
} from '../../../../../src/gateway/operations/chat/chat-answer-format.ts'
import { createPassThroughWriter } from '../../../../../src/gateway/operations/chat/pass-through-writer.ts'
import { createChunkWriter } from '../../../../../src/gateway/operations/chat/chunk-writer.ts'
import { finish, itemsOf, push } from '../../stream/writing.ts'
import { accepted, look, messages, mini, refusal, user } from './reading.ts'
import { EACH_PROVIDER } from '../../../../fixtures/providers/index.ts'

const functions = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]
const asked = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '' } }
const answered = { role: 'function', name: 'look', content: 'ok' }

describe('functions', () => {
  it('are tools of which one is called at most', () => {
    const { request } = accepted(mini({ functions, function_call: { name: 'look' } }))
    expect(request).toMatchObject({ tools: functions, toolChoice: { name: 'look' }, parallelToolCalls: false })
  })

  it('have calls and results without ids, each result that of the call before it', () => {
    const { request } = accepted(messages(asked, answered, user, asked, { ...answered, content: null }))
    const [, first, , , second] = request.messages
    expect(first).toMatchObject({ toolCalls: [{ name: 'look', arguments: '{}' }] })
    const ids = [first, second].map((message) => (message?.role === 'assistant' ? message.toolCalls?.[0]?.id : null))
    expect(new Set(ids).size).toBe(2)
    expect(request.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))).toEqual(ids)
  })

  it('may be none, and a choice of them that changes nothing stands alone', () => {
    for (const body of [{ functions: [] }, { function_call: 'auto' }, { functions: [], function_call: 'none' }]) {
      expect(accepted(mini(body)).request).toEqual(accepted(mini({})).request)
    }
  })

  it.each<[string, string, object]>([
    ['functions beside tools', 'functions', mini({ functions, tools: [look] })],
    ['a choice of a tool', 'tool_choice', mini({ functions, tool_choice: 'required' })],
    ['a choice without functions', 'function_call', mini({ function_call: { name: 'look' } })],
    ['no call of tools', 'function_call', mini({ function_call: 'none', tools: [look] })],
    ['a choice of none of them', 'function_call', mini({ functions, function_call: { name: 'leap' } })],
    ['a name with a space', 'functions[0].name', mini({ functions: [{ name: 'a b' }] })],
    ['a result without a call', 'messages[1].name', messages(answered)],
    ['a result of another call', 'messages[2].name', messages(asked, { ...answered, name: 'leap' })],
    [
      'arguments that are no JSON',
      'messages[1].function_call.arguments',
      {
        ...messages({ ...asked, function_call: { name: 'look', arguments: '{' } }, answered),
        model: 'claude-haiku-4-5',
      },
    ],
    [
      'calls in both forms',
      'messages[1].function_call',
      messages({ ...asked, tool_calls: [{ id: 'c', type: 'function', function: { name: 'look' } }] }, answered),
    ],
  ])('are refused by the names that the caller has used: %s', (_, param, body) => {
    expect(refusal(body)).toEqual(['invalid_request', param])
  })

  it('are refused without a name of the result', () => {
    const body = messages(asked, { role: 'function', content: 'ok' })
    expect(refusal(body)).toEqual(['missing_parameter', 'messages[2].name'])
  })
})

describe('a choice of allowed tools', () => {
  const named = (name: string) => ({ type: 'function', function: { name } })
  const tools = ['leap', 'look'].map((name) => ({ type: 'function', function: { name, strict: true } }))
  const allow = (...names: string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: names.map(named) },
  })

  it('leaves the model the tools that are allowed', () => {
    const { request } = accepted(mini({ tools, tool_choice: allow('look') }))
    expect(request).toMatchObject({ tools: [{ name: 'look' }], toolChoice: 'required' })
  })

  it('names one that is not there', () => {
    expect(refusal(mini({ tools, tool_choice: allow('look', 'hop') }))[1]).toBe(
      'tool_choice.allowed_tools.tools[1].function.name',
    )
  })

  it('does not make an error name another tool than the caller’s', () => {
    const circle = { type: 'object', properties: { inner: { $ref: '#' } } }
    const circular = { type: 'function', function: { name: 'hop', strict: true, parameters: circle } }
    const body = { ...mini({ tools: [...tools, circular], tool_choice: allow('hop') }), model: 'claude-haiku-4-5' }
    expect(refusal(body)).toEqual(['invalid_request', 'tools[2].function.parameters'])
  })
})

describe('an answer to functions', () => {
  const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }

  it('in one piece has the call as a function_call', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    expect(withFunctionCall({ id: 'a', choices })).toEqual({
      id: 'a',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, function_call: call.function },
          finish_reason: 'function_call',
        },
      ],
    })
  })

  it('without a call is as it is', () => {
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
    expect(withFunctionCall(answer)).toEqual(answer)
  })

  it.each(EACH_PROVIDER)('streamed by %s', async (provider, { model, stream }) => {
    const inner =
      provider === 'openai'
        ? createPassThroughWriter({ includeUsage: false, choices: 1, hasher: new FunctionCallHasher() })
        : createChunkWriter({
            id: 'chatcmpl-1',
            created: 1,
            model: 'm',
            includeUsage: false,
            hasher: new FunctionCallHasher(),
          })
    const writer = createFunctionCallWriter(inner)
    const sent = [...push(writer, await itemsOf(model, stream)), ...finish(writer)]
    expect(sent.pop()).toBe('data: [DONE]\n\n')
    expect(sent.join('')).not.toContain('tool_calls')
    const deltas = sent.flatMap((event): object[] => {
      const { choices } = JSON.parse(event.slice('data: '.length)) as {
        choices: { delta: { function_call?: object } }[]
      }
      return choices.flatMap(({ delta }) => (delta.function_call === undefined ? [] : [delta.function_call]))
    })
    expect(deltas[0]).toHaveProperty('name')
    const text = deltas.map((part) => ('arguments' in part ? part.arguments : '')).join('')
    expect(() => void JSON.parse(text)).not.toThrow()
    expect(sent.at(-1)).toContain('"finish_reason":"function_call"')
  })
  it('streamed with line ends that are none in a stream of events', () => {
    const inner = createChunkWriter({
      id: 'chatcmpl-1',
      created: 1,
      model: 'm',
      includeUsage: false,
      hasher: new FunctionCallHasher(),
    })
    const fragment = '{"a":"\u2028\u2029\u0085"}'
    const events = [
      { type: 'tool_call', choice: 0, index: 0, id: 'c', name: 'look' },
      { type: 'tool_arguments', choice: 0, index: 0, fragment },
    ] as const
    const sent = push(createFunctionCallWriter(inner), [{ raw: new Uint8Array(0), data: '', events }]).join('')
    expect(sent).toContain(JSON.stringify({ arguments: fragment }))
    expect(sent).not.toContain('tool_calls')
  })
})
