// POST /v1/chat/completions.
import { createRoute, z } from '@hono/zod-openapi'
import { errorResponses, errorWith } from '../../platform/error.schema.ts'
import { RATE_HEADERS } from '../../platform/responses.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import { AqtaSchema } from '../call/aqta.schema.ts'
import { CallHeadersSchema } from '../call/call-headers.schema.ts'
import { readChatRequest } from './chat-request.policy.ts'
import { chatRequestSchema } from './chat-request.schema.ts'
import type { CallService } from '../call/call.service.ts'
import { ChatCompletionSchema } from './completion.schema.ts'

const traceHeader = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })

const TRACE_HEADERS = {
  'x-aqta-trace-id': traceHeader('The trace of the call.'),
  'x-aqta-attestation-id': traceHeader(
    'Of the signed record of the decision: GET /v1/attestations/{id} gives it at any time.',
  ),
  'x-aqta-status': traceHeader('passed, suppressed or blocked.'),
}

const aqta = AqtaSchema.optional().openapi({ description: 'There once a decision about the request is recorded.' })

const ChatErrorSchema = errorWith('ChatError', { aqta }, { aqta })

const CODES = [
  'missing_parameter',
  'invalid_request',
  'invalid_api_key',
  'quota_exceeded',
  'model_not_allowed',
  'scope_required',
  'model_not_found',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'loop_detected',
  'provider_error',
  'provider_timeout',
  'service_unavailable',
  'internal_error',
] as const

const createChatCompletion = createRoute({
  method: 'post',
  path: '/v1/chat/completions',
  operationId: 'createChatCompletion',
  tags: ['Gateway'],
  summary: 'Create a chat completion',
  description:
    'OpenAI’s chat completions, over the models of four providers. What a model’s provider cannot do is refused by name ' +
    'and never dropped. `aqta` tells the trace, the outcome and the cost. With `stream` the answer is server-sent ' +
    'events that end with `data: [DONE]`, with comments between them where the provider is silent; a stream that fails ends ' +
    'with an event that holds `error`, and without that mark.',
  security: [{ gatewayKey: [] }],
  request: {
    headers: CallHeadersSchema,
    body: { required: true, content: { 'application/json': { schema: chatRequestSchema } } },
  },
  responses: {
    200: {
      description: 'The answer; as server-sent events where `stream` is true.',
      headers: { ...RATE_HEADERS, ...TRACE_HEADERS },
      content: {
        'application/json': { schema: ChatCompletionSchema },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...errorResponses(CODES, Object.fromEntries(CODES.map((code) => [code, ChatErrorSchema]))),
  },
})

export function chatRoutes(service: CallService, admit: Admit): Api {
  const api = createApi()
  mount(api, createChatCompletion, (c) => service.answerCall(c, readChatRequest), { admit })
  return api
}
