// Reads, checks and prepares a request for its model, or returns why it cannot be run. This comes before the organisation is
// asked, so the caller learns the name of the faulty member. Pure.
import { AppError } from '../../platform/errors.ts'
import { inputTokens } from '../../providers/chat-answer.ts'
import type { Unsupported } from '../../providers/failure.ts'
import { findRoutes, pricesAt, resolveModelName, type Model } from '../../providers/model-catalogue.ts'
import type { EndpointId } from '../../providers/provider-registry.ts'
import { textDataOf, type ChatRequest } from '../../providers/chat-request.ts'
import { estimateInputTokens, mostUsageUpFront } from '../../providers/estimate-tokens.ts'
import type { JsonObject } from '../../platform/json.ts'
import { parseJsonObject } from '../../platform/request-body.ts'
import { encodeRequest, fitToModel } from '../../providers/model-support.policy.ts'
import type { AnswerFormat, CallOutline } from './answer-format.ts'
import type { RouteOutline } from './asked-routes.ts'
import { callError, modelNotFound } from './call-errors.ts'
import { hashLoop, hashRequest } from './request-hash.ts'
import { modelHeader } from './trace.ts'

/** The largest body, without the data of its pictures and files. */
const MAX_TEXT_BYTES = 1024 * 1024

export type CallInput = {
  readonly modelName: string
  readonly outline: CallOutline
  /** The request as it is sent: without what its model does not take. */
  readonly request: ChatRequest
  readonly format: AnswerFormat
  /** The bytes of the body that a scan may read: all but the data of pictures and of non-text files. */
  readonly textBytes: number
  /** Parameters that were left out, lowered or added to, by the caller's names, each with the text of its refusal. */
  readonly adapted: readonly AdaptedParameter[]
  readonly unfit: readonly UnfitRoute[]
  /** Writes the texts of a redacted request into the body that it was read from. */
  readonly withTexts?: ((request: ChatRequest) => ChatRequest) | undefined
}

/** `refusal`: the error of a call that has no other route. */
type UnfitRoute = { readonly model: Model; readonly refusal: AppError }

/** `endpoint`: there if it is so by one route alone. */
export type AdaptedParameter = {
  readonly how: 'dropped' | 'added'
  readonly param: string
  readonly message: string
  readonly endpoint?: EndpointId
}

/** `at`: the time whose prices apply, in Unix milliseconds. `canUse`: whether this deployment has a key for an endpoint. */
export type ReadContext = { readonly at: number; readonly canUse: (endpoint: EndpointId) => boolean }

export type ReadCall = (headers: Headers, bytes: Uint8Array, context: ReadContext) => CallInput | AppError

/** `formatFor` returns the format of the answer to a request, given as the provider gets it. */
export type ParsedBody = {
  /** `models`: further models that the caller lists. */
  readonly wire: { readonly model: string; readonly models?: readonly string[] | null | undefined }
  readonly request: ChatRequest
  readonly formatFor: (sent: ChatRequest) => AnswerFormat
  /** Adapts the request to a model in ways that this format alone has. */
  readonly adapt?: (request: ChatRequest, model: Model) => ChatRequest
  /** Tells what a route does not take, or is not sent, by the caller's names. */
  readonly judge?: (model: Model) => RouteJudgement
  readonly withTexts?: CallInput['withTexts']
}

const TAKES_ALL: RouteJudgement = { refused: null, leftOut: [] }

export type RouteJudgement = { readonly refused: AppError | null; readonly leftOut: readonly Unsupported[] }

/** The body as it came, with its headers. */
export type SentBody = { readonly headers: Headers; readonly bytes: Uint8Array; readonly body: JsonObject }

/** @param parse gets the members of the body that are not null, and the body as it was sent */
export const createReader =
  (parse: (members: JsonObject, sent: SentBody) => ParsedBody | AppError): ReadCall =>
  (headers, bytes, context) => {
    const body = parseJsonObject(headers, bytes)
    if (body instanceof AppError) return body
    const members = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    const parsed = parse(members, { headers, bytes, body })
    return parsed instanceof AppError ? parsed : prepareCall(body, bytes.length, parsed, context)
  }

