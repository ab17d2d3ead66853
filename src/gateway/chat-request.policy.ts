// What a body asks for, or why it cannot be asked: decided before the organisation is spoken to, so that a request that
// no provider could be sent is refused by the name of what is wrong with it. Pure.
import { parseJsonObject } from '../platform/body.ts'
import { AppError } from '../platform/errors.ts'
import { checkForm } from '../platform/validate.ts'
import { encodeRequest } from '../providers/adapters.ts'
import type { Usage } from '../providers/answer.ts'
import type { Model } from '../providers/catalogue.schema.ts'
import { findModel } from '../providers/catalogue.ts'
import { estimateInputTokens, mostUsageUpFront } from '../providers/estimate.ts'
import type { JsonObject } from '../providers/json.ts'
import type { ChatRequest } from '../providers/request.ts'
import { chatRequestSchema, type WireRequest } from './chat-request.schema.ts'
import { hashRequest, type RequestHashes } from './request-hash.ts'
import { toChatRequest } from './to-chat-request.ts'

/** What is left of a body once the data of its images is taken away. */
const MAX_TEXT_BYTES = 1024 * 1024

/** What is kept of a request while it is answered: nothing that its caller wrote, and nothing large. */
export type ChatOutline = {
  readonly model: Model
  readonly hashes: RequestHashes
  readonly bytes: number
  /** The most it can use before anything is written, and a guess at its input. */
  readonly upFront: Usage
  readonly inputTokens: number
  /** The caller's own limit for each choice; null where it set none. */
  readonly maxTokens: number | null
  readonly choices: number
  /** Whether the caller asked for the stream's usage chunk. */
  readonly includeUsage: boolean
}

export type ChatInput = { readonly outline: ChatOutline; readonly request: ChatRequest }

export function readChatRequest(headers: Headers, bytes: Uint8Array): ChatInput | AppError {
  const body = parseJsonObject(headers, bytes)
  if (body instanceof AppError) return body
  const wire = checkRequest(body)
  if (wire instanceof AppError) return wire
  if (bytes.length - imageBytes(wire) > MAX_TEXT_BYTES) return tooMuchText()
  const hashes = hashRequest(body)
  if (hashes === null) return notCanonical()

  const model = findModel(wire.model)
  if (model === null || !model.gateway) return unknownModel()
  const request = toChatRequest(wire)
  const encoded = encodeRequest(request, model)
  if (!encoded.ok) return refuse(encoded.unsupported.param, encoded.unsupported.message)
  const upFront = mostUsageUpFront(request, model)
  const outline = {
    model,
    hashes,
    bytes: bytes.length,
    upFront,
    inputTokens: Math.min(estimateInputTokens(request), upFront.inputUncached + upFront.cacheWrite),
    maxTokens: request.maxTokens ?? null,
    choices: request.n ?? 1,
    includeUsage: wire.stream_options?.include_usage === true,
  }
  return { outline, request }
}

function checkRequest(body: JsonObject): WireRequest | AppError {
  const missing = ['model', 'messages'].find((name) => body[name] === undefined)
  if (missing !== undefined) return new AppError('missing_parameter', `Send ${missing}.`, { param: missing })
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const wire = checkForm(chatRequestSchema, present, 'body')
  return wire instanceof AppError ? wire : (checkCombinations(wire) ?? wire)
}

function checkCombinations(wire: WireRequest): AppError | null {
  if (typeof wire.max_tokens === 'number' && typeof wire.max_completion_tokens === 'number') {
    return refuse('max_tokens', 'Send max_completion_tokens or max_tokens, not both.')
  }
  if (wire.stream_options && wire.stream !== true) {
    return refuse('stream_options', 'stream_options is only allowed together with stream.')
  }
  if (wire.top_logprobs && wire.logprobs !== true) {
    return refuse('top_logprobs', 'top_logprobs is only allowed together with logprobs.')
  }
  for (const [at, message] of wire.messages.entries()) {
    if (message.role !== 'assistant' || message.tool_calls || message.refusal || hasText(message.content)) continue
    return refuse(`messages[${at}].content`, 'An assistant message needs content or tool calls.')
  }
  return null
}

const hasText = (content: string | readonly object[] | null | undefined): boolean =>
  typeof content === 'string' || Array.isArray(content)

function imageBytes({ messages }: WireRequest): number {
  let bytes = 0
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const part of content) if (part.type === 'image_url') bytes += part.image_url.url.length
  }
  return bytes
}

const refuse = (param: string | null, message: string): AppError =>
  new AppError('invalid_request', message, param === null ? {} : { param, fields: [{ path: param, rule: message }] })

const unknownModel = (): AppError =>
  new AppError('model_not_found', 'There is no such model here. GET /v1/models lists those your key may use.', {
    param: 'model',
  })

const tooMuchText = (): AppError =>
  new AppError(
    'payload_too_large',
    'The body is over 1 MiB without the data of its images. Send fewer or shorter texts.',
  )

const notCanonical = (): AppError =>
  refuse(null, 'A text holds half of a surrogate pair, or a number is too large. Check how the body was written.')
