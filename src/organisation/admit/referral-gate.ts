// The Worker's side of a call with a referral key: asks the organisation's object to admit it, reports how a reading ended, and
// makes the error of a refusal.
import type { InvalidKey } from '../../keys/key-rules.policy.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import type { OpenOrganisation } from '../organisation-client.ts'
import { refusalError } from '../refusal-errors.ts'
import type {
  LoggedEntry,
  ReferralAdmission,
  ReferralFacts,
  ReferralLogAnswer,
  ReadingSettlement,
} from './admit-referral.ts'
import { createGateCore, setRateHeaders, type ObjectCall } from './gate-core.ts'

export type ReferralGate = {
  /** Returns the refusal that this isolate remembers for the key, or null. Call it before any other work for the request. */
  recall(c: AppContext, key: ParsedKey): KnownRefusal | null
  /** Asks the organisation's object. Throws `service_unavailable` when it cannot be reached: never a free pass. */
  admit(c: AppContext, key: ParsedKey, facts: RequestFacts): Promise<ReferralAdmission>
  /** Asks the object about the log. Counted as a call without an entry. */
  readLog<T>(c: AppContext, key: ParsedKey, question: ObjectCall<ReferralLogAnswer<T>>): Promise<ReferralLogAnswer<T>>
  /** Records how an admitted reading ended; returns the entry. Throws `service_unavailable` if that cannot be recorded. */
  settleReading(c: AppContext, key: ParsedKey, reading: Omit<ReadingSettlement, 'keyId'>): Promise<LoggedEntry>
}

type KnownRefusal = InvalidKey | Extract<ReferralAdmission, { outcome: 'rate_limit_exceeded' }>

type RequestFacts = Pick<ReferralFacts, 'scope' | 'entry' | 'reserveMicroeur' | 'dataRegion' | 'idempotencyKeyHash'>

/** @param worker the id of this Worker's version; null if it is not known */
export function createReferralGate(open: OpenOrganisation, clock: Clock, worker: string | null = null): ReferralGate {
  const core = createGateCore<KnownRefusal, ReferralAdmission | ReferralLogAnswer<unknown>>({ open, clock, refusesAll })
  const recall = (c: AppContext, key: ParsedKey) => setRateHeaders(c, core.recall(key))
  return {
    recall,
    async admit(c, key, facts) {
      const admit = async (object: ReturnType<OpenOrganisation>, caller: Caller): Promise<ReferralAdmission> =>
        object.admit({ ...caller, ...facts, worker })
      return recall(c, key) ?? core.ask(c, key, admit)
    },
    async readLog(c, key, question) {
      return recall(c, key) ?? core.ask(c, key, question)
    },
    settleReading: (c, key, reading) =>
      c.get('timings').measure('organisation', async () => {
        try {
          const settlement = await core.objectOf(key).settleReading({ keyId: key.keyId, ...reading })
          if (settlement.outcome === 'settled') return settlement
        } catch (thrown) {
          logUnexpected(thrown, c.get('requestId'))
        }
        throw notRecorded()
      }),
  }
}

type Caller = Pick<ReferralFacts, 'keyId' | 'secretHash'>

/** Returns a refusal if it refuses every call of the key. If the day's money is spent, only readings are refused. */
const refusesAll = (admission: ReferralAdmission | ReferralLogAnswer<unknown>): KnownRefusal | null =>
  admission.outcome === 'invalid_api_key' || (admission.outcome === 'rate_limit_exceeded' && admission.over !== 'cost')
    ? admission
    : null

/** Throws the error for a call that was not admitted. */
export function assertAdmitted(
  admission: ReferralAdmission,
): asserts admission is Extract<ReferralAdmission, { outcome: 'admitted' }> {
  if (admission.outcome !== 'admitted') throw refusalError(admission, 'referral')
}

const notRecorded = (): AppError =>
  new AppError(
    'service_unavailable',
    'The letter was read, but the decision could not be recorded, so there is no answer. Sending it again is a new reading, paid for again, and needs a new idempotency-key if you sent one.',
    { headers: { 'x-should-retry': 'false' } },
  )
