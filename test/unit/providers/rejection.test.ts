// Tests what is read of a provider's error: which member, and why. Nothing of its words comes out.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../../src/providers/adapter.ts'
import { catalogueRoutes } from '../../../src/providers/model-catalogue.ts'
import { adapters, encodeRequest } from '../../../src/providers/adapter-by-dialect.ts'
import { requestSizesOf, type RequestSizes, type RejectionReason } from '../../../src/providers/rejection.ts'
import { PROVIDER_IDS, type ProviderId } from '../../../src/providers/provider-registry.ts'
import { textMessage, type ChatRequest } from '../../../src/providers/chat-request.ts'
import { statusFailure } from '../../../src/providers/call-retry.policy.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

function adapterOf(provider: ProviderId): Adapter {
  const model = catalogueRoutes().find((one) => one.provider === provider)
  if (model === undefined) throw new Error(`data/models.json has no model of ${provider}`)
  return adapters[model.wire.dialect]
}

/** Two instructions before six turns, each a message of its own; three tools. */
const ORIGIN: RequestSizes = { messages: 8, tools: 3, turnsAfter: 2 }

const read = (provider: ProviderId, status: number, body: unknown, origin = ORIGIN) =>
  statusFailure(
    { status, headers: new Headers(), body },
    { readRejection: adapterOf(provider).readRejection, requestSizes: origin },
    0,
  )

const openai = (code: string | null, param: string | null, message = 'zebra') => ({
  error: { message, type: 'invalid_request_error', param, code },
})
const anthropic = (message: string, type = 'invalid_request_error') => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
})
const google = (message: string, field?: string) => ({
  error: {
    code: 400,
    message,
    status: 'INVALID_ARGUMENT',
    details:
      field === undefined ? undefined : [{ '@type': 'x' }, { fieldViolations: [{ field, description: message }] }],
  },
})

type Case = [provider: ProviderId, what: string, body: unknown, reason: RejectionReason, member: string | null]

