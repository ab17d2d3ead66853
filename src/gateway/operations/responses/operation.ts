import { PROVIDER_NAMES, type CallOperation } from '../../call/call-operation.ts'
import { readResponsesRequest } from './read-responses-request.ts'
import { ResponseSchema } from './response-object.ts'
import { ResponsesRequestSchema } from './responses-request.schema.ts'

export const responsesOperation: CallOperation = {
  route: 'POST /v1/responses',
  operationId: 'createResponse',
  summary: 'Create a response',
  description:
    `OpenAI’s Responses, with the models of ${PROVIDER_NAMES}, and the signed record of each decision. ` +
    'Nothing is stored, so each request has the whole conversation. Limits, records and prices are those of a chat ' +
    'completion. A request for something that the model’s provider cannot do is refused by name. A `temperature` or `top_p` ' +
    'that the model does not take is left out, and a `max_output_tokens` above the model’s own is lowered: `x-aqta-dropped` ' +
    'names both. `aqta` has the trace, the outcome and the cost.\n\n' +
    'With `stream` the answer is server-sent events. The last one is `response.completed` or `response.incomplete`, with ' +
    'the whole response, or `error`. Comments are sent between them while the provider is silent.',
  body: ResponsesRequestSchema,
  answer: ResponseSchema,
  read: readResponsesRequest,
  errors: 'standard',
}
