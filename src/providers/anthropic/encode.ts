// Our request as an Anthropic message. System text moves to the top, tool results become part of the user's turn, and
// arguments become objects.
import type { Encoded } from '../adapter.ts'
import type { Model } from '../catalogue.schema.ts'
import { outputLimit } from '../estimate.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import { parseJsonObject, type JsonObject } from '../json.ts'
import {
  joinText,
  parseImageUrl,
  parseMediaUrl,
  type ChatRequest,
  type MediaPart,
  type Message,
  type TextPart,
} from '../request.ts'

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] }

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

export function encodeAnthropic(request: ChatRequest, model: Model): Encoded {
  const fault = openingFault(request.messages) ?? imageTypeFault(request.messages)
  if (fault !== null) return { ok: false, unsupported: fault }
  const system = request.messages.flatMap(({ role, content }) =>
    role === 'system' || role === 'developer' ? encodeParts(content) : [],
  )
  const { responseFormat, reasoningEffort } = request
  return {
    ok: true,
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model: model.wire.model,
      max_tokens: outputLimit(request, model),
      system: system.length === 0 ? undefined : system,
      messages: encodeTurns(request.messages),
      temperature: model.capabilities.temperature === null ? undefined : request.temperature,
      top_p: model.capabilities.topP ? request.topP : undefined,
      stop_sequences: request.stop,
      metadata: request.user === undefined ? undefined : { user_id: request.user },
      ...encodeTools(request, model),
      output_config:
        responseFormat?.type === 'json_schema' || reasoningEffort !== undefined
          ? {
              effort: reasoningEffort,
              format:
                responseFormat?.type === 'json_schema'
                  ? { type: 'json_schema', schema: responseFormat.schema }
                  : undefined,
            }
          : undefined,
      stream: request.stream === true ? true : undefined,
    },
  }
}

function encodeTools(request: ChatRequest, model: Model): JsonObject {
  const { tools = [], toolChoice = 'auto', parallelToolCalls } = request
  if (tools.length === 0) return {}
  const forced = typeof toolChoice === 'object' || toolChoice === 'required'
  const choice =
    typeof toolChoice === 'object'
      ? { type: 'tool', name: toolChoice.name }
      : { type: toolChoice === 'required' ? 'any' : toolChoice }
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      name,
      description,
      input_schema: parameters ?? { type: 'object', properties: {} },
      strict,
    })),
    tool_choice:
      parallelToolCalls === false && toolChoice !== 'none' ? { ...choice, disable_parallel_tool_use: true } : choice,
    // A tool cannot be forced on a model that is thinking.
    thinking: forced && model.capabilities.reasoningByDefault ? { type: 'disabled' } : undefined,
  }
}

function encodeTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = encodeContent(message)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content })
  }
  return turns
}

function encodeContent(message: Message): JsonObject[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: joinText(message.content) }]
  }
  const parts = encodeParts(message.content)
  if (message.role !== 'assistant') return parts
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: parseJsonObject(call.arguments) ?? {},
  }))
  return [...parts, ...calls]
}

/** Blocks of blank text are left out: the API refuses them. */
function encodeParts(parts: readonly (TextPart | MediaPart)[]): JsonObject[] {
  return parts
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : encodeMedia(part)))
}

function encodeMedia({ type, url }: MediaPart): JsonObject {
  const media = parseMediaUrl(url)
  const source =
    media?.source === 'data'
      ? { type: 'base64', media_type: media.mediaType, data: media.base64 }
      : { type: 'url', url }
  return { type: type === 'image' ? 'image' : 'document', source }
}

function openingFault(messages: readonly Message[]): Unsupported | null {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  if (messages[first]?.role !== 'assistant') return null
  return unsupported(`messages[${first}].role`, 'A conversation with this model begins with the user.')
}

function imageTypeFault(messages: readonly Message[]): Unsupported | null {
  for (const [at, { content }] of messages.entries()) {
    for (const [position, part] of content.entries()) {
      const image = part.type === 'image' ? parseImageUrl(part.url) : null
      if (image?.source === 'data' && !IMAGE_TYPES.has(image.mediaType)) {
        return unsupported(
          `messages[${at}].content[${position}].image_url`,
          'This model takes JPEG, PNG, GIF and WebP images only.',
        )
      }
    }
  }
  return null
}