const CASES: Case[] = [
  [
    'google',
    'how much is thought, which no field names',
    google('Thinking level LOW is not supported for this model.'),
    'member',
    'reasoning_effort',
  ],
  [
    'google',
    'a form beside forced tools, which no field names',
    google("Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported"),
    'member',
    'response_format',
  ],
  ['openai', 'a part', openai(null, 'messages.[2].content.[1].type'), 'member', 'messages[2].content[1].type'],
  [
    'openai',
    'a member of a message',
    openai('string_above_max_length', 'messages[7].name'),
    'member',
    'messages[7].name',
  ],
  ['openai', 'a value', openai('unsupported_value', 'temperature'), 'member', 'temperature'],
  ['openai', 'a limit by its older name', openai('invalid_value', 'max_tokens'), 'member', 'max_completion_tokens'],
  [
    'openai',
    'a picture',
    openai('image_parse_error', 'messages.[1].content.[0].image_url'),
    'media',
    'messages[1].content[0].image_url',
  ],
  ['openai', 'a picture without a place', openai('invalid_base64_image', null), 'media', null],
  [
    'openai',
    'a picture by its words',
    openai('sanitizer_server_error', null, 'You uploaded an unsupported image, zebra'),
    'media',
    null,
  ],
  [
    'openai',
    'a picture without a code',
    openai(null, 'messages[1].content[0].image_url.url'),
    'media',
    'messages[1].content[0].image_url.url',
  ],
  [
    'openai',
    'a tool',
    openai('invalid_function_parameters', 'tools[2].function.parameters'),
    'schema',
    'tools[2].function.parameters',
  ],
  [
    'openai',
    'a form',
    openai(null, 'response_format', "Invalid schema for response_format 'zebra'"),
    'schema',
    'response_format',
  ],
  ['openai', 'length', openai('context_length_exceeded', 'messages'), 'too_long', 'messages'],
  [
    'openai',
    'length in words',
    openai(null, null, "This model's maximum context length is 9 tokens"),
    'too_long',
    null,
  ],
  ['openai', 'its policy', openai('content_policy_violation', null), 'content', null],
  ['openai', 'a member of no request', openai('unknown_parameter', 'zebra.stripes'), 'unknown', null],
  [
    'openai',
    'a name of the caller’s own within a schema',
    openai('invalid_value', 'tools[0].function.parameters.properties.zebra'),
    'schema',
    'tools[0].function.parameters',
  ],
  ['openai', 'a message that is not there', openai('invalid_value', 'messages[8].content'), 'member', 'messages'],
  ['anthropic', 'a turn', anthropic('messages.3: zebra'), 'member', 'messages[5]'],
  ['anthropic', 'a text of a turn', anthropic('messages.0.content.1.text: zebra'), 'member', 'messages[2].content'],
  [
    'anthropic',
    'a picture',
    anthropic('messages.4.content.0.image.source.base64.data: zebra'),
    'media',
    'messages[6].content',
  ],
  [
    'anthropic',
    'a picture in a result',
    anthropic('messages.2.content.0.tool_result.content.0.image.source: zebra'),
    'media',
    'messages[4].content',
  ],
  ['anthropic', 'a picture without a place', anthropic('Could not process image'), 'media', null],
  ['anthropic', 'a call', anthropic('messages.1.content.0.tool_use.id: zebra'), 'member', 'messages[3]'],
  ['anthropic', 'all turns', anthropic('messages: zebra'), 'member', 'messages'],
  ['anthropic', 'instructions', anthropic('system.0.text: zebra'), 'member', 'messages'],
  ['anthropic', 'a tool', anthropic('tools.1.custom.input_schema: zebra'), 'schema', 'tools[1].function.parameters'],
  ['anthropic', 'a tool’s name', anthropic('tools.0.custom.name: zebra'), 'member', 'tools[0].function.name'],
  ['anthropic', 'a tool that is not there', anthropic('tools.3.custom.name: zebra'), 'member', 'tools'],
  ['bedrock', 'a limit, in AWS’s form', { message: 'max_tokens: 9 > 8, zebra' }, 'member', 'max_completion_tokens'],
  [
    'anthropic',
    'a form',
    anthropic('output_config.format.schema: zebra'),
    'schema',
    'response_format.json_schema.schema',
  ],
  ['anthropic', 'a limit', anthropic('max_tokens: 9 > 8, zebra'), 'member', 'max_completion_tokens'],
  ['anthropic', 'two values', anthropic('`temperature` and `top_p` zebra'), 'member', 'temperature'],
  ['anthropic', 'length', anthropic('prompt is too long: 9 tokens > 8 maximum'), 'too_long', 'messages'],
  [
    'anthropic',
    'length with the answer',
    anthropic('input length and `max_tokens` exceed context limit: 9 + 9 > 8'),
    'too_long',
    'messages',
  ],
  ['anthropic', 'its policy', anthropic('Output blocked by content filtering policy'), 'content', null],
  ['anthropic', 'something', anthropic('zebra stripes: are black'), 'unknown', null],
  ['google', 'a turn', google('zebra', 'contents[3].parts[0].text'), 'member', 'messages[5]'],
  ['google', 'a picture', google('zebra', 'contents[0].parts[2].inline_data.data'), 'media', 'messages[2]'],
  ['google', 'a picture without a place', google('Unable to process input image. Zebra'), 'media', null],
  [
    'google',
    'a tool',
    google(
      'Invalid JSON payload received. Unknown name "zebra" at \'tools[0].function_declarations[2].parameters.properties[8].value\': Cannot find field.',
    ),
    'schema',
    'tools[2].function.parameters',
  ],
  [
    'google',
    'a tool’s name',
    google(
      'The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[1].name: [FIELD_INVALID] zebra',
    ),
    'member',
    'tools[1].function.name',
  ],
  [
    'google',
    'a form',
    google('* GenerateContentRequest.generation_config.response_json_schema: zebra'),
    'schema',
    'response_format.json_schema.schema',
  ],
  [
    'google',
    'a form in camel case',
    google('zebra', 'generationConfig.responseJsonSchema'),
    'schema',
    'response_format.json_schema.schema',
  ],
  ['google', 'a value', google('zebra', 'generation_config.top_p'), 'member', 'top_p'],
  [
    'google',
    'a value of the whole',
    google('zebra', 'GenerateContentRequest.generation_config.seed'),
    'member',
    'seed',
  ],
  ['google', 'a member of every object', google('zebra', 'generation_config.constructor'), 'unknown', null],
  [
    'google',
    'length',
    google('The input token count (9) exceeds the maximum number of tokens allowed (8).'),
    'too_long',
    'messages',
  ],
  ['google', 'bytes', google('Request payload size exceeds the limit: 8 bytes.'), 'too_large', null],
  ['google', 'something in a list', [google('Request contains an invalid argument.')], 'unknown', null],
  ['perplexity', 'a turn', openai(null, 'input[3].content'), 'member', 'messages'],
  ['perplexity', 'a tool', openai(null, 'tools[1].parameters'), 'schema', 'tools[1].function.parameters'],
  ['perplexity', 'a limit', openai(null, 'max_output_tokens'), 'member', 'max_completion_tokens'],
  [
    'perplexity',
    'a number for a code',
    { error: { message: 'zebra', type: 'invalid_message', code: 400 } },
    'unknown',
    null,
  ],
]

