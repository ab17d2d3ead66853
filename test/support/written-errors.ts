// The errors of each deciding operation that leave an entry in the log.
import type { DecidingOperation } from '../../src/organisation/coverage/surface.ts'
import type { ErrorCode } from '../../src/platform/errors.ts'

/** Errors of a call with a model after its decision. A provider may refuse what it is sent, or be at its own limit. */
const CALL_WRITTEN = [
  'answer_blocked',
  'approval_required',
  'internal_error',
  'invalid_request',
  'loop_detected',
  'model_not_allowed',
  'policy_blocked',
  'provider_error',
  'provider_timeout',
  'rate_limit_exceeded',
  'service_unavailable',
] as const satisfies readonly ErrorCode[]

/** Errors of calls that were decided: each of them leaves an entry. */
export const WRITTEN = {
  createChatCompletion: CALL_WRITTEN,
  createMessage: CALL_WRITTEN,
  createResponse: CALL_WRITTEN,
  // A held action leaves one too. Its answer is 409 without a code.
  readReferral: ['identifier_found', 'internal_error', 'service_unavailable', 'unknown_action'],
  // The choice is recorded, and its signed record cannot be made.
  recordOutcome: ['internal_error', 'service_unavailable'],
} as const satisfies Record<DecidingOperation, readonly ErrorCode[]>
