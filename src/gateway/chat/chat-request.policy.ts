// What a chat completion's body asks for, or why it cannot be asked. Pure.
import { parseJsonObject } from '../../platform/body.ts'
import { AppError } from '../../platform/errors.ts'
import { checkForm } from '../../platform/validate.ts'
import type { JsonObject } from '../../providers/json.ts'
import { prepareCall, refuseMember, type CallInput } from '../call/prepare-call.ts'
import { chatAnswerForm } from './chat-answer-form.ts'
import { chatRequestSchema, type WireRequest } from './chat-request.schema.ts'
import { toChatRequest } from './to-chat-request.ts'

export function readChatRequest(headers: Headers, bytes: Uint8Array): CallInput | AppError {
  const body = parseJsonObject(headers, bytes)
  if (body instanceof AppError) return body
  const wire = checkRequest(body)
  if (wire instanceof AppError) return wire
  const form = chatAnswerForm({ includeUsage: wire.stream_options?.include_usage === true })
  return prepareCall({ body, bytes: bytes.length, modelId: wire.model, request: toChatRequest(wire), form })
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
    return refuseMember('max_tokens', 'Send max_completion_tokens or max_tokens, not both.')
  }
  if (wire.stream_options && wire.stream !== true) {
    return refuseMember('stream_options', 'stream_options is only allowed together with stream.')
  }
  if (wire.top_logprobs && wire.logprobs !== true) {
    return refuseMember('top_logprobs', 'top_logprobs is only allowed together with logprobs.')
  }
  for (const [at, message] of wire.messages.entries()) {
    if (message.role !== 'assistant' || message.tool_calls || message.refusal || hasText(message.content)) continue
    return refuseMember(`messages[${at}].content`, 'An assistant message needs content or tool calls.')
  }
  return null
}

const hasText = (content: string | readonly object[] | null | undefined): boolean =>
  typeof content === 'string' || Array.isArray(content)
