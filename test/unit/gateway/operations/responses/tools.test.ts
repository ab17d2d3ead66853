// Tools of a namespace, tools that take free text, and tools that come as an item: how they are sent, and how calls are named back.
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../../../src/providers/model-support.policy.ts'
import { assembleAnswer } from '../../../../../src/providers/assemble-answer.ts'
import type { StreamEvent } from '../../../../../src/providers/chat-answer.ts'
import { outlineOf, outlineOfEvents } from '../../../../../src/evidence/records/answer-outline.ts'
import { isJsonObject, readJson } from '../../../../../src/platform/json.ts'
import { AQTA, ENDED_AT, USAGE } from '../../stream/writing.ts'
import { accepted, call, look, output, refusal, user } from './reading.ts'

const exec = { type: 'custom', name: 'exec', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } }
const maps = {
  type: 'namespace',
  name: 'maps',
  description: 'About maps.',
  tools: [{ ...look, description: 'Looks.' }],
}
const shell = { type: 'namespace', name: 'shell', description: '', tools: [exec] }
const added = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools })
const named = (name: string, type = 'function') => ({ type, name })
const sentTools = (body: object, model = 'gpt-5.6-sol') => accepted(body, model).request.tools ?? []

describe('a tool is sent', () => {
  it('under the name of its namespace, of which the first tool tells what it is about', () => {
    const two = { ...maps, tools: [...maps.tools, { ...look, name: 'hear' }] }
    const told = 'About maps.'
    expect(sentTools({ tools: [two, look] })).toMatchObject([
      { name: 'maps__look', description: `${told}\n\nLooks.` },
      { name: 'maps__hear', description: undefined },
      { name: 'look' },
    ])
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [named('hear')] }
    expect(sentTools({ tools: [two, look], tool_choice: choice })).toMatchObject([{ description: told }])
  })

  it('under a shorter name if the two together are too long, which is the same in a later turn', () => {
    const far = { ...maps, name: 'm'.repeat(40), tools: [{ ...look, name: 'l'.repeat(40) }] }
    const items = [user, call('a', { name: 'l'.repeat(40), namespace: far.name }), output('a'), user]
    const { request } = accepted({ input: items, tools: [far] })
    const name = request.tools?.[0]?.name ?? ''
    expect(name).toMatch(/^m{40}__l{13}_[0-9a-f]{8}$/)
    expect(request.messages[1]).toMatchObject({ toolCalls: [{ name }] })
  })

  it('if it comes as an item, in the place of an earlier one of its name', () => {
    const second = added({ ...look, description: 'Looks twice.' }, shell)
    expect(sentTools({ input: [added(maps, { ...look, description: 'Looks.' }), second, user] })).toMatchObject([
      { name: 'maps__look' },
      { name: 'look', description: 'Looks twice.' },
      { name: 'shell__exec', custom: { format: exec.format } },
    ])
  })

  it.each([
    ['its own name', named('look'), 'maps__look'],
    ['the name that is sent', named('maps__look'), 'maps__look'],
    ['its own name, as one that takes free text', named('exec', 'custom'), 'shell__exec'],
  ])('and must be called if the choice has %s', (_, choice, name) => {
    expect(accepted({ tools: [maps, shell], tool_choice: choice }, 'gpt-5.6-sol').request.toolChoice).toEqual({ name })
  })

  it('and is meant by its own name before the tools of namespaces', () => {
    const body = { tools: [maps, look], tool_choice: named('look') }
    expect(accepted(body).request.toolChoice).toEqual({ name: 'look' })
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [named('look')] }
    expect(sentTools({ ...body, tool_choice: allowed })).toMatchObject([{ name: 'look' }])
  })
})

it('calls of both kinds are taken back in a later turn', () => {
  const typed = { type: 'custom_tool_call', call_id: 'b', name: 'exec', namespace: 'shell', input: 'not JSON' }
  const results = [output('a'), { ...output('b'), type: 'custom_tool_call_output' }]
  const items = [user, call('a', { namespace: 'maps' }), typed, ...results]
  const { request } = accepted({ input: items, tools: [maps, shell] }, 'gpt-5.6-sol')
  const toolCalls = [
    { id: 'a', name: 'maps__look' },
    { id: 'b', name: 'shell__exec', arguments: 'not JSON', isCustom: true },
  ]
  expect(request.messages.slice(1)).toMatchObject([{ toolCalls }, { toolCallId: 'a' }, { toolCallId: 'b' }])
})

it('that takes free text goes to OpenAI in its form, with the calls of it and the choice of it', () => {
  const typed = { type: 'custom_tool_call', call_id: 'b', name: 'exec', input: 'x' }
  const items = [user, typed, { ...output('b'), type: 'custom_tool_call_output' }]
  const { request, outline } = accepted(
    { input: items, tools: [exec], tool_choice: named('exec', 'custom') },
    'gpt-5.6-sol',
  )
  const grammar = { syntax: 'lark', definition: 'start: /.+/' }
  expect(encodeRequest(request, outline.model)).toMatchObject({
    body: {
      tools: [{ type: 'custom', custom: { name: 'exec', format: { type: 'grammar', grammar } } }],
      tool_choice: { type: 'custom', custom: { name: 'exec' } },
      messages: [{}, { tool_calls: [{ id: 'b', type: 'custom', custom: { name: 'exec', input: 'x' } }] }, {}],
    },
  })
})

