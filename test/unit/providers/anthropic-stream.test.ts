// Anthropic's stream, also as it should not come: one end, and never a broken call told as a whole one.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicDecoder } from '../../../src/providers/anthropic/stream.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { StreamEvent } from '../../../src/providers/chat-answer.ts'
import { parseJsonObject } from '../../../src/providers/lossless-json.ts'
import { decodeObjects } from './decoding.ts'
import { anthropic } from '../../fixtures/providers/anthropic.ts'

function decode(events: readonly object[]): StreamEvent[] {
  const decoder = createAnthropicDecoder()
  return [...decodeObjects(decoder, events), ...decoder.close()]
}

const lastOf = (events: readonly StreamEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'failed' && last.failure.kind !== 'unsupported' ? last.failure.cause : last?.type
}

const start = (usage: object = { input_tokens: 5 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-haiku-4-5', usage },
})
const opened = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece })
const closed = (index: number) => ({ type: 'content_block_stop', index })
const reason = (stop_reason: string | null, usage?: object | null) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
})
const STOP = { type: 'message_stop' }

const call = (index: number, id = `toolu_${index}`) => opened(index, { type: 'tool_use', id, name: 'look', input: {} })
const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })
const text = (index: number, said: string) => delta(index, { type: 'text_delta', text: said })

