// What is done at an organisation's object or its rows, and answered 503 where that fails. Where the organisation is being
// erased, or was since, it is answered as if it had been asked a moment later.
import { sealedBy } from '../organisation/erasure/sealed.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { hasAuthorization } from './access/access.ts'
import { sealedError } from './organisation-refusals.ts'
import { logUnexpected } from '../platform/log.ts'

/** A call that failed may still have been carried out, so the answer does not say that nothing was done. An `AppError` stays as it is. */
export async function reachOrganisation<T>(c: AppContext, call: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('organisation', call)
  } catch (thrown) {
    const sealed = sealedBy(thrown)
    if (sealed !== null) throw sealedError(sealed, hasAuthorization(c) ? 'key' : 'person')
    if (thrown instanceof AppError) throw thrown
    logUnexpected(thrown, c.get('requestId'))
    throw new AppError(
      'service_unavailable',
      'The organisation could not be reached. If this changes something, look whether it was done before you send it again.',
    )
  }
}
