// The one turn that decides about a call with a referral key: is this key good, do its limits allow one more, and then what it comes to is
// written.
import type { EntryContent } from '../../evidence/entry.ts'
import type { EntryKind } from '../../evidence/entry-tags.ts'
import type { KeyScope } from '../../keys/key.schema.ts'
import { invalidKey, judgeKey, type InvalidKey } from '../../keys/key-standing.policy.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import {
  decideLimit,
  lowerLimits,
  REFERRAL_LIMITS,
  type LimitWindow,
  type Limits,
  type RateState,
} from '../../keys/limits.policy.ts'
import { DAY_MS, utcDay } from '../../platform/clock.ts'
import { assertMicroeur } from '../../policies/budget.policy.ts'
import { refuseByLimit, refuseForRate, type CallStores, type ClosingRefusal, type RateRefusal } from './check-call.ts'
import { countsAt } from '../journal/state/calls.ts'
import type { CallOutcome } from '../journal/state/event.ts'
import { spentInDay } from '../journal/state/readings.ts'

/** EUR 20 of reading a day, for a live key. */
export const DAILY_READING_MICROEUR = 20_000_000

/** Facts about a call. Never its text. */
export type AdmitRequest = {
  keyId: string
  secretHash: Uint8Array
  scope: KeyScope
  /** The decision that is about to be answered, to be written if the call is admitted. */
  entry: { kind: Extract<EntryKind, 'referral_decision'>; content: EntryContent } | null
  /** The most the call can cost, held until it is settled. Only with an entry, whose position names the reservation. */
  reserveMicroeur?: number
}

export type Admission =
  | { outcome: 'admitted'; rate: RateState; position: number | null }
  | InvalidKey
  /** The window whose calls are used up, or the day's money. */
  | RateRefusal<LimitWindow | 'cost'>
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }
  | ClosingRefusal

/** Throws RangeError where the cost is not a whole number of micro-euro. */
export function admit({ erasure, keys, journal }: CallStores, request: AdmitRequest, now: number): Admission {
  if (request.reserveMicroeur !== undefined) assertMicroeur(request.reserveMicroeur)
  const judged = judgeKey(keys.findKey(request.keyId), request.secretHash, now)
  if (judged.outcome !== 'good') return judged
  const { key } = judged
  const plan = planOf(key)
  if (plan === null) return invalidKey('unknown')
  const note = (outcome: CallOutcome): void => journal.note({ keyId: key.id, ofGateway: false, outcome }, now)

  const { state, at } = journal.at(now)
  const decision = decideLimit(plan, countsAt(state.calls, key.id, at), at)
  const { rate } = decision
  const refused = refuseByLimit({ erasure, journal }, { keyId: key.id, ofGateway: false }, decision, now)
  if (refused !== null) return refused
  if (!key.scopes.includes(request.scope)) {
    note('scope')
    return { outcome: 'scope_required', rate, scope: request.scope }
  }
  const { entry, reserveMicroeur = null } = request
  const spent = spentInDay(state.readings, key.id, at)
  if (reserveMicroeur !== null && spent + reserveMicroeur > DAILY_READING_MICROEUR) {
    note('budget')
    const dayEndsAt = (utcDay(at) + 1) * DAY_MS
    const spentRate = { ...rate, remaining: 0, resetAt: dayEndsAt / 1000 }
    return refuseForRate('cost', { rate: spentRate, retryAt: dayEndsAt }, now)
  }
  if (entry === null) {
    note('counted')
    return { outcome: 'admitted', rate, position: null }
  }
  const fields = { keyId: key.id, outcome: outcomeOf(request), microeur: reserveMicroeur }
  const content = { key_id: key.id, ...entry.content }
  return { outcome: 'admitted', rate, position: journal.append({ kind: entry.kind, content, fields }, now) }
}

/** A reading that begins has none yet. */
function outcomeOf({ entry, reserveMicroeur }: AdmitRequest): string | null {
  const decision = entry?.content['decision']
  return reserveMicroeur === undefined && typeof decision === 'string' ? decision : null
}

function planOf(key: KeyRecord): Limits | null {
  if (key.prefix !== 'vk_test_' && key.prefix !== 'vk_live_') return null
  return lowerLimits(REFERRAL_LIMITS[key.prefix], {
    ...(key.requestsPerMinute === null ? {} : { perMinute: key.requestsPerMinute }),
    ...(key.requestsPerDay === null ? {} : { perDay: key.requestsPerDay }),
  })
}
