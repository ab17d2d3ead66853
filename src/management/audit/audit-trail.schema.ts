// Request and response shapes of the audit trail: an organisation's calls, one entry a call.
import { DATA_REGIONS } from '../../platform/data-region.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { POLICY_IDS } from '../../policies/rules/index.ts'
import { keyId, useCaseName } from '../../policies/rules/rule.ts'
import { APPROVAL_STATES } from '../../organisation/journal/state/approval.schema.ts'
import { ANSWER_COVERAGES, UNREAD_PARTS } from '../../evidence/records/answer-scan.ts'
import { ENDING_NAMES, OUTCOMES, RECORD_OUTCOMES } from '../../evidence/records/call-endings.ts'
import { dateRangeMembers } from '../date-range.ts'
import { positionText } from './audit-export.schema.ts'

/** The most entries of a page with content, because content is long. */
export const MOST_WITH_CONTENT = 20

const ENDING_LIST = ENDING_NAMES.join(', ')

export const callFilterMembers = once(() => ({
  ...dateRangeMembers(),
  outcome: z.enum(OUTCOMES).optional(),
  ending: z
    .string()
    .regex(
      new RegExp(`^(?:${ENDING_NAMES.join('|')})(?:,(?:${ENDING_NAMES.join('|')}))*$`),
      `one or more of ${ENDING_LIST}`,
    )
    .optional()
    .meta({
      description: `How the call ended, one or more of ${ENDING_LIST}, separated by commas.`,
      example: 'failed,cancelled',
    }),
  rule: z.enum(POLICY_IDS).optional().meta({ description: 'The policy rule that stopped the call.' }),
  reason: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Why the call was stopped or failed.', example: 'model_not_in_policy' }),
  model: z.string().min(1).max(100).optional().meta({ description: 'As it was asked for.', example: 'gpt-4.1-mini' }),
  key_id: keyId().optional(),
  use_case: useCaseName().optional().meta({ description: 'As callers declared it.' }),
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        'Only calls with this id (of the record, trace, request or approval), request hash or its first twelve digits or more, or position ' +
        'in the log (of the decision or its settlement); or whose model, use case, cohort, reason or key’s name contains it, whatever the case.',
    }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: positionText().optional(),
}))

export const AuditTrailQuerySchema = once(() =>
  z.object({
    ...callFilterMembers(),
    content: z
      .enum(['true', 'false'])
      .default('false')
      .meta({
        description:
          'Whether to include what was asked and answered, if the organisation stores it: for owners, admins and auditors. The log ' +
          `records who read the content of each call. A page then has at most ${MOST_WITH_CONTENT} entries, and ends early at 4 MiB.`,
      }),
  }),
)

const tokens = once(() => orNull(z.int().min(0)))
const position = once(() => z.int().min(0))

const SHOWN_ENDINGS = [...ENDING_NAMES, 'running', 'not_kept', 'unreadable'] as const

const CONTENT_ABSENT = ['not_logged', 'lost', 'over', 'erased', 'running', 'unreadable'] as const

const CallApprovalSchema = once(() =>
  z
    .strictObject({
      id: z.string(),
      state: orNull(z.enum(APPROVAL_STATES)).meta({
        description: 'Null if the approval is no longer stored, as the next three.',
      }),
      requested_at: orNull(z.iso.datetime()),
      attestation_id: orNull(z.string()).meta({
        description: 'The record of the refusal that asked for the approval.',
      }),
      index: orNull(position()).meta({ description: 'The position of that refusal in the organisation’s log.' }),
    })
    .meta({ id: 'CallApproval' }),
)

const AnswerScanSchema = once(() =>
  z
    .strictObject({
      coverage: z.enum(ANSWER_COVERAGES).meta({
        description:
          'full: all that went out was read. partial: what `unread` names went out unread. none: nothing was read, because no rule asks for it or nothing went out.',
      }),
      found: z.record(z.string(), z.int().min(1)).meta({
        description: 'How often each shape was found, without ignored ones.',
        example: { payment_card: 1, pps_number: 2 },
      }),
      redacted: z.int().min(0).meta({ description: 'How many values were taken out.' }),
      stopped: z.array(z.string()).meta({
        description: 'The shapes for which the answer was stopped, or too_long.',
        example: ['payment_card'],
      }),
      unread: z.array(z.enum(UNREAD_PARTS)),
    })
    .meta({ id: 'AnswerScan' }),
)

