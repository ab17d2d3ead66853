// An invented request as the gateway reads, looks through and describes it, and what its answer would have cost.
import { readChatRequest } from '../../../../src/gateway/chat/chat-request.policy.ts'
import { factsOf } from '../../../../src/gateway/call/call-facts.ts'
import { scanRequest } from '../../../../src/gateway/scan/scan-request.ts'
import { newTrace } from '../../../../src/gateway/call/trace.ts'
import type { RequestFacts } from '../../../../src/organisation/admit/chat-gate.ts'
import type { ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import type { VersionedPolicy } from '../../../../src/policies/document/policy-document.ts'
import { findModel } from '../../../../src/providers/catalogue.ts'
import { costMicroeur, type EurRate } from '../../../../src/providers/cost.ts'
import { estimateSearch } from '../../../../src/providers/estimate.ts'
import type { InventedCall } from './calls-of-day.ts'

const JSON_HEADERS = new Headers({ 'content-type': 'application/json' })

export type Reading = { publicKey: string; eurRate: EurRate; policy: VersionedPolicy; approval: ApprovalId | null }

/** Throws where no provider could be sent the request: that would be our mistake. */
export function readFacts({ body, useCase, cohort }: InventedCall, { policy, ...call }: Reading): RequestFacts {
  const read = readChatRequest(JSON_HEADERS, new TextEncoder().encode(JSON.stringify(body)))
  if (read instanceof AppError) throw new Error(`an invented request cannot be asked: ${read.message}`)
  const { input, scan } = scanRequest(read, policy)
  const told = { ...newTrace(), ...call, useCase, cohort, scan, idempotencyKeyHash: null, insteadOf: null }
  return factsOf({ ...read, outline: input.outline }, told)
}

/** How the call ended that is in the log at this position. */
export function settlementOf({ body, ending }: InventedCall, position: number, eurRate: EurRate): ChatSettlement {
  const { ended, ms, inputTokens, outputTokens, ...said } = ending
  const model = findModel(body.model)
  if (model === null || ended === 'lost') throw new Error('this call has no end')
  const nothing = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0 }
  const usage = { ...nothing, inputUncached: inputTokens, outputVisible: outputTokens }
  const { feesMicrousd } = estimateSearch(model)
  const isUsed = ended !== 'failed'
  return {
    ...said,
    position,
    ended,
    costMicroeur: isUsed ? costMicroeur({ ...usage, feesMicrousd }, model, eurRate) : 0,
    usage: isUsed ? usage : null,
    upstreamMs: ms,
    isUnreached: false,
  }
}
