// How long a caller waits for a whole call, where that is less than the service would.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'

export const DEADLINE_HEADER = 'x-aqta-deadline-ms'

/** A smaller number was most likely meant as seconds. */
export const LEAST_DEADLINE_MS = 1000

/** Unix milliseconds at which the call is to be over, whatever the service's own limits; null where the caller does not say. */
export function readDeadline(c: AppContext, arrivedAt: number): number | null | AppError {
  const declared = c.req.header(DEADLINE_HEADER)
  if (declared === undefined) return null
  const ms = /^\d{1,12}$/.test(declared) ? Number(declared) : 0
  if (ms >= LEAST_DEADLINE_MS) return arrivedAt + ms
  const rule = `whole milliseconds, ${LEAST_DEADLINE_MS} or more`
  return new AppError('invalid_request', `The header ${DEADLINE_HEADER} takes ${rule}.`, {
    param: DEADLINE_HEADER,
    fields: [{ path: DEADLINE_HEADER, rule }],
  })
}
