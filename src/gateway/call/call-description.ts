// What the document says of every call, whichever wire format it comes in: its headers and its errors.
import { z } from '@hono/zod-openapi'
import { POLICY_IDS } from '../../policies/document/rule.ts'
import { errorWith } from '../../platform/responses.ts'
import { DROPPED, REPLAYED } from './call-headers.ts'
import { AqtaSchema } from './aqta.schema.ts'

const traceHeader = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })

/** Of an answer to a call whose decision is recorded. */
export const TRACE_HEADERS = {
  'x-aqta-trace-id': traceHeader('The trace of the call.'),
  'x-aqta-attestation-id': traceHeader(
    'Of the signed record of the decision: GET /v1/attestations/{id} gives it at any time.',
  ),
  'x-aqta-status': traceHeader('passed, suppressed or blocked.'),
}

/** Describes an answer to a request that was not sent in full. */
export const DROPPED_HEADER = {
  [DROPPED]: {
    description:
      'The sampling parameters of the request that its model does not take, with commas between them: they were not sent.',
    required: false,
    schema: { type: 'string' as const, examples: ['temperature, top_p'] },
  },
}

/** Of an answer that may have been given before. */
export const REPLAYED_HEADER = {
  [REPLAYED]: {
    description:
      'true: the answer that the same request got before under its idempotency-key; its headers and its aqta are of then.',
    required: false,
    schema: { type: 'string' as const, enum: ['true'] },
  },
}

const aqta = AqtaSchema.optional().openapi({ description: 'There once a decision about the request is recorded.' })

const policy = z
  .enum(POLICY_IDS)
  .optional()
  .openapi({ description: 'Of policy_blocked and approval_required: the rule that refused the request.' })
const reason = z.string().optional().openapi({
  description:
    'Of policy_blocked and approval_required: why, as a word of a closed list; the entry in the ledger has it too.',
})

const approval = {
  approval_id: z.string().optional().openapi({ description: 'Of approval_required: what waits for people.' }),
  expires_at: z.iso.datetime().optional().openapi({ description: 'Until when it can be decided, or used.' }),
  location: z.string().optional().openapi({ description: 'Where to ask what became of it.' }),
}

const ChatErrorSchema = errorWith('ChatError', { aqta, policy, reason, ...approval }, { aqta })

export const CALL_CODES = [
  'missing_parameter',
  'invalid_request',
  'invalid_api_key',
  'quota_exceeded',
  'model_not_allowed',
  'policy_blocked',
  'approval_required',
  'scope_required',
  'organisation_closing',
  'model_not_found',
  'conflict',
  'idempotency_conflict',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'loop_detected',
  'provider_error',
  'provider_timeout',
  'service_unavailable',
  'internal_error',
] as const

export const callErrorBodies = Object.fromEntries(CALL_CODES.map((code) => [code, ChatErrorSchema]))
