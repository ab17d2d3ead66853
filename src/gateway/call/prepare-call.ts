// Prepares a request that was read, or says why it cannot be run. That comes before the organisation is asked, so that a
// request that no provider could be sent is refused by its faulty member. Pure.
import { AppError } from '../../platform/errors.ts'
import { encodeRequest } from '../../providers/adapters.ts'
import { inputTokens } from '../../providers/answer.ts'
import { findModel, type Model } from '../../providers/catalogue.ts'
import { textDataOf, type ChatRequest } from '../../providers/request.ts'
import { estimateInputTokens, mostUsageUpFront } from '../../providers/estimate.ts'
import type { JsonObject } from '../../platform/json.ts'
import { withoutUnsupportedSampling } from '../../providers/support.policy.ts'
import type { AnswerForm, CallOutline } from './answer-form.ts'
import { callError } from './errors.ts'
import { hashLoop, hashRequest } from './request-hash.ts'

/** The most of a body without the data of its pictures and files. */
const MAX_TEXT_BYTES = 1024 * 1024

export type CallInput = {
  readonly outline: CallOutline
  /** As it is sent: without the sampling parameters that its model does not take. */
  readonly request: ChatRequest
  readonly form: AnswerForm
  /** How much of the body a scan may read: all but the data of pictures and of files that are no text. */
  readonly textBytes: number
  /** Sampling parameters that are not sent, by the caller's names, each with what its refusal would say. */
  readonly dropped: readonly Dropped[]
}

type Dropped = { readonly param: string; readonly message: string }

/** Reads a body in one of the wire formats. */
export type ReadCall = (headers: Headers, bytes: Uint8Array) => CallInput | AppError

/**
 * `body` as it was sent, `bytes` its length; `modelId` and `request` what was read of it. `formFor`: how the request is answered,
 * once it is known what of it is sent.
 */
type ParsedBody = {
  readonly body: JsonObject
  readonly bytes: number
  readonly modelId: string
  readonly request: ChatRequest
  readonly formFor: (sent: ChatRequest) => AnswerForm
}

export function prepareCall({ body, bytes, modelId, request: parsed, formFor }: ParsedBody): CallInput | AppError {
  const data = dataBytes(parsed)
  if (bytes - data.all > MAX_TEXT_BYTES) return callError('too_much_text')
  const requestHash = hashRequest(body)
  if (requestHash === null) return callError('not_canonical')
  const model = findModel(modelId)
  if (model === null || !model.gateway) return callError('unknown_model')
  const { request, leftOut } = withoutUnsupportedSampling(parsed, model)
  const form = formFor(request)
  const encoded = encodeRequest(request, model)
  if (!encoded.ok) return refuseMember(form.memberName(encoded.unsupported.param), encoded.unsupported.message)
  const outline = {
    model,
    hashes: { requestHash, loopHash: hashLoop(request, model) },
    bytes,
    ...outlineInput(request, model),
    maxTokens: request.maxTokens ?? null,
    choices: request.n ?? 1,
    temperature: parsed.temperature ?? null,
  }
  const dropped = leftOut.map(({ param, message }) => ({ param: form.memberName(param), message }))
  return { outline, request, form, textBytes: bytes - data.all + data.ofTexts, dropped }
}

/** The error for a request from which nothing may be left out; null if nothing was. */
export const refuseDropped = ({ dropped: [first] }: Pick<CallInput, 'dropped'>): AppError | null =>
  first === undefined ? null : refuseMember(first.param, first.message)

/** The most that a request can use before anything is written, and a guess at its input. */
export function outlineInput(request: ChatRequest, model: Model): Pick<CallOutline, 'upFront' | 'inputTokens'> {
  const upFront = mostUsageUpFront(request, model)
  return { upFront, inputTokens: Math.min(estimateInputTokens(request), inputTokens(upFront)) }
}

/** `ofTexts`: of files that are sent as text. */
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

/** @param param null where it is about the body as a whole */
export const refuseMember = (param: string | null, message: string): AppError =>
  param === null
    ? new AppError('invalid_request', message)
    : new AppError('invalid_request', `${param}: ${message}`, { param, fields: [{ path: param, rule: message }] })
