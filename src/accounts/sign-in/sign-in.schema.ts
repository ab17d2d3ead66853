// Request and response shapes of signing up, signing in and a person's own account.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { orNull } from '../../platform/names.schema.ts'
import { REQUIREMENTS } from '../../policies/second-factor.policy.ts'
import { TIERS } from '../../policies/tier.policy.ts'
import { ROLES } from '../access/roles.policy.ts'
import { OWN_FACTORS, SECOND_FACTORS } from '../access/session-proof.policy.ts'
import { FoundOrganisationSchema, TierRequestSchema } from '../organisation.schema.ts'
import { EmailSchema, NewPasswordSchema, PersonNameSchema } from '../people/person.schema.ts'

/** A password to sign in with: the rules for passwords apply only to new ones. */
export const existingPassword = once(() =>
  z.string().min(1).max(1024).meta({ format: 'password', example: 'four words for an example' }),
)

export const linkToken = once(() =>
  z.string().min(1).max(100).meta({
    description: 'What stands after the # of the mailed link. It can be used once.',
    example: 'what-stands-after-the-hash',
  }),
)

export const SignUpSchema = once(() =>
  z.strictObject({
    email: EmailSchema(),
    password: NewPasswordSchema(),
    name: PersonNameSchema(),
    organisation: FoundOrganisationSchema().optional().meta({
      description: 'An organisation to found once the address is confirmed, of which you are then the owner.',
    }),
  }),
)

export const SignUpAnswerSchema = once(() =>
  z.strictObject({ object: z.literal('signup'), status: z.literal('confirmation_sent') }).meta({ id: 'SignUp' }),
)

export const VerifyEmailSchema = once(() => z.strictObject({ token: linkToken() }))

export const SignInSchema = once(() => z.strictObject({ email: EmailSchema(), password: existingPassword() }))

export const sessionId = once(() => z.string().meta({ example: 'ses_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }))
const personId = once(() => z.string().meta({ example: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }))

export const SignedInSchema = once(() =>
  z
    .strictObject({
      id: sessionId(),
      object: z.literal('session'),
      created_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
      user: z.strictObject({ id: personId(), email: z.string(), name: z.string() }),
    })
    .meta({ id: 'SignedIn' }),
)

export const FactorSchema = once(() =>
  z.enum(OWN_FACTORS).meta({
    description: '`totp`: an authenticator app. `recovery_code`: while at least one is unused.',
  }),
)

/** What a session was proved by. */
const proof = once(() => ({
  method: z.string().meta({ description: '`password`, `passkey`, or an identity provider.' }),
  amr: z.array(z.string()).meta({ description: 'How, in the words of RFC 8176.', example: ['pwd', 'otp', 'mfa'] }),
  acr: z.enum(['aal1', 'aal2', 'phr']).meta({
    description: '`aal1`: one factor. `aal2`: two. `phr`: two that no false page can pass on (OpenID’s EAP).',
  }),
  second_factor: orNull(z.enum(SECOND_FACTORS)),
  second_factor_at: orNull(z.iso.datetime()),
}))

const erasure = once(() => ({
  id: z.string().meta({ example: 'era_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  due_at: z.iso.datetime(),
}))

export const UserSchema = once(() =>
  z
    .strictObject({
      id: personId(),
      object: z.literal('user'),
      created_at: z.iso.datetime(),
      email: z.string(),
      email_verified: z.boolean().meta({ description: 'Whether the address was ever shown to be this person’s.' }),
      name: z.string(),
      methods: z.array(z.string()).meta({
        description:
          '`password`, and the identity providers that know this person, by the ids that they had when they came to. One that is not among ' +
          'GET /api/auth/providers was renamed or taken away by the operator.',
        example: ['password', 'microsoft'],
      }),
      organisations: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          tier: z.enum(TIERS),
          role: z.enum(ROLES),
          ends_at: orNull(z.iso.datetime()).meta({
            description: 'When the access as an auditor ends; null otherwise.',
          }),
          second_factor: z
            .strictObject({
              required: z.enum(REQUIREMENTS),
              from: orNull(z.iso.datetime()),
              met: z.boolean().meta({ description: 'Whether this session has what is required, now or from then on.' }),
            })
            .meta({ description: 'The second factor that the organisation requires of its members.' }),
          tier_request: orNull(
            TierRequestSchema()
              .extend({
                requested_by_name: z.string().nullable().meta({
                  description: 'The name of the person who asked. Null if a key did, or if the person is erased.',
                }),
              })
              .meta({ id: 'NamedTierRequest' }),
          ).meta({ description: 'The request for a higher tier that is open; null if none is. Every member sees it.' }),
          erasure: orNull(
            z.strictObject({
              ...erasure(),
              status: z.enum(['scheduled', 'running']).meta({
                description: '`scheduled`: an owner can cancel it until `due_at`. `running`: it has begun.',
              }),
            }),
          ).meta({
            description:
              'When the organisation is erased, where an owner has asked for that; null otherwise. Every member is told.',
          }),
        }),
      ),
      second_factors: z.array(FactorSchema()).meta({ description: 'What you can sign in with besides.' }),
      ended_access: z
        .array(z.strictObject({ id: z.string(), name: z.string(), ended_at: z.iso.datetime() }))
        .meta({ description: 'The organisations in which the access as an auditor has ended.' }),
      erasure: orNull(z.strictObject(erasure())).meta({
        description:
          'When the account is erased, where that was asked for; null otherwise. DELETE /api/auth/erasure cancels it.',
      }),
      session: z.strictObject({
        id: sessionId(),
        expires_at: z.iso.datetime(),
        fresh: z.boolean().meta({ description: 'Whether it was proved within the last 15 minutes.' }),
        ...proof(),
      }),
    })
    .meta({ id: 'User' }),
)

export const ChangeUserSchema = once(() => z.strictObject({ name: PersonNameSchema() }))

export const SessionSchema = once(() =>
  z
    .strictObject({
      id: sessionId(),
      object: z.literal('session'),
      created_at: z.iso.datetime(),
      ...proof(),
      last_seen_at: z.iso.datetime().meta({ description: 'To the hour.' }),
      expires_at: z.iso.datetime().meta({ description: 'At the latest: 24 hours without use end it too.' }),
      current: z.boolean().meta({ description: 'Whether it is the one that asks.' }),
    })
    .meta({ id: 'Session' }),
)

export const ChangePasswordSchema = once(() =>
  z.strictObject({ current: existingPassword(), new: NewPasswordSchema() }),
)

export const PasswordAnswerSchema = once(() =>
  z.strictObject({ object: z.literal('password'), status: z.literal('changed') }).meta({ id: 'PasswordChange' }),
)

export const ChangeEmailSchema = once(() => z.strictObject({ email: EmailSchema() }))

export const EmailChangeSchema = once(() =>
  z.strictObject({ object: z.literal('email_change'), status: z.literal('requested') }).meta({ id: 'EmailChange' }),
)

export const RequestResetSchema = once(() => z.strictObject({ email: EmailSchema() }))

export const ResetRequestedSchema = once(() =>
  z
    .strictObject({ object: z.literal('password_reset'), status: z.literal('requested') })
    .meta({ id: 'PasswordResetRequest' }),
)

export const ConfirmResetSchema = once(() => z.strictObject({ token: linkToken(), password: NewPasswordSchema() }))
