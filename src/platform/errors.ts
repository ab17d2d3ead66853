// Defines every error code that the API can return, with its status and type, and the AppError that carries one. Decides which
// names a message may repeat. The messages are where an error is thrown: each feature’s file of errors, such as
// organisation/refusal-errors.ts. render-error.ts writes the response.
import type { ContentfulStatusCode } from 'hono/utils/http-status'

export const ERROR_TYPES = [
  'authentication_error',
  'invalid_request_error',
  'permission_error',
  'not_found_error',
  'quota_error',
  'rate_limit_error',
  'api_error',
] as const

type ErrorType = (typeof ERROR_TYPES)[number]

type Row = { status: ContentfulStatusCode; type: ErrorType; neverRetry?: true }

/** `neverRetry` sends `x-should-retry: false`, because OpenAI's SDKs repeat 408, 409, 429 and 5xx by default. */
export const ERROR_TABLE = {
  invalid_api_key: { status: 401, type: 'authentication_error' },
  session_required: { status: 401, type: 'authentication_error' },
  invalid_credentials: { status: 401, type: 'authentication_error' },
  fresh_sign_in_required: { status: 401, type: 'authentication_error' },
  second_factor_required: { status: 401, type: 'authentication_error' },
  missing_parameter: { status: 400, type: 'invalid_request_error' },
  invalid_request: { status: 400, type: 'invalid_request_error' },
  text_missing: { status: 400, type: 'invalid_request_error' },
  text_too_long: { status: 400, type: 'invalid_request_error' },
  not_an_example: { status: 400, type: 'invalid_request_error' },
  unknown_action: { status: 403, type: 'permission_error' },
  tier_required: { status: 403, type: 'permission_error' },
  role_required: { status: 403, type: 'permission_error' },
  origin_refused: { status: 403, type: 'permission_error' },
  organisation_closing: { status: 403, type: 'permission_error', neverRetry: true },
  model_not_allowed: { status: 403, type: 'permission_error' },
  scope_required: { status: 403, type: 'permission_error' },
  policy_blocked: { status: 403, type: 'permission_error', neverRetry: true },
  answer_blocked: { status: 403, type: 'permission_error', neverRetry: true },
  approval_required: { status: 403, type: 'permission_error', neverRetry: true },
  not_found: { status: 404, type: 'not_found_error' },
  model_not_found: { status: 404, type: 'not_found_error' },
  specialty_not_published: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error', neverRetry: true },
  idempotency_conflict: { status: 409, type: 'invalid_request_error', neverRetry: true },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  identifier_found: { status: 422, type: 'invalid_request_error' },
  quota_exceeded: { status: 402, type: 'quota_error', neverRetry: true },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  loop_detected: { status: 429, type: 'rate_limit_error', neverRetry: true },
  provider_error: { status: 502, type: 'api_error' },
  provider_timeout: { status: 504, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  internal_error: { status: 500, type: 'api_error' },
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof ERROR_TABLE

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_TABLE, text)

export const errorRow = (code: ErrorCode): Row => ERROR_TABLE[code]

/** The form of an error: that of this service, or that of Anthropic's Messages. */
export type ErrorForm = 'standard' | 'messages'

export type InvalidField = { path: string; rule: string }

type ErrorDetails = {
  param?: string | null
  fields?: InvalidField[]
  /** Whole seconds, at least 1; sent as `retry-after`, `retry-after-ms` and `error.retry_after`. */
  retryAfterSeconds?: number
  /** Further members of the error object, such as `identifiers`. */
  members?: Record<string, unknown>
  /** Further members of the body, besides `error`. */
  beside?: Record<string, unknown>
  headers?: Record<string, string>
  /** What a client of Anthropic's format must know apart from the code. */
  special?: 'prompt_too_long' | 'overloaded'
}

/** An error with a code of the table. `message` tells a person what to do next and never repeats a value that was sent. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

const PLAIN_NAME = /^[A-Za-z_$][\w$.[\]-]{0,39}$/

export const isPlainName = (name: string): boolean => PLAIN_NAME.test(name)
