// Asks an organisation's object before anything is changed.
import { sealedBy } from '../../organisation/erasure/sealed.ts'
import { AppError } from '../../platform/errors.ts'
import { describeThrown, log } from '../../platform/log.ts'
import type { Access } from '../access/access.ts'
import { sealedError } from '../organisation-refusals.ts'

/** Throws `service_unavailable` where it cannot be reached, and what is answered of one that is being erased. */
export async function reach<T>({ id }: Access['organisation'], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    const sealed = sealedBy(thrown)
    if (sealed !== null) throw sealedError(sealed, 'person')
    logUnreached(id, thrown)
    throw new AppError('service_unavailable', 'The organisation could not be reached, so nothing was done. Try again.')
  }
}

export function logUnreached(organisationId: string, thrown: unknown): void {
  log({
    level: 'error',
    event: 'unexpected_error',
    organisation_id: organisationId,
    ...describeThrown(thrown),
  })
}
