import { PROVIDER_NAMES, type CallOperation } from '../../call/call-operation.ts'
import { ChatCompletionSchema } from './chat-completion.ts'
import { ChatRequestSchema } from './chat-request.schema.ts'
import { readChatRequest } from './read-chat-request.ts'

export const chatOperation: CallOperation = {
  route: 'POST /v1/chat/completions',
  operationId: 'createChatCompletion',
  summary: 'Create a chat completion',
  description:
    `OpenAI’s chat completions, with the models of ${PROVIDER_NAMES}, and the signed record of each decision. ` +
    'Your policy decides about the call before it leaves. A request for something that the model’s provider cannot do is ' +
    'refused by name. A sampling parameter that the model does not take is left out, and an output limit above the model’s ' +
    'own is lowered: `x-aqta-dropped` names both. `aqta` has the trace, the outcome and the cost.\n\n' +
    'With `stream` the answer is server-sent events that end with `data: [DONE]`. Comments are sent between them while the ' +
    'provider is silent. A stream that fails ends with an event that has `error`, and without `data: [DONE]`.',
  body: ChatRequestSchema,
  answer: ChatCompletionSchema,
  read: readChatRequest,
  errors: 'standard',
}
