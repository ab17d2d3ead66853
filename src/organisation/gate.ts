// The Worker's side of admission: one call to the organisation's object, and what a refusal looks like to the caller.
import { invalidKey, type KeyedService } from '../keys/bearer.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { Clock } from '../platform/clock.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { framesOf, log } from '../platform/log.ts'
import type { Admission, AdmitRequest } from './admit.ts'
import type { OpenOrganisation } from './organisation-stub.ts'
import { createRefusalMemory } from './refusal-memory.ts'

export type Gate = {
  /** Asks the organisation's object. Throws `service_unavailable` when it cannot be reached: never a free pass. */
  admit(c: AppContext, key: ParsedKey, facts: Pick<AdmitRequest, 'scope' | 'entry'>): Promise<Admission>
}

export function createGate(open: OpenOrganisation, clock: Clock): Gate {
  const refusals = createRefusalMemory(clock)
  return {
    async admit(c, key, facts) {
      const admission =
        refusals.recall(key.keyId) ?? (await c.get('timings').measure('organisation', () => ask(open, c, key, facts)))
      if (admission.outcome === 'rate_limit_exceeded') refusals.remember(key.keyId, admission)
      if (admission.outcome !== 'invalid_api_key') setRateHeaders(c, admission)
      return admission
    },
  }
}

/** Throws what a call that was not admitted is answered with. */
export function assertAdmitted(admission: Admission, service: KeyedService): void {
  switch (admission.outcome) {
    case 'admitted':
      return
    case 'invalid_api_key':
      throw invalidKey(service)
    case 'rate_limit_exceeded':
      throw new AppError('rate_limit_exceeded', `This key is over its limit. Wait, then send the call again.`, {
        retryAfterSeconds: admission.retryAfterSeconds,
      })
    case 'scope_required':
      throw new AppError('scope_required', `This key may not make this call: it needs the scope ${admission.scope}.`)
  }
}

async function ask(
  open: OpenOrganisation,
  c: AppContext,
  key: ParsedKey,
  facts: Pick<AdmitRequest, 'scope' | 'entry'>,
): Promise<Admission> {
  try {
    const stub = open({ id: key.organisationId, jurisdiction: key.jurisdiction })
    return await stub.admit({ keyId: key.keyId, secretHash: key.secretHash, ...facts })
  } catch (thrown) {
    log({
      level: 'error',
      event: 'unexpected_error',
      request_id: c.get('requestId'),
      error_class: thrown instanceof Error ? thrown.name : typeof thrown,
      thrown_at: framesOf(thrown),
    })
    throw new AppError(
      'service_unavailable',
      'The call could not be checked and recorded, so nothing was done. Try again.',
    )
  }
}

function setRateHeaders(c: AppContext, { rate }: Exclude<Admission, { outcome: 'invalid_api_key' }>): void {
  c.header('x-ratelimit-limit', String(rate.limit))
  c.header('x-ratelimit-remaining', String(rate.remaining))
  c.header('x-ratelimit-reset', String(rate.resetAt))
}
