// POST /v1/responses.
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
import type { CallService } from '../call/call.service.ts'
import { ResponseSchema } from './response.schema.ts'
import { readResponsesRequest } from './responses-request.policy.ts'
import { ResponsesRequestSchema } from './responses-request.schema.ts'

export function responsesRoutes(service: CallService, admit: Admit): Api {
  const { api, add } = selfAdmittingOperations(admit)
  add(
    {
      route: 'POST /v1/responses',
      operationId: 'createResponse',
      tags: ['Gateway'],
      summary: 'Create a response',
      description:
        'OpenAI’s Responses, over the models of four providers, without any memory: nothing is stored, so that each request ' +
        'holds the whole conversation. It is the same call as a chat completion: the same limits, records and prices. What a ' +
        'model’s provider cannot do is refused by name; a temperature or top_p that a model does not take is left out, and ' +
        '`x-aqta-dropped` names it. `aqta` tells the trace, the outcome and the cost. ' +
        'With `stream` the answer is server-sent events; the last one is `response.completed` or `response.incomplete`, with ' +
        'the whole response, or `error`. Comments stand between them where the provider is silent.',
      security: [{ gatewayKey: [] }],
      headers: CallHeadersSchema,
      body: ResponsesRequestSchema,
      answers: {
        200: {
          description: 'The answer; as server-sent events where `stream` is true.',
          headers: { ...RATE_HEADERS, ...TRACE_HEADERS, ...DROPPED_HEADER, ...REPLAYED_HEADER },
          content: {
            'application/json': { schema: ResponseSchema },
            'text/event-stream': { schema: z.string() },
          },
        },
      },
      errors: CALL_CODES,
      errorBodies: callErrorBodies,
    },
    ({ c }) => service.answerCall(c, readResponsesRequest),
  )
  return api
}
