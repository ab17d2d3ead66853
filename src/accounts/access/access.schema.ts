// What the routes of people and of management share in the description.
import { z } from '@hono/zod-openapi'
import type { ErrorCode } from '../../platform/errors.ts'

/** A session only. */
export const SESSION_SECURITY = [{ session: [] }]
/** A session, or a key with the scope `manage`. */
export const MANAGEMENT_SECURITY = [{ session: [] }, { managementKey: [] }]

/** What `requireSession` throws, and the service itself, on a GET. */
export const SESSION_CODES = ['invalid_request', 'session_required', 'internal_error'] as const satisfies ErrorCode[]

/** What `requireAccess` throws beside. */
export const ACCESS_CODES = [
  ...SESSION_CODES,
  'missing_parameter',
  'invalid_api_key',
  'scope_required',
  'role_required',
  'organisation_closing',
  'not_found',
  'rate_limit_exceeded',
  'service_unavailable',
] as const satisfies ErrorCode[]

/** The `headers` of a request of a route that `requireAccess` guards. */
export const organisationHeader = z.object({
  'x-aqta-organisation': z.string().optional().openapi({
    description:
      'Which organisation is meant, by id, where the person is a member of several. A key is of one, and no other may be named.',
  }),
})