describe('Anthropic’s stream', () => {
  it('with two reasons to stop has one finish: the last reason, and the last usage that was told', () => {
    const events = decode([
      start(),
      opened(0, { type: 'text', text: '' }),
      text(0, 'Hi'),
      closed(0),
      reason('max_tokens', { output_tokens: 3 }),
      reason(null, { output_tokens: 4 }),
      reason('end_turn', null),
      reason(null),
      STOP,
    ])
    expect(events.filter(({ type }) => type === 'finish')).toEqual([{ type: 'finish', choice: 0, reason: 'stop' }])
    expect(assembleAnswer(events).usage).toMatchObject({ inputUncached: 5, outputVisible: 4 })
    expect(lastOf(events)).toBe('end')
  })

  it('has no thoughts to be handed back where one stands behind what was said, as in one piece', () => {
    const thought = (index: number) => [
      opened(index, { type: 'thinking', thinking: '' }),
      delta(index, { type: 'signature_delta', signature: 'c2ln' }),
      closed(index),
    ]
    const thinkingOf = (...events: object[]) =>
      assembleAnswer(decode([start(), ...events, reason('tool_use'), STOP])).choices[0]?.thinking
    const called = (index: number) => [call(index), closed(index)]
    expect(thinkingOf(...thought(0), ...thought(1), ...called(2))).toHaveLength(2)
    expect(thinkingOf(...thought(0), ...called(1), ...thought(2), ...called(3))).toBeUndefined()
  })

  it('takes the arguments from the start of a call where no piece of them comes (a call without its arguments)', () => {
    const whole = opened(0, { type: 'tool_use', id: 'a', name: 'look', input: { at: 'left' } })
    const argumentsOf = (...pieces: object[]) =>
      assembleAnswer(decode([start(), whole, ...pieces, closed(0), reason('tool_use'), STOP])).choices[0]?.toolCalls[0]
        ?.arguments
    expect(argumentsOf()).toBe('{"at":"left"}')
    expect(argumentsOf(json(0, ''), json(0, '{"at":'), json(0, '"right"}'))).toBe('{"at":"right"}')
  })

  it('takes blocks that are interleaved apart by their index', () => {
    const events = decode([
      start(),
      call(3),
      opened(0, { type: 'thinking', thinking: '' }),
      json(3, '{"a"'),
      call(4),
      json(4, '{"b":'),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      json(3, ':1}'),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      json(4, '2}'),
      closed(4),
      closed(0),
      closed(3),
      reason('tool_use'),
      STOP,
    ])
    expect(assembleAnswer(events).choices[0]).toMatchObject({
      toolCalls: [
        { id: 'toolu_3', arguments: '{"a":1}' },
        { id: 'toolu_4', arguments: '{"b":2}' },
      ],
      thinking: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
    })
  })

  it('passes over what the provider’s own tools do', () => {
    const events = decode([
      start(),
      opened(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      json(0, '{"query":'),
      closed(0),
      opened(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      closed(1),
      opened(2, { type: 'something_new' }),
      delta(2, { type: 'something_delta', text: 'zebra' }),
      closed(2),
      reason('end_turn'),
      STOP,
    ])
    expect(events.map(({ type }) => type)).toEqual(['start', 'usage', 'finish', 'end'])
  })

  it('keeps what was thought from being told where it was not signed', () => {
    const thought = [
      opened(0, { type: 'thinking', thinking: 'h' }),
      delta(0, { type: 'thinking_delta', thinking: 'm' }),
    ]
    const events = decode([start(), ...thought, reason('max_tokens'), STOP])
    expect(assembleAnswer(events).choices[0]).toMatchObject({ thinking: undefined, finishReason: 'length' })
  })

  it('may end in the middle of a call where it says that it broke off', () => {
    const events = decode([start(), call(0), json(0, '{"a":'), closed(0), reason('max_tokens'), STOP])
    expect(assembleAnswer(events).choices[0]).toMatchObject({
      finishReason: 'length',
      toolCalls: [{ arguments: '{"a":' }],
    })
  })

  it.each<[string, readonly object[]]>([
    ['begins twice', [start(), start()]],
    ['begins again after a call', [start(), call(0), start(), json(0, '{}')]],
    ['does not begin', [opened(0, { type: 'text', text: 'Hi' })]],
    ['opens a block twice', [start(), call(0), call(0)]],
    ['says something of a block that was not opened', [start(), text(0, 'Hi')]],
    ['says something of a block that was closed', [start(), call(0), closed(0), json(0, '{}')]],
    ['closes a block twice', [start(), call(0), closed(0), closed(0)]],
    ['calls nothing', [start(), opened(0, { type: 'tool_use', id: 'toolu_a', name: '' })]],
    ['ends without a reason', [start(), STOP]],
    ['ends in an open call', [start(), call(0), json(0, '{}'), reason('tool_use'), STOP]],
    ['ends in a broken call', [start(), call(0), json(0, '{"a":'), closed(0), reason('tool_use'), STOP]],
    [
      'ends with a broken call before a whole one',
      [start(), call(0), json(0, '{'), closed(0), call(1), closed(1), reason('tool_use'), STOP],
    ],
    [
      'says a piece of a call twice',
      [start(), call(0), json(0, '{"a":1'), json(0, '"a":1'), json(0, '}'), closed(0), reason('tool_use'), STOP],
    ],
    ['leaves a call broken and stops', [start(), call(0), json(0, '{'), closed(0), reason('end_turn'), STOP]],
  ])('that %s is an error', (_, events) => {
    const read = decode(events)
    expect(lastOf(read)).toBe('malformed')
    expect(read.filter(({ type }) => type === 'finish')).toEqual([])
  })

  it('keeps the usage that was told before an error', () => {
    const events = decode([start(), reason(null, { output_tokens: 7 }), { type: 'error', error: { message: 'zebra' } }])
    expect(lastOf(events)).toBe('error_event')
    expect(assembleAnswer(events).usage).toMatchObject({ inputUncached: 5, outputVisible: 7 })
    expect(JSON.stringify(events)).not.toContain('zebra')
  })

  it('whatever is missing, there twice or in another place, ends once and tells no broken call as whole', () => {
    const places = fc.nat(anthropic.events.length - 1)
    const change = fc.record({ kind: fc.constantFrom('drop', 'double', 'move'), from: places, to: places })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const events = [...anthropic.events]
        for (const { kind, from, to } of changes) {
          const [event] = events.slice(from, from + 1)
          if (event === undefined) continue
          if (kind !== 'double') events.splice(from, 1)
          if (kind !== 'drop') events.splice(to, 0, event)
        }
        const read = decode(events)
        const ends = read.filter(({ type }) => type === 'end' || type === 'failed')
        expect(ends).toEqual(read.slice(-1))
        expect(read.filter(({ type }) => type === 'finish')).toHaveLength(lastOf(read) === 'end' ? 1 : 0)
        if (lastOf(read) !== 'end') return
        const [choice] = assembleAnswer(read).choices
        if (choice?.finishReason !== 'stop' && choice?.finishReason !== 'tool_calls') return
        for (const made of choice.toolCalls) expect(parseJsonObject(made.arguments)).not.toBeNull()
      }),
      { numRuns: 500 },
    )
  })
})
