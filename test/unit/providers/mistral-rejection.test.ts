// Tests what is read of Mistral's errors, in each shape that was recorded.
import { describe, expect, it } from 'vitest'
import { statusFailure } from '../../../src/providers/call-retry.policy.ts'
import { readMistralRejection } from '../../../src/providers/mistral/rejection.ts'
import { encodeRequest } from '../../../src/providers/adapter-by-dialect.ts'
import { textMessage } from '../../../src/providers/chat-request.ts'
import { requestSizesOf, type RejectionReason } from '../../../src/providers/rejection.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const read = (status: number, body: unknown, turnsAfter: number | null = 0) =>
  statusFailure(
    { status, headers: new Headers(), body },
    { readRejection: readMistralRejection, requestSizes: { messages: 8, tools: 3, turnsAfter } },
    0,
  )

const detailOf = (...loc: (string | number)[]) => ({
  detail: [{ type: 'extra_forbidden', loc: ['body', ...loc], msg: 'zebra', input: 32_000 }],
})
const error = (message: unknown, more: object = {}) => ({
  object: 'error',
  message,
  type: 'invalid_request_error',
  param: null,
  code: null,
  ...more,
})

describe('a rejection of Mistral', () => {
  it.each<[string, unknown, RejectionReason, string | null]>([
    ['a limit', detailOf('max_tokens'), 'member', 'max_completion_tokens'],
    ['a limit, in the place of the message', error(detailOf('max_tokens')), 'member', 'max_completion_tokens'],
    ['a seed', detailOf('random_seed'), 'member', 'seed'],
    ['a value', error('zebra', { param: 'temperature' }), 'member', 'temperature'],
    ['a member of no request', detailOf('store'), 'unknown', null],
    ['a message', detailOf('messages', 2, 'assistant', 'reasoning_content'), 'member', 'messages[2]'],
    ['a text of a message', detailOf('messages', 2, 'user', 'content', 'str'), 'member', 'messages[2].content'],
    [
      'a picture',
      detailOf('messages', 1, 'user', 'content', 0, 'image_url'),
      'media',
      'messages[1].content[0].image_url',
    ],
    ['a message that is not there', detailOf('messages', 8, 'user'), 'member', 'messages'],
    ['a tool', detailOf('tools', 2, 'function', 'parameters'), 'schema', 'tools[2].function.parameters'],
    ['length', error('1 tokens, too large for a model with 1 maximum context length'), 'too_long', null],
    ['something', error('top_p must be 1 when using greedy sampling.'), 'unknown', null],
    ['nothing', { detail: [] }, 'unknown', null],
  ])('about %s is read', (_, body, reason, member) => {
    const failure = read(422, body)
    expect(failure).toMatchObject({ cause: 'refused', billed: 'no', rejection: { reason, member } })
    expect(JSON.stringify(failure)).not.toContain('zebra')
  })

  it('points to no message where instructions were moved to the front', () => {
    const turnsAfter = (...roles: ('user' | 'assistant' | 'system')[]) => {
      const messages = roles.map((role) => textMessage(role, 'Hello'))
      const encoded = encodeRequest({ messages }, modelNamed('mistral-medium-3-5'))
      return encoded.ok ? requestSizesOf({ messages }, encoded.body).turnsAfter : undefined
    }
    expect(turnsAfter('system', 'user', 'assistant', 'user')).toBe(0)
    expect(turnsAfter('user', 'assistant', 'system', 'user')).toBeNull()
  })

  it('points to no message where one was left out', () =>
    expect(read(422, detailOf('messages', 2, 'user'), 1).rejection?.member).toBe('messages'))

  it.each([
    [401, { detail: 'Unauthorized' }],
    [401, { message: 'Unauthorized', request_id: '933f' }],
    [400, error('zebra', { param: 'model', code: 'unknown_model' })],
  ])('%i for the key or the model is for the operator to mend', (status, body) =>
    expect(read(status, body)).toMatchObject({ cause: 'access', retryable: false, rejection: null }),
  )

  it('1300 is a rate that passes', () =>
    expect(read(429, error('Rate limit exceeded', { type: 'rate_limited', code: '1300' }))).toMatchObject({
      cause: 'rate',
      retryable: true,
    }))
})
