// The header Idempotency-Key: by which a request that is sent again is known.
import { z } from '@hono/zod-openapi'
import type { Claim } from '../../organisation/idempotency.store.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { sha256 } from '../../platform/sha256.ts'

const HEADER = 'idempotency-key'

/** Visible ASCII, and blanks between. */
const FORM = /^[\x20-\x7e]{1,255}$/

export const idempotencyHeader = z.object({
  [HEADER]: z.string().optional().openapi({
    description:
      'Up to 255 characters of your own, new for each key that you want. Within 24 hours the same request is not run again under it: 409 conflict says which key it made. Another request under it is 409 idempotency_conflict.',
  }),
})

/**
 * What the request claims, where it has the header. Throws `invalid_request`.
 * @param route the operation's id
 * @param asked all that tells this request from another of the route, its members always in the same order
 */
export function readClaim(c: AppContext, route: string, asked: object): Omit<Claim, 'claimant'> | null {
  const key = c.req.header(HEADER)
  if (key === undefined) return null
  if (!FORM.test(key)) throw malformed()
  return { route, keyHash: sha256(key), bodyHash: sha256(JSON.stringify(asked)) }
}

const malformed = (): AppError =>
  new AppError('invalid_request', 'The header idempotency-key is 1 to 255 characters of ASCII.', {
    param: HEADER,
    fields: [{ path: HEADER, rule: '1 to 255 characters of ASCII' }],
  })
