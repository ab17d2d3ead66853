// The coded group that a caller would count a request in. Only labels that the organisation has declared are taken, and
// none can be declared yet: a label on a call can say something of a person, so none is taken by default.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'

const HEADER = 'x-aqta-cohort'

export function findCohortFault(c: AppContext): AppError | null {
  if (c.req.header(HEADER) === undefined) return null
  return new AppError('invalid_request', `Your organisation has not declared this cohort. Leave ${HEADER} out.`, {
    param: HEADER,
    fields: [{ path: HEADER, rule: 'a label that the organisation has declared' }],
  })
}