function prepareCall(body: JsonObject, bytes: number, parsed: ParsedBody, context: ReadContext): CallInput | AppError {
  const { model: modelName } = parsed.wire
  const data = dataBytes(parsed.request)
  if (bytes - data.all > MAX_TEXT_BYTES) return callError('too_much_text')
  const requestHash = hashRequest(body)
  if (requestHash === null) return callError('not_canonical')
  const [model, ...others] = findRoutes(resolveModelName(modelName) ?? '')
  if (model === undefined || !model.gateway) return modelNotFound(modelName)
  const textBytes = bytes - data.all + data.ofTexts
  const prepared = prepareForModel(parsed, context, [model, ...others], { requestHash, bytes, textBytes })
  if (!(prepared instanceof AppError)) return prepared
  const { code, message, details } = prepared
  return new AppError(code, message, {
    ...details,
    headers: { ...details.headers, ...modelHeader(modelName, model.id) },
  })
}

function prepareForModel(
  { wire: { model: modelName, models }, request: asked, formatFor, adapt, judge, withTexts }: ParsedBody,
  { at, canUse }: ReadContext,
  modelRoutes: readonly [Model, ...Model[]],
  { requestHash, bytes, textBytes }: { requestHash: string; bytes: number; textBytes: number },
): CallInput | AppError {
  const [model] = modelRoutes
  const otherModels = models ?? []
  const usable = modelRoutes.filter(({ endpoint }) => canUse(endpoint))
  const further = otherModels.flatMap((name) => findRoutes(resolveModelName(name) ?? '').slice(0, 1))
  const parsed = adapt?.(asked, model) ?? asked
  const { request, droppedFaults, addedFaults } = fitToModel(parsed, model, further)
  const format = formatFor(request)
  const [preferred = model, ...less] = usable
  const judged = [preferred, ...less].map((route) => [route, judge?.(route) ?? TAKES_ALL] as const)
  const takers = findTakers(
    request,
    judged.flatMap(([route, { refused }]) => (refused ? [] : [route])),
    format,
  )
  const unfit = [
    ...judged.flatMap(([route, { refused }]) => (refused ? [{ model: route, refusal: refused }] : [])),
    ...takers.unfit.map(({ model: route, unsupported: { param, message } }) => {
      return { model: route, refusal: refuseMember(format.memberName(param), message) }
    }),
  ]
  const [first, ...rest] = takers.routes
  if (first === undefined) {
    return unfit.find(({ model: route }) => route === preferred)?.refusal ?? modelNotFound(modelName)
  }
  const others = findOtherTakers(request, { names: otherModels, model }, canUse, format)
  if (others instanceof AppError) return others
  const outline = {
    model,
    hashes: { requestHash, loopHash: hashLoop(request, model) },
    bytes,
    ...outlineInput(request, priceRoutes([first, ...rest, ...others], at)),
    chat: {
      maxTokens: request.maxTokens ?? null,
      choices: request.n ?? 1,
      temperature: parsed.temperature ?? null,
      hasSchema:
        request.responseFormat?.type === 'json_schema' || (request.tools ?? []).some(({ strict }) => strict === true),
    },
  }
  const nameFaults = (how: AdaptedParameter['how'], faults: readonly Unsupported[]): AdaptedParameter[] =>
    faults.map(({ param, message }) => ({ how, param: format.memberName(param), message }))
  const leftOut = judged.flatMap(([{ endpoint }, { refused, leftOut: faults }]) =>
    refused ? [] : faults.map(({ param, message }) => ({ how: 'dropped', param, message, endpoint }) as const),
  )
  const adapted = [...nameFaults('dropped', droppedFaults), ...nameFaults('added', addedFaults), ...leftOut]
  return { modelName, outline, request, format, textBytes, adapted, unfit, withTexts }
}

