// Sends requests to an identity provider, with limits of time and size. Names the cause of a failure for the log; no browser
// shows it.
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import * as z from 'zod'
import { readUpTo } from '../../platform/body-pieces.ts'

const LIMIT_MS = 8_000
const MOST_BYTES = 512 * 1024

type BoundedRequest = {
  method: string
  headers: Record<string, string>
  body?: URLSearchParams | undefined
  redirect: 'manual'
}

class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** A failure of the provider itself, or of a proxy in front of it. */
class ServerFault extends Error {
  override readonly name = 'ServerFault'
}

/** Throws ServerFault for a status from 500 on, AnswerTooLarge, a DOMException named TimeoutError, or an error of `fetch`. */
export async function fetchBounded(
  url: string,
  { method, headers, body, redirect }: BoundedRequest,
): Promise<Response> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const response = await fetch(url, { method, headers, body: body ?? null, redirect, signal })
  if (response.status >= 500) {
    await response.body?.cancel()
    throw new ServerFault()
  }
  const read = await readUpTo(MOST_BYTES, response)
  if (read === null) throw new AnswerTooLarge()
  return new Response(read.length === 0 ? null : read, { status: response.status, headers: response.headers })
}

/**
 * The error codes of OAuth 2.0 and of OpenID Connect.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthError
 */
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

/** A provider's response that cannot be used for a reason that the library does not check. */
export class UnusableProvider extends Error {
  override readonly name = 'UnusableProvider'
}

/** Returns a standard's error code, or an oauth4webapi code such as `OAUTH_JWT_CLAIM_COMPARISON_FAILED`, for the log. */
export function openIdFailureCause(thrown: unknown): string {
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError) {
    return STANDARD_ERRORS.find((known) => known === thrown.error) ?? 'unknown_error'
  }
  if (thrown instanceof OperationProcessingError || thrown instanceof UnsupportedOperationError) {
    return thrown.code ?? 'unusable'
  }
  // A token endpoint answers so if it does not know the client or its secret.
  if (thrown instanceof WWWAuthenticateChallengeError) return 'invalid_client'
  if (thrown instanceof AnswerTooLarge) return 'too_large'
  if (thrown instanceof ServerFault) return 'server_error'
  if (thrown instanceof UnusableProvider || thrown instanceof z.ZodError) return 'unusable'
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return 'timeout'
  return 'unreachable'
}

/** Causes that may pass without a change, because the provider has not refused the sign-in. */
const TEMPORARY_CAUSES = new Set(['server_error', 'temporarily_unavailable', 'timeout', 'unreachable'])

/** Returns true if a new sign-in may succeed. */
export const isTemporary = (cause: string): boolean => TEMPORARY_CAUSES.has(cause)
