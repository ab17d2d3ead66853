// Admits or refuses a referral key's call in one turn, and records or counts it. Also settles readings.
import type { EntryContent } from '../../evidence/entry.ts'
import type { EntryKind } from '../../evidence/entry-tags.ts'
import type { KeyScope } from '../../keys/key.schema.ts'
import type { InvalidKey } from '../../keys/key-rules.policy.ts'
import type { LimitWindow, RateState } from '../../keys/rate-limits.policy.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { assertMicroeur } from '../../policies/budget.policy.ts'
import { isWithin, type DataRegion } from '../../platform/data-region.ts'
import {
  checkReferralCall,
  refuseForRate,
  type CallStores,
  type ClosingRefusal,
  type RateRefusal,
  type ScopeRefusal,
} from './check-call.ts'
import type { Claim, IdempotencyStore } from './idempotency.store.ts'
import type { CallOutcome } from '../journal/state/state-event.ts'
import {
  findOpenReading,
  listAbandonedReadings,
  listOpenReadings,
  spentInDay,
  type OpenReading,
} from '../journal/state/readings.ts'
import { coverDecision } from '../coverage/cover-decision.ts'
import { RETENTION_DAYS, type Journal } from '../journal/journal.ts'

/** EUR 20 of reading a day, for a live key. */
export const DAILY_READING_MICROEUR = 20_000_000

/** Facts about a call. Never its text. */
export type ReferralFacts = {
  keyId: string
  secretHash: Uint8Array
  scope: KeyScope
  /** The decision that is about to be answered, to be written if the call is admitted. */
  entry: { kind: Extract<EntryKind, 'referral_decision'>; content: EntryContent } | null
  /** The most that the call can cost, reserved until it is settled. Only with an entry, whose position names the reservation. */
  reserveMicroeur?: number
  /** The narrowest region that has all routes of the call's text. Absent: the call sends it nowhere. */
  dataRegion?: DataRegion
  /** SHA-256 of the idempotency key of a reading. Only with an entry, which is written once for each. */
  idempotencyKeyHash?: Uint8Array | null
  /** The id of the Worker's version that read the letter; null or absent if it is not known. */
  worker?: string | null
}

export type ReferralAdmission =
  | { outcome: 'admitted'; rate: RateState; position: number | null }
  | InvalidKey
  /** The limit that is used up, or `cost` if the day's money is spent. */
  | RateRefusal<LimitWindow | 'cost'>
  | ScopeRefusal
  | RegionRefusal
  | ClosingRefusal
  | RepeatedReading

export type ReferralLogAnswer<T> =
  | { outcome: 'admitted'; rate: RateState; answer: T }
  | Exclude<ReferralAdmission, { outcome: 'admitted' }>

/** The key's region is narrower than the region of the readers. */
type RegionRefusal = { outcome: 'outside_region'; rate: RateState; ofKey: DataRegion; ofReaders: DataRegion }

/** A reading was admitted under the same idempotency key. Its answer is stored nowhere. */
type RepeatedReading = { outcome: 'repeated'; rate: RateState }

type Stores = CallStores & { claims: IdempotencyStore }