describe('is refused by its name', () => {
  const typed = { type: 'custom_tool_call', call_id: 'b', name: 'exec', input: 'x' }
  it.each<[string, object, string, string?]>([
    ['a second tool of the name', { tools: [look, look] }, 'tools[1].name'],
    [
      'a tool that would be sent under the name of another',
      { tools: [{ ...look, name: 'maps__look' }, maps] },
      'tools[1].tools[0].name',
    ],
    ['a choice of no tool', { tools: [maps], tool_choice: named('hear') }, 'tool_choice.name'],
    [
      'a choice that two namespaces have',
      { tools: [maps, { ...maps, name: 'seas' }], tool_choice: named('look') },
      'tool_choice.name',
    ],
    ['a choice of the other kind', { tools: [maps], tool_choice: named('look', 'custom') }, 'tool_choice.name'],
    ['a tool of free text', { tools: [look, shell] }, 'tools[1].tools[0].type', 'claude-haiku-4-5'],
    ['a tool of free text in an item', { input: [user, added(exec)] }, 'input[1].tools[0].type', 'gpt-4.1-mini'],
    ['an earlier call of one', { input: [user, typed, output('b'), user] }, 'input[1].type', 'gemini-3.8-flash'],
    ['a namespace in another', { tools: [{ ...maps, tools: [shell] }] }, 'tools[0].tools[0].type'],
    [
      'a grammar of another kind',
      { tools: [{ ...exec, format: { type: 'grammar', syntax: 'ebnf', definition: '' } }] },
      'tools[0].format.syntax',
    ],
    [
      'more tools than can be sent',
      { input: [...Array(5).keys()].map((at) => added(...manyTools(at))).concat([]) },
      'tools',
    ],
    ['an item with tools of the user', { input: [{ ...added(look), role: 'user' }, user] }, 'input[0].role'],
  ])('%s', (_, body, param, model = 'gpt-5.6-sol') => {
    expect(refusal(body, model)).toMatchObject({ code: 'invalid_request', param })
  })
})

function manyTools(at: number): object[] {
  return Array.from({ length: 30 }, (_, own) => ({ ...look, name: `look_${at}_${own}` }))
}

describe('a call is named back', () => {
  const body = { tools: [maps, shell, look] }
  const begun = (index: number, id: string, name: string, isCustom?: true): StreamEvent => ({
    type: 'tool_call',
    choice: 0,
    index,
    id,
    name,
    isCustom,
  })
  const piece = (index: number, fragment: string): StreamEvent => ({
    type: 'tool_arguments',
    choice: 0,
    index,
    fragment,
  })
  const events: StreamEvent[] = [
    { type: 'start', id: null, model: 'gpt-5.6-sol' },
    begun(0, 'a', 'maps__look'),
    piece(0, '{}'),
    begun(1, 'b', 'shell__exec', true),
    piece(1, 'say '),
    piece(1, '"hi"'),
    begun(2, 'c', 'look'),
    piece(2, '{}'),
    { type: 'finish', choice: 0, reason: 'tool_calls' },
  ]
  const items = [
    { type: 'function_call', call_id: 'a', name: 'look', namespace: 'maps', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'b', name: 'exec', namespace: 'shell', input: 'say "hi"' },
    { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
  ]
  const { format, outline } = accepted(body, 'gpt-5.6-sol')
  const answered = { traceId: AQTA.trace_id, startedAt: 0, attestation: AQTA.attestation, outline }

  function streamed() {
    const writer = format.createWriter(answered, false)
    const pushed = events.flatMap((event) => writer.push({ raw: new Uint8Array(0), data: '', events: [event] }))
    const end = writer.finish({ aqta: AQTA, usage: USAGE, endedAt: ENDED_AT })
    const sent = [...pushed, ...end].map((bytes) => readJson(new TextDecoder().decode(bytes).split('data: ')[1] ?? ''))
    return { writer, sent: sent.filter(isJsonObject) }
  }

  it('in one piece', () => {
    const bill = { usage: null, estimated: false, costMicroeur: 0, finishReason: null, servedModel: null }
    const answer = assembleAnswer(events)
    const response = format.present(answered, { answer, passedBody: null }, { bill, aqta: AQTA, endedAt: ENDED_AT })
    expect(response).toMatchObject({ output: items })
    const hashed = outlineOf(response)
    expect(hashed).toEqual(streamed().writer.outline())
    expect(hashed?.choices[0]?.tool_calls).toMatchObject([
      { name: 'maps__look' },
      { name: 'shell__exec' },
      { name: 'look' },
    ])
  })

  it('in a stream, with the events of its kind', () => {
    const { writer, sent } = streamed()
    expect(sent.at(-1)).toMatchObject({ response: { output: items } })
    const typed = sent.filter(({ type }) => String(type).startsWith('response.custom_tool_call_input'))
    expect(typed).toMatchObject([{ delta: 'say ' }, { delta: '"hi"' }, { input: 'say "hi"' }])
    const hashed = writer.outline()
    expect(outlineOfEvents(sent)).toEqual(hashed)
    expect(outlineOfEvents(sent.slice(0, -1))?.choices[0]?.tool_calls).toEqual(hashed?.choices[0]?.tool_calls)
  })
})
