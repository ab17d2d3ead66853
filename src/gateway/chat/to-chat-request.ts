// The caller's request as the adapters take it. Every member has its counterpart; none is left behind.
import type { ChatRequest } from '../../providers/request.ts'
import { EXTRA_PARAMETERS, type WireRequest } from './chat-request.schema.ts'
import { toMessages, toMark } from './to-messages.ts'

export function toChatRequest(wire: WireRequest): ChatRequest {
  return {
    messages: toMessages(wire.messages),
    stream: wire.stream ?? undefined,
    ...(usesFunctions(wire) ? toFunctions(wire) : toTools(wire)),
    responseFormat: toResponseFormat(wire.response_format),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    maxTokens: wire.max_completion_tokens ?? wire.max_tokens ?? undefined,
    stop: typeof wire.stop === 'string' ? [wire.stop] : (wire.stop ?? undefined),
    n: wire.n ?? undefined,
    seed: wire.seed ?? undefined,
    user: wire.user || undefined,
    cacheKey: wire.prompt_cache_key || undefined,
    reasoningEffort: wire.reasoning_effort ?? undefined,
    webSearch: toWebSearch(wire.web_search_options),
    padding: wire.stream_options?.include_obfuscation ?? undefined,
    extraParameters: toExtraParameters(wire),
  }
}

/** Whether the request has functions in their older form, so that the answer has one call in that form too. */
export const usesFunctions = ({ functions }: WireRequest): boolean => (functions ?? []).length > 0

type Tools = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>

function toTools(wire: WireRequest): Tools {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = wire
  return {
    tools: tools
      ?.filter((tool) => isAllowed(wire, tool))
      .map(({ function: tool, cache_control: mark }) => ({
        name: tool.name,
        description: tool.description ?? undefined,
        parameters: tool.parameters ?? undefined,
        strict: tool.strict ?? undefined,
        cache: toMark(mark),
      })),
    toolChoice: toToolChoice(choice),
    parallelToolCalls: parallel ?? undefined,
  }
}

type WireTool = NonNullable<WireRequest['tools']>[number]

/** Whether the model is told of the tool: a choice of allowed tools leaves out the others. */
export function isAllowed({ tool_choice: choice }: WireRequest, { function: { name } }: WireTool): boolean {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return true
  return choice.allowed_tools.tools.some((allowed) => allowed.function.name === name)
}

function toToolChoice(choice: WireRequest['tool_choice']): ChatRequest['toolChoice'] {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  return choice.type === 'function' ? choice.function : choice.allowed_tools.mode
}

function toFunctions({ functions, function_call: choice }: WireRequest): Tools {
  return {
    tools: functions?.map(({ name, description, parameters }) => ({
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
    })),
    toolChoice: choice ?? undefined,
    parallelToolCalls: false,
  }
}

function toResponseFormat(format: WireRequest['response_format']): ChatRequest['responseFormat'] {
  if (!format) return undefined
  if (format.type !== 'json_schema') return format
  const { name, schema, description, strict } = format.json_schema
  return { type: 'json_schema', name, schema, description: description ?? undefined, strict: strict ?? undefined }
}

function toWebSearch(options: WireRequest['web_search_options']): ChatRequest['webSearch'] {
  if (!options) return undefined
  const { country, city, region, timezone } = options.user_location?.approximate ?? {}
  return {
    contextSize: options.search_context_size ?? undefined,
    location: options.user_location
      ? {
          country: country ?? undefined,
          city: city ?? undefined,
          region: region ?? undefined,
          timezone: timezone ?? undefined,
        }
      : undefined,
  }
}

function toExtraParameters(wire: WireRequest): ChatRequest['extraParameters'] {
  const given = EXTRA_PARAMETERS.filter((name) => !isNeutral(wire[name]))
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, wire[name]]))
}

/** A value that changes nothing is the same as none: some clients always send their defaults. */
const isNeutral = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0)
