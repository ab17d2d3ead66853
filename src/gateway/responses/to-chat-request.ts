// The caller's request as the adapters take it. Every member that means something has its counterpart.
import type { ChatRequest, ResponseFormat, WebSearch } from '../../providers/request.ts'
import type { ToolOrigins } from './member-names.ts'
import type { WireResponsesRequest } from './responses-request.schema.ts'
import type { Conversation } from './to-messages.ts'

type WireTool = NonNullable<WireResponsesRequest['tools']>[number]
type FunctionTool = Extract<WireTool, { type: 'function' }>
type WebSearchTool = Exclude<WireTool, FunctionTool>

export function toChatRequest(wire: WireResponsesRequest, { messages }: Conversation): ChatRequest {
  const tools = (wire.tools ?? []).filter(isFunction).filter((tool) => isAllowed(wire, tool))
  const webSearch = (wire.tools ?? []).find(isWebSearch)
  return {
    messages,
    stream: wire.stream ?? undefined,
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    ...toToolUse(wire),
    responseFormat: toResponseFormat(wire.text?.format),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    maxTokens: wire.max_output_tokens ?? undefined,
    user: wire.user || undefined,
    cacheKey: wire.prompt_cache_key || undefined,
    reasoningEffort: wire.reasoning?.effort ?? undefined,
    webSearch: webSearch && toWebSearch(webSearch),
    padding: wire.stream_options?.include_obfuscation ?? undefined,
    extraParameters: wire.text?.verbosity ? { verbosity: wire.text.verbosity } : undefined,
  }
}

const isFunction = (tool: WireTool): tool is FunctionTool => tool.type === 'function'
const isWebSearch = (tool: WireTool): tool is WebSearchTool => tool.type !== 'function'

/** Tools that may not be called in this turn are not told to the model at all. */
function isAllowed({ tool_choice: choice }: WireResponsesRequest, { name }: FunctionTool): boolean {
  return typeof choice !== 'object' || choice?.type !== 'allowed_tools' || choice.tools.some((one) => one.name === name)
}

export function findToolOrigins(wire: WireResponsesRequest): ToolOrigins {
  const tools = [...(wire.tools ?? []).entries()]
  const webSearch = tools.find(([, tool]) => isWebSearch(tool))?.[0] ?? null
  const functions = tools.flatMap(([at, tool]) => (isFunction(tool) && isAllowed(wire, tool) ? [at] : []))
  return { functions, webSearch }
}

const toTool = ({ name, description, parameters, strict }: FunctionTool) => ({
  name,
  description: description ?? undefined,
  parameters: parameters ?? undefined,
  strict: strict ?? undefined,
})

function toToolUse({ tool_choice: choice, parallel_tool_calls: isParallel }: WireResponsesRequest) {
  const parallelToolCalls = isParallel ?? undefined
  if (typeof choice !== 'object' || choice === null) return { toolChoice: choice ?? undefined, parallelToolCalls }
  return { toolChoice: choice.type === 'function' ? { name: choice.name } : choice.mode, parallelToolCalls }
}

function toWebSearch({ search_context_size: contextSize, user_location: at }: WebSearchTool): WebSearch {
  const location = at && {
    country: at.country ?? undefined,
    city: at.city ?? undefined,
    region: at.region ?? undefined,
    timezone: at.timezone ?? undefined,
  }
  return { contextSize: contextSize ?? undefined, location: location ?? undefined }
}

type WireFormat = NonNullable<WireResponsesRequest['text']>['format']

function toResponseFormat(format: WireFormat): ResponseFormat | undefined {
  if (!format) return undefined
  if (format.type !== 'json_schema') return format
  const { type, name, schema, description, strict } = format
  return { type, name, schema, description: description ?? undefined, strict: strict ?? undefined }
}
