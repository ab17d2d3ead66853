// Why an identity provider could not be asked, in words of our own and of the standards: for the log, never for a browser.
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { z } from '@hono/zod-openapi'
import { AnswerTooLarge, ServerFault } from './bounded-fetch.ts'

/** The codes of RFC 6749, 4.1.2.1 and 5.2, and of OpenID Connect Core 1.0, 3.1.2.6. */
const STANDARD_ERRORS = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const

/** What a provider says or sends that cannot be used, beyond what the library finds. */
export class UnusableProvider extends Error {
  override readonly name = 'UnusableProvider'
}

/** A standard's error, or a finding of oauth4webapi such as `OAUTH_JWT_CLAIM_COMPARISON_FAILED`. */
export function causeOf(thrown: unknown): string {
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError) {
    return STANDARD_ERRORS.find((known) => known === thrown.error) ?? 'unknown_error'
  }
  if (thrown instanceof OperationProcessingError || thrown instanceof UnsupportedOperationError) {
    return thrown.code ?? 'unusable'
  }
  // What a token endpoint answers that does not know the client or its secret (RFC 6749, 5.2).
  if (thrown instanceof WWWAuthenticateChallengeError) return 'invalid_client'
  if (thrown instanceof AnswerTooLarge) return 'too_large'
  if (thrown instanceof ServerFault) return 'server_error'
  if (thrown instanceof UnusableProvider || thrown instanceof z.ZodError) return 'unusable'
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return 'timeout'
  return 'unreachable'
}

/** Causes that pass by themselves: the provider has not refused. */
const PASSING = new Set(['server_error', 'temporarily_unavailable', 'timeout', 'unreachable'])

/** Whether it is worth while to begin again. */
export const isPassing = (cause: string): boolean => PASSING.has(cause)
