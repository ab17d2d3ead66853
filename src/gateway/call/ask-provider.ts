// Sends an admitted call to its provider and answers the caller, in one piece or as a stream.
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { complete, openStream, type Call, type Completion, type OpenStream } from '../../providers/provider-client.ts'
import type { Deadlines } from '../../providers/http-exchange.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import type { AdmittedCall } from './admit-call.ts'
import { askInTurn, askOnly, orderOfRoutes, type Turn } from './asked-routes.ts'
import type { SettleDeps } from './settle-call.ts'
import { answerStreamed } from './streamed-answer.ts'
import { answerWhole } from './whole-answer.ts'

/** `sent` resolves when the provider has begun to answer or never will. The request's bytes stay in memory until then. */
export type StartedCall = { answer: Promise<Response>; sent: Promise<unknown> }

/** `leftMs`: milliseconds until the caller's own deadline. */
type Question = { request: ChatRequest; leftMs: number }

/** Sends the call. If the caller leaves, the provider's request is aborted at the next event that cannot be delivered. */
export function askProvider(c: AppContext, call: AdmittedCall, question: Question, deps: SettleDeps): StartedCall {
  const { request } = question
  const order = orderOfRoutes(call.allowed, request, call.outline.bytes)
  const [route] = order
  const isAlone = order.length === 1
  if (request.stream === true) {
    const sent = isAlone
      ? askOnly(route, openStream(callBy(c, call, question, deps, { route, spentMs: 0 })))
      : askInTurn<OpenStream>(order, (turn) => openStream(callBy(c, call, question, deps, turn)))
    return { sent, answer: answerStreamed(c, call, sent, deps) }
  }
  const hasRoom = (bytes: number) => call.memory.grow(bytes + call.format.repeatedBytes())
  const sent = isAlone
    ? askOnly(route, complete({ ...callBy(c, call, question, deps, { route, spentMs: 0 }), hasRoom }))
    : askInTurn<Completion>(order, (turn) => complete({ ...callBy(c, call, question, deps, turn), hasRoom }))
  return { sent, answer: answerWhole(c, call, sent, deps) }
}

const callBy = (
  c: AppContext,
  { key, format, reader, maxTokens, cacheInstructions }: AdmittedCall,
  { request, leftMs }: Question,
  { limits }: SettleDeps,
  { route: { model, access }, retry, spentMs }: Turn,
): Call => ({
  provider: access,
  verb: format.verb,
  // A search reads the events of this format, and not all that its provider may write.
  callersFormat: reader !== null && format.passes === 'messages' ? null : format.passes,
  model,
  request: { ...request, maxTokens, cacheInstructions, cacheGroup: cacheGroup(key.organisationId, request.cacheKey) },
  signal: c.req.raw.signal,
  deadlines: deadlinesOf({ model, request }, limits, leftMs, spentMs),
  ...(retry && { retry }),
})

/**
 * Returns the name under which OpenAI caches prompts together. All organisations share one account there. If names were sent as
 * they are, another organisation could guess one and tell from response times what was sent.
 */
const cacheGroup = (organisationId: string, cacheKey: string | undefined): string | undefined =>
  cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))

/**
 * Returns the deployment's limits, lowered to the model's silence and the caller's time left. An answer in one piece sends
 * nothing until it is complete, so the model's silence does not limit its headers. `spentMs`: what an earlier route has used.
 */
export function deadlinesOf(
  { model, request }: Pick<Call, 'model' | 'request'>,
  { headersMs, silenceMs, totalMs }: Config['chatLimits'],
  leftMs: number,
  spentMs = 0,
): Deadlines {
  const modelMs = model.limits.silenceSeconds * 1000
  return {
    headersMs: request.stream === true ? Math.min(headersMs, modelMs) : headersMs,
    silenceMs: Math.min(silenceMs, modelMs),
    totalMs: Math.min(totalMs, leftMs) - spentMs,
  }
}
