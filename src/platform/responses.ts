// Declares the parts that the answers of many routes share, and sends responses with an ETag.
import * as z from 'zod'
import { once } from './once.ts'
import { memoizeByObject } from './cache.ts'
import type { AppContext } from './context.ts'
import { ERROR_TABLE, ERROR_TYPES, isErrorCode, type ErrorCode } from './errors.ts'
import { sha256Hex } from './sha256.ts'

const rateHeaders = (required: boolean) => {
  const header = (description: string) => ({ description, required, schema: { type: 'integer' as const } })
  return {
    'x-ratelimit-limit': header(
      'Calls allowed in the window that runs out first: 60 seconds, the UTC day, or the UTC month.',
    ),
    'x-ratelimit-remaining': header('Calls left in that window.'),
    'x-ratelimit-reset': header('When calls leave that window, in Unix seconds.'),
  }
}

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

const FieldSchema = once(() =>
  z
    .strictObject({
      path: z.string().meta({ description: 'Empty for the body as a whole.', example: 'text' }),
      rule: z.string().meta({ example: 'expected a string' }),
    })
    .meta({ id: 'InvalidField' }),
)

const members = once(() => ({
  message: z.string().meta({ description: 'Says what to do next; never repeats a value that was sent.' }),
  type: z.enum(ERROR_TYPES),
  code: z.enum(Object.keys(ERROR_TABLE).filter(isErrorCode)).meta({
    description: 'What a program goes by. Each response tells in `x-error-codes` which of them it can have.',
  }),
  param: z.string().nullable().optional().meta({ description: 'The member, parameter or header that is wrong.' }),
  retry_after: z.int().min(1).optional().meta({ description: 'Seconds; equal to the retry-after header.' }),
  request_id: z.string().meta({ example: 'req_01a21533-addf-7a97-bf43-8d02b3891776' }),
  fields: z.array(FieldSchema()).optional().meta({ description: 'Which members are wrong, and the rule they break.' }),
}))

export const ErrorSchema = once(() =>
  z
    .strictObject({ error: z.strictObject(members()).meta({ id: 'ErrorDetail' }) })
    .meta({ id: 'Error', description: 'The body of every error.' }),
)

/** Declares the error envelope with further members of the error object (`more`) and of the body (`beside`). */
export const errorSchemaWith = (
  name: string,
  more: Record<string, z.ZodType>,
  beside: Record<string, z.ZodType> = {},
): z.ZodType =>
  z
    .strictObject({ error: z.strictObject({ ...members(), ...more }).meta({ id: `${name}Detail` }), ...beside })
    .meta({ id: name })

const MESSAGES_ERROR_TYPES = [...ERROR_TYPES, 'request_too_large', 'billing_error', 'timeout_error', 'overloaded_error']

/** Declares errors in Anthropic's shape, with further members of the body (`beside`). */
export const messagesErrorSchema = (name: string, beside: Record<string, z.ZodType> = {}): z.ZodType =>
  z
    .strictObject({
      type: z.literal('error'),
      error: z
        .strictObject({
          type: z.enum(MESSAGES_ERROR_TYPES),
          message: members().message,
          code: members().code,
          details: z
            .looseObject({ error_code: z.union([members().code, z.literal('thread_unsupported_request')]) })
            .meta({ description: 'What else is known, such as `param`, `policy` and `retry_after`.' }),
        })
        .meta({ id: `${name}Detail` }),
      request_id: z.string(),
      ...beside,
    })
    .meta({ id: name })

export const MessagesErrorSchema = once(() => messagesErrorSchema('MessagesError'))

/** The codes that have another status in Anthropic's shape: too long a text for a model, and a provider that is overloaded. */
export const MESSAGES_STATUSES = { 400: ['payload_too_large'], 529: ['service_unavailable'] } as const satisfies Record<
  number,
  ErrorCode[]
>

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

/**
 * Returns true if one of the listed tags is this one (RFC 9110, weak comparison).
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

function represent(value: object): { json: string; etag: string } {
  const json = JSON.stringify(value)
  return { json, etag: `"${sha256Hex(json).slice(0, 32)}"` }
}
