// Encodes a chat request for Mistral's chat completions. They have OpenAI's form, names of their own for some members, and refuse
// members that they do not know: `store`, `max_completion_tokens`, `stream_options`, `seed`, `user`, and `name` of a message.
import type { EncodedRequest, RoutedModel } from '../provider.ts'
import { outputLimit } from '../estimate-tokens.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { effectiveEffort } from '../adapt-request.policy.ts'
import { encodeSharedMembers } from '../openai/encode.ts'
import { isInstruction, joinText, type ChatRequest, type Message, type Tool } from '../chat-request.ts'

/** @see https://docs.mistral.ai/api/endpoint/chat */
export function encodeMistralChat(request: ChatRequest, model: RoutedModel): EncodedRequest {
  const { messages, tools, toolChoice, temperature } = request
  const { reasoningEfforts } = model.capabilities
  const shared = encodeSharedMembers(
    {
      ...request,
      messages: instructionsFirst(messages).flatMap(adaptMessage),
      tools: tools?.map(adaptTool),
      // At 0 only the likeliest token is left, and Mistral refuses a top_p other than 1.
      topP: temperature === 0 ? 1 : request.topP,
    },
    model,
  )
  return {
    ok: true,
    path: '/v1/chat/completions',
    headers: {},
    body: {
      ...shared,
      tool_choice: toolChoice === 'required' ? 'any' : shared['tool_choice'],
      max_tokens: outputLimit(request, model),
      // Always sent, because sources disagree about the default.
      reasoning_effort: effectiveEffort(request, model) ?? reasoningEfforts.find((effort) => effort === 'none'),
      random_seed: request.seed,
      prompt_cache_key: request.cacheGroup,
      n: request.n,
      ...request.extraParameters,
      stream: request.stream === true ? true : undefined,
    },
  }
}

/** Mistral refuses a system message after the first answer. */
const instructionsFirst = (messages: readonly Message[]): Message[] => [
  ...messages.filter(isInstruction),
  ...messages.filter((message) => !isInstruction(message)),
]

const CALL_ID = /^[a-zA-Z0-9]{9}$/

/** Mistral's ids have nine letters or digits. Another id is replaced by the same one in the call and in its result. */
const callId = (id: string): string => (CALL_ID.test(id) ? id : sha256Hex(id).slice(0, 9))

/** Returns no message for an assistant that says nothing, which Mistral refuses. */
function adaptMessage(message: Message): Message[] {
  const { content } = message
  if (isInstruction(message)) return [{ role: 'system', content: message.content }]
  if (message.role === 'tool') return [{ role: 'tool', toolCallId: callId(message.toolCallId), content }]
  if (message.role === 'user') return [{ role: 'user', content }]
  const { toolCalls = [] } = message
  if (toolCalls.length === 0 && joinText(content) === '') return []
  const calls = toolCalls.map((call) => ({ id: callId(call.id), name: call.name, arguments: call.arguments }))
  return [{ role: 'assistant', content: message.content, toolCalls: calls }]
}

/** Mistral requires a schema of the arguments, even for none. */
const adaptTool = ({ name, description, parameters = {}, strict }: Tool): Tool => ({
  name,
  description,
  parameters,
  strict,
})
