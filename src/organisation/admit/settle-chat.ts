// Settles a chat completion in a second turn: a log entry says how the call ended and what it cost, and the cost replaces the
// reservation. A call that nobody settles is settled here as interrupted, at an estimate.
import type { SettledEnding } from '../../evidence/records/call-endings.ts'
import { ANSWER_FORM, answerMember, type AnswerCommitment } from '../../evidence/records/answer-outline.ts'
import { answerScanMember, NOT_SEARCHED, type AnswerScan } from '../../evidence/records/answer-scan.ts'
import { wholeNumberIn } from '../../evidence/records/number-text.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { assertMicroeur } from '../../policies/budget.policy.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { endRunOfApproval, type ApprovalStores } from '../approvals/approval-steps.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { StoredContent } from '../content/content-object.ts'
import { isOpenChat, listOpenChats } from '../journal/state/monthly-usage.ts'
import type { ChatCostsStore } from './chat-costs.store.ts'

/** Tokens, each counted in one member only. */
export type ChatUsage = {
  inputUncached: number
  cacheRead: number
  cacheWrite: number
  cacheWriteHour: number
  outputVisible: number
  reasoning: number
}

/**
 * `route`: the endpoint that the call was sent to last, at `host`. `places`: the countries that the providers of all routes asked may
 * process text in; null if one does not say. `catalogue`: the SHA-256 of the list of models and routes. `attempts`: null if only one
 * route was asked.
 */
export type RoutedCall = {
  /** The model that was asked last, if it is not the one that the request names. */
  model?: string
  route: string
  host: string
  places: readonly string[] | null
  catalogue: string
  attempts: readonly { route: string; cause: string | null; billed: 'no' | 'maybe' }[] | null
}

export type ChatSettlement = {
  /** The position of the log entry that admitted the request. */
  position: number
  /** The hash of that decision's facts, 64 hex digits; null if they were deleted before anybody settled the call. */
  factsSha256: string | null
  /** The days for which the decision is kept. The settlement is kept for no fewer. */
  retentionDays: number
  /** `cached`: it was answered from the cache, and no provider was asked. */
  ended: SettledEnding
  /** The attestation id of the call that first got the answer; set if it is `cached`. */
  cachedFrom?: string
  costMicroeur: number
  /** The part of the cost that is known of an interrupted call: its input, and the output that was passed on. Else absent. */
  seenMicroeur?: number
  usage: ChatUsage | null
  /** True if the tokens, and so the cost, were estimated because the provider did not say. */
  estimated: boolean
  upstreamMs: number | null
  finishReason: string | null
  /** The model that the provider named, at most 128 plain characters; null or absent if it named none. */
  servedModel?: string | null
  /** Where the call was sent; absent if it reached no provider. */
  routed?: RoutedCall
  /** A word of a closed list, never a provider's message. */
  errorCause: string | null
  /** True if certainly no provider was reached: an approval that the request runs with may then be used again. */
  isUnreached?: boolean
  /** The stored request and answer; `lost`: they were to be stored and could not be. Absent if they are not stored. */
  content?: ReportedContent | 'lost'
  /** Commits to what the caller got; null or absent if that was no part of an answer. */
  answer?: AnswerCommitment | null
  /** The search of the answer; absent if nothing was read. */
  answerScan?: AnswerScan
}

export type ReportedContent = StoredContent & { name: string }

/** The members that a settlement takes from its decision. */
export type DecidedCall = Pick<ChatSettlement, 'position' | 'factsSha256' | 'retentionDays'>

/** The stores that a settlement writes to. `content`: the keys, needed if stored content is reported. `outbox`: for the webhook. */
export type SettlementStores = Pick<ApprovalStores, 'journal' | 'endedApprovals'> &
  Partial<Pick<ApprovalStores, 'outbox'>> & { content?: Keys }

type Keys = Pick<ContentKeys, 'canRead'>

/**
 * `not_open`: no call is open at this position; it was settled before or never admitted. `isContentKept`: true if the log entry
 * now refers to the reported content; otherwise nothing does.
 */
export type ChatSettled = { outcome: 'settled'; position: number; isContentKept: boolean } | { outcome: 'not_open' }

/** A request that is not settled within this time counts as interrupted. */
export const UNSETTLED_MS = 15 * MINUTE_MS

/** The most interrupted requests that one turn settles; the alarm then runs again at once. */
const SETTLED_AT_ONCE = 500

