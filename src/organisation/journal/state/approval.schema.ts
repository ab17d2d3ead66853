// The schemas of an approval: its request and its steps, one log entry each, and its state in snapshots. They have facts of the chat
// request, never its text.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { DATA_REGIONS } from '../../../platform/data-region.ts'
import type { ApprovalId, KeyId, PersonId } from '../../../platform/ids.ts'

const count = once(() => z.int().min(0))
const id = <Id extends string>(): z.ZodType<Id> => z.custom<Id>((value) => typeof value === 'string')

export const DECISIONS = ['approve', 'deny', 'escalate'] as const

/** The request that an approval is asked for, and the facts that bind the approval to it. */
const asked = once(() => ({
  approval_id: id<ApprovalId>(),
  key_id: id<KeyId>(),
  /** The hash of the body as it was sent. */
  request_hash: z.string(),
  use_case: z.string().nullable(),
  policy_version: count(),
  data_region: z.enum(DATA_REGIONS),
  /** The record of the refusal that asks for it, the SHA-256 of its signed bytes, and its position in the log. */
  attestation_id: z.string(),
  subject_hash: z.string(),
  subject_position: count(),
  /** How many people must approve. */
  approvals_required: z.union([z.literal(1), z.literal(2)]),
  /** Seconds until a pending approval expires. */
  expires_seconds: count(),
  model: z.string(),
  /** Further models that the request lists and may be sent to. */
  other_models: z.array(z.string()).default([]),
  provider: z.string(),
  stream: z.boolean(),
  content_kinds: z.array(z.string()),
  bytes: count(),
  /** How many of each identifier the scan found; null if it searched for none, and in older entries. */
  found: z.record(z.string(), count()).nullable().default(null),
  reserve_microeur: count(),
}))

export const ApprovalRequestSchema = once(() => z.object(asked()))
export type ApprovalRequest = Infer<typeof ApprovalRequestSchema>

/** Each step of an approval is one entry of the log. */
export const ApprovalStepSchema = once(() => {
  const { approval_id } = asked()
  return z.discriminatedUnion('step', [
    ApprovalRequestSchema().extend({ step: z.literal('asked') }),
    z.object({ step: z.literal('decided'), approval_id, decision: z.enum(DECISIONS), actor: id<PersonId>() }),
    /** `position`: of the decision that lets the request run. */
    z.object({ step: z.literal('claimed'), approval_id, position: count() }),
    /** This person's approvals no longer count, because the person may not approve any more. */
    z.object({ step: z.literal('voided'), approval_id, reviewer: id<PersonId>() }),
    /** Its request has run, or may have. */
    z.object({ step: z.literal('executed'), approval_id }),
    /** Its request certainly reached no provider. */
    z.object({ step: z.literal('returned'), approval_id }),
    z.object({ step: z.literal('expired'), approval_id }),
    z.object({ step: z.literal('withdrawn'), approval_id, why: z.enum(['policy', 'key']) }),
  ])
})
export type ApprovalStep = Infer<typeof ApprovalStepSchema>

/** `position`: of the entry that has the decision. `counts`: false once it is voided. */
const DecisionSchema = once(() =>
  z.object({
    decision: z.enum(DECISIONS),
    by: id<PersonId>(),
    at: z.int(),
    position: count(),
    counts: z.boolean(),
  }),
)

const OPEN_STATES = ['pending', 'approved', 'claimed'] as const

/** An approval that may still be decided or used. Times in milliseconds. */
export const OpenApprovalSchema = once(() =>
  ApprovalRequestSchema().extend({
    state: z.enum(OPEN_STATES),
    createdAt: z.int(),
    expiresAt: z.int(),
    decisions: z.array(DecisionSchema()),
    /** The position of the decision under which the request runs; null if none does. */
    claimedBy: count().nullable(),
  }),
)
export type OpenApproval = Infer<typeof OpenApprovalSchema>

export const END_STATES = ['executed', 'denied', 'expired', 'withdrawn'] as const
export type EndState = (typeof END_STATES)[number]

export const EndedApprovalSchema = once(() =>
  OpenApprovalSchema().extend({ state: z.enum(END_STATES), endedAt: z.int() }),
)
export type EndedApproval = Infer<typeof EndedApprovalSchema>

export const APPROVAL_STATES = [...OPEN_STATES, ...END_STATES] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]
