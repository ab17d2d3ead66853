// The Worker's calls to the object of an organisation. Each kind promises what a failure means: `reachForAdmission` (the
// request does not run, though its admission may be recorded), `reachBeforeChange` (nothing was changed), `reachOrganisation`
// (unknown: the change may have been made), `repeatRead` and `repeatSettlement` (safe to repeat, so they are repeated).
import { hasAuthorization } from '../keys/bearer-key.ts'
import type { Jurisdiction } from '../keys/key-format.ts'
import { withTimeLimit } from '../platform/time.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import type { OPERATOR_LOG_NAME, OrganisationId } from '../platform/ids.ts'
import { describeThrown, log, logUnexpected } from '../platform/log.ts'
import { objectOpener } from '../platform/durable-object.ts'
import type { Region } from '../platform/config.ts'
import { closedStateOf } from './erasure/erasure-refusal.ts'
import { sealedError } from './refusal-errors.ts'
import type { Organisation } from './organisation.do.ts'

/** `region`: used only by the first call to the object, which creates it there. Callers with only a key have none. */
export type OrganisationAddress = {
  id: OrganisationId | typeof OPERATOR_LOG_NAME
  jurisdiction: Jurisdiction
  region?: Region | null
}

export type OpenOrganisation = (address: OrganisationAddress) => DurableObjectStub<Organisation>

export function organisationOpener(
  namespace: DurableObjectNamespace<Organisation>,
  jurisdictions: boolean,
): OpenOrganisation {
  const open = objectOpener(namespace, jurisdictions)
  return ({ id, jurisdiction, region = null }) => open({ name: id, isEuropean: jurisdiction === 'eu', region })
}

/**
 * Reaches the object for a call that it must admit. Throws `service_unavailable`: no answer is never a free pass, and the caller
 * must not run the request. The object may have admitted it, and its alarm then settles it as interrupted.
 */
export async function reachForAdmission<T>(c: AppContext, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    throw unavailable('The call could not be checked and recorded, so nothing was done. Try again in a moment.')
  }
}

/**
 * Reaches the object for a read before a change, and for nothing that writes. Throws `service_unavailable`, or the error for an
 * organisation that is being erased.
 */
export async function reachBeforeChange<T>({ id }: { id: OrganisationId }, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    const sealed = closedStateOf(thrown)
    if (sealed !== null) throw sealedError(sealed, 'person')
    logUnreachable(id, thrown)
    throw unavailable('The organisation could not be reached, so nothing was done. Try again in a moment.')
  }
}

/**
 * Reaches the object for management and oversight, measured as time spent waiting for the organisation. Throws
 * `service_unavailable`, or the error for an organisation that is being erased. An `AppError` stays as it is.
 */
export async function reachOrganisation<T>(c: AppContext, call: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('organisation', call)
  } catch (thrown) {
    const sealed = closedStateOf(thrown)
    if (sealed !== null) throw sealedError(sealed, hasAuthorization(c) ? 'key' : 'person')
    if (thrown instanceof AppError) throw thrown
    logUnexpected(thrown, c.get('requestId'))
    throw unavailable(
      'The organisation could not be reached, and a change may have been made. Check before you send it again.',
    )
  }
}

const READ_ATTEMPTS = 3
const READ_LIMIT_MS = 60_000

/** Repeats a read that fails. Rejects as the last attempt does, and at once if the organisation is sealed for erasure. */
export async function repeatRead<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withTimeLimit(read(), READ_LIMIT_MS)
    } catch (thrown) {
      if (attempt === READ_ATTEMPTS || closedStateOf(thrown) !== null) throw thrown
    }
  }
}

const SETTLE_ATTEMPTS = 3

/**
 * Repeats a settlement. Never throws: the object's alarm later settles a call that stays unsettled, by an estimate.
 * @returns the answer and whether an earlier attempt may have been carried out; null if no attempt was answered
 */
export async function repeatSettlement<T>(
  key: { organisationId: string; keyId: string },
  settle: () => Promise<T>,
): Promise<{ answer: T; isRepeated: boolean } | null> {
  for (let attempt = 1; attempt <= SETTLE_ATTEMPTS; attempt++) {
    try {
      return { answer: await settle(), isRepeated: attempt > 1 }
    } catch (thrown) {
      logUnreachable(key.organisationId, thrown, key.keyId)
      if (!isRetryable(thrown)) return null
    }
  }
  return null
}

export function logUnreachable(organisationId: string, thrown: unknown, keyId?: string): void {
  log({
    level: 'error',
    event: 'unexpected_error',
    organisation_id: organisationId,
    ...(keyId !== undefined && { key_id: keyId }),
    ...describeThrown(thrown),
  })
}

/** The runtime marks errors of the connection, after which the same call may be repeated. */
const isRetryable = (thrown: unknown): boolean =>
  thrown instanceof Error && 'retryable' in thrown && thrown.retryable === true && !('overloaded' in thrown)

const unavailable = (message: string): AppError => new AppError('service_unavailable', message)
