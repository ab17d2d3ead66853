// Request and response shapes of the audit trail: an organisation's calls, one entry a call.
import * as z from '../../platform/zod.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { keyId, useCaseName } from '../../policies/document/policy-rule.ts'
import { dateRangeMembers } from '../date-range.ts'
import { positionText } from './audit-export.schema.ts'

export const SHOWN_OUTCOMES = ['passed', 'blocked', 'suppressed'] as const

/** The most entries of a page with content, because content is long. */
export const MOST_WITH_CONTENT = 20

export const AuditTrailQuerySchema = z.object({
  ...dateRangeMembers,
  outcome: z.enum(SHOWN_OUTCOMES).optional(),
  model: z.string().min(1).max(100).optional().meta({ description: 'As it was asked for.', example: 'gpt-4.1-mini' }),
  key_id: keyId.optional(),
  use_case: useCaseName.optional().meta({ description: 'As callers declared it.' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: positionText.optional(),
  content: z
    .enum(['true', 'false'])
    .default('false')
    .meta({
      description:
        'Whether to include what was asked and answered, if the organisation stores it: for owners, admins and auditors. The log ' +
        `records who read the content of each call. A page then has at most ${MOST_WITH_CONTENT} entries, and ends early at 4 MiB.`,
    }),
})

const ENDINGS = [
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'cached',
  'running',
  'not_kept',
  'unreadable',
] as const

const tokens = orNull(z.int().min(0))
const position = z.int().min(0)

const CONTENT_ABSENT = ['not_logged', 'lost', 'over', 'erased', 'running', 'unreadable'] as const

export const AuditTrailEntrySchema = z
  .strictObject({
    object: z.literal('audit_trail_entry'),
    trace_id: z.string(),
    attestation_id: z.string(),
    timestamp: z.iso.datetime(),
    organisation_id: z.string(),
    key_id: orNull(z.string()),
    request_id: orNull(z.string()),
    request_hash: z.string(),
    model: z.string(),
    provider: orNull(z.string()),
    use_case: orNull(z.string()).meta({ description: 'As the caller declared it.' }),
    cohort: orNull(z.string()).meta({ description: 'As the caller declared it.' }),
    outcome: z.enum(SHOWN_OUTCOMES),
    reason: orNull(z.string()).meta({ description: 'Why it was blocked or suppressed.' }),
    policy_applied: z.array(z.string()),
    ending: orNull(z.enum(ENDINGS)).meta({
      description:
        'How the call ended, once it is settled. Null where it was blocked or suppressed, which ends nothing. not_kept: the ' +
        'settlement’s time is over. unreadable: it cannot be read.',
    }),
    served_model: orNull(z.string()).meta({
      description:
        'The model that answered, as its provider named it. Null until the call is settled, and if it named none.',
    }),
    finish_reason: orNull(z.string()),
    error_cause: orNull(z.string()),
    response_ms: orNull(z.int().min(0)).meta({ description: 'How long the provider took.' }),
    input_tokens: tokens.meta({ description: 'All of them, from a provider’s cache or not.' }),
    cached_input_tokens: tokens,
    output_tokens: tokens.meta({ description: 'All of them, reasoning included.' }),
    reasoning_tokens: tokens,
    cost_eur: orNull(z.number().nonnegative()).meta({ description: 'Null until the call is settled.' }),
    cost_estimated: orNull(z.boolean()),
    cost_prevented_eur: z.number().nonnegative(),
    index: position.meta({ description: 'The position of the decision in the organisation’s log.' }),
    leaf_hash: z.string().regex(/^[0-9a-f]{64}$/),
    settlement_index: orNull(position),
    content: orNull(z.looseObject({})).optional().meta({
      description:
        'Where it was asked for: request, answer, streamed and truncated, as GET /api/compliance/content has them.',
    }),
    content_absent: orNull(z.enum(CONTENT_ABSENT)).optional().meta({ description: 'Why there is no content.' }),
  })
  .meta({ id: 'AuditTrailEntry' })

export type AuditTrailEntry = Omit<z.infer<typeof AuditTrailEntrySchema>, 'content' | 'content_absent'>
export type ContentAbsent = (typeof CONTENT_ABSENT)[number]

export const AuditTrailSchema = listSchema(AuditTrailEntrySchema).extend({
  ...demoMember,
  unreadable_entries: z.int().min(0).meta({
    description: 'Entries of the log that should be there and cannot be read, among those that were looked through.',
  }),
})
