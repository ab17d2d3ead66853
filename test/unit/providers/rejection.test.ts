// Tests what is read of a provider's error: which member, and why. Nothing of its words comes out.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { requestSizesOf, type RequestSizes } from '../../../src/providers/rejection.ts'
import { PROVIDER_IDS, type ProviderId } from '../../../src/providers/provider-registry.ts'
import { textMessage, type ChatRequest } from '../../../src/providers/chat-request.ts'
import { statusFailure } from '../../../src/providers/call-retry.policy.ts'
import { anthropicError } from '../../fixtures/providers/anthropic.ts'
import { googleError } from '../../fixtures/providers/google.ts'
import { mistralError } from '../../fixtures/providers/mistral.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

/** Two instructions before six turns, each a message of its own; three tools. */
const ORIGIN: RequestSizes = { messages: 8, tools: 3, turnsAfter: 2 }

const read = (provider: ProviderId, status: number, body: unknown, origin = ORIGIN) =>
  statusFailure(
    { status, headers: new Headers(), body },
    { readRejection: chatOf(provider).rejection, requestSizes: origin },
    0,
  )

describe('a rejection', () => {
  it.each(
    EACH_PROVIDER.flatMap(([provider, { rejections }]) =>
      rejections.map(([what, body, reason, member, status = 400]) => ({
        provider,
        what,
        body,
        reason,
        member,
        status,
      })),
    ),
  )('of $provider about $what is read', ({ provider, body, reason, member, status }) => {
    const turnsAfter = MATERIAL[provider].liftsInstructions ? 2 : 0
    const failure = read(provider, status, body, { ...ORIGIN, turnsAfter })
    expect(failure).toMatchObject({ cause: 'refused', billed: 'no', retryable: false, rejection: { reason, member } })
    expect(JSON.stringify(failure)).not.toMatch(/zebra/i)
  })

  it.each(PROVIDER_IDS)('of %s that is no JSON says nothing', (provider) => {
    for (const body of [undefined, null, 'zebra', [], {}, { error: 'zebra' }, { error: { message: 7, code: {} } }]) {
      expect(read(provider, 400, body).rejection).toEqual({ reason: 'unknown', member: null })
      expect(read(provider, 413, body).rejection?.reason).toBe('too_large')
    }
  })

  it('of the tool that has the schema is one of the schema: its caller has sent no tool', () => {
    const body = anthropicError('tools.0.custom.input_schema: zebra')
    expect(read('bedrock', 400, body, { ...ORIGIN, tools: 0 }).rejection).toEqual({
      reason: 'schema',
      member: 'response_format.json_schema.schema',
    })
  })

  it('points to no turn where the turns are not the messages one by one', () => {
    const merged = { ...ORIGIN, turnsAfter: null }
    expect(read('anthropic', 400, anthropicError('messages.3.content.0: zebra'), merged).rejection?.member).toBe(
      'messages',
    )
    expect(read('google', 400, googleError('zebra', 'contents[3]'), merged).rejection?.member).toBe('messages')
  })
})

describe('a message at Mistral', () => {
  it('is not pointed to where instructions were moved to the front', () => {
    const turnsAfter = (...roles: ('user' | 'assistant' | 'system')[]) => {
      const messages = roles.map((role) => textMessage(role, 'Hello'))
      const encoded = encodeRequest({ messages }, modelNamed('mistral-medium-3-5'))
      return encoded.ok ? requestSizesOf({ messages }, encoded.body['messages']).turnsAfter : undefined
    }
    expect(turnsAfter('system', 'user', 'assistant', 'user')).toBe(0)
    expect(turnsAfter('user', 'assistant', 'system', 'user')).toBeNull()
  })

  it('is not pointed to where one was left out', () => {
    const body = { detail: [{ type: 'extra_forbidden', loc: ['body', 'messages', 2, 'user'], msg: 'zebra' }] }
    expect(read('mistral', 422, body, { ...ORIGIN, turnsAfter: 1 }).rejection?.member).toBe('messages')
  })

  it('1300 is a rate that passes', () =>
    expect(
      read('mistral', 429, mistralError('Rate limit exceeded', { type: 'rate_limited', code: '1300' })),
    ).toMatchObject({ cause: 'rate', retryable: true }))
})

