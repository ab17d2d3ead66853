// The one error envelope of every route, and how a route declares which codes it can answer with.
import { z } from '@hono/zod-openapi'
import { ERROR_TABLE, ERROR_TYPES, errorRow, isErrorCode, type ErrorCode } from './errors.ts'
import { RATE_HEADERS, RATE_HEADERS_IF_CHECKED } from './responses.ts'

const FieldSchema = z
  .strictObject({
    path: z.string().openapi({ description: 'Empty for the body as a whole.', example: 'text' }),
    rule: z.string().openapi({ example: 'expected a string' }),
  })
  .openapi('InvalidField')

const members = {
  message: z.string().openapi({ description: 'Says what to do next; never repeats a value that was sent.' }),
  type: z.enum(ERROR_TYPES),
  code: z.enum(Object.keys(ERROR_TABLE).filter(isErrorCode)).openapi({
    description: 'What a program goes by. Each response tells in `x-error-codes` which of them it can have.',
  }),
  param: z.string().nullable().optional().openapi({ description: 'The member, parameter or header that is wrong.' }),
  retry_after: z.int().min(1).optional().openapi({ description: 'Seconds; equal to the retry-after header.' }),
  request_id: z.string(),
  fields: z.array(FieldSchema).optional().openapi({ description: 'Which members are wrong, and the rule they break.' }),
}

const ErrorSchema = z
  .strictObject({ error: z.strictObject(members).openapi('ErrorDetail') })
  .openapi('Error', { description: 'The body of every error.' })

/** The envelope with further members: of the error object, and of the body beside it. */
export const errorWith = (
  name: string,
  more: Record<string, z.ZodType>,
  beside: Record<string, z.ZodType> = {},
): z.ZodType =>
  z.strictObject({ error: z.strictObject({ ...members, ...more }).openapi(`${name}Detail`), ...beside }).openapi(name)

type Responses = Record<
  number,
  {
    description: string
    'x-error-codes': readonly ErrorCode[]
    content: { 'application/json': { schema: z.ZodType } }
    headers?: Record<string, object>
  }
>

const retryAfter = (required: boolean) => ({
  'retry-after': {
    description: 'Whole seconds to wait, where waiting helps.',
    required,
    schema: { type: 'integer', minimum: 1 },
  },
})

/** Those that say when to come back, always or where it is known. */
const RETRY_HEADERS: Readonly<Record<number, object>> = {
  402: retryAfter(true),
  404: retryAfter(false),
  429: retryAfter(true),
  502: retryAfter(false),
  503: retryAfter(false),
}

/** What every route with a key can answer with. */
export const KEYED_CODES = [
  'invalid_request',
  'invalid_api_key',
  'scope_required',
  'organisation_closing',
  'rate_limit_exceeded',
  'service_unavailable',
  'internal_error',
] as const satisfies ErrorCode[]

/** Every answer of a route with a key tells the key's limits, except these: by then it may not be known whose key it is. */
const RATE_HEADERS_OF: Readonly<Record<number, object>> = {
  401: {},
  500: RATE_HEADERS_IF_CHECKED,
  503: RATE_HEADERS_IF_CHECKED,
}

/**
 * The `responses` of a route for these codes, grouped by status.
 * @param bodies what is sent in the place of the plain envelope, by code; it is declared for the whole status
 */
export function errorResponses<C extends ErrorCode>(
  codes: readonly C[],
  bodies: Partial<Record<C, z.ZodType>> = {},
): Responses {
  const isKeyed = codes.some((code) => code === 'invalid_api_key')
  // A route that takes a session too may not have checked any key's limits.
  const ofKey = codes.some((code) => code === 'session_required') ? RATE_HEADERS_IF_CHECKED : RATE_HEADERS
  const responses: Responses = {}
  for (const code of codes) {
    const { status } = errorRow(code)
    const sameStatus = codes.filter((other) => errorRow(other).status === status)
    const schema = sameStatus.map((other) => bodies[other]).find((body) => body !== undefined) ?? ErrorSchema
    const rateHeaders = isKeyed ? (RATE_HEADERS_OF[status] ?? ofKey) : {}
    const headers = { ...rateHeaders, ...RETRY_HEADERS[status] }
    responses[status] = {
      description: sameStatus.join(', '),
      'x-error-codes': sameStatus,
      content: { 'application/json': { schema } },
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    }
  }
  return responses
}
