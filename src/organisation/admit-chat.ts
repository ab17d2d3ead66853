// The one turn that decides about a chat completion and writes the decision down. Runs inside a single synchronous
// transaction of the organisation's database. What is looked at first outranks what comes after it:
// key, erasure, rate, monthly quota, scope, model, loop, budget.
import type { KeyScope } from '../keys/key.schema.ts'
import type { InvalidKey } from '../keys/key-standing.policy.ts'
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import type { RateState } from '../keys/limits.policy.ts'
import type { LimitsStore } from '../keys/limits.store.ts'
import type { LedgerStore } from '../ledger/ledger.store.ts'
import type { ReceiptsStore } from '../ledger/receipts.store.ts'
import type { SettlementsStore } from '../ledger/settlements.store.ts'
import { fitsBudget } from '../policies/budget.policy.ts'
import { loopThresholds, watchRequest } from '../policies/loops.policy.ts'
import { decideModelAccess } from '../policies/model-access.policy.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import { decideOutput } from '../policies/reservation.policy.ts'
import type { Tier } from '../policies/tier.policy.ts'
import type { ErasureStateStore } from './erasure/erasure-state.store.ts'
import { shortHash, type LoopsStore } from './loops.store.ts'
import { recordChat, type ChatFacts, type Recorded } from './record-chat.ts'
import {
  countCall,
  findRoom,
  rateOfFreeCall,
  rateOfQuotaCall,
  refuseForQuota,
  type ChatCaller,
  type ClosingRefusal,
  type QuotaRefusal,
  type RateRefusal,
  type Room,
} from './room.ts'
import type { SettingsStore } from './settings.store.ts'
import type { SpendingStore } from './spending.store.ts'

export type CallRefusal =
  | InvalidKey
  | RateRefusal
  | QuotaRefusal
  | ClosingRefusal
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }

/**
 * Refusals that have a `position` were recorded too. `maxTokens`: what the model may write for each choice, and
 * `cacheInstructions`: whether long instructions are to be kept, both of which the provider is to be told.
 */
export type ChatAdmission =
  | ({ outcome: 'admitted'; rate: RateState; organisationId: string; tier: Tier } & ToldProvider & Recorded)
  | CallRefusal
  | ({ outcome: 'model_not_allowed'; rate: RateState; reason: 'tier' | 'provider'; tier: Tier } & Recorded)
  | ({ outcome: 'loop_detected'; rate: RateState; retryAfterSeconds: number } & Recorded)

type ToldProvider = { maxTokens: number; cacheInstructions: boolean }

/** A call that runs no model: a request that cannot be run (400, 404, 413, 503), or the list of models. */
export type ChatCall =
  | ({ outcome: 'admitted'; rate: RateState } & Pick<OrganisationSettings, 'tier' | 'enabledProviders'>)
  | CallRefusal

/** A call of the management routes by a key. */
export type ManageCall = { outcome: 'admitted'; rate: RateState; key: Pick<KeyRecord, 'id' | 'scopes'> } | CallRefusal

export type ChatStores = {
  erasure: ErasureStateStore
  keys: KeysStore
  limits: LimitsStore
  settings: SettingsStore
  spending: SpendingStore
  loops: LoopsStore
  ledger: LedgerStore
  receipts: ReceiptsStore
  settlements: SettlementsStore
}

