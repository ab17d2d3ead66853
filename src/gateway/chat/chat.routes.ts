// POST /v1/chat/completions.
import { z } from '@hono/zod-openapi'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import { RATE_HEADERS } from '../../platform/responses.ts'
import type { Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import {
  CALL_CODES,
  callErrorBodies,
  DROPPED_HEADER,
  REPLAYED_HEADER,
  TRACE_HEADERS,
} from '../call/call-description.ts'
import { CallHeadersSchema } from '../call/call-headers.ts'
import { readChatRequest } from './chat-request.policy.ts'
import { ChatRequestSchema } from './chat-request.schema.ts'
import type { CallService } from '../call/call.service.ts'
import { ChatCompletionSchema } from './completion.schema.ts'

export function chatRoutes(service: CallService, admit: Admit): Api {
  const { api, add } = selfAdmittingOperations(admit)
  add(
    {
      route: 'POST /v1/chat/completions',
      operationId: 'createChatCompletion',
      tags: ['Gateway'],
      summary: 'Create a chat completion',
      description:
        'OpenAI’s chat completions, over the models of four providers. What a model’s provider cannot do is refused by name; ' +
        'sampling parameters that a model does not take are left out, and `x-aqta-dropped` names them. `aqta` tells the trace, the outcome and the cost. With `stream` the answer is server-sent ' +
        'events that end with `data: [DONE]`, with comments between them where the provider is silent; a stream that fails ends ' +
        'with an event that holds `error`, and without that mark.',
      security: [{ gatewayKey: [] }],
      headers: CallHeadersSchema,
      body: ChatRequestSchema,
      answers: {
        200: {
          description: 'The answer; as server-sent events where `stream` is true.',
          headers: { ...RATE_HEADERS, ...TRACE_HEADERS, ...DROPPED_HEADER, ...REPLAYED_HEADER },
          content: {
            'application/json': { schema: ChatCompletionSchema },
            'text/event-stream': { schema: z.string() },
          },
        },
      },
      errors: CALL_CODES,
      errorBodies: callErrorBodies,
    },
    ({ c }) => service.answerCall(c, readChatRequest),
  )
  return api
}
