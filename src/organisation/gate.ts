// The Worker's side of admission: one call to the organisation's object, and what a refusal looks like to the caller.
import { invalidKey, type KeyedService } from '../keys/bearer.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { RateState } from '../keys/limits.policy.ts'
import type { Clock } from '../platform/clock.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { framesOf, log } from '../platform/log.ts'
import type { Admission, AdmitRequest } from './admit.ts'
import type { OpenOrganisation } from './organisation-stub.ts'
import { createRefusalMemory } from './refusal-memory.ts'
import type { SettleRequest } from './settle-reading.ts'

export type Gate = {
  /** Asks the organisation's object. Throws `service_unavailable` when it cannot be reached: never a free pass. */
  admit(c: AppContext, key: ParsedKey, facts: Facts): Promise<Admission>
  /** Writes how an admitted reading ended. Throws `service_unavailable` when that cannot be written. */
  settleReading(c: AppContext, key: ParsedKey, reading: Omit<SettleRequest, 'keyId'>): Promise<void>
}

type Facts = Pick<AdmitRequest, 'scope' | 'entry' | 'reserveMicroeur'>

export function createGate(open: OpenOrganisation, clock: Clock): Gate {
  const refusals = createRefusalMemory(clock)
  return {
    async admit(c, key, facts) {
      const admission =
        refusals.recall(key.keyId) ?? (await c.get('timings').measure('organisation', () => ask(open, c, key, facts)))
      // A day's money that is spent refuses readings only, so it is not remembered against every call.
      const isOverCalls = admission.outcome === 'rate_limit_exceeded' && admission.over === 'calls'
      if (isOverCalls) refusals.remember(key.keyId, admission)
      if (admission.outcome !== 'invalid_api_key') setRateHeaders(c, admission)
      return admission
    },
    async settleReading(c, key, reading) {
      await c.get('timings').measure('organisation', () => settle(open, c, key, reading))
    },
  }
}

const OVER = {
  calls: 'This key is over its limit. Wait, then send the call again.',
  cost: 'The readings of this key have cost what they may in one day. Readings go on at 00:00 UTC; other calls still work.',
}

/** Throws what a call that was not admitted is answered with. */
export function assertAdmitted(
  admission: Admission,
  service: KeyedService,
): asserts admission is Extract<Admission, { outcome: 'admitted' }> {
  switch (admission.outcome) {
    case 'admitted':
      return
    case 'invalid_api_key':
      throw invalidKey(service)
    case 'rate_limit_exceeded':
      throw new AppError('rate_limit_exceeded', OVER[admission.over], {
        retryAfterSeconds: admission.retryAfterSeconds,
      })
    case 'scope_required':
      throw new AppError('scope_required', `This key may not make this call: it needs the scope ${admission.scope}.`)
  }
}

async function ask(open: OpenOrganisation, c: AppContext, key: ParsedKey, facts: Facts): Promise<Admission> {
  try {
    const stub = open({ id: key.organisationId, jurisdiction: key.jurisdiction })
    return await stub.admit({ keyId: key.keyId, secretHash: key.secretHash, ...facts })
  } catch (thrown) {
    logFailure(c, thrown)
    throw new AppError(
      'service_unavailable',
      'The call could not be checked and recorded, so nothing was done. Try again.',
    )
  }
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
    logFailure(c, thrown)
  }
  throw new AppError(
    'service_unavailable',
    'The letter was read, but the decision could not be recorded, so it is not answered. Sending it again reads it anew.',
    { headers: { 'x-should-retry': 'false' } },
  )
}

export function logFailure(c: AppContext, thrown: unknown): void {
  log({
    level: 'error',
    event: 'unexpected_error',
    request_id: c.get('requestId'),
    error_class: thrown instanceof Error ? thrown.name : typeof thrown,
    thrown_at: framesOf(thrown),
  })
}

export function setRateHeaders(c: AppContext, { rate }: { rate: RateState }): void {
  c.header('x-ratelimit-limit', String(rate.limit))
  c.header('x-ratelimit-remaining', String(rate.remaining))
  c.header('x-ratelimit-reset', String(rate.resetAt))
}
