// Checks and prepares a parsed request for its model, or returns why it cannot be run. This comes before the organisation is
// asked, so the caller learns the name of the faulty member. Pure.
import { AppError } from '../../platform/errors.ts'
import { encodeRequest } from '../../providers/adapter-by-dialect.ts'
import { inputTokens } from '../../providers/chat-answer.ts'
import { findModel, pricesAt } from '../../providers/model-catalogue.ts'
import { textDataOf, type ChatRequest } from '../../providers/chat-request.ts'
import { estimateInputTokens, mostUsageUpFront } from '../../providers/estimate-tokens.ts'
import type { JsonObject } from '../../platform/json.ts'
import { fitToModel } from '../../providers/model-support.policy.ts'
import type { AnswerFormat, CallOutline } from './answer-format.ts'
import { callError, modelNotFound } from './call-errors.ts'
import { hashLoop, hashRequest } from './request-hash.ts'

/** The largest body, without the data of its pictures and files. */
const MAX_TEXT_BYTES = 1024 * 1024

export type CallInput = {
  readonly outline: CallOutline
  /** The request as it is sent: without what its model does not take. */
  readonly request: ChatRequest
  readonly format: AnswerFormat
  /** The bytes of the body that a scan may read: all but the data of pictures and of non-text files. */
  readonly textBytes: number
  /** Parameters that are not sent as they came, by the caller's names, each with the text of its refusal. */
  readonly dropped: readonly DroppedParameter[]
}

type DroppedParameter = { readonly param: string; readonly message: string }

/** Reads a body in one of the wire formats. @param at the time whose prices apply, in Unix milliseconds */
export type ReadCall = (headers: Headers, bytes: Uint8Array, at: number) => CallInput | AppError

/**
 * `body` is the JSON as the caller sent it and `bytes` its length. `at`: the time whose prices apply. `modelId` and `request` are read from `body`. `formatFor`
 * returns the format of the answer to a request, given as the provider gets it.
 */
type ParsedBody = {
  readonly body: JsonObject
  readonly bytes: number
  readonly modelId: string
  readonly at: number
  readonly request: ChatRequest
  readonly formatFor: (sent: ChatRequest) => AnswerFormat
}

export function prepareCall({
  body,
  bytes,
  modelId,
  at,
  request: parsed,
  formatFor,
}: ParsedBody): CallInput | AppError {
  const data = dataBytes(parsed)
  if (bytes - data.all > MAX_TEXT_BYTES) return callError('too_much_text')
  const requestHash = hashRequest(body)
  if (requestHash === null) return callError('not_canonical')
  const model = findModel(modelId)
  if (model === null || !model.gateway) return modelNotFound(modelId)
  const { request, droppedFaults } = fitToModel(parsed, model)
  const format = formatFor(request)
  // Only tells if the model can get the request. The decision still redacts it and sets its output limit, so
  // provider-client.ts encodes what is sent. Keeping this body until then would double the memory of a large request.
  const encoded = encodeRequest(request, model)
  if (!encoded.ok) return refuseMember(format.memberName(encoded.unsupported.param), encoded.unsupported.message)
  const prices = pricesAt(model, at)
  const outline = {
    model,
    prices,
    hashes: { requestHash, loopHash: hashLoop(request, model) },
    bytes,
    ...outlineInput(request, { model, prices }),
    maxTokens: request.maxTokens ?? null,
    choices: request.n ?? 1,
    temperature: parsed.temperature ?? null,
  }
  const dropped = droppedFaults.map(({ param, message }) => ({ param: format.memberName(param), message }))
  return { outline, request, format, textBytes: bytes - data.all + data.ofTexts, dropped }
}

/** Returns the error for the first dropped parameter, for callers that want a refusal; null if nothing was dropped. */
export const refuseDropped = ({ dropped: [first] }: Pick<CallInput, 'dropped'>): AppError | null =>
  first === undefined ? null : refuseMember(first.param, first.message)

/** Estimates the input of a request, and the most that it can use before anything is written. */
export function outlineInput(
  request: ChatRequest,
  { model, prices }: Pick<CallOutline, 'model' | 'prices'>,
): Pick<CallOutline, 'upFront' | 'inputTokens'> {
  const upFront = mostUsageUpFront(request, model, prices)
  return { upFront, inputTokens: Math.min(estimateInputTokens(request), inputTokens(upFront)) }
}

/** `ofTexts`: the bytes of files that are sent as text. */
function dataBytes({ messages }: ChatRequest): { all: number; ofTexts: number } {
  const bytes = { all: 0, ofTexts: 0 }
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === 'text') continue
      bytes.all += part.url.length
      if (part.type === 'file') bytes.ofTexts += textDataOf(part.url)?.length ?? 0
    }
  }
  return bytes
}

/** @param param null if the error is about the whole body */
export const refuseMember = (param: string | null, message: string): AppError =>
  param === null
    ? new AppError('invalid_request', message)
    : new AppError('invalid_request', `${param}: ${message}`, { param, fields: [{ path: param, rule: message }] })
