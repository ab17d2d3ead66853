// Declares a route's responses, success and error, for the OpenAPI document, and sends responses with an ETag.
import { z } from '@hono/zod-openapi'
import { memoizeByObject } from './cache.ts'
import type { AppContext } from './context.ts'
import { ERROR_TABLE, ERROR_TYPES, errorRow, isErrorCode, type ErrorCode } from './errors.ts'
import { sha256Hex } from './sha256.ts'

const rateHeaders = (required: boolean) => {
  const header = (description: string) => ({ description, required, schema: { type: 'integer' as const } })
  return {
    'x-ratelimit-limit': header('Calls allowed in the window that runs out first: 60 seconds, or the UTC day.'),
    'x-ratelimit-remaining': header('Calls left in it.'),
    'x-ratelimit-reset': header('Unix seconds: when calls leave that window.'),
  }
}

/** The headers of every response to a valid key. */
export const RATE_HEADERS = rateHeaders(true)

/** The headers of a failure that came after the key was checked. */
export const RATE_HEADERS_IF_CHECKED = rateHeaders(false)

export const jsonResponse = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Declares the JSON response of a route that takes a session as well as a key. */
export const managementJsonResponse = (schema: z.ZodType, description: string) => ({
  ...jsonResponse(schema, description),
  headers: RATE_HEADERS_IF_CHECKED,
})

export const notModified = {
  description: 'What the caller has is still current (If-None-Match).',
  headers: RATE_HEADERS,
}

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

/** Declares the error envelope with further members of the error object (`more`) and of the body (`beside`). */
export const errorSchemaWith = (
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

/** The statuses with a retry-after header: always, or only if the delay is known. */
const RETRY_HEADERS: Readonly<Record<number, object>> = {
  402: retryAfter(true),
  404: retryAfter(false),
  429: retryAfter(true),
  502: retryAfter(false),
  503: retryAfter(false),
}

/** The error codes of every route that takes a key. */
export const KEY_ERROR_CODES = [
  'invalid_request',
  'invalid_api_key',
  'scope_required',
  'organisation_closing',
  'rate_limit_exceeded',
  'service_unavailable',
  'internal_error',
] as const satisfies ErrorCode[]

/** Rate headers by status, for statuses that can come before the key is known. The headers may then be missing. */
const RATE_HEADERS_OF: Readonly<Record<number, object>> = {
  401: {},
  500: RATE_HEADERS_IF_CHECKED,
  503: RATE_HEADERS_IF_CHECKED,
}

/**
 * Declares the `responses` of a route for these codes, grouped by status.
 * @param bodies replaces the plain envelope of a code; it is declared for the whole status
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
    const headers = { ...(isKeyed && (RATE_HEADERS_OF[status] ?? ofKey)), ...RETRY_HEADERS[status] }
    responses[status] = {
      description: sameStatus.join(', '),
      'x-error-codes': sameStatus,
      content: { 'application/json': { schema } },
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    }
  }
  return responses
}

type Representation = { json: string; etag: string }

const representationOf = memoizeByObject(represent)

/**
 * Sends JSON with an ETag, or 304 if the caller has it already.
 * @param value must be the same object for the same data, and never change: it is serialised and hashed once
 */
export function sendCacheable(c: AppContext, value: object, cacheControl: string): Response {
  const { json, etag } = representationOf(value)
  c.header('etag', etag)
  c.header('cache-control', cacheControl)
  if (etagMatches(c.req.header('if-none-match'), etag)) return c.body(null, 304)
  return c.body(json, 200, { 'content-type': 'application/json' })
}

/** Returns true if one of the listed tags is this one (RFC 9110, weak comparison). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

function represent(value: object): Representation {
  const json = JSON.stringify(value)
  return { json, etag: `"${sha256Hex(json).slice(0, 32)}"` }
}
