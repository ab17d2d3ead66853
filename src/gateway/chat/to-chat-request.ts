// The caller's request as the adapters take it. Every member has its counterpart; none is left behind.
import type { ChatRequest, Message, TextPart } from '../../providers/request.ts'
import type { WireMessage } from './chat-message.schema.ts'
import { EXTRA_PARAMETERS, type WireRequest } from './chat-request.schema.ts'

export function toChatRequest(wire: WireRequest): ChatRequest {
  return {
    messages: wire.messages.map(toMessage),
    stream: wire.stream ?? undefined,
    tools: wire.tools?.map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description ?? undefined,
      parameters: tool.parameters ?? undefined,
      strict: tool.strict ?? undefined,
    })),
    toolChoice: typeof wire.tool_choice === 'object' ? wire.tool_choice?.function : wire.tool_choice,
    parallelToolCalls: wire.parallel_tool_calls ?? undefined,
    responseFormat: toResponseFormat(wire.response_format),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    maxTokens: wire.max_completion_tokens ?? wire.max_tokens ?? undefined,
    stop: typeof wire.stop === 'string' ? [wire.stop] : (wire.stop ?? undefined),
    n: wire.n ?? undefined,
    seed: wire.seed ?? undefined,
    user: wire.user ?? undefined,
    reasoningEffort: wire.reasoning_effort ?? undefined,
    extraParameters: toExtraParameters(wire),
  }
}

function toMessage(message: WireMessage): Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: message.role, content: toText(message.content), name: message.name ?? undefined }
    case 'user':
      return { role: 'user', content: toUserParts(message.content), name: message.name ?? undefined }
    case 'assistant':
      return {
        role: 'assistant',
        // What a model declined with is what it said.
        content: [...toText(message.content ?? []), ...toText(message.refusal ?? [])],
        toolCalls: message.tool_calls?.map(({ id, function: call, extra_content: extra }) => ({
          id,
          ...call,
          signature: extra?.google.thought_signature,
        })),
        name: message.name ?? undefined,
      }
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content: toText(message.content) }
  }
}

const toText = (content: string | readonly TextPart[]): readonly TextPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

type UserContent = Extract<WireMessage, { role: 'user' }>['content']

const toUserParts = (content: UserContent): Extract<Message, { role: 'user' }>['content'] =>
  typeof content === 'string'
    ? toText(content)
    : content.map((part) =>
        part.type === 'text'
          ? part
          : { type: 'image', url: part.image_url.url, detail: part.image_url.detail ?? undefined },
      )

function toResponseFormat(format: WireRequest['response_format']): ChatRequest['responseFormat'] {
  if (!format) return undefined
  if (format.type !== 'json_schema') return format
  const { name, schema, description, strict } = format.json_schema
  return { type: 'json_schema', name, schema, description: description ?? undefined, strict: strict ?? undefined }
}

/** A value that changes nothing is the same as none: some clients always send their defaults. */
const NEUTRAL = new Set<unknown>([null, undefined, 0, false])

function toExtraParameters(wire: WireRequest): ChatRequest['extraParameters'] {
  const given = EXTRA_PARAMETERS.filter((name) => !NEUTRAL.has(wire[name]))
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, wire[name]]))
}
