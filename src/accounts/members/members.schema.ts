// Request and response shapes of the member and invitation routes.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { KeySchema } from '../../keys/key.schema.ts'
import { PageQuerySchema } from '../../platform/pagination.schema.ts'
import { MEMBER_FACTORS } from '../../policies/second-factor.policy.ts'
import { nameUpTo, orNull } from '../../platform/names.schema.ts'
import { AUDITOR_DAYS, MOST_AUDITOR_DAYS, ROLES } from '../access/roles.policy.ts'
import { EmailSchema, NewPasswordSchema, PersonNameSchema } from '../people/person.schema.ts'

const EXAMPLE_PERSON = 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'

const role = once(() => z.enum(ROLES).meta({ description: 'What they may do; docs/roles.md has the table.' }))
const email = once(() => EmailSchema().meta({ example: 'dr.mary@example.org' }))
const invitedBy = once(() => z.string().meta({ description: 'The person’s id, or operator.' }))

const endsAt = once(() =>
  z.iso
    .datetime()
    .optional()
    .meta({
      description: `Of an auditor only: when the access ends, in UTC, at most ${MOST_AUDITOR_DAYS} days ahead. Left out: after ${AUDITOR_DAYS} days.`,
    }),
)

/** Returns the time that a request names, in milliseconds. */
export const millisecondsOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time)

const secondFactor = once(() =>
  z.enum(MEMBER_FACTORS).meta({ description: 'The strongest second factor that they have set up.' }),
)

export const ListMembersQuerySchema = once(() =>
  PageQuerySchema().extend({
    second_factor: secondFactor().optional().meta({ description: 'Only the members with this second factor.' }),
  }),
)

export const MemberSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The person’s id.', example: EXAMPLE_PERSON }),
      object: z.literal('member'),
      created_at: z.iso.datetime().meta({ description: 'When they joined.' }),
      name: z.string(),
      email: z.string(),
      role: role(),
      second_factor: secondFactor(),
      invited_by: orNull(invitedBy()).meta({
        description: 'Null: they founded the organisation, or the account of whoever invited them is erased.',
      }),
      ends_at: orNull(z.iso.datetime()).meta({ description: 'When the access of an auditor ends; null otherwise.' }),
      status: z.enum(['active', 'ended']).meta({ description: '`ended`: the access is over, until it is extended.' }),
    })
    .meta({ id: 'Member' }),
)

export const ChangedMemberSchema = once(() =>
  MemberSchema()
    .extend({
      keys: z.array(KeySchema()).meta({
        description:
          'The keys that worked, of those that they made and those that these made. This change revoked those whose `status` is `revoked`; the others go on working.',
      }),
      keys_revoked: z.boolean().meta({ description: 'True if none of those keys works any more.' }),
    })
    .meta({ id: 'ChangedMember' }),
)

export const UpdateMemberSchema = once(() =>
  z.strictObject({
    role: role().optional(),
    ends_at: endsAt(),
    revoke_keys: z.boolean().default(false).meta({
      description:
        'Revoke all keys that they made, and those that these made, and not only those that the new role could not make.',
    }),
  }),
)

export const RemoveMemberQuerySchema = once(() =>
  z.strictObject({
    revoke_keys: z.literal('true').optional().meta({ description: 'No further effect: the keys are revoked anyway.' }),
  }),
)

export const InvitationSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ example: 'inv_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
      object: z.literal('invitation'),
      created_at: z.iso.datetime(),
      email: z.string(),
      role: role(),
      invited_by: invitedBy(),
      expires_at: z.iso.datetime(),
      ends_at: orNull(z.iso.datetime()).meta({
        description: `When the access of an auditor ends. Null: ${AUDITOR_DAYS} days after the acceptance, or another role.`,
      }),
    })
    .meta({ id: 'Invitation' }),
)

export const CreatedInvitationSchema = once(() =>
  InvitationSchema()
    .extend({
      mailed: z
        .boolean()
        .meta({ description: 'Whether the mail has left. Where it has not and `url` is null, invite again.' }),
      url: z.string().nullable().meta({
        description: 'The link, where this service sends no mail: hand it over. It is shown here once and never again.',
      }),
    })
    .meta({ id: 'CreatedInvitation' }),
)

export const CreateInvitationSchema = once(() => z.strictObject({ email: email(), role: role(), ends_at: endsAt() }))

export const AcceptInvitationSchema = once(() =>
  z.strictObject({
    token: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'What stands after # in the link.', example: 'what-stands-after-the-hash' }),
    name: PersonNameSchema().optional().meta({ description: 'Of somebody who has no account.' }),
    password: NewPasswordSchema().optional(),
  }),
)

export const MembershipSchema = once(() =>
  MemberSchema()
    .omit({ second_factor: true })
    .extend({
      organisation: z.strictObject({ id: z.string(), name: z.string() }),
    })
    .meta({ id: 'Membership' }),
)

const MOST_VIEWS = 50

/** Addresses are percent-encoded, so a search is visible ASCII. Without `?` it could lead to another page or another host. */
const ViewSchema = once(() =>
  z.strictObject({
    list: z
      .string()
      .regex(/^[a-z][a-z-]{0,29}$/)
      .meta({ description: 'The list that it is a view of.', example: 'calls' }),
    name: nameUpTo(40).meta({ example: 'Blocked by PII' }),
    search: z
      .string()
      .max(2000)
      .regex(/^(\?[!-~]*)?$/)
      .meta({ description: 'The query of the page’s address, or an empty text.', example: '?outcome=blocked' }),
  }),
)

export const ViewsSchema = once(() =>
  z.strictObject({ views: z.array(ViewSchema()).max(MOST_VIEWS) }).meta({ id: 'Views' }),
)
