// The Worker's side of admission: one call to the organisation's object, and what a refusal looks like to the caller.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { InvalidKey } from '../../keys/key-status.policy.ts'
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import type { Admission, AdmitRequest } from './admit.ts'
import { reachForCall, type OpenOrganisation } from '../client.ts'
import { createRefusalMemory, memoryKeyOf } from './refusal-memory.ts'
import { refusalError } from '../errors.ts'
import type { SettleRequest } from './settle-reading.ts'

export type Gate = {
  /** Returns the refusal that this isolate remembers for the key, or null. Call it before any other work for the request. */
  recall(c: AppContext, key: ParsedKey): KnownRefusal | null
  /** Asks the organisation's object. Throws `service_unavailable` when it cannot be reached: never a free pass. */
  admit(c: AppContext, key: ParsedKey, facts: Facts): Promise<Admission>
  /** Writes how an admitted reading ended. Throws `service_unavailable` when that cannot be written. */
  settleReading(c: AppContext, key: ParsedKey, reading: Omit<SettleRequest, 'keyId'>): Promise<void>
}

type KnownRefusal = InvalidKey | Extract<Admission, { outcome: 'rate_limit_exceeded' }>

type Facts = Pick<AdmitRequest, 'scope' | 'entry' | 'reserveMicroeur'>

export function createGate(open: OpenOrganisation, clock: Clock): Gate {
  const refusals = createRefusalMemory<KnownRefusal>(clock)

  function recall(c: AppContext, key: ParsedKey): KnownRefusal | null {
    const refusal = refusals.recall(memoryKeyOf(key))
    if (refusal !== null) tellRate(c, refusal)
    return refusal
  }

  return {
    recall,
    async admit(c, key, facts) {
      const known = recall(c, key)
      if (known !== null) return known
      const stub = () => open({ id: key.organisationId, jurisdiction: key.jurisdiction })
      const asked = async () => stub().admit({ keyId: key.keyId, secretHash: key.secretHash, ...facts })
      const admission = await c.get('timings').measure('organisation', () => reachForCall<Admission>(c, asked))
      if (refusesEveryCall(admission)) refusals.remember(memoryKeyOf(key), admission)
      tellRate(c, admission)
      return admission
    },
    async settleReading(c, key, reading) {
      await c.get('timings').measure('organisation', () => settle(open, c, key, reading))
    },
  }
}

/** A day's money that is spent refuses readings only. */
const refusesEveryCall = (admission: Admission): admission is KnownRefusal =>
  admission.outcome === 'invalid_api_key' || (admission.outcome === 'rate_limit_exceeded' && admission.over !== 'cost')

/** Throws what a call that was not admitted is answered with. */
export function assertAdmitted(admission: Admission): asserts admission is Extract<Admission, { outcome: 'admitted' }> {
  if (admission.outcome !== 'admitted') throw refusalError(admission, 'referral')
}

async function settle(
  open: OpenOrganisation,
  c: AppContext,
  key: ParsedKey,
  reading: Omit<SettleRequest, 'keyId'>,
): Promise<void> {
  try {
    const stub = open({ id: key.organisationId, jurisdiction: key.jurisdiction })
    const settlement = await stub.settleReading({ keyId: key.keyId, ...reading })
    if (settlement.outcome === 'settled') return
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
  }
  throw new AppError(
    'service_unavailable',
    'The letter was read, but the decision could not be recorded, so it is not answered. Sending it again reads it anew.',
    { headers: { 'x-should-retry': 'false' } },
  )
}

/** Sends the rate in headers, but never to a bad key. */
export function tellRate(c: AppContext, answer: InvalidKey | { outcome: string; rate: RateState }): void {
  if (!('rate' in answer)) return
  const { rate } = answer
  c.header('x-ratelimit-limit', String(rate.limit))
  c.header('x-ratelimit-remaining', String(rate.remaining))
  c.header('x-ratelimit-reset', String(rate.resetAt))
}
