// Why an answer ended, whole and streamed: one of the standard's values, and never one of a whole answer for an end that has
// no name here.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Parts } from '../../fixtures/providers/material.ts'
import { decodeEvents } from './decoding.ts'
import { anthropic } from '../../fixtures/providers/anthropic.ts'
import { google } from '../../fixtures/providers/google.ts'
import { openai } from '../../fixtures/providers/openai.ts'
import { perplexity } from '../../fixtures/providers/perplexity.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'
import type { SentEvent } from '../../fixtures/providers/material.ts'
import type { ProviderId } from '../../../src/providers/provider-registry.ts'

type Told = { reason: string | null; text: string; calls: number; usage: boolean } | { failed: string }

/** Returns what an answer comes to, whole and streamed: both must agree. */
function told(provider: ProviderId, body: unknown, events: readonly SentEvent[]): Told {
  const decoded = chatOf(provider).decode(body)
  const read = decodeEvents(provider, events)
  const last = read.at(-1)
  const streamed = assembleAnswer(read)
  if (!decoded.ok) {
    expect(last).toMatchObject({ type: 'failed', failure: { cause: decoded.failure.cause } })
    expect(streamed.usage).toEqual(decoded.usage ?? null)
    return { failed: decoded.failure.cause }
  }
  const { choices, usage } = decoded.answer
  expect(read.filter(({ type }) => type === 'finish')).toHaveLength(choices.length)
  expect(last).toEqual({ type: 'end' })
  expect(streamed).toMatchObject({ choices, usage })
  const [choice] = choices
  return {
    reason: choice?.finishReason ?? null,
    text: choice?.text ?? '',
    calls: choice?.toolCalls.length ?? 0,
    usage: usage !== null,
  }
}

const saying = (provider: ProviderId, parts: Parts): Told => {
  const { whole, events } = MATERIAL[provider].said(parts)
  return told(provider, whole, events)
}

describe.each(EACH_PROVIDER)('%s', (provider, { ends, endsInCalls, withoutArguments }) => {
  it.each(ends)('%s is %s', (reason, standard) =>
    expect(saying(provider, { text: 'Hi', ends: reason })).toMatchObject({ reason: standard, text: 'Hi', usage: true }),
  )

  it(`${endsInCalls} is tool_calls after calls`, () => {
    const call = { name: 'look', ...withoutArguments[0] }
    const calls = [
      { id: 'a', ...call },
      { id: 'b', ...call },
    ]
    const expected = { reason: 'tool_calls', text: 'Hi', calls: 2, usage: true }
    expect(saying(provider, { text: 'Hi', calls, ends: endsInCalls })).toEqual(expected)
  })

  it('a new reason is never told as a whole answer', () =>
    fc.assert(
      fc.property(fc.string(), (reason) => {
        expect(saying(provider, { text: 'Hi', ends: `NEW_${reason}` })).toMatchObject({ reason: 'content_filter' })
      }),
      { numRuns: 60 },
    ))
})

const CALL = { functionCall: { id: 'fc_1', name: 'look', args: {} } }
const TEXT = { text: 'Hi' }

function gemini(finishReason: string, parts: readonly object[] = [TEXT]): Told {
  const body = { ...google.answer, candidates: [{ index: 0, content: { parts }, finishReason }] }
  return told('google', body, [body])
}

describe('Gemini', () => {
  it.each(['STOP', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])('%s keeps the calls and the usage', (reason) =>
    expect(gemini(reason, [TEXT, CALL, CALL])).toEqual({ reason: 'tool_calls', text: 'Hi', calls: 2, usage: true }),
  )

  it.each(['MAX_TOKENS', 'SAFETY', 'SOMETHING_NEW'])('%s after a call is not told as a turn of calls', (reason) =>
    expect(gemini(reason, [CALL])).toMatchObject({ reason: reason === 'MAX_TOKENS' ? 'length' : 'content_filter' }),
  )

  it.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'UNEXPECTED_TOOL_CALL'])(
    '%s is an error where nothing was formed, and no whole answer where something was',
    (reason) => {
      expect(gemini(reason, [])).toEqual({ failed: 'malformed' })
      expect(gemini(reason, [TEXT])).toEqual({ reason: 'content_filter', text: 'Hi', calls: 0, usage: true })
    },
  )

  it('one candidate of several that was not formed does not take the others with it', () => {
    const candidates = [
      { index: 0, finishReason: 'MALFORMED_RESPONSE' },
      { index: 1, content: { parts: [TEXT] }, finishReason: 'STOP' },
    ]
    const body = { ...google.answer, candidates }
    expect(told('google', body, [body])).toMatchObject({ reason: 'content_filter', text: '' })
  })

  it.each(['SAFETY', 'OTHER', 'MODEL_ARMOR', 'IMAGE_SAFETY', 'JAILBREAK', 'SOMETHING_NEW'])(
    'a prompt blocked for %s is an empty choice with content_filter, not an error',
    (blockReason) => {
      const blocked = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 5 } }
      expect(told('google', blocked, [blocked])).toEqual({
        reason: 'content_filter',
        text: '',
        calls: 0,
        usage: true,
      })
    },
  )
})

describe('Anthropic', () => {
  const call = { id: 'toolu_a', name: 'look', input: {} }

  it.each(anthropic.ends)('%s with a call is %s, but where the call is its reason', (reason, standard) => {
    const expected = reason === anthropic.endsInCalls ? 'tool_calls' : standard
    expect(saying('anthropic', { text: 'Hi', calls: [call], ends: reason })).toMatchObject({
      reason: expected,
      calls: 1,
    })
  })

  it('a tool of its own is no call', () => {
    const { whole, events } = anthropic.said({ calls: [{ ...call, type: 'server_tool_use' }], ends: 'tool_use' })
    expect(told('anthropic', whole, events)).toMatchObject({ reason: 'content_filter', calls: 0 })
  })
})

it.each(['', null])('%j at OpenAI is content_filter', (reason) => {
  const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: reason }]
  const decoded = chatOf('openai').decode({ ...openai.answer, choices })
  expect(decoded).toMatchObject({ ok: true, answer: { choices: [{ finishReason: 'content_filter' }] } })
})

describe('Perplexity', () => {
  const ended = (status: string, more: object): Told => {
    const { whole, events } = perplexity.said({ text: 'Hi', ends: status })
    const response = { ...whole, ...more }
    return told('perplexity', response, [...events.slice(0, -1), { ...events.at(-1), response }])
  }

  it.each([
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'something_new' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
  ])('%s %o is %s', (status, more, standard) => expect(ended(status, more)).toMatchObject({ reason: standard }))

  it('requires_action with a call is tool_calls', () => {
    const calls = [{ id: 'a', name: 'look', arguments: '{}' }]
    expect(saying('perplexity', { calls, ends: 'requires_action' })).toMatchObject({ reason: 'tool_calls', calls: 1 })
  })

  it.each(['failed', 'cancelled', 'queued', 'in_progress'])('%s is an error that keeps the usage', (status) =>
    expect(ended(status, {})).toEqual({ failed: 'error_event' }),
  )
})
