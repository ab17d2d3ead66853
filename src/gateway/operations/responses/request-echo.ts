// Builds the members of a response that repeat its request. Clients read them: LangChain parses a typed answer only if `text.format`
// says that one was asked for. Also has their schema.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import type { JsonObject } from '../../../platform/json.ts'
import { orNull } from '../../../platform/names.schema.ts'
import type { ChatRequest } from '../../../providers/chat-request.ts'
import type { WireResponsesRequest } from './responses-request.schema.ts'
import type { WireTool } from './tool.schema.ts'

/**
 * Returns the members with the defaults of what was left out.
 * @param sent the request as its provider gets it
 */
export function echoRequest(wire: WireResponsesRequest, sent: ChatRequest): JsonObject {
  const { text, reasoning, tools, prompt_cache_options: cacheOptions } = wire
  return {
    instructions: wire.instructions ?? null,
    max_output_tokens: sent.maxTokens ?? null,
    max_tool_calls: wire.max_tool_calls ?? null,
    metadata: wire.metadata ?? {},
    parallel_tool_calls: wire.parallel_tool_calls ?? true,
    prompt_cache_key: wire.prompt_cache_key ?? null,
    // The caller asks how much of an earlier prompt was cached, which is not known here.
    ...(cacheOptions?.comparison_response_id ? { prompt_cache_diagnostics: { type: 'unavailable' } } : {}),
    reasoning: { effort: reasoning?.effort ?? null, summary: summaryOf(wire) },
    safety_identifier: wire.safety_identifier ?? null,
    temperature: sent.temperature ?? 1,
    text: { format: echoFormat(text?.format), ...(text?.verbosity ? { verbosity: text.verbosity } : {}) },
    tool_choice: wire.tool_choice ?? 'auto',
    tools: (tools ?? []).map(echoTool),
    top_p: sent.topP ?? 1,
    user: wire.user ?? null,
  }
}

export const summaryOf = ({ reasoning }: WireResponsesRequest): string | null =>
  reasoning?.summary ?? reasoning?.generate_summary ?? null

const echoFormat = (format: NonNullable<WireResponsesRequest['text']>['format']): JsonObject => {
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' }
  const { type, name, description = null, schema, strict } = format
  return { type, name, description, schema, strict: strict ?? false }
}

function echoTool(tool: WireTool): JsonObject {
  if (tool.type !== 'function') return { ...tool }
  const { type, name, description = null, parameters = null, strict } = tool
  return { type, name, description, parameters, strict: strict ?? false }
}

const Typed = once(() => z.looseObject({ type: z.string() }))

export const echoMembers = once(() => ({
  instructions: orNull(z.string()).meta({ description: 'This and what follows it: as the request said.' }),
  metadata: z.record(z.string(), z.string()),
  parallel_tool_calls: z.boolean(),
  prompt_cache_key: orNull(z.string()),
  safety_identifier: orNull(z.string()),
  text: z.looseObject({ format: Typed() }),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), Typed()]),
  tools: z.array(Typed()),
  user: orNull(z.string()),
}))