/** Returns the error for the first adapted parameter, for callers that want a refusal; null if all is sent as it came. */
export const refuseAdapted = ({ adapted: [first] }: Pick<CallInput, 'adapted'>): AppError | null =>
  first === undefined ? null : refuseMember(first.param, first.message)

/** Returns the error of a call whose allowed endpoints do not take it. Throws if this one was not named as such, which is a bug. */
export function refuseUnfit({ unfit }: Pick<CallInput, 'unfit'>, endpoint: EndpointId): AppError {
  const found = unfit.find(({ model }) => model.endpoint === endpoint)
  if (found === undefined) throw new TypeError('a refusal by an endpoint that takes the request')
  return found.refusal
}

type Takers = { readonly routes: Model[]; readonly unfit: { model: Model; unsupported: Unsupported }[] }

/**
 * Returns the routes that take the request, and the faults that the others find. It only tells if a route can get the request: the
 * decision still redacts it and sets its output limit, so provider-client.ts encodes what is sent. Keeping this body until then
 * would double the memory of a large request.
 */
function findTakers(request: ChatRequest, candidates: readonly Model[], { verb }: AnswerFormat): Takers {
  const takers: Takers = { routes: [], unfit: [] }
  for (const model of candidates) {
    const encoded = encodeRequest(request, model, verb)
    if (encoded.ok) takers.routes.push(model)
    else takers.unfit.push({ model, unsupported: encoded.unsupported })
  }
  return takers
}

/** Returns the routes of the further models, or the error for one that is unknown or does not take the request as it is. */
function findOtherTakers(
  request: ChatRequest,
  { names, model }: { names: readonly string[]; model: Model },
  canUse: ReadContext['canUse'],
  format: AnswerFormat,
): Model[] | AppError {
  const found: Model[] = []
  const seen = new Set([model.id])
  for (const name of names) {
    const [preferred, ...more] = findRoutes(resolveModelName(name) ?? '')
    if (preferred === undefined || !preferred.gateway) return modelNotFound(name, 'models')
    const { id } = preferred
    if (seen.has(id)) continue
    seen.add(id)
    const refuse = ({ param, message }: Pick<Unsupported, 'param' | 'message'>): AppError =>
      refuseMember('models', `${id} cannot be asked (${format.memberName(param)}). ${message}`)
    const { maxOutputTokens: most } = preferred.limits
    if (request.maxTokens !== undefined && request.maxTokens > most) {
      return refuse({ param: 'max_completion_tokens', message: `It writes at most ${most} tokens.` })
    }
    const takers = findTakers(
      request,
      [preferred, ...more].filter(({ endpoint }) => canUse(endpoint)),
      format,
    )
    const [fault] = takers.unfit
    if (takers.routes.length === 0 && fault !== undefined) return refuse(fault.unsupported)
    found.push(...takers.routes)
  }
  return found
}

type PricedRoute = Pick<RouteOutline, 'model' | 'prices'>

function priceRoutes(
  [first, ...others]: readonly [Model, ...Model[]],
  at: number,
): readonly [PricedRoute, ...PricedRoute[]] {
  const price = (model: Model): PricedRoute => ({ model, prices: pricesAt(model, at) })
  return [price(first), ...others.map(price)]
}

/** Estimates the input of a request, and the most that it can use by each route before anything is written. */
export function outlineInput(
  request: ChatRequest,
  [first, ...others]: readonly [PricedRoute, ...PricedRoute[]],
): Pick<CallOutline, 'routes' | 'inputTokens'> {
  const outlineRoute = ({ model, prices }: PricedRoute): RouteOutline => ({
    model,
    prices,
    upFront: mostUsageUpFront(request, model, prices),
  })
  const preferred = outlineRoute(first)
  const routes: CallOutline['routes'] = [preferred, ...others.map(outlineRoute)]
  return { routes, inputTokens: Math.min(estimateInputTokens(request, first.model), inputTokens(preferred.upFront)) }
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
