// Our request for Perplexity's Agent API, which has the shape of OpenAI's Responses and refuses any field it does not
// know. The model is pinned beside the preset; system text replaces the preset's own.
import type { Encoded } from '../adapter.ts'
import type { Model } from '../catalogue.schema.ts'
import { outputLimit } from '../estimate.ts'
import { encodeResponseFormat } from '../openai/encode.ts'
import type { JsonObject } from '../json.ts'
import { joinText, type ChatRequest, type Message } from '../request.ts'

export function encodePerplexityAgent(request: ChatRequest, model: Model): Encoded {
  const names = new Map<string, string>()
  for (const message of request.messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id, call.name)
  }
  const instructions = request.messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [joinText(message.content)] : [],
  )
  const { responseFormat, tools } = request
  return {
    ok: true,
    path: '/v1/agent',
    headers: {},
    body: {
      model: model.wire.model,
      preset: model.wire.dialect === 'perplexity-agent' ? model.wire.preset : undefined,
      instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'),
      input: request.messages.flatMap((message) => encodeMessage(message, names)),
      max_output_tokens: outputLimit(request, model),
      max_steps: model.search?.steps,
      temperature: request.temperature,
      top_p: request.topP,
      reasoning: request.reasoningEffort && { effort: request.reasoningEffort },
      response_format:
        responseFormat === undefined || responseFormat.type === 'text'
          ? undefined
          : encodeResponseFormat(responseFormat),
      tools: tools?.map(({ name, description, parameters, strict }) => ({
        type: 'function',
        name,
        description,
        parameters,
        strict,
      })),
      tool_choice:
        typeof request.toolChoice === 'object'
          ? { type: 'function', name: request.toolChoice.name }
          : request.toolChoice,
      parallel_tool_calls: request.parallelToolCalls,
      store: false,
      stream: request.stream === true ? true : undefined,
    },
  }
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>): JsonObject[] {
  if (message.role === 'system' || message.role === 'developer') return []
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: encodeContent(message.content) }]
  const text = joinText(message.content)
  if (message.role === 'tool') {
    const { toolCallId } = message
    return [{ type: 'function_call_output', call_id: toolCallId, name: names.get(toolCallId), output: text }]
  }
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    thought_signature: call.signature,
  }))
  return [...(text === '' ? [] : [{ type: 'message', role: 'assistant', content: text }]), ...calls]
}

function encodeContent(parts: Message['content']): unknown {
  const [first] = parts
  if (parts.length === 1 && first?.type === 'text') return first.text
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : { type: 'input_image', image_url: part.url },
  )
}