describe('a rejection', () => {
  it.each(CASES)('of %s about %s is read', (provider, _, body, reason, member) => {
    const failure = read(provider, 400, body)
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
    const body = anthropic('tools.0.custom.input_schema: zebra')
    expect(read('bedrock', 400, body, { ...ORIGIN, tools: 0 }).rejection).toEqual({
      reason: 'schema',
      member: 'response_format.json_schema.schema',
    })
  })

  it('points to no turn where the turns are not the messages one by one', () => {
    const merged = { ...ORIGIN, turnsAfter: null }
    expect(read('anthropic', 400, anthropic('messages.3.content.0: zebra'), merged).rejection?.member).toBe('messages')
    expect(read('google', 400, google('zebra', 'contents[3]'), merged).rejection?.member).toBe('messages')
  })
})

const ON_DEMAND =
  'Invocation of model ID anthropic.claude-zebra with on-demand throughput isn’t supported. Retry your request with an inference profile.'

describe('what is for the operator to mend', () => {
  it.each<[ProviderId, number, unknown]>([
    ['openai', 429, openai('insufficient_quota', null)],
    ['openai', 400, openai('billing_hard_limit_reached', null)],
    ['openai', 400, openai('unsupported_value', 'stream', 'Your organization must be verified to stream this model.')],
    ['anthropic', 400, anthropic('Your credit balance is too low to access the Anthropic API.')],
    ['anthropic', 400, anthropic('You have reached your specified API usage limits.')],
    ['anthropic', 400, anthropic('This organization has been disabled.')],
    ['bedrock', 400, { message: ON_DEMAND }],
    ['bedrock', 400, { Message: ON_DEMAND }],
    ['bedrock', 400, anthropic('You have no access to this model.', 'permission_error')],
    ['bedrock', 403, { Message: 'Authentication failed.' }],
    ['google', 400, { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } }],
    ['google', 400, google('API key expired. Please renew the API key.')],
    ['google', 400, { error: { code: 400, message: 'User location', status: 'FAILED_PRECONDITION' } }],
    ['perplexity', 400, { error: { message: "Invalid model 'zebra'.", type: 'invalid_model', code: 400 } }],
    [
      'google',
      429,
      { error: { code: 429, message: 'Your prepayment credits are depleted.', status: 'RESOURCE_EXHAUSTED' } },
    ],
    ['google', 429, google('Your project has exceeded its monthly spending cap.')],
    ['openai', 429, openai(null, null, 'You exceeded your current quota, please check your plan.')],
    ['perplexity', 401, undefined],
    ['perplexity', 429, openai('insufficient_quota', null)],
  ])('at %s, as %i, is neither refused nor tried again', (provider, status, body) => {
    expect(read(provider, status, body)).toMatchObject({
      cause: 'access',
      billed: 'no',
      retryable: false,
      rejection: null,
    })
  })

  it('is not what a provider says while it works', () => {
    expect(read('anthropic', 500, anthropic('x', 'permission_error')).cause).toBe('status')
    expect(read('google', 503, { error: { status: 'FAILED_PRECONDITION' } }).cause).toBe('overloaded')
  })

  it.each<[ProviderId, unknown]>([
    ['openai', openai('invalid_function_parameters', 'tools[0]', "Invalid schema: 'your current quota' is no type.")],
    ['openai', openai('invalid_value', 'user', "Invalid value: 'organization must be verified'.")],
    ['anthropic', anthropic('tools.0.custom.input_schema: credit balance is no type')],
    ['anthropic', anthropic('`usage limits` is not a tool')],
    ['bedrock', { message: `tools.0.custom.name: ${ON_DEMAND}` }],
    ['google', google('Invalid value at \'tools[0].function_declarations[0].name\', "API key not valid"')],
    ['google', google('Unknown name "spending cap" at \'tools[0].function_declarations[0]\': Cannot find field.')],
  ])('is not what a caller of %s has written, where an error repeats it', (provider, body) => {
    expect(read(provider, 400, body).cause).toBe('refused')
  })

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
    return requestSizesOf(request, encoded.body).turnsAfter
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
