// The header If-Match, for a change that applies only if nobody else has made one since.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'

/** Returns the expected version; null for any. Throws `invalid_request` if it is no ETag of ours. */
export function readIfMatch(c: AppContext): number | null {
  const header = c.req.header('if-match')
  if (header === undefined || header.trim() === '*') return null
  const digits = /^"(\d{1,15})"$/.exec(header.trim())?.[1]
  if (digits !== undefined) return Number(digits)
  throw new AppError('invalid_request', 'The header if-match takes the ETag that a GET gave, such as "3".', {
    param: 'if-match',
    fields: [{ path: 'if-match', rule: 'a version in quotes, or *' }],
  })
}
