// What a request is for, as its caller declares it; policies may allow some uses only.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'

const HEADER = 'x-aqta-use-case'

export function readUseCase(c: AppContext): string | null | AppError {
  const declared = c.req.header(HEADER)
  if (declared === undefined) return null
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(declared)) return declared
  const rule = 'up to 64 of a-z, 0-9, dot, hyphen and underscore'
  return new AppError('invalid_request', `The header ${HEADER} takes ${rule}.`, {
    param: HEADER,
    fields: [{ path: HEADER, rule }],
  })
}