/** Throws RangeError if the cost is not a whole number of micro-euro. */
export function admitReferral(stores: Stores, request: ReferralFacts, now: number): ReferralAdmission {
  if (request.reserveMicroeur !== undefined) assertMicroeur(request.reserveMicroeur)
  const checked = checkReferralCall(stores, request, now)
  if (checked.outcome !== 'good') return checked
  const { key, state, at, rate } = checked
  const { journal, claims } = stores
  const storeCall = (outcome: CallOutcome): void => journal.storeCall({ keyId: key.id, ofGateway: false, outcome }, now)
  const { entry, reserveMicroeur = null, dataRegion } = request
  if (dataRegion !== undefined && key.dataRegion !== null && !isWithin(dataRegion, key.dataRegion)) {
    storeCall('scope')
    return { outcome: 'outside_region', rate, ofKey: key.dataRegion, ofReaders: dataRegion }
  }
  const claim = claimOf(request)
  if (claim !== null && claims.findClaim(claim, now) !== null) {
    storeCall('counted')
    return { outcome: 'repeated', rate }
  }
  const spent = spentInDay(state.readings, key.id, at)
  if (reserveMicroeur !== null && spent + reserveMicroeur > DAILY_READING_MICROEUR) {
    storeCall('budget')
    const dayEndsAt = (utcDay(at) + 1) * DAY_MS
    const spentRate = { ...rate, remaining: 0, resetAt: dayEndsAt / 1000 }
    return refuseForRate('cost', { rate: spentRate, retryAt: dayEndsAt }, now)
  }
  if (entry === null) {
    storeCall('counted')
    return { outcome: 'admitted', rate, position: null }
  }
  const fields = { keyId: key.id, outcome: decisionOutcome(request), microeur: reserveMicroeur }
  const deciding = { operation: 'readReferral', worker: request.worker ?? null, retentionDays: RETENTION_DAYS } as const
  const content = { key_id: key.id, ...entry.content, ...coverDecision(journal, deciding, now) }
  const position = journal.append({ kind: entry.kind, content, fields }, now)
  if (claim !== null) claims.insertClaim(claim, { made: String(position), answer: null }, now)
  return { outcome: 'admitted', rate, position }
}

/** SECURITY: the same for every letter, because a hash of the letter could be guessed. So another letter is a repeat too. */
const ANY_LETTER = new Uint8Array(32)

function claimOf({ keyId, idempotencyKeyHash = null }: ReferralFacts): Claim | null {
  if (idempotencyKeyHash === null) return null
  return { claimant: keyId, route: 'readReferral', keyHash: idempotencyKeyHash, bodyHash: ANY_LETTER }
}

/** Returns the outcome of a decision; null for a reading that begins. */
function decisionOutcome({ entry, reserveMicroeur }: ReferralFacts): string | null {
  const decision = entry?.content['decision']
  return reserveMicroeur === undefined && typeof decision === 'string' ? decision : null
}

/** The cost of a reading, and facts about how the readers did. Never the letter's text, nor what the readers read in it. */
export type ReadingSettlement = { keyId: string; position: number; costMicroeur: number; content: EntryContent }

/** `not_open`: no reading is open at this position. */
export type ReadingSettled = ({ outcome: 'settled' } & LoggedEntry) | { outcome: 'not_open' }

/** An entry's position in the log, and its bytes. */
export type LoggedEntry = { position: number; entry: Uint8Array }

/** The most abandoned readings that one turn settles; the alarm then runs again at once. */
const SETTLED_AT_ONCE = 500

/** Settles a reading. Throws RangeError if the cost is not a whole number of micro-euro. */
export function settleReading(journal: Journal, request: ReadingSettlement, now: number): ReadingSettled {
  const { keyId, position: settles, costMicroeur, content } = request
  assertMicroeur(costMicroeur)
  if (findOpenReading(journal.state.readings, settles)?.keyId !== keyId) return { outcome: 'not_open' }
  const settlementContent = { ...content, key_id: keyId, settles, cost_microeur: costMicroeur }
  const fields = { outcome: 'settled', microeur: costMicroeur, settles }
  return { outcome: 'settled', ...journal.appendShown({ kind: 'settlement', content: settlementContent, fields }, now) }
}

/** Settles as interrupted each reading that nothing else will settle. Safe to run twice. */
export function settleAbandonedReadings(journal: Journal, now: number): void {
  appendInterrupted(journal, listAbandonedReadings(journal.state.readings, journal.at(now).at, SETTLED_AT_ONCE), now)
}

/** Settles all open readings as interrupted, however young, in steps. Returns false while more remain. */
export function settleOpenReadings(journal: Journal, now: number): boolean {
  const open = listOpenReadings(journal.state.readings, SETTLED_AT_ONCE)
  appendInterrupted(journal, open, now)
  return open.length < SETTLED_AT_ONCE
}

/** Keeps the reserved amount as the cost, because the true cost is unknown. */
function appendInterrupted(journal: Journal, readings: readonly Readonly<OpenReading>[], now: number): void {
  for (const { position: settles, keyId, microeur } of readings) {
    const content = { key_id: keyId, settles, outcome: 'interrupted', cost_microeur: microeur }
    journal.append({ kind: 'settlement', content, fields: { outcome: 'interrupted', microeur, settles } }, now)
  }
}
