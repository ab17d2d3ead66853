import { PROVIDER_NAMES, type CallOperation } from '../../call/call-operation.ts'
import { MessageSchema } from './message-object.ts'
import { ClientQuerySchema, MessagesRequestSchema } from './messages-request.schema.ts'
import { readMessagesRequest } from './read-messages-request.ts'

export const messagesOperation: CallOperation = {
  route: 'POST /v1/messages',
  operationId: 'createMessage',
  summary: 'Create a message',
  description:
    `Anthropic’s Messages, with the models of ${PROVIDER_NAMES}, and the signed record of each decision. ` +
    'Limits, records and prices are those of a chat completion. Where no text is redacted, Anthropic gets the body as it came, ' +
    'so that its cache, its thoughts and its betas work. By other routes a request is translated: what a model is told the ' +
    'same without is left out and named in `x-aqta-dropped`, and what has no counterpart is refused by name. The key may be in ' +
    '`x-api-key`. Errors have Anthropic’s shape, with this service’s code in `error.code`.\n\n' +
    'With `stream` the answer is Anthropic’s events. `aqta` is in `message_start` as far as it is known, and whole in ' +
    '`message_delta`. A stream that fails ends with the event `error`, and without `message_stop`.',
  body: MessagesRequestSchema,
  answer: MessageSchema,
  read: readMessagesRequest,
  errors: 'messages',
  query: ClientQuerySchema,
}
