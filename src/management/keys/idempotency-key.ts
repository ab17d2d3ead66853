// The header Idempotency-Key of requests that make a key.
import { z } from '@hono/zod-openapi'
import type { Claim } from '../../organisation/admit/idempotency.store.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { IDEMPOTENCY_HEADER, readIdempotencyKey } from '../../platform/form.ts'
import { sha256 } from '../../platform/sha256.ts'

export const idempotencyHeader = z.object({
  [IDEMPOTENCY_HEADER]: z.string().optional().openapi({
    description:
      'Up to 255 characters of your own, new for each key that you want. Within 24 hours the same request is not run again under it: 409 conflict says which key it made. Another request under it is 409 idempotency_conflict.',
  }),
})

/**
 * Returns the request's idempotency claim, or null without the header. Throws `invalid_request`.
 * @param route the operation's id
 * @param asked the parts that tell this request from another of the route, with members always in the same order
 */
export function readClaim(c: AppContext, route: string, asked: object): Omit<Claim, 'claimant'> | null {
  const key = readIdempotencyKey(c.req.raw.headers)
  if (key instanceof AppError) throw key
  return key === null ? null : { route, keyHash: sha256(key), bodyHash: sha256(JSON.stringify(asked)) }
}