/** Settles a call; its first settlement is final. Throws RangeError if a cost is not a whole number of micro-euro. */
export function settleChat(stores: SettlementStores, settlement: ChatSettlement, now: number): ChatSettled {
  const { journal } = stores
  const { position: settles, ended, costMicroeur, usage, estimated, answer = null } = settlement
  assertMicroeur(costMicroeur)
  const { months, settings } = journal.state
  if (!isOpenChat(months, settles)) return { outcome: 'not_open' }
  const kept = contentStillReadable(stores.content, settlement.content)
  const content = {
    settles,
    ended,
    cost_microeur: costMicroeur,
    ...(settlement.seenMicroeur !== undefined && { seen_microeur: settlement.seenMicroeur }),
    estimated,
    usage: usage && presentUsage(usage),
    upstream_ms: settlement.upstreamMs,
    finish_reason: settlement.finishReason,
    error_cause: settlement.errorCause,
    ...(settlement.factsSha256 !== null && { facts_sha256: settlement.factsSha256 }),
    ...(typeof settlement.servedModel === 'string' && { served_model: settlement.servedModel }),
    ...(settlement.routed && presentRouted(settlement.routed)),
    ...(kept !== undefined && { content: kept }),
    ...(settlement.cachedFrom !== undefined && { cached_from: settlement.cachedFrom }),
    ...(answer && { answer: answerMember(answer, sha256Hex) }),
    answer_scan: answerScanMember(settlement.answerScan ?? NOT_SEARCHED),
  }
  // SECURITY: the salt is beside the entry and in no export: with it, a reader could guess a short answer.
  const facts = answer && JSON.stringify({ answer_salt: answer.salt, v: ANSWER_FORM })
  const fields = { outcome: ended, microeur: costMicroeur, settles }
  const retentionDays = Math.max(planOf(settings).retentionDays, settlement.retentionDays)
  const position = journal.append({ kind: 'settlement', content, facts, fields, retentionDays }, now)
  endRunOfApproval(stores, settles, settlement.isUnreached !== true, now)
  return { outcome: 'settled', position, isContentKept: typeof kept === 'object' }
}

/** Returns the reported content, or `lost` if its key was destroyed while the call ran. */
function contentStillReadable(
  keys: Keys | undefined,
  content: ChatSettlement['content'],
): StoredContent | 'lost' | undefined {
  if (typeof content !== 'object') return content
  const { name, sha256, bytes } = content
  return keys?.canRead(name) === true ? { sha256, bytes } : 'lost'
}

type InterruptionStores = SettlementStores & { costs: ChatCostsStore }

/** Settles the calls that nobody settled in time. Safe to run twice. */
export function settleInterruptedChats(stores: InterruptionStores, now: number): void {
  settleAsInterrupted(stores, stores.journal.at(now).at - UNSETTLED_MS, now)
}

/** Settles all open calls as interrupted, however young, in steps. Returns false while more remain. */
export const settleOpenChats = (stores: InterruptionStores, now: number): boolean =>
  settleAsInterrupted(stores, Number.MAX_SAFE_INTEGER, now) < SETTLED_AT_ONCE

/** Settles a call that the cache answers, in the turn that allows it. Its answer is that of the call that first got it. */
export function settleCachedChat(
  stores: SettlementStores,
  { position, factsSha256, retentionDays }: DecidedCall,
  { attestationId: cachedFrom, answer }: { attestationId: string; answer: AnswerCommitment | null },
  now: number,
): void {
  const nothingUsed = { ...NOTHING_REPORTED, costMicroeur: 0, estimated: false }
  // The cache only has answers that were searched in full under this very policy, and had nothing to find.
  const isSearched = stores.journal.state.policy.document.pii_scan?.answers !== undefined
  const answerScan = isSearched ? { ...NOT_SEARCHED, coverage: 'full' as const } : NOT_SEARCHED
  const decided = { position, factsSha256, retentionDays }
  settleChat(stores, { ...decided, ended: 'cached', cachedFrom, answer, answerScan, ...nothingUsed }, now)
}

const NOTHING_REPORTED = { usage: null, upstreamMs: null, finishReason: null, errorCause: null } as const

/**
 * Settles abandoned calls. Input and output that were seen count in full. Of the rest of the reservation counts the share that
 * completed calls spent of theirs.
 */
function settleAsInterrupted(stores: InterruptionStores, admittedUntil: number, now: number): number {
  const { journal, costs } = stores
  const abandoned = listOpenChats(journal.state.months, admittedUntil, SETTLED_AT_ONCE)
  if (abandoned.length === 0) return 0
  const share = costs.spentShare(journal.state.next)
  for (const { position, microeur } of abandoned) {
    const found = journal.findFacts(position)
    const facts = found?.facts ?? {}
    // Without facts nothing is known of the input.
    const inputMicroeur = wholeNumberIn(facts, 'input_microeur') ?? microeur
    const seenMicroeur = Math.min(microeur, Math.max(inputMicroeur, costs.find(position)))
    const decision = {
      position,
      factsSha256: found?.sha256 ?? null,
      retentionDays: wholeNumberIn(facts, 'retention_days') ?? 0,
    }
    const costMicroeur = seenMicroeur + Math.ceil((microeur - seenMicroeur) * share)
    const estimate = { ...NOTHING_REPORTED, costMicroeur, seenMicroeur, estimated: true }
    settleChat(stores, { ...decision, ended: 'interrupted', ...estimate }, now)
  }
  return abandoned.length
}

const presentRouted = ({ model, route, host, places, catalogue, attempts }: RoutedCall) => ({
  ...(model !== undefined && { model }),
  route,
  host,
  ...(places !== null && { places: [...places] }),
  catalogue,
  ...(attempts !== null && { attempts: attempts.map((attempt) => ({ ...attempt })) }),
})

const presentUsage = (usage: ChatUsage) => ({
  input_uncached: usage.inputUncached,
  cache_read: usage.cacheRead,
  cache_write: usage.cacheWrite,
  cache_write_hour: usage.cacheWriteHour,
  output_visible: usage.outputVisible,
  reasoning: usage.reasoning,
})
