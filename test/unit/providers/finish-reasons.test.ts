// Why an answer ended, whole and streamed: one of the standard's values, and never one of a whole answer for an end that has
// no name here.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/providers/adapter-by-dialect.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Dialect } from '../../../src/providers/provider-registry.ts'
import { anthropicAnswer, geminiAnswer, openAiAnswer, perplexityAnswer } from '../../fixtures/providers/answers.ts'
import { decodeObjects } from './decoding.ts'

type Told = { reason: string | null; text: string; calls: number; usage: boolean } | { failed: string }

/** Returns what an answer comes to, whole and streamed: both must agree. */
function told(dialect: Dialect, body: unknown, events: readonly object[]): Told {
  const decoded = adapters[dialect].decode(body)
  const decoder = adapters[dialect].createStreamDecoder()
  const read = [...decodeObjects(decoder, events), ...decoder.close()]
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

const CALL = { functionCall: { id: 'fc_1', name: 'look', args: {} } }
const TEXT = { text: 'Hi' }

function gemini(finishReason: string, parts: readonly object[] = [TEXT]): Told {
  const body = { ...geminiAnswer, candidates: [{ index: 0, content: { parts }, finishReason }] }
  return told('gemini-generate', body, [body])
}

describe('Gemini', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['TOO_MANY_TOOL_CALLS', 'length'],
    ...[
      'SAFETY',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'RECITATION',
      'LANGUAGE',
      'MODEL_ARMOR',
      'ESCALATION',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
      'IMAGE_OTHER',
      'NO_IMAGE',
      'OTHER',
      'FINISH_REASON_UNSPECIFIED',
      'SOMETHING_NEW',
      'constructor',
    ].map((reason) => [reason, 'content_filter']),
  ])('%s is %s', (reason, standard) =>
    expect(gemini(reason)).toMatchObject({ reason: standard, text: 'Hi', usage: true }),
  )

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
    const body = { ...geminiAnswer, candidates }
    expect(told('gemini-generate', body, [body])).toMatchObject({ reason: 'content_filter', text: '' })
  })

  it.each(['SAFETY', 'OTHER', 'MODEL_ARMOR', 'IMAGE_SAFETY', 'JAILBREAK', 'SOMETHING_NEW'])(
    'a prompt blocked for %s is an empty choice with content_filter, not an error',
    (blockReason) => {
      const blocked = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 5 } }
      expect(told('gemini-generate', blocked, [blocked])).toEqual({
        reason: 'content_filter',
        text: '',
        calls: 0,
        usage: true,
      })
    },
  )
})

function anthropic(reason: string | null, calls: readonly object[]): Told {
  const { id, model, usage } = anthropicAnswer
  const content = [{ type: 'text', text: 'Hi' }, ...calls]
  return told('anthropic-messages', { ...anthropicAnswer, content, stop_reason: reason }, [
    { type: 'message_start', message: { id, model, usage } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason }, usage: null },
    { type: 'message_stop' },
  ])
}

describe('Anthropic', () => {
  const call = { type: 'tool_use', id: 'toolu_a', name: 'look', input: {} }

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'stop'],
    ['compaction', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'content_filter'],
    ['constructor', 'content_filter'],
  ])('%s is %s', (reason, standard) => {
    expect(anthropic(reason, [])).toMatchObject({ reason: standard, text: 'Hi', usage: true })
    expect(anthropic(reason, [call])).toMatchObject({ reason: standard, calls: 1 })
  })

  it('tool_use is tool_calls where there are any', () => {
    expect(anthropic('tool_use', [call])).toMatchObject({ reason: 'tool_calls', calls: 1 })
    expect(anthropic('tool_use', [])).toMatchObject({ reason: 'content_filter' })
    expect(
      anthropic('tool_use', [{ type: 'server_tool_use', id: 'srvtoolu_a', name: 'web_search', input: {} }]),
    ).toMatchObject({ reason: 'content_filter', calls: 0 })
  })
})

function chat(reason: string | null): Told {
  const choice = { index: 0, message: { content: 'Hi' }, finish_reason: reason }
  const decoded = adapters['openai-chat'].decode({ ...openAiAnswer, choices: [choice] })
  if (!decoded.ok) return { failed: decoded.failure.cause }
  return { reason: decoded.answer.choices[0]?.finishReason ?? null, text: 'Hi', calls: 0, usage: true }
}

describe('chat completions', () => {
  it.each(['stop', 'length', 'tool_calls', 'content_filter'])('%s stays', (reason) => {
    expect(chat(reason)).toMatchObject({ reason })
  })
  it.each(['something_new', 'error', 'constructor'])('%s is content_filter', (reason) => {
    expect(chat(reason)).toMatchObject({ reason: 'content_filter' })
  })
  it('none at all is content_filter', () => {
    expect(chat('')).toMatchObject({ reason: 'content_filter' })
    expect(chat(null)).toMatchObject({ reason: 'content_filter' })
  })
})

function perplexity(status: string, more: object = {}): Told {
  const body = { ...perplexityAnswer, output: perplexityAnswer.output.slice(0, 2), status, ...more }
  return told('perplexity-agent', body, [
    { type: 'response.created', response: { id: body.id, model: body.model } },
    { type: status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: body },
  ])
}

describe('Perplexity', () => {
  it.each([
    ['completed', {}, 'stop'],
    ['completed', { output: perplexityAnswer.output }, 'tool_calls'],
    ['requires_action', { output: perplexityAnswer.output }, 'tool_calls'],
    ['requires_action', {}, 'content_filter'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'something_new' } }, 'length'],
    ['incomplete', {}, 'length'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    ['something_new', {}, 'content_filter'],
  ])('%s %o is %s', (status, more, standard) => expect(perplexity(status, more)).toMatchObject({ reason: standard }))

  it.each(['failed', 'cancelled', 'queued', 'in_progress'])('%s is an error that keeps the usage', (status) =>
    expect(perplexity(status)).toEqual({ failed: 'error_event' }),
  )
})

describe('whatever a provider says', () => {
  it('is never told as a whole answer, unless it says that it is one', () =>
    fc.assert(
      fc.property(
        fc.string().map((text) => `NEW_${text}`),
        (reason) => {
          const all = [gemini(reason), gemini(reason, [CALL]), anthropic(reason, []), chat(reason), perplexity(reason)]
          for (const one of all) expect(one).toMatchObject({ reason: 'content_filter' })
        },
      ),
      { numRuns: 60 },
    ))
})
