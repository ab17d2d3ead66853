// Asks an organisation's object before anything is changed.
import { AppError } from '../../platform/errors.ts'
import { framesOf, log } from '../../platform/log.ts'
import type { Access } from '../access/access.ts'

/** Throws `service_unavailable` where it cannot be reached. */
export async function reach<T>({ id }: Access['organisation'], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    logUnreached(id, thrown)
    throw new AppError('service_unavailable', 'The organisation could not be reached, so nothing was done. Try again.')
  }
}

export function logUnreached(organisationId: string, thrown: unknown): void {
  log({
    level: 'error',
    event: 'unexpected_error',
    organisation_id: organisationId,
    error_class: thrown instanceof Error ? thrown.name : typeof thrown,
    thrown_at: framesOf(thrown),
  })
}
