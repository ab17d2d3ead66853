// Asks a provider on behalf of an admitted call, and answers with what it says, in one piece or as a stream.
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { complete, openStream, type Call, type ProviderSettings } from '../../providers/client.ts'
import type { Deadlines } from '../../providers/exchange.ts'
import type { ChatRequest } from '../../providers/request.ts'
import type { AdmittedCall } from './admit-call.ts'
import type { SettleDeps } from './settle-call.ts'
import { answerStreamed } from './streamed-answer.ts'
import { answerWhole } from './whole-answer.ts'

/** `sent` is fulfilled when the provider has begun to answer, or never will: until then the request's bytes are kept. */
export type Started = { answer: Promise<Response>; sent: Promise<unknown> }

/** `leftMs`: until the caller's own deadline. */
type Question = { provider: ProviderSettings; request: ChatRequest; leftMs: number }

/** Aborted with the caller's own request: the runtime tells of a departure at the next event it cannot deliver. */
export function askProvider(
  c: AppContext,
  call: AdmittedCall,
  { provider, request, leftMs }: Question,
  deps: SettleDeps,
): Started {
  const { model } = call.outline
  const question = {
    provider,
    model,
    request: {
      ...request,
      maxTokens: call.maxTokens,
      cacheInstructions: call.cacheInstructions,
      cacheGroup: cacheGroup(call.key.organisationId, request.cacheKey),
    },
    signal: c.req.raw.signal,
    deadlines: deadlinesOf({ model, request }, deps.limits, leftMs),
  }
  if (request.stream === true) {
    const sent = openStream(question)
    return { sent, answer: answerStreamed(c, call, sent, deps) }
  }
  const sent = complete({ ...question, hasRoom: call.memory.grow })
  return { sent, answer: answerWhole(c, call, sent, deps) }
}

/**
 * The name by which OpenAI keeps prompts together, as long as it takes one. All organisations share the service's own account
 * there: were their names sent as they are, whoever guesses another's could tell by the time what that one has sent.
 */
function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))
}

/**
 * The deployment's limits, and the model's own if it may be silent for less. An answer in one piece has no byte before it is
 * written to its end, so no silence of the model is in the wait for it.
 */
export function deadlinesOf(
  { model, request }: Pick<Call, 'model' | 'request'>,
  { headersMs, silenceMs, totalMs }: Config['chatLimits'],
  leftMs: number,
): Deadlines {
  const modelMs = model.limits.silenceSeconds * 1000
  return {
    headersMs: request.stream === true ? Math.min(headersMs, modelMs) : headersMs,
    silenceMs: Math.min(silenceMs, modelMs),
    totalMs: Math.min(totalMs, leftMs),
  }
}