/** Throws RangeError where a cost is not a whole number of micro-euro. */
export function admitChat(stores: ChatStores, facts: ChatFacts, now: number): ChatAdmission {
  assertMicroeur(facts.upFrontMicroeur)
  const room = findRoom(stores, facts, now)
  if (room.outcome !== 'room') return room
  if (!room.quota.allowed) return refuseForQuota(room, 'requests', now)
  if (!mayChat(room)) return refuseScope(stores, room)

  const { tier, defaultMaxTokens, cacheInstructions } = room.settings
  const { maxTokens, microeur } = decideOutput(facts.output, defaultMaxTokens)
  const reserveMicroeur = facts.upFrontMicroeur + microeur
  const access = decideModelAccess(room.settings, facts)
  if (!access.allowed) {
    const { reason } = access
    countCall(stores, room)
    const recorded = recordChat(stores, room, facts, now, {
      outcome: 'BLOCKED',
      policies: ['model_allowlist'],
      reason: `model_not_allowed_by_${reason}`,
      reserveMicroeur,
    })
    return { outcome: 'model_not_allowed', rate: rateOfFreeCall(room), ...recorded, reason, tier }
  }

  const request = { hash: shortHash(facts.loopHash), at: room.at }
  const before = stores.loops.readSeen(room.key.id, request.hash)
  const thresholds = loopThresholds(room.settings)
  const { looping, seen } = watchRequest(thresholds, before.seen, request)
  const fits = fitsBudget(room.settings.monthlyBudgetMicroeur, room.month, reserveMicroeur)
  if (!looping && !fits) return refuseForQuota(room, 'budget', now)

  countCall(stores, room)
  stores.loops.writeSeen(room.key.id, request, { n: before.n, seen }, room.at - thresholds.repeatWindowMs)
  if (looping) {
    const recorded = recordChat(stores, room, facts, now, {
      outcome: 'SUPPRESSED',
      policies: ['loop_guard'],
      reason: 'loop_detected',
      reserveMicroeur,
    })
    const retryAfterSeconds = Math.ceil(thresholds.quietMs / 1000)
    return { outcome: 'loop_detected', rate: rateOfFreeCall(room), ...recorded, retryAfterSeconds }
  }
  const policies = policiesPassed(room.settings)
  const recorded = recordChat(stores, room, facts, now, { outcome: 'ALLOWED', policies, reason: null, reserveMicroeur })
  const { position } = recorded
  stores.spending.insertReservation({ position, admittedAt: room.at, microeur: reserveMicroeur })
  const { organisationId } = facts
  const told = { maxTokens, cacheInstructions }
  return { outcome: 'admitted', ...recorded, rate: rateOfQuotaCall(room), organisationId, tier, ...told }
}

/**
 * Counts a request that cannot be run (400, 404, 413, 503), once it is known that nothing outranks that. Not written to
 * the ledger, and free of the month's quota.
 */
export function admitInvalid(stores: ChatStores, caller: ChatCaller, now: number): ChatCall {
  const room = findRoom(stores, caller, now)
  if (room.outcome !== 'room') return room
  return room.quota.allowed ? admitFree(stores, room) : refuseForQuota(room, 'requests', now)
}

/** What the key's organisation may use. A used-up quota does not hide it. */
export function describeChatKey(stores: ChatStores, caller: ChatCaller, now: number): ChatCall {
  const room = findRoom(stores, caller, now)
  return room.outcome === 'room' ? admitFree(stores, room) : room
}

function admitFree(stores: ChatStores, room: Room): ChatCall {
  if (!mayChat(room)) return refuseScope(stores, room)
  countCall(stores, room)
  const { tier, enabledProviders } = room.settings
  return { outcome: 'admitted', rate: rateOfFreeCall(room), tier, enabledProviders }
}

/** Whether this key may manage its organisation. Counted as a look is. */
export function admitManage(stores: ChatStores, caller: ChatCaller, now: number): ManageCall {
  const room = findRoom(stores, caller, now)
  if (room.outcome !== 'room') return room
  if (!room.key.scopes.includes('manage')) return refuseScope(stores, room, 'manage')
  countCall(stores, room)
  const { id, scopes } = room.key
  return { outcome: 'admitted', rate: rateOfFreeCall(room), key: { id, scopes } }
}

/** Every rule that was applied to a request that went through. */
const policiesPassed = ({ monthlyBudgetMicroeur: budget }: OrganisationSettings): string[] => [
  ...(budget === null ? [] : ['budget_guard']),
  'loop_guard',
  'model_allowlist',
  'rate_limit',
]

const mayChat = ({ key }: Room): boolean => key.scopes.includes('chat')

function refuseScope(stores: ChatStores, room: Room, scope: KeyScope = 'chat'): CallRefusal {
  countCall(stores, room)
  return { outcome: 'scope_required', rate: rateOfFreeCall(room), scope }
}

export function assertMicroeur(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError('not a whole number of micro-euro')
}