/** What a list says of a call. */
export const callMembers = once(() => ({
  key_id: orNull(z.string()),
  request_id: orNull(z.string()),
  request_hash: z.string(),
  model: z.string(),
  provider: orNull(z.string()),
  use_case: orNull(z.string()).meta({ description: 'As the caller declared it.' }),
  cohort: orNull(z.string()).meta({ description: 'As the caller declared it.' }),
  outcome: z.enum(OUTCOMES).meta({
    description: 'held: it waits for a person, or waited and never ran. A held call that a person approves is passed.',
  }),
  signed_outcome: z.enum(RECORD_OUTCOMES).meta({
    description: 'The word in the signed record. BLOCKED for a held call, because it did not run.',
  }),
  ending: z.enum(SHOWN_ENDINGS).meta({
    description:
      'How the call ended; that of a held, blocked or suppressed one is its own. running: not settled yet. not_kept: the ' +
      'settlement’s time is over. unreadable: it cannot be read.',
  }),
  rule: orNull(z.string()).meta({ description: 'The policy rule that stopped the call. Null for a passed one.' }),
  reason: orNull(z.string()).meta({
    description: 'Why it was held, blocked or suppressed. loop_reported: a key for evaluation passed a loop.',
  }),
  policy_version: orNull(z.int().min(1)).meta({
    description: 'The version of the policy that decided. Null if the organisation had none.',
  }),
  approval: orNull(CallApprovalSchema()).meta({
    description: 'The approval that the call waits for, waited for or ran with.',
  }),
  policy_applied: z.array(z.string()).meta({ description: 'The rules that were applied, or the one that stopped it.' }),
  other_model: orNull(z.string()).meta({
    description: 'The further model of the request’s models that was asked last. Null if only the first was asked.',
  }),
  served_model: orNull(z.string()).meta({
    description:
      'The model that answered, as its provider named it. Null until the call is settled, and if it named none.',
  }),
  route: orNull(z.string()).meta({
    description: 'The endpoint that the call was sent to last. Null if it reached none.',
  }),
  host: orNull(z.string()).meta({ description: 'The host of that endpoint.' }),
  places: z.array(z.string()).nullable().meta({
    description:
      'The countries that the providers asked may process text in, as ISO 3166-1 codes. Null if one does not say.',
  }),
  data_region: orNull(z.enum(DATA_REGIONS)).meta({
    description: 'The region that the call had to be routed within: eu or eea_ch. Null if none was set.',
  }),
  finish_reason: orNull(z.string()),
  error_cause: orNull(z.string()),
  answer_scan: orNull(AnswerScanSchema()).meta({
    description:
      'What a search found in the answer: names and counts, never values. Null until the call is settled, and if an older version settled it. That of an answer from the cache is about what was stored.',
  }),
  response_ms: orNull(z.int().min(0)).meta({
    description: 'How long the provider took. Null if that is not known, and for an answer from the cache.',
  }),
  input_tokens: tokens().meta({ description: 'All of them, from a provider’s cache or not.' }),
  cached_input_tokens: tokens(),
  output_tokens: tokens().meta({ description: 'All of them, reasoning included.' }),
  reasoning_tokens: tokens(),
  cost_eur: orNull(z.number().nonnegative()).meta({ description: 'Null until the call is settled.' }),
  cost_estimated: orNull(z.boolean()),
  cost_prevented_eur: z.number().nonnegative(),
  index: position().meta({ description: 'The position of the decision in the organisation’s log.' }),
  leaf_hash: z.string().regex(/^[0-9a-f]{64}$/),
  settlement_index: orNull(position()),
  cost_correction_index: orNull(position()).meta({
    description: 'The position of the entry by which an owner corrected the cost. Null if nobody did.',
  }),
}))

export const AuditTrailEntrySchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_trail_entry'),
      trace_id: z.string(),
      attestation_id: z.string(),
      timestamp: z.iso.datetime(),
      organisation_id: z.string(),
      ...callMembers(),
      content: orNull(z.looseObject({})).optional().meta({
        description:
          'Where it was asked for: request, answer, streamed and truncated, as GET /api/compliance/content has them.',
      }),
      content_absent: orNull(z.enum(CONTENT_ABSENT)).optional().meta({ description: 'Why there is no content.' }),
    })
    .meta({ id: 'AuditTrailEntry' }),
)

/** A call as every list shows it. */
export type ShownCall = z.infer<z.ZodObject<ReturnType<typeof callMembers>>>

export type AuditTrailEntry = Omit<Infer<typeof AuditTrailEntrySchema>, 'content' | 'content_absent'>
export type ContentAbsent = (typeof CONTENT_ABSENT)[number]

export const AuditTrailSchema = once(() =>
  listSchema(AuditTrailEntrySchema()).extend({
    ...demoMember(),
    unreadable_entries: z.int().min(0).meta({
      description: 'Entries of the log that should be there and cannot be read, among those that were looked through.',
    }),
  }),
)
