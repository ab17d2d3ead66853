// The operations that run a call, and what the document says of each.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import { errorSchemaWith, MESSAGES_STATUSES, messagesErrorSchema, RATE_HEADERS } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { ANSWERS_RULE } from '../../policies/rules/pii-scan.rule.ts'
import { POLICY_IDS } from '../../policies/rules/index.ts'
import { DATA_REGIONS } from '../../platform/data-region.ts'
import type { RequireKey } from '../../organisation/admit/require-key.ts'
import { chatOperation } from '../operations/chat/operation.ts'
import { messagesOperation } from '../operations/messages/operation.ts'
import { responsesOperation } from '../operations/responses/operation.ts'
import {
  ADDED_HEADER_NAME,
  CallHeadersSchema,
  DATA_REGION_HEADER,
  DROPPED_HEADER_NAME,
  LIFECYCLE_HEADERS,
  MODEL_HEADER,
  REPLAYED_HEADER_NAME,
  ROUTE_ATTEMPTS_HEADER_NAME,
} from './call-headers.ts'
import type { CallOperation } from './call-operation.ts'
import type { CallService } from './call.service.ts'
import { ErrorAqtaSchema } from './trace.ts'

/** In the order of the document. */
const OPERATIONS = [chatOperation, responsesOperation, messagesOperation]

export function callRoutes(service: CallService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  for (const operation of OPERATIONS) openapi(declare(operation), ({ c }) => service.answerCall(c, operation))
  return api
}

const traceHeader = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })

/** The headers of an answer to a call whose decision is recorded. */
const TRACE_HEADERS = {
  'x-aqta-trace-id': traceHeader('The id of the call.'),
  'x-aqta-attestation-id': traceHeader('The id of the signed record, for GET /v1/attestations/{id}.'),
  'x-aqta-status': traceHeader('The outcome: passed, suppressed or blocked.'),
}

const ROUTE_HEADERS = {
  [DATA_REGION_HEADER]: {
    description: 'The region that the call had to be routed within: the narrowest of policy, key and request.',
    required: false,
    schema: { type: 'string' as const, enum: [...DATA_REGIONS] },
  },
  [ROUTE_ATTEMPTS_HEADER_NAME]: {
    description: 'How many routes the call was sent by, if more than one.',
    required: false,
    schema: { type: 'string' as const, examples: ['2'] },
  },
}

/** Describes the headers of an answer to a request that was not sent as it came. */
const ADAPTED_HEADERS = {
  [DROPPED_HEADER_NAME]: {
    description:
      'The sampling parameters that were left out for the model, and an output limit that was lowered, separated by commas.',
    required: false,
    schema: { type: 'string' as const, examples: ['temperature, top_p'] },
  },
  [ADDED_HEADER_NAME]: {
    description: 'messages, or input, if a user’s “Continue.” was added to its end for the model.',
    required: false,
    schema: { type: 'string' as const, examples: ['messages'] },
  },
}

const REPLAYED_HEADER = {
  [REPLAYED_HEADER_NAME]: {
    description: 'true: this is the stored first answer, with its headers and aqta.',
    required: false,
    schema: { type: 'string' as const, enum: ['true'] },
  },
}

const aqta = once(() =>
  ErrorAqtaSchema().optional().meta({
    id: 'ErrorAqta',
    description: 'Present if a decision about the request is recorded.',
  }),
)

const policy = once(() =>
  z
    .enum([...POLICY_IDS, ANSWERS_RULE])
    .optional()
    .meta({ description: 'The rule that refused the request, or that stopped the answer (answer_blocked).' }),
)
const reason = once(() =>
  z.string().optional().meta({
    description: 'Why the rule refused the request or stopped the answer. The log entry has it too.',
  }),
)

const dataRegions = once(() =>
  z.array(z.enum(DATA_REGIONS)).optional().meta({
    description: 'The regions in which the model has a route, for policy_blocked by data_region.',
  }),
)

const approval = once(() => ({
  approval_id: z.string().optional().meta({ description: 'The approval that waits, for approval_required.' }),
  expires_at: z.iso.datetime().optional().meta({ description: 'When the approval can no longer be decided or used.' }),
  location: z.string().optional().meta({ description: 'The path that returns the state of the approval.' }),
}))

const ChatErrorSchema = once(() =>
  errorSchemaWith(
    'ChatError',
    { aqta: aqta(), policy: policy(), reason: reason(), data_regions: dataRegions(), ...approval() },
    { aqta: aqta() },
  ),
)

const CALL_CODES = [
  'missing_parameter',
  'invalid_request',
  'invalid_api_key',
  'quota_exceeded',
  'model_not_allowed',
  'policy_blocked',
  'answer_blocked',
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

const CallMessagesErrorSchema = once(() => messagesErrorSchema('CallMessagesError', { aqta: aqta() }))

const declare = ({ operationId, answer, errors, ...described }: CallOperation) => ({
  operationId,
  tags: ['Gateway'],
  ...described,
  security: [{ gatewayKey: [] }],
  headers: CallHeadersSchema,
  answers: {
    200: () => ({
      description: 'The answer; as server-sent events where `stream` is true.',
      headers: {
        ...RATE_HEADERS,
        ...TRACE_HEADERS,
        ...MODEL_HEADER,
        ...LIFECYCLE_HEADERS,
        ...ROUTE_HEADERS,
        ...ADAPTED_HEADERS,
        ...REPLAYED_HEADER,
      },
      content: { 'application/json': { schema: answer() }, 'text/event-stream': { schema: z.string() } },
    }),
  },
  errors: CALL_CODES,
  errorBodies: Object.fromEntries(
    CALL_CODES.map((code) => [code, errors === 'messages' ? CallMessagesErrorSchema : ChatErrorSchema]),
  ),
  ...(errors === 'messages' && { alsoAs: MESSAGES_STATUSES }),
})
