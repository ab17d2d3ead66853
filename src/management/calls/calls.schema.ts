// Request and response shapes of the list of calls and of one call with its proofs.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import { demoMember, nameUpTo, orNull } from '../../platform/names.schema.ts'
import { eur } from '../../policies/rules/budget-guard.rule.ts'
import { RECENT_CALLS } from '../../policies/tier.policy.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { callFilterMembers, callMembers } from '../audit/audit-trail.schema.ts'
import { MedicalReceiptWithProofsSchema } from '../receipts/receipts.schema.ts'

export const CallsQuerySchema = once(() =>
  z.strictObject({
    ...callFilterMembers(),
    format: z.enum(['json', 'csv', 'evidence']).default('json').meta({
      description:
        'csv: all calls that the filters match, at once. evidence: their log entries, each with its proof in one signed head, as JSON lines that countersign-verify checks; at most 10,000 calls, for whoever may export the ledger.',
    }),
  }),
)

export type CallsQuery = Infer<typeof CallsQuerySchema>

export const CallSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The attestation_id of the decision.' }),
      object: z.literal('call'),
      created_at: z.iso.datetime(),
      trace_id: z.string(),
      ...callMembers(),
      record: orNull(AttestationSchema()).meta({
        description: 'The signed record of the decision. Null if it cannot be read or signed again.',
      }),
    })
    .meta({ id: 'Call' }),
)

export type Call = Infer<typeof CallSchema>

export const CallsSchema = once(() =>
  listSchema(CallSchema()).extend({
    ...demoMember(),
    start: z.iso.date().meta({ description: 'The first day of the list, in UTC.' }),
    end: z.iso.date(),
    is_whole: z.boolean().meta({
      description: `False in the tier Free and, in Healthcare and Enterprise, for callers who may not read the audit trail: the last ${RECENT_CALLS.most} calls of the last ${RECENT_CALLS.days} days, without filters.`,
    }),
    unreadable_entries: z.int().min(0).meta({
      description: 'Entries of the log that should be there and cannot be read, among those that were looked through.',
    }),
  }),
)

const MOST_REASON_CHARACTERS = 200

/** More than any call costs. The sum of 900,000 such calls is a safe integer, without which the organisation's state cannot be read. */
const MOST_EUR_A_CALL = 10_000

export const CorrectCostSchema = once(() =>
  z
    .strictObject({
      cost_eur: eur().max(MOST_EUR_A_CALL).meta({ description: 'What the provider charged.', example: 0.0021 }),
      reason: nameUpTo(MOST_REASON_CHARACTERS).meta({
        description: 'How the cost is known, in a sentence. The log has it for as long as the act.',
        example: 'The provider’s usage page of that day.',
      }),
    })
    .meta({ id: 'CorrectCost' }),
)

export const CorrectedCostSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The attestation_id of the call’s decision.' }),
      object: z.literal('corrected_cost'),
      created_at: z.iso.datetime(),
      cost_eur: z.number().nonnegative(),
      earlier_cost_eur: z.number().nonnegative(),
      index: z.int().min(0).meta({ description: 'The position of the correction in the organisation’s log.' }),
    })
    .meta({ id: 'CorrectedCost' }),
)

export const CallRecordSchema = once(() =>
  MedicalReceiptWithProofsSchema()
    .extend({ object: z.literal('call_record') })
    .meta({
      id: 'CallRecord',
      description: 'What the log has of a call, with everything that shows it to others.',
    }),
)
