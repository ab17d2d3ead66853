// The response schemas of approvals, shared by the routes for people and for keys.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { AcceptRecordSchema, AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import { orNull } from '../../platform/names.schema.ts'
import { DATA_REGIONS } from '../../platform/data-region.ts'
import { PROVIDER_IDS } from '../../providers/provider-registry.ts'
import { APPROVAL_STATES, DECISIONS } from '../journal/state/approval.schema.ts'

const time = once(() => z.iso.datetime())

const decision = once(() => ({
  decision: z.enum(DECISIONS),
  decided_by: z.string().meta({ description: 'The person’s id.', example: 'usr_01982f6b-7c50-7a31-8d14-6b2c5e0f9a77' }),
  decided_at: time(),
  counts: z.boolean().meta({
    description: 'False for an approval whose author lost the right to decide before the request ran.',
  }),
}))

const approval = once(() => ({
  id: z.string().regex(/^apr_[0-9a-f-]{36}$/),
  object: z.literal('approval'),
  state: z.enum(APPROVAL_STATES).meta({
    description:
      'pending: nobody has decided. approved: the request may be sent again, once. claimed: it is running. executed: it has run. denied, expired, withdrawn (the policy or the key changed): it will not.',
  }),
  created_at: time(),
  expires_at: time().meta({ description: 'Until when it can be decided, or used once it is approved.' }),
  ended_at: orNull(time()),
  key_id: z.string().meta({ description: 'Of the key that asked, and alone may use it.' }),
  request_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'SHA-256 of the canonical JSON of the request’s body: no other request may use it.' }),
  model: z.string(),
  use_case: orNull(z.string()),
  policy_version: z.int().min(0),
  approvals_required: z.union([z.literal(1), z.literal(2)]),
  facts: z.strictObject({
    provider: z.enum(PROVIDER_IDS).meta({ description: 'Of the route that it is sent by first.' }),
    other_models: z
      .array(z.string())
      .meta({ description: 'Further models that the request lists and may be sent to.' }),
    data_region: z.enum(DATA_REGIONS).meta({ description: 'The region that it must be routed within.' }),
    stream: z.boolean(),
    content_kinds: z.array(z.string()),
    bytes: z.int().min(0),
    found: orNull(z.record(z.string(), z.int().min(0))).meta({
      description:
        'How many of each identifier `pii_scan` found in the request. Null if it searched for none, or the request is from before this was kept.',
    }),
    most_cost_eur: z.number().nonnegative().meta({ description: 'The most the request can cost.' }),
  }),
  attestation_id: z.string().meta({ description: 'Of the record of the refusal that asks for it.' }),
}))

export const ApprovalSchema = once(() =>
  z
    .strictObject({ ...approval(), decisions: z.array(z.strictObject(decision()).meta({ id: 'ApprovalDecision' })) })
    .meta({ id: 'Approval' }),
)

export type ShownApproval = Infer<typeof ApprovalSchema>

const NOT_KEPT = 'Null where it is not kept any more, or cannot be read or signed again.'

export const ApprovalWithRecordsSchema = once(() =>
  z
    .strictObject({
      ...approval(),
      attestation: orNull(AttestationSchema()).meta({ description: `The record of the refusal. ${NOT_KEPT}` }),
      decisions: z.array(
        z
          .strictObject({
            ...decision(),
            acceptance: orNull(AcceptRecordSchema()).meta({ description: `The record of the decision. ${NOT_KEPT}` }),
          })
          .meta({ id: 'RecordedDecision' }),
      ),
    })
    .meta({ id: 'ApprovalWithRecords' }),
)

export type ShownApprovalWithRecords = Infer<typeof ApprovalWithRecordsSchema>

const maker = once(() => z.strictObject({ id: z.string(), name: orNull(z.string()) }).meta({ id: 'NamedMaker' }))

/** Names for those who decide. The key's own is for all. */
const names = once(() => ({
  key_name: orNull(z.string()).meta({ description: 'Of the key that asked. Null if it is not known.' }),
  key_made_by: orNull(maker()).meta({
    description:
      'A person (`usr_…`), a key (`key_…`) or `operator`, who has no name. A person’s name is null if they left, or if you may not decide.',
  }),
  key_person: orNull(maker()).meta({
    description: 'The person who made the key, directly or through keys, and cannot decide. Null: the operator.',
  }),
}))

const deciderName = once(() => ({
  decided_by_name: orNull(z.string()).meta({ description: 'Null if the person left, or if you may not decide.' }),
}))

export const NamedApprovalSchema = once(() => {
  const decided = ApprovalSchema().shape.decisions.element.extend(deciderName()).meta({ id: 'NamedDecision' })
  return ApprovalSchema()
    .extend({ ...names(), decisions: z.array(decided) })
    .meta({ id: 'NamedApproval' })
})

export type NamedApproval = Infer<typeof NamedApprovalSchema>

export const NamedApprovalWithRecordsSchema = once(() => {
  const { element } = ApprovalWithRecordsSchema().shape.decisions
  return ApprovalWithRecordsSchema()
    .extend({ ...names(), decisions: z.array(element.extend(deciderName()).meta({ id: 'NamedRecordedDecision' })) })
    .meta({ id: 'NamedApprovalWithRecords' })
})

export type NamedApprovalWithRecords = Infer<typeof NamedApprovalWithRecordsSchema>

export const DecidedApprovalSchema = once(() =>
  NamedApprovalWithRecordsSchema()
    .extend({
      reason_salt: orNull(z.string().regex(/^[0-9a-f]{64}$/)).meta({
        description:
          'The 32 random bytes before the reason of which reason_hash is the SHA-256, shown once: keep them with it. Null where no reason was given.',
      }),
    })
    .meta({ id: 'DecidedApproval' }),
)
