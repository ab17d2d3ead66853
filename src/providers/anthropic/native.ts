// Sends a request that came in Anthropic's own format: as it came, but for the members that the call or the endpoint decides.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { EncodedRequest, RoutedModel } from '../provider.ts'
import { asReminder, type ChatRequest, type NativeRequest } from '../chat-request.ts'
import { outputLimit } from '../estimate-tokens.ts'
import { sendsSchemaAsTool } from './schema-tool.ts'
import { spliceMembers } from './splice.ts'

/** Returns null if the request must be written anew. */
export const nativeOf = (request: ChatRequest, model: RoutedModel): NativeRequest | null =>
  sendsSchemaAsTool(request, model) ? null : (request.native ?? null)

export function encodeNative(native: NativeRequest, request: ChatRequest, model: RoutedModel): EncodedRequest {
  const { body, bytes, headers } = model.capabilities.systemTurns ? native : withoutSystemTurns(native)
  const changes = changesOf(body, request, model)
  return {
    ok: true,
    path: '/v1/messages',
    headers,
    body: { ...body, ...changes },
    bytes: bytes && (() => spliceMembers(bytes, changes)),
  }
}

/** Sampling parameters that a request may lose. */
const SAMPLING = { temperature: 'temperature', top_p: 'topP' } as const

/** A member that is null counts as absent; not every endpoint agrees. */
function changesOf(body: JsonObject, request: ChatRequest, model: RoutedModel): JsonObject {
  const changes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) if (value === null) changes[name] = undefined
  for (const [name, member] of Object.entries(SAMPLING)) {
    if (request[member] === undefined) changes[name] = undefined
  }
  if (request.extraParameters?.['top_k'] === undefined) changes['top_k'] = undefined
  const most = outputLimit(request, model)
  return { ...changes, model: model.wire.model, ...(most !== body['max_tokens'] && { max_tokens: most }) }
}

/** A model that takes no instructions within the conversation reads them at their place, as Claude's own clients write them there. */
function withoutSystemTurns(native: NativeRequest): NativeRequest {
  const turns = turnsIn(native.body)
  if (!turns.some(isInstruction)) return native
  const written: JsonObject[] = []
  for (const turn of turns) {
    if (!isInstruction(turn)) {
      written.push(turn)
      continue
    }
    const content = blocksOf(turn).map((block) => Object.assign({}, block, { text: asReminder(String(block['text'])) }))
    const last = written.at(-1)
    if (last?.['role'] === 'user') written[written.length - 1] = { ...last, content: [...blocksOf(last), ...content] }
    else written.push({ role: 'user', content })
  }
  return { ...native, body: { ...native.body, messages: written }, bytes: undefined }
}

export const turnsIn = ({ messages }: JsonObject): JsonObject[] =>
  Array.isArray(messages) ? messages.filter((turn) => isJsonObject(turn)) : []

/** Returns the request with a turn at its end. */
export const withTurn = (native: NativeRequest, turn: JsonObject): NativeRequest => ({
  ...native,
  body: { ...native.body, messages: [...turnsIn(native.body), turn] },
  bytes: undefined,
})

const isInstruction = ({ role }: JsonObject): boolean => role === 'system'

/** Returns the content of a turn as blocks. */
export const blocksOf = ({ content }: JsonObject): JsonObject[] =>
  Array.isArray(content) ? content.filter((block) => isJsonObject(block)) : [{ type: 'text', text: content }]
