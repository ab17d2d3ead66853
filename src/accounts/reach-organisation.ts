// What is done at an organisation's object or its rows, and answered 503 where that fails.
import { logFailure } from '../organisation/gate.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'

/** Whether a call that got lost was heard nobody knows, so it is not said that nothing was done. */
export async function reachOrganisation<T>(c: AppContext, call: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('organisation', call)
  } catch (thrown) {
    logFailure(c, thrown)
    throw new AppError(
      'service_unavailable',
      'The organisation could not be reached. If this changes something, look whether it was done before you send it again.',
    )
  }
}
