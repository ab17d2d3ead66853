// Our request as Gemini's native generateContent.
import type { Encoded, EncodedMembers } from '../adapter.ts'
import type { Model } from '../catalogue.schema.ts'
import { outputLimit } from '../estimate.ts'
import { unsupported } from '../failure.ts'
import { translateSchema } from '../json-schema/translate-schema.ts'
import type { ChatRequest } from '../request.ts'
import { encodeInstructions, encodeTurns, findContentFault } from './content.ts'
import { geminiSchemaRules } from './schema.ts'
import { encodeTools } from './tools.ts'

/** Google has no member for the caller's `user`: it stays here. */
export function encodeGemini(request: ChatRequest, model: Model): Encoded {
  const name = encodeURIComponent(model.wire.model)
  const method = request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const fault = findContentFault(request.messages)
  if (fault !== null) return { ok: false, unsupported: fault }
  const tools = encodeTools(request)
  if (!tools.ok) return tools
  const format = encodeFormat(request.responseFormat)
  if (!format.ok) return format
  return {
    ok: true,
    path: `/v1beta/models/${name}:${method}`,
    headers: {},
    body: {
      systemInstruction: encodeInstructions(request.messages),
      contents: encodeTurns(request.messages),
      ...tools.members,
      generationConfig: {
        temperature: request.temperature,
        topP: request.topP,
        maxOutputTokens: outputLimit(request, model),
        stopSequences: request.stop,
        candidateCount: request.n === 1 ? undefined : request.n,
        seed: request.seed,
        thinkingConfig: request.reasoningEffort && { thinkingLevel: request.reasoningEffort },
        ...format.members,
      },
    },
  }
}

function encodeFormat(format: ChatRequest['responseFormat']): EncodedMembers {
  if (format === undefined || format.type === 'text') return { ok: true, members: {} }
  const responseMimeType = 'application/json'
  if (format.type === 'json_object') return { ok: true, members: { responseMimeType } }
  const translated = translateSchema(format.schema, geminiSchemaRules)
  if (translated.ok) return { ok: true, members: { responseMimeType, responseJsonSchema: translated.schema } }
  const { path, message } = translated.fault
  return { ok: false, unsupported: unsupported(`response_format.json_schema.schema${path}`, message) }
}
