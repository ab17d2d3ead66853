// Sends an admitted call to its provider and answers the caller, in one piece or as a stream.
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { RetryPolicy } from '../../providers/call-retry.policy.ts'
import { complete, openStream, type Call, type Completion, type OpenStream } from '../../providers/provider-client.ts'
import type { Deadlines } from '../../providers/http-exchange.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import type { AdmittedCall } from './admit-call.ts'
import { askByRoutes, mayAskAgain, type AllowedRoute } from './asked-routes.ts'
import type { SettleDeps } from './settle-call.ts'
import { answerStreamed } from './streamed-answer.ts'
import { answerWhole } from './whole-answer.ts'

/** `sent` resolves when the provider has begun to answer or never will. The request's bytes stay in memory until then. */
export type StartedCall = { answer: Promise<Response>; sent: Promise<unknown> }

/** `leftMs`: milliseconds until the caller's own deadline. */
type Question = { request: ChatRequest; leftMs: number }

/** Sends the call. If the caller leaves, the provider's request is aborted at the next event that cannot be delivered. */
export function askProvider(
  c: AppContext,
  call: AdmittedCall,
  { request, leftMs }: Question,
  deps: SettleDeps,
): StartedCall {
  const { key, routes, outline } = call
  const sentRequest = {
    ...request,
    maxTokens: call.maxTokens,
    cacheInstructions: call.cacheInstructions,
    cacheGroup: cacheGroup(key.organisationId, request.cacheKey),
  }
  const callBy = ({ model, access }: AllowedRoute, retry: RetryPolicy | undefined, spentMs: number): Call => ({
    provider: access,
    model,
    request: sentRequest,
    signal: c.req.raw.signal,
    deadlines: deadlinesOf({ model, request }, deps.limits, leftMs, spentMs),
    ...(retry && { retry }),
  })
  const again = mayAskAgain(request, outline.bytes)
  if (request.stream === true) {
    const sent = askByRoutes<OpenStream>(routes, again, (...route) => openStream(callBy(...route)))
    return { sent, answer: answerStreamed(c, call, sent, deps) }
  }
  const sent = askByRoutes<Completion>(routes, again, (...route) =>
    complete({ ...callBy(...route), hasRoom: call.memory.grow }),
  )
  return { sent, answer: answerWhole(c, call, sent, deps) }
}

/**
 * Returns the name under which OpenAI caches prompts together. All organisations share one account there. If names were sent as
 * they are, another organisation could guess one and tell from response times what was sent.
 */
function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))
}

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
