// What the logs of organisations cover: the operations that write decisions, those that write nothing, and the errors whose calls
// leave no entry. Every coverage entry is made of these tables. Tests hold them against the API document and against the service.
import { RECEIPT_KIND, type EntryKind } from '../../evidence/entry-tags.ts'
import type { ErrorCode } from '../../platform/errors.ts'

/** The kinds that only decisions and their ends have. */
type Decided = { operation: string; route: string; writes: readonly (EntryKind | typeof RECEIPT_KIND)[] }

/** The operations of the gateway and of readings that write decisions, sorted. */
export const DECIDES = [
  {
    operation: 'createChatCompletion',
    route: 'POST /v1/chat/completions',
    writes: [RECEIPT_KIND, 'settlement'],
  },
  { operation: 'createMessage', route: 'POST /v1/messages', writes: [RECEIPT_KIND, 'settlement'] },
  { operation: 'createResponse', route: 'POST /v1/responses', writes: [RECEIPT_KIND, 'settlement'] },
  { operation: 'readReferral', route: 'POST /v1/referral/read', writes: ['referral_decision', 'settlement'] },
  { operation: 'recordOutcome', route: 'POST /v1/referral/outcome', writes: ['referral_outcome'] },
] as const satisfies readonly Decided[]

export type DecidingOperation = (typeof DECIDES)[number]['operation']

/** The kinds that this version writes besides: about changes, approvals, counts, and what the log covers. */
export const ALSO = [
  'approval',
  'concordance_closed',
  'coverage',
  'hour_counts',
  'member_act',
  'operator_act',
  'usage_closed',
] as const satisfies readonly EntryKind[]

/** The operations of the same keys that write no entry, whatever they answer. They count among `other_calls`. */
export const READS = [
  'countTokens',
  'listDatasets',
  'listExamples',
  'listModels',
  'listSpecialties',
  'listWaitingLists',
  'proveConsistency',
  'proveInclusion',
  'proveReading',
  'readAttestation',
  'readModel',
  'readOwnApproval',
  'readTreeHead',
] as const

/**
 * Calls of deciding operations that leave no entry. `counted`: the members of `hour_counts` that count them, joined by `+`; null if
 * nothing does. `at_least`: the counter can be too low, as for a flood that the Worker refuses from memory. `why`:
 * `no_organisation`: no key of one; `no_operation`: no such path or method; `not_run`: a fault of the request; `replayed`: it
 * repeats a request, which has the entry; `over_limit`, `not_allowed`: refused before it was looked at; `before_decision`:
 * the same error after the decision is that of a call with an entry.
 */
export const WRITES_NONE = [
  { codes: ['invalid_api_key'], counted: null, why: 'no_organisation' },
  { codes: ['method_not_allowed'], counted: null, why: 'no_operation' },
  // Where there is no such path, no organisation is known. A body declared too large outranks a remembered refusal.
  { codes: ['not_found', 'payload_too_large'], counted: 'other_calls', why: 'not_run', at_least: true },
  {
    codes: [
      'invalid_request',
      'missing_parameter',
      'model_not_found',
      'not_an_example',
      'specialty_not_published',
      'text_missing',
      'text_too_long',
      'unsupported_media_type',
    ],
    counted: 'other_calls',
    why: 'not_run',
  },
  // So does a repeat that gets the stored answer, which is no error.
  { codes: ['conflict', 'idempotency_conflict'], counted: 'other_calls', why: 'replayed' },
  { codes: ['rate_limit_exceeded'], counted: 'refused.budget+refused.rate', why: 'over_limit', at_least: true },
  { codes: ['quota_exceeded'], counted: 'refused.budget+refused.quota', why: 'over_limit', at_least: true },
  // A sandbox key records no choice, whatever its scope.
  { codes: ['scope_required'], counted: 'other_calls+refused.scope', why: 'not_allowed' },
  { codes: ['organisation_closing'], counted: 'refused.closing', why: 'not_allowed', at_least: true },
  {
    codes: ['internal_error', 'service_unavailable'],
    counted: 'other_calls',
    why: 'before_decision',
    at_least: true,
  },
] as const satisfies readonly { codes: readonly ErrorCode[]; counted: string | null; why: string; at_least?: true }[]
