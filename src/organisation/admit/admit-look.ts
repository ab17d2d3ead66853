// Calls that run no model, each one turn: a request that cannot be run, the list of models, a look at the log, a call of the
// management routes. They count for the minute and leave no entry.
import type { KeyScope } from '../../keys/key.schema.ts'
import type { InvalidKey } from '../../keys/key-standing.policy.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { RateState } from '../../keys/limits.policy.ts'
import type { KnownTree } from '../../tiles/proofs.ts'
import type { Turns } from '../turns.ts'
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import {
  checkCall,
  noteCall,
  OUT_OF_REQUESTS,
  rateOfFreeCall,
  refuseForQuota,
  type CallStores,
  type ChatCaller,
  type CheckedCall,
  type ClosingRefusal,
  type QuotaRefusal,
  type RateRefusal,
} from './check-call.ts'

export type CallRefusal =
  | InvalidKey
  | RateRefusal
  | QuotaRefusal
  | ClosingRefusal
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }

/** A call that runs no model: a request that cannot be run (400, 404, 413, 503), or the list of models. */
export type ChatCall =
  | ({ outcome: 'admitted'; rate: RateState } & Pick<OrganisationSettings, 'tier' | 'enabledProviders'>)
  | CallRefusal

/** A call of the management routes by a key. */
export type ManageCall = { outcome: 'admitted'; rate: RateState; key: Pick<KeyRecord, 'id' | 'scopes'> } | CallRefusal

/** Any good gateway key may look at the organisation's log: there is nothing to see but hashes, and how many there are. */
export type LogAnswer<T> =
  | { outcome: 'admitted'; rate: RateState; answer: T }
  | Exclude<LogLook, { outcome: 'admitted' }>

type LogLook = { outcome: 'admitted'; rate: RateState } | InvalidKey | RateRefusal | ClosingRefusal

/**
 * Counts a request that cannot be run (400, 404, 413, 503), once it is known that nothing outranks that. Not written to
 * the ledger, and free of the month's quota.
 */
export function admitInvalid(stores: CallStores, caller: ChatCaller, now: number): ChatCall {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  return checked.quota.allowed ? admitFree(stores, checked, now) : refuseForQuota(stores, checked, OUT_OF_REQUESTS, now)
}

/** What the key's organisation may use. A used-up quota does not hide it. */
export function describeChatKey(stores: CallStores, caller: ChatCaller, now: number): ChatCall {
  const checked = checkCall(stores, caller, now)
  return checked.outcome === 'good' ? admitFree(stores, checked, now) : checked
}

/** Answers from the tree of the caller's own turn. */
export async function answerLook<T>(
  turns: Pick<Turns, 'call'>,
  caller: ChatCaller,
  answer: (tree: KnownTree) => Promise<T>,
): Promise<LogAnswer<T>> {
  const { tree, look } = turns.call((stores, now) => {
    const admitted = admitLook(stores, caller, now)
    return { look: admitted, tree: stores.journal.tree }
  })
  return look.outcome === 'admitted' ? { ...look, answer: await answer(tree) } : look
}

/** Counted like the list of models: for the minute, not for the month. */
function admitLook(stores: CallStores, caller: ChatCaller, now: number): LogLook {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  noteCall(stores, checked, now)
  return { outcome: 'admitted', rate: rateOfFreeCall(checked) }
}

/** Whether this key may manage its organisation. Counted as a look is. */
export function admitManage(stores: CallStores, caller: ChatCaller, now: number): ManageCall {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  const { id, scopes } = checked.key
  if (!scopes.includes('manage')) return refuseScope(stores, checked, 'manage', now)
  noteCall(stores, checked, now)
  return { outcome: 'admitted', rate: rateOfFreeCall(checked), key: { id, scopes } }
}

function admitFree(stores: CallStores, checked: CheckedCall, now: number): ChatCall {
  if (!mayChat(checked)) return refuseScope(stores, checked, 'chat', now)
  noteCall(stores, checked, now)
  const { tier, enabledProviders } = checked.state.settings
  return { outcome: 'admitted', rate: rateOfFreeCall(checked), tier, enabledProviders }
}

/** Key, rate, monthly quota and scope of a call that is to run a model. */
export function checkChat(stores: CallStores, caller: ChatCaller, now: number): CheckedCall | CallRefusal {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  if (!checked.quota.allowed) return refuseForQuota(stores, checked, OUT_OF_REQUESTS, now)
  return mayChat(checked) ? checked : refuseScope(stores, checked, 'chat', now)
}

const mayChat = ({ key }: CheckedCall): boolean => key.scopes.includes('chat')

function refuseScope({ journal }: CallStores, checked: CheckedCall, scope: KeyScope, now: number): CallRefusal {
  journal.note({ keyId: checked.key.id, ofGateway: true, outcome: 'scope' }, now)
  return { outcome: 'scope_required', rate: rateOfFreeCall(checked), scope }
}
