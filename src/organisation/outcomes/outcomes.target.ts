// Records what clinicians chose after readings, once for each reading, in the turn that admits the caller, and lists the counts.
// The log's entry has neither the specialty, nor the decision, nor the reading's id.
import type { ChoiceReason, ChooserRole, OutcomeDecision } from '../../evidence/records/reading-words.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { utcMonth } from '../../platform/time.ts'
import type { ReferralLogAnswer } from '../admit/admit-referral.ts'
import { checkReferralCall, type CallerKey, type CallStores } from '../admit/check-call.ts'
import { coverDecision } from '../coverage/cover-decision.ts'
import { RETENTION_DAYS } from '../journal/journal.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { CountedMonth, KnownOutcome, OutcomesStore, ReadersSame } from './outcomes.store.ts'

export class OutcomesTarget extends FeatureTarget<'stores' | 'turns'> {
  record(caller: CallerKey, wanted: NewOutcome): ReferralLogAnswer<OutcomeRecorded> {
    return this.parts.turns.call((stores, now) => recordOutcome(stores, caller, wanted, now))
  }

  /** Lists the closed months, the oldest first. */
  list(): CountedMonth[] {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => stores.outcomes.list()).filter(({ closedAt }) => closedAt !== null)
  }
}

/** A choice about a reading whose signed record was verified. `readingHash`: null if the log is to have none. */
export type NewOutcome = {
  requestId: string
  /** `readingIdHash` of the reading. */
  reading: Uint8Array
  readingHash: string | null
  decision: OutcomeDecision
  specialty: string
  choiceHash: Uint8Array
  role: ChooserRole
  reason: ChoiceReason
  readersSame: ReadersSame
  publicKey: string
}

/** `repeated`: the same choice was recorded before, and `known` is what was recorded. `conflict`: another one was. */
export type OutcomeRecorded = { outcome: 'recorded' | 'repeated'; known: KnownOutcome } | { outcome: 'conflict' }

type Stores = CallStores & { outcomes: OutcomesStore }

export function recordOutcome(
  stores: Stores,
  caller: CallerKey,
  wanted: NewOutcome,
  now: number,
): ReferralLogAnswer<OutcomeRecorded> {
  const checked = checkReferralCall(stores, { ...caller, scope: 'referral:read' }, now)
  if (checked.outcome !== 'good') return checked
  const { key, rate } = checked
  stores.journal.storeCall({ keyId: key.id, ofGateway: false, outcome: 'counted' }, now)
  const known = stores.outcomes.find(wanted.reading)
  if (known !== null) {
    const isSame = isSameBytes(known.choiceHash, wanted.choiceHash)
    return { outcome: 'admitted', rate, answer: isSame ? { outcome: 'repeated', known } : { outcome: 'conflict' } }
  }
  return { outcome: 'admitted', rate, answer: { outcome: 'recorded', known: write(stores, key.id, wanted, now) } }
}

function write({ journal, outcomes }: Stores, keyId: string, wanted: NewOutcome, now: number): KnownOutcome {
  const { requestId, reading, readingHash, role, reason, publicKey, choiceHash } = wanted
  const hash = readingHash === null ? {} : { reading: readingHash }
  // SECURITY: with the decision, the counts of a block could tell whose choice was which.
  const deciding = { operation: 'recordOutcome', worker: null, retentionDays: RETENTION_DAYS } as const
  const content = { key_id: keyId, request_id: requestId, ...hash, role, ...coverDecision(journal, deciding, now) }
  const position = journal.append({ kind: 'referral_outcome', content }, now)
  const known = { position, recordedAt: now, publicKey, role, reason, choiceHash }
  outcomes.insert(reading, known)
  outcomes.count(wanted, utcMonth(now))
  return known
}
