// Our request as an Anthropic message. System text moves to the top, tool results become part of the user's turn, and
// arguments become objects.
import type { Encoded } from '../adapter.ts'
import type { Model } from '../catalogue.schema.ts'
import { outputLimit } from '../estimate.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { translateSchema } from '../json-schema/translate-schema.ts'
import { isInstruction, lastTurn, type ChatRequest } from '../request.ts'
import { findCacheMarkFault } from './cache-marks.ts'
import { encodeInstructions, encodeTurns } from './content.ts'
import { anthropicSchemaRules } from './schema.ts'
import { encodeTools } from './tools.ts'

export function encodeAnthropic(request: ChatRequest, model: Model): Encoded {
  const fault = findFault(request)
  if (fault !== null) return { ok: false, unsupported: fault }
  const tools = encodeTools(request)
  if (!tools.ok) return tools
  const format = encodeFormat(request.responseFormat)
  if (!format.ok) return format
  return {
    ok: true,
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model: model.wire.model,
      max_tokens: outputLimit(request, model),
      system: encodeInstructions(request, model),
      messages: encodeTurns(request, model),
      temperature: request.temperature,
      top_p: request.topP,
      stop_sequences: request.stop,
      metadata: request.user === undefined ? undefined : { user_id: request.user },
      ...tools.members,
      ...encodeReasoning(request, format.schema),
      stream: request.stream === true ? true : undefined,
    },
  }
}

/** Models that think do so by default; the effort says how much, and `none` is no effort but a switch. */
function encodeReasoning({ reasoningEffort }: ChatRequest, schema: JsonObject | null): JsonObject {
  const effort = reasoningEffort === 'none' ? undefined : reasoningEffort
  const format = schema === null ? undefined : { type: 'json_schema', schema }
  return {
    thinking: reasoningEffort === 'none' ? { type: 'disabled' } : undefined,
    output_config: effort === undefined && format === undefined ? undefined : { effort, format },
  }
}

type Format =
  | { readonly ok: true; readonly schema: JsonObject | null }
  | { readonly ok: false; readonly unsupported: Unsupported }

function encodeFormat(format: ChatRequest['responseFormat']): Format {
  if (format?.type !== 'json_schema') return { ok: true, schema: null }
  const translated = translateSchema(format.schema, anthropicSchemaRules)
  if (translated.ok) return translated
  const { path, message } = translated.fault
  return { ok: false, unsupported: unsupported(`response_format.json_schema.schema${path}`, message) }
}

function findFault(request: ChatRequest): Unsupported | null {
  const { messages, stop = [], responseFormat } = request
  const first = messages.findIndex((message) => !isInstruction(message))
  if (messages[first]?.role === 'assistant') {
    return unsupported(`messages[${first}].role`, 'A conversation with this model begins with the user.')
  }
  if (stop.some((sequence) => sequence.trim() === '')) {
    return unsupported('stop', 'With this model a stop sequence must hold more than blanks.')
  }
  if (responseFormat?.type === 'json_schema' && lastTurn(request)?.role === 'assistant') {
    return unsupported(
      'response_format',
      'This model answers by a schema only from the beginning. Leave out the last assistant message.',
    )
  }
  return findCacheMarkFault(request)
}
