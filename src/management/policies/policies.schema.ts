// Request and response shapes of the policy routes.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { nameUpTo, orNull } from '../../platform/names.schema.ts'
import { policyWarningsMember } from '../../accounts/organisation-settings.schema.ts'
import { mergePatchShape } from '../../platform/merge-patch.ts'
import { PolicyDocumentSchema } from '../../policies/document/policy-document.ts'

/** A hundred that wait, and as many that are approved and have not run. */
const MOST_WITHDRAWN = 200

const MOST_REASON_CHARACTERS = 200

/** Why a policy is changed, and whether the change may withdraw requests that wait. */
const changeMembers = once(() => ({
  reason: nameUpTo(MOST_REASON_CHARACTERS).optional().meta({
    description:
      'Why, in a sentence. It is listed with the version, and the ledger has its hash. Not part of the policy.',
    example: 'Discharge letters are read by a person first.',
  }),
  withdraw_waiting: z
    .union([z.boolean(), z.array(z.string().regex(/^apr_[0-9a-f-]{36}$/)).max(MOST_WITHDRAWN)])
    .optional()
    .meta({
      description:
        'True to make the change although requests wait for approval: they are withdrawn. Or the ids of those that may be withdrawn: nothing is changed if another one waits. Not part of the policy.',
    }),
}))

export const PutPolicySchema = once(() => PolicyDocumentSchema().extend(changeMembers()).meta({ id: 'PutPolicy' }))

export const PatchPolicySchema = once(() =>
  z.strictObject({ ...mergePatchShape(PolicyDocumentSchema()), ...changeMembers() }).meta({
    id: 'PatchPolicy',
    description:
      'The members of the policy to change (JSON Merge Patch, RFC 7396). Null removes a member, objects are merged, and lists are replaced whole.',
    example: { data_region: { within: 'eu' } },
  }),
)

export const PolicySchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The SHA-256 of the document’s canonical JSON, in hexadecimal.' }),
      object: z.literal('policy'),
      created_at: orNull(z.iso.datetime()).meta({ description: 'Null where nobody has made one yet.' }),
      created_by: orNull(z.string()).meta({ description: 'operator, usr_… or key_….' }),
      version: z.int().min(0).meta({ description: 'Counts the changes; the ETag is this number in quotes.' }),
      document: PolicyDocumentSchema(),
    })
    .meta({ id: 'Policy' }),
)

export type Policy = Infer<typeof PolicySchema>

export const ChangedPolicySchema = once(() =>
  z.strictObject({ ...PolicySchema().shape, ...policyWarningsMember() }).meta({ id: 'ChangedPolicy' }),
)

export type ChangedPolicy = Infer<typeof ChangedPolicySchema>

const member = once(() => z.unknown().meta({ description: 'The member’s value; null where it was not there.' }))

const PolicyChangeSchema = once(() =>
  z
    .strictObject({
      path: z.string().meta({
        description: 'A JSON Pointer (RFC 6901) into the document. A list is compared as a whole.',
        example: '/budget_guard/day_eur',
      }),
      change: z.enum(['added', 'removed', 'changed']),
      before: member(),
      after: member(),
    })
    .meta({ id: 'PolicyChange' }),
)

export const PolicyVersionSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The SHA-256 of the document’s canonical JSON, in hexadecimal.' }),
      object: z.literal('policy_version'),
      created_at: z.iso.datetime(),
      created_by: z.string().meta({ description: 'operator, usr_… or key_….' }),
      version: z.int().min(1),
      reason: orNull(z.string()).meta({ description: 'As it was given with the change.' }),
      changes: orNull(z.array(PolicyChangeSchema())).meta({
        description:
          'What it says otherwise than the version before it, which for the first is an empty document. Null where that one is not kept any more.',
      }),
    })
    .meta({ id: 'PolicyVersion', description: 'A version of the policy, told by what it changed.' }),
)

export type ShownPolicyVersion = Infer<typeof PolicyVersionSchema>

/** The query for a page of versions. Small pages, because memory holds two documents of each version. */
export const HistoryQuerySchema = once(() =>
  z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'the next_cursor of the page before')
      .optional(),
  }),
)
