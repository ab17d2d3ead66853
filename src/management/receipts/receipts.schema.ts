// Request and response shapes of the medical receipt routes.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { AcceptRecordSchema, AttestationSchema, issuedMembers } from '../../evidence/records/attestation.schema.ts'
import {
  ANCHOR_DESCRIPTION,
  AnchorSchema,
  LogProofSchema,
  NOT_PUBLISHED_YET,
  PublicLogProofSchema,
  settlementSchema,
} from '../../evidence/bundles/log-proofs.schema.ts'
import { OUTCOMES } from '../../evidence/records/call-endings.ts'
import { APPROVAL_STATES } from '../../organisation/journal/state/approval.schema.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { useCaseName } from '../../policies/rules/rule.ts'
import { dateRangeMembers } from '../date-range.ts'

const NULL_ONCE_EXPIRED = 'Null once the details have expired.'

const receipt = once(() => ({
  object: z.literal('medical_receipt'),
  id: z.uuid({ version: 'v4' }).meta({ description: 'The attestation_id of the decision.' }),
  created_at: z.iso.datetime(),
  trace_id: z.string(),
  model: z.string(),
  provider: orNull(z.string()),
  outcome: z.enum(OUTCOMES),
  use_case: orNull(z.string()).meta({ description: 'As the caller declared it.' }),
  approval_state: orNull(z.enum(APPROVAL_STATES)).meta({
    description: 'Of the approval that the call asked for, or ran with. Null where there is none.',
  }),
}))

export const MedicalReceiptSchema = once(() =>
  z.strictObject(receipt()).meta({
    id: 'MedicalReceipt',
    description: 'What the log has of a call, and nothing that was asked or answered in it.',
  }),
)

export type MedicalReceipt = Infer<typeof MedicalReceiptSchema>

export const MedicalReceiptsSchema = once(() =>
  listSchema(MedicalReceiptSchema()).extend({
    ...demoMember(),
    unreadable_entries: z
      .int()
      .min(0)
      .meta({ description: 'Entries of the log that should be there and cannot be read.' }),
  }),
)

const MedicalAcceptanceSchema = once(() =>
  z
    .strictObject({
      approval_id: z.string().regex(/^apr_[0-9a-f-]{36}$/),
      approvals_required: z.int().min(1).meta({ description: 'How many people must approve, by the policy.' }),
      subject: orNull(AttestationSchema()).meta({
        description:
          'The record of the refusal that asked for the approval: of this call, or of the one that it repeats.',
      }),
      records: z.array(AcceptRecordSchema()).meta({
        description: 'What people decided, oldest first; those that are kept and can be signed again.',
      }),
    })
    .meta({ id: 'MedicalAcceptance' }),
)

/** The members that a receipt and a line of an export share. */
const evidence = once(() => ({
  attestation: orNull(AttestationSchema()).meta({
    description:
      'The record of the decision, signed again. Null where the seed is gone of the key that signed it, too.',
  }),
  settlement: orNull(settlementSchema('decision')).meta({
    description: 'Null while the call runs, and for a refusal, too.',
  }),
  acceptance: orNull(MedicalAcceptanceSchema()).meta({
    description: 'Null where nobody had to approve the call, too.',
  }),
}))

export const MedicalReceiptWithProofsSchema = once(() =>
  z
    .strictObject({
      ...receipt(),
      ...demoMember(),
      created_at: orNull(receipt().created_at).meta({ description: NULL_ONCE_EXPIRED }),
      model: orNull(receipt().model).meta({ description: NULL_ONCE_EXPIRED }),
      outcome: orNull(receipt().outcome).meta({ description: NULL_ONCE_EXPIRED }),
      ...evidence(),
      organisation_log: LogProofSchema(),
      public_log: orNull(PublicLogProofSchema()).meta({ description: NOT_PUBLISHED_YET }),
      anchor: orNull(AnchorSchema()).meta({ description: ANCHOR_DESCRIPTION }),
      details: z.enum(['kept', 'expired']).meta({
        description:
          'expired: the retention of the details is over, and what is left is the leaf, which is still proven.',
      }),
      ...issuedMembers(),
    })
    .meta({ id: 'MedicalReceiptWithProofs' }),
)

export type MedicalReceiptWithProofs = Infer<typeof MedicalReceiptWithProofsSchema>

export const ReceiptsQuerySchema = once(() =>
  z.strictObject({
    ...dateRangeMembers(),
    outcome: z.enum(OUTCOMES).optional(),
    use_case: useCaseName().optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z
      .string()
      .regex(/^(?:0|[1-9]\d{0,14})$/, 'the next_cursor of the page before')
      .optional(),
  }),
)

export const ReceiptsExportQuerySchema = once(() =>
  z.strictObject({
    ...dateRangeMembers(),
    format: z.enum(['jsonl', 'csv']).default('jsonl'),
  }),
)

const anyJsonObject = once(() => z.custom<JsonObject>(isJsonObject, 'expected an object'))

export const VerifyReceiptSchema = once(() =>
  z
    .strictObject({
      record: anyJsonObject().optional().meta({
        type: 'object',
        description: 'The record as the caller has it, which is then what is checked.',
      }),
      request: anyJsonObject().optional().meta({
        type: 'object',
        description: 'The body of the request as it was sent. It is hashed, and neither kept nor logged.',
      }),
      public_key: z
        .string()
        .regex(/^[A-Za-z0-9_-]{43}$/, 'a raw Ed25519 public key in base64url: 43 characters')
        .optional()
        .meta({
          description:
            'The only key to trust for the record’s signature. Left out: the keys that the service publishes.',
        }),
    })
    .meta({ id: 'VerifyReceipt' }),
)

const CHECKS = [
  'signature',
  'leaf',
  'organisation_log',
  'public_log',
  'record_matches',
  'request_hash',
  'acceptance',
] as const

export const ReceiptVerificationSchema = once(() =>
  z
    .strictObject({
      object: z.literal('receipt_verification'),
      ...demoMember(),
      id: z.string(),
      valid: z.boolean().meta({
        description: 'No check fails, and those of the signature and of the leaf pass.',
      }),
      checks: z.array(
        z
          .strictObject({
            check: z.enum(CHECKS),
            result: z.enum(['pass', 'fail', 'not_available']),
            reason: z.string(),
          })
          .meta({ id: 'ReceiptCheck' }),
      ),
      checked_by: z.literal('issuer').meta({
        description: 'Whoever issued the record has checked it: that is its own word.',
      }),
      check_it_yourself: z
        .string()
        .meta({ description: 'The command that checks without the service, in a clone of its repository.' }),
    })
    .meta({ id: 'ReceiptVerification' }),
)

export type ReceiptVerification = Infer<typeof ReceiptVerificationSchema>
export type ReceiptCheck = ReceiptVerification['checks'][number]
