// Our request as Gemini's native generateContent. Tool results are matched by function name there, so the name is looked
// up from the call they answer.
import type { Encoded } from '../adapter.ts'
import type { Model } from '../catalogue.schema.ts'
import { outputLimit } from '../estimate.ts'
import { parseJsonObject, type JsonObject } from '../json.ts'
import {
  joinText,
  parseMediaUrl,
  type ChatRequest,
  type MediaPart,
  type Message,
  type TextPart,
  type ToolCall,
} from '../request.ts'

type Turn = { role: 'user' | 'model'; parts: JsonObject[] }

/** Google's documented stand-in where the client could not keep the signature of a call. */
const SKIP_SIGNATURE = 'skip_thought_signature_validator'

export function encodeGemini(request: ChatRequest, model: Model): Encoded {
  const name = encodeURIComponent(model.wire.model)
  const method = request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const system = request.messages.flatMap(({ role, content }) =>
    role === 'system' || role === 'developer' ? encodeParts(content) : [],
  )
  return {
    ok: true,
    path: `/v1beta/models/${name}:${method}`,
    headers: {},
    body: {
      systemInstruction: system.length === 0 ? undefined : { parts: system },
      contents: encodeTurns(request.messages),
      ...encodeTools(request),
      generationConfig: {
        temperature: request.temperature,
        topP: request.topP,
        maxOutputTokens: outputLimit(request, model),
        stopSequences: request.stop,
        candidateCount: request.n === 1 ? undefined : request.n,
        seed: request.seed,
        thinkingConfig: request.reasoningEffort && { thinkingLevel: request.reasoningEffort },
        ...encodeFormat(request),
      },
    },
  }
}

function encodeFormat({ responseFormat }: ChatRequest): JsonObject {
  if (responseFormat === undefined || responseFormat.type === 'text') return {}
  return {
    responseMimeType: 'application/json',
    responseJsonSchema: responseFormat.type === 'json_schema' ? responseFormat.schema : undefined,
  }
}

function encodeTools({ tools = [], toolChoice = 'auto' }: ChatRequest): JsonObject {
  if (tools.length === 0) return {}
  const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const
  return {
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters,
        })),
      },
    ],
    toolConfig: {
      functionCallingConfig:
        typeof toolChoice === 'object'
          ? { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
          : { mode: modes[toolChoice] },
    },
  }
}

function encodeTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  const names = new Map<string, string>()
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id, call.name)
    const role = message.role === 'assistant' ? 'model' : 'user'
    const parts = encodeMessage(message, names)
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) turns.push({ role, parts })
  }
  return turns
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>): JsonObject[] {
  if (message.role === 'tool') {
    const text = joinText(message.content)
    const response = parseJsonObject(text) ?? { result: text }
    return [{ functionResponse: { id: message.toolCallId, name: names.get(message.toolCallId), response } }]
  }
  const parts = encodeParts(message.content)
  return message.role === 'assistant' ? [...parts, ...(message.toolCalls ?? []).map(encodeCall)] : parts
}

/** Only the first call of a step carries a signature; the others have none to give back. */
function encodeCall(call: ToolCall, position: number): JsonObject {
  return {
    functionCall: { id: call.id, name: call.name, args: parseJsonObject(call.arguments) ?? {} },
    thoughtSignature: call.signature ?? (position === 0 ? SKIP_SIGNATURE : undefined),
  }
}

function encodeParts(parts: readonly (TextPart | MediaPart)[]): JsonObject[] {
  return parts.filter((part) => part.type !== 'text' || part.text.trim() !== '').map(encodePart)
}

function encodePart(part: TextPart | MediaPart): JsonObject {
  if (part.type === 'text') return { text: part.text }
  const media = parseMediaUrl(part.url)
  return media?.source === 'data'
    ? { inlineData: { mimeType: media.mediaType, data: media.base64 } }
    : { fileData: { fileUri: part.url } }
}
