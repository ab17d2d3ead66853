// Tests the cost of an answer that Anthropic's classifiers stop, whole and streamed.
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { decodeObjects } from './decoding.ts'
import { anthropic } from '../../fixtures/providers/anthropic.ts'
import { chatOf } from '../../fixtures/providers/index.ts'

const USAGE = { input_tokens: 97, cache_creation_input_tokens: 8, cache_read_input_tokens: 5, output_tokens: 0 }
const adapter = chatOf('anthropic')

function readStream(events: readonly { type: string }[]) {
  return decodeObjects(adapter.stream(), events)
}

function usageOf(stopDetails: unknown, content: readonly object[]) {
  const end = { stop_reason: 'refusal', stop_sequence: null, stop_details: stopDetails }
  const message = { ...anthropic.answer, content, ...end, usage: USAGE }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: end, usage: USAGE },
    { type: 'message_delta', delta: { stop_reason: null }, usage: USAGE },
    { type: 'message_stop' },
  ]
  const read = readStream(events)
  const decoded = adapter.decode(message)
  const whole = decoded.ok ? decoded.answer : null
  expect(read.at(-1)).toEqual({ type: 'end' })
  expect(assembleAnswer(read)).toEqual(whole)
  expect(whole?.choices).toMatchObject([{ finishReason: 'content_filter' }])
  return whole?.usage
}

const refused = (category: string | null) => ({ type: 'refusal', category, explanation: null })
const TOLD = { inputUncached: 97, cacheRead: 5, cacheWrite: 8, outputVisible: 0 }
const NOTHING = { inputUncached: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, outputVisible: 0, reasoning: 0 }

describe('a refusal of Anthropic’s', () => {
  it.each([refused('cyber'), refused('general_harms'), refused('zebra'), refused(null), null, undefined, 'odd'])(
    'before any output costs nothing: %j',
    (details) => expect(usageOf(details, [])).toMatchObject(NOTHING),
  )

  it.each(['bio', 'frontier_llm', 'reasoning_extraction'])('before any output is billed for %s', (category) =>
    expect(usageOf(refused(category), [])).toMatchObject(TOLD),
  )

  it.each([
    { type: 'text', text: 'Well' },
    { type: 'redacted_thinking', data: 'AA==' },
  ])('in the middle of its answer is billed: %j', (block) =>
    expect(usageOf(refused('cyber'), [block])).toMatchObject(TOLD),
  )

  const end = (stopDetails: object | null, reason: string | null = 'refusal') => ({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_details: stopDetails },
    usage: USAGE,
  })
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Well' } }
  const blockEnd = { type: 'content_block_stop', index: 0 }

  it.each([
    ['is followed by output', [end(refused('cyber')), block, blockEnd], TOLD],
    ['is corrected to a category that is billed', [end(null), end(refused('bio'))], TOLD],
    ['is corrected to another end', [end(refused('cyber')), end(null, 'end_turn')], TOLD],
    ['is told again without its category', [end(refused('bio')), end(null)], TOLD],
    ['is told again without a reason', [end(refused('cyber')), end(null, null)], NOTHING],
  ])('that %s costs what it comes to in the end', (_, events, usage) => {
    const start = { type: 'message_start', message: { ...anthropic.answer, content: [], usage: USAGE } }
    const read = readStream([start, ...events, { type: 'message_stop' }])
    expect(read.at(-1)).toEqual({ type: 'end' })
    expect(assembleAnswer(read).usage).toMatchObject(usage)
  })
})
