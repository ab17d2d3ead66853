// The one error envelope, and the codes that the checks meet. Written from the contract and not imported
// from the service, so that a wrong table there is found here.
import { z } from 'zod'
import type { Answer } from './deployment.ts'
import { memberOf } from './json.ts'
import { shapeDifferences } from './shape-differences.ts'

export const STATUS_OF = {
  invalid_request: 400,
  missing_parameter: 400,
  text_missing: 400,
  text_too_long: 400,
  not_an_example: 400,
  invalid_api_key: 401,
  session_required: 401,
  invalid_credentials: 401,
  unknown_action: 403,
  origin_refused: 403,
  not_found: 404,
  specialty_not_published: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  identifier_found: 422,
  rate_limit_exceeded: 429,
} as const

export type ErrorCode = keyof typeof STATUS_OF

const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

const EnvelopeSchema = z.strictObject({
  error: z.looseObject({
    message: z.string().min(1),
    type: z.string().min(1),
    code: z.string().regex(/^[a-z_]+$/),
    param: z.string().nullable().optional(),
    retry_after: z.int().min(1).optional(),
    request_id: z.string().min(1),
    fields: z.array(z.strictObject({ path: z.string(), rule: z.string().min(1) })).optional(),
  }),
})

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(STATUS_OF, text)
}

/** Where an error's body departs from the envelope: its members, its type and status by its code, its request id. */
export function envelopeDifferences(answer: Answer): readonly string[] {
  const { data, error } = EnvelopeSchema.safeParse(answer.json)
  if (error !== undefined) return shapeDifferences(error)
  const { code, type, request_id: requestId } = data.error
  const differences: string[] = []
  if (isErrorCode(code)) {
    const status = STATUS_OF[code]
    const expectedType = TYPE_OF_STATUS[status] ?? 'invalid_request_error'
    if (answer.status !== status) differences.push(`${code} was sent with status ${answer.status}, not ${status}`)
    if (type !== expectedType) differences.push(`error.type of ${code} is ${type}, not ${expectedType}`)
  }
  if (requestId !== answer.headers.get('x-request-id')) differences.push('error.request_id is not the x-request-id')
  return differences
}

/** The error's message, for checks of what it tells its reader. */
export function messageOf(answer: Answer): string {
  const message = memberOf(answer.json, 'error', 'message')
  return typeof message === 'string' ? message : ''
}
