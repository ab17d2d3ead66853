// Runs a gateway call of any operation: reads it, has it admitted, then asks the provider or
// replays a stored answer. INVARIANT: no provider gets a request before the decision is in the organisation's log.
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { readBearerKey } from '../../keys/bearer-key.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import { refusalError } from '../../organisation/refusal-errors.ts'
import type { Clock } from '../../platform/time.ts'
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { EurRate } from '../../providers/call-cost.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import type { EndpointsSettings } from '../../providers/endpoint-settings.ts'
import { refuseUnread, openBodyMemory, type BodyMemory } from '../memory/body-memory.ts'
import { createMemoryPool } from '../memory/memory-pool.ts'
import { answerFromCache, replayAnswer } from '../replay/replay-answer.ts'
import type { StoredAnswersStore } from '../replay/stored-answers.store.ts'
import { createScanner } from '../scan/scan-request.ts'
import { createAdmitCall } from './admit-call.ts'
import { askProvider, type StartedCall } from './ask-provider.ts'
import type { CallOperation } from './call-operation.ts'
import { createFairQueue } from './fair-queue.ts'
import type { ReadCall } from './prepare-call.ts'
import { createCallReader, type Arrival, type ValidCall } from './read-call.ts'

type Deps = {
  gate: ChatGate
  /** Null if this deployment has no signing keys: then no model is asked. */
  signer: Signer | null
  peppers: Config['peppers']
  endpoints: EndpointsSettings
  limits: Config['chatLimits']
  eurRate: EurRate
  storedAnswers: StoredAnswersStore
  clock: Clock
  /** Stores prompts and answers of organisations that want that. */
  bucket: R2Bucket
}

export type CallService = ReturnType<typeof createCallService>

export function createCallService(deps: Deps) {
  const { gate, signer, peppers, endpoints, limits, eurRate, storedAnswers, bucket, clock } = deps
  const pool = createMemoryPool(systemRuntime)
  const queue = createFairQueue(systemRuntime)
  const scan = createScanner({ queue, pool, refuse: refuseInvalid })
  const reader = createCallReader({ pool, queue, signer, endpoints, clock })
  const admitCall = createAdmitCall({ gate, storedAnswers, eurRate, scan, pool, queue, bucket, endpoints })

  /** Answers a call. Throws every error of the routes. */
  async function answerCall(c: AppContext, operation: CallOperation): Promise<Response> {
    const arrivedAt = clock()
    const key = readBearerKey(c, 'gateway', peppers)
    const refusal = gate.recall(c, key)
    if (refusal !== null) throw await refuseUnread(c.req.raw, refusalError(refusal))
    // The runtime keeps the call alive until its memory is released, even if its caller leaves.
    const memory = openBodyMemory(pool, key.organisationId, (released) => c.executionCtx.waitUntil(released))
    let sent: Promise<unknown> = Promise.resolve()
    try {
      const started = await start(c, key, { operation, arrivedAt }, memory)
      ;({ sent } = started)
      return await started.answer
    } finally {
      // A stream's head can go out before its provider has taken the request. Until then the request may be sent again.
      void sent.then(memory.release, memory.release)
    }
  }

  /** Resolves as soon as the provider is asked, so that the request can be freed before the answer arrives. */
  async function start(c: AppContext, key: ParsedKey, arrival: Arrival, bodyMemory: BodyMemory): Promise<StartedCall> {
    let valid: ValidCall
    try {
      valid = await reader.readValidCall(c, key, arrival, bodyMemory)
    } catch (thrown) {
      throw thrown instanceof AppError ? await refuseInvalid(c, key, thrown) : thrown
    }
    const { deadline, answerMemory: memory } = valid
    const admitted = await admitCall(c, key, valid).catch((thrown: unknown) => {
      memory.release()
      throw thrown
    })
    const unsent = Promise.resolve()
    if ('stored' in admitted) {
      const replay = { memory, store: storedAnswers, stallMs: limits.stallMs }
      return { sent: unsent, answer: replayAnswer(c, admitted.stored, replay) }
    }
    const { call, scanned, cached } = admitted
    if (cached !== null) {
      return { sent: unsent, answer: Promise.resolve(answerFromCache(c, call, cached, limits.stallMs)) }
    }
    const leftMs = deadline === null ? Infinity : deadline - clock()
    return askProvider(c, call, { request: scanned.request, leftMs }, { gate, limits })
  }

  /** Returns the error for a request that cannot be run. A bad key and a limit outrank its fault. */
  async function refuseInvalid(c: AppContext, key: ParsedKey, fault: AppError): Promise<AppError> {
    const counted = await gate.admitInvalid(c, key)
    const isLimited = counted.outcome === 'rate_limit_exceeded' || counted.outcome === 'quota_exceeded'
    if (counted.outcome === 'admitted' || (isLimited && fault.code === 'payload_too_large')) return fault
    return refusalError(counted)
  }

  /** Estimates the input of a request. Nothing is decided, and nothing is sent. Throws every error of the route. */
  async function estimateInput(c: AppContext, read: ReadCall): Promise<number> {
    const key = readBearerKey(c, 'gateway', peppers)
    const admission = await gate.admitTokenCount(c, key)
    if (admission.outcome !== 'admitted') throw await refuseUnread(c.req.raw, refusalError(admission))
    const memory = openBodyMemory(pool, key.organisationId, (released) => c.executionCtx.waitUntil(released))
    try {
      const input = await reader.estimated(c, key, read, memory)
      return input.outline.inputTokens
    } finally {
      memory.release()
    }
  }

  return { answerCall, estimateInput }
}