describe('what is for the operator to mend', () => {
  it.each(EACH_PROVIDER.flatMap(([provider, { access }]) => access.map((refused) => [provider, ...refused] as const)))(
    'at %s, as %i, is neither refused nor tried again',
    (provider, status, body) => {
      expect(read(provider, status, body)).toMatchObject({
        cause: 'access',
        billed: 'no',
        retryable: false,
        rejection: null,
      })
    },
  )

  it('is not what a provider says while it works', () => {
    expect(read('anthropic', 500, anthropicError('x', 'permission_error')).cause).toBe('status')
    expect(read('google', 503, { error: { status: 'FAILED_PRECONDITION' } }).cause).toBe('overloaded')
  })

  it.each(EACH_PROVIDER.flatMap(([provider, { quoted }]) => quoted.map((body) => [provider, body] as const)))(
    'is not what a caller of %s has written, where an error repeats it',
    (provider, body) => {
      expect(read(provider, 400, body).cause).toBe('refused')
    },
  )

  it('is no rate that passes', () => {
    const plain = {
      error: { code: 429, message: 'You exceeded your current quota, see billing', status: 'RESOURCE_EXHAUSTED' },
    }
    expect(read('google', 429, plain)).toMatchObject({ cause: 'rate', retryable: true })
  })
})

describe('a rate that a request is beyond by itself', () => {
  const message =
    'Request too large for gpt-5.4 in organization org-zebra on tokens per min (TPM): Limit 9, Requested 10.'
  const beyond = { error: { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' } }

  it('is a rejection: waiting does not help', () => {
    const failure = read('openai', 429, beyond)
    expect(failure).toMatchObject({ cause: 'refused', billed: 'no', retryable: false })
    expect(failure.rejection).toEqual({ reason: 'beyond_rate', member: null })
    expect(JSON.stringify(failure)).not.toContain('zebra')
  })

  it('is another than one that is used up for the moment', () => {
    const reached = { ...beyond.error, message: message.replace('Request too large', 'Rate limit reached') }
    expect(read('openai', 429, { error: reached })).toMatchObject({ cause: 'rate', retryable: true, rejection: null })
  })
})

describe('the place of a turn', () => {
  const user = textMessage('user', 'Hello')
  const assistant = textMessage('assistant', 'Good day')
  const system = textMessage('system', 'Be short')

  const turnsAfter = (model: string, messages: ChatRequest['messages']) => {
    const request = { messages }
    const encoded = encodeRequest(request, modelNamed(model))
    if (!encoded.ok) throw new Error(encoded.unsupported.message)
    return requestSizesOf(request, encoded.body[chatOf(modelNamed(model).provider).turns ?? '']).turnsAfter
  }

  it.each<[string, ChatRequest['messages'], number | null, number | null]>([
    ['turns alone', [user, assistant, user], 0, 0],
    ['instructions first', [system, system, user, assistant, user], 0, 2],
    ['neighbours that become one', [system, user, user], 0, null],
    ['instructions among turns', [user, system, assistant, user], 0, null],
  ])('of %s', (_, messages, atOpenAi, elsewhere) => {
    expect(turnsAfter('gpt-4.1-mini', messages)).toBe(atOpenAi)
    expect(turnsAfter('claude-haiku-4-5', messages)).toBe(elsewhere)
    expect(turnsAfter('gemini-3.8-flash', messages)).toBe(elsewhere)
  })
})

describe('whatever a provider writes', () => {
  const NAMES = /^[a-z_]+(?:\[\d+\]|\.[a-z_]+)*$/

  it('only names of the standard and places that are there come out, and it is never waited for long', () => {
    const step = fc.oneof(
      fc.constantFrom(
        'messages',
        'contents',
        'tools',
        'function_declarations',
        'content',
        'image_url',
        'zebra',
        '__proto__',
      ),
      fc.nat(12).map(String),
      fc.string({ maxLength: 6 }),
    )
    const place = fc
      .tuple(
        fc.constantFrom('messages', 'tools', 'contents'),
        fc.nat(12),
        fc.constantFrom('content', 'function.name', 'input_schema', 'parts[1].text', 'content.1.text', 'zebra'),
      )
      .chain(([list, index, rest]) => fc.constantFrom(`${list}[${index}].${rest}`, `${list}.${index}.${rest}`))
    const path = fc.oneof(
      place,
      fc.array(step, { maxLength: 8 }).map((steps) => steps.join('.')),
    )
    const text = fc.oneof(
      path,
      path.map((named) => `${named}: no`),
      fc.string(),
    )
    fc.assert(
      fc.property(text, text, fc.constantFrom(...PROVIDER_IDS), (a, b, provider) => {
        const body = {
          error: {
            message: a,
            type: b,
            code: b,
            param: a,
            status: b,
            details: [{ fieldViolations: [{ field: b }] }],
          },
        }
        const { rejection } = read(provider, 400, body)
        if (rejection === null || rejection.member === null) return
        expect(rejection.member).toMatch(NAMES)
        expect(rejection.member).not.toMatch(/zebra|proto/)
        const [, list, index] = /^(messages|tools)\[(\d+)\]/.exec(rejection.member) ?? []
        if (list !== undefined) expect(Number(index)).toBeLessThan(list === 'messages' ? ORIGIN.messages : ORIGIN.tools)
      }),
      { numRuns: 500 },
    )
  })
})
