// Makes of a request in Anthropic's own format what Amazon Bedrock takes: it knows fewer members, and refuses those that it does not know.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { NativeRequest } from '../chat-request.ts'

/** Amazon Bedrock answers 400 to these in `metadata.user_id`: its rule for metadata is narrower than Anthropic's. */
export const REFUSED_IN_USER = /[{":]/

/** Members of a tool, and of the request, without which a model is told the same. */
export const TOOL_EXTRAS: readonly string[] = [
  'input_examples',
  'eager_input_streaming',
  'defer_loading',
  'allowed_callers',
]
const REQUEST_EXTRAS = ['cache_control', 'context_management', 'service_tier']

/** A tool that is loaded later, and has no schema until then: only its place is sent. */
export const isDeferred = (tool: unknown): boolean =>
  isJsonObject(tool) &&
  tool['defer_loading'] === true &&
  isJsonObject(tool['input_schema']) &&
  Object.keys(tool['input_schema']['properties'] ?? {}).length === 0

/** Betas are named to Anthropic alone. */
export const forBedrock = (native: NativeRequest): NativeRequest => ({
  ...native,
  headers: { 'anthropic-version': '2023-06-01' },
  bytes: undefined,
  body: bodyFor(native.body),
})

function bodyFor(body: JsonObject): JsonObject {
  const { system, messages, tools, thinking, metadata, ...rest } = without(body, REQUEST_EXTRAS)
  const userId = isJsonObject(metadata) ? metadata['user_id'] : undefined
  return {
    ...rest,
    messages: mapObjects(messages, (turn) => ({ ...turn, content: mapObjects(turn['content'], plainBlock) })),
    ...(system !== undefined && { system: mapObjects(system, plainBlock) }),
    ...(tools !== undefined && { tools: mapObjects(loaded(tools), (tool) => plainMark(without(tool, TOOL_EXTRAS))) }),
    ...(isJsonObject(thinking) && { thinking: without(thinking, ['display']) }),
    ...(typeof userId === 'string' && !REFUSED_IN_USER.test(userId) && { metadata: { user_id: userId } }),
  }
}

function plainBlock(block: JsonObject): JsonObject {
  const { content } = block
  return plainMark(Array.isArray(content) ? { ...block, content: mapObjects(content, plainBlock) } : block)
}

/** A cache mark has a time, and nothing else. */
function plainMark(block: JsonObject): JsonObject {
  const { cache_control: mark } = block
  if (!isJsonObject(mark)) return block
  return { ...block, cache_control: { type: mark['type'], ttl: mark['ttl'] ?? undefined } }
}

const loaded = (tools: unknown): unknown => (Array.isArray(tools) ? tools.filter((tool) => !isDeferred(tool)) : tools)

const mapObjects = (list: unknown, map: (item: JsonObject) => JsonObject): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (isJsonObject(item) ? map(item) : item)) : list

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
