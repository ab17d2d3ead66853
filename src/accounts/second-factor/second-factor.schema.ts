// Request and response shapes of second factors: passkeys, authenticator apps, recovery codes, and the proofs by them.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { nameUpTo, orNull } from '../../platform/names.schema.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { existingPassword, FactorSchema, linkToken, sessionId } from '../sign-in/sign-in.schema.ts'

/** Returns a function that makes an object, which the OpenAPI document has under its name. */
const named = <Shape extends z.ZodRawShape>(id: string, shape: () => Shape, more?: { description: string }) =>
  once(() => z.strictObject(shape()).meta({ id, ...more }))

const text = (pattern: RegExp, example: string) => z.string().regex(pattern).meta({ example })

const base64url = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]*$/)
    .meta({ example: '4JpwkDpSCmBKB3kFcXAuPg' })

const FROM_BROWSER = { description: 'What the browser answers to the options, in base64url.' }

/** @see https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson */
const AssertionSchema = named(
  'PasskeyAssertion',
  () => ({
    rawId: base64url(1400),
    response: z.strictObject({
      clientDataJSON: base64url(4096),
      authenticatorData: base64url(2048),
      signature: base64url(1024),
      userHandle: orNull(base64url(128)),
    }),
  }),
  FROM_BROWSER,
)

/** @see https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson */
const RegistrationSchema = named(
  'PasskeyRegistration',
  () => ({
    rawId: base64url(1400),
    response: z.strictObject({
      clientDataJSON: base64url(4096),
      attestationObject: base64url(8192),
      transports: z.array(text(/^[a-z-]{1,20}$/, 'internal')).max(8),
    }),
  }),
  FROM_BROWSER,
)

const totpCode = once(() => text(/^\d{6}$/, '492039'))

const recoveryCode = once(() =>
  z.string().min(1).max(60).meta({
    description: 'Case, spaces and dashes make no difference.',
    example: 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX',
  }),
)

const exactlyOne = (sent: object): boolean => Object.values(sent).filter((value) => value !== undefined).length === 1

export const SecondStepSchema = once(() =>
  z
    .strictObject({
      passkey: AssertionSchema().optional(),
      totp: totpCode().optional(),
      recovery_code: recoveryCode().optional(),
    })
    .refine(exactlyOne, { message: 'exactly one of passkey, totp and recovery_code' }),
)

export const ConfirmSchema = once(() =>
  z
    .strictObject({
      passkey: AssertionSchema().optional(),
      totp: totpCode().optional(),
      password: existingPassword().optional(),
    })
    .refine((sent) => exactlyOne({ ...sent, password: undefined }) || exactlyOne(sent), {
      message: 'passkey, totp, password, or totp with password',
    }),
)

export const PasskeySignInSchema = once(() => z.strictObject({ passkey: AssertionSchema() }))

/** What a passkey's challenge is for. */
export const PURPOSES = ['sign_in', 'second_factor', 'confirm', 'register'] as const
export type Purpose = (typeof PURPOSES)[number]

export const PasskeyOptionsRequestSchema = once(() => z.strictObject({ purpose: z.enum(PURPOSES) }))

const descriptors = once(() =>
  z.array(z.strictObject({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) })),
)

const challenge = once(() => ({ challenge: z.string(), timeout: z.int() }))

/** @see https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptionsjson */
const RequestOptionsSchema = named('PasskeyRequestOptions', () => ({
  ...challenge(),
  rpId: z.string(),
  userVerification: z.literal('required'),
  allowCredentials: descriptors(),
}))

/** @see https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson */
const CreationOptionsSchema = named('PasskeyCreationOptions', () => ({
  ...challenge(),
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  excludeCredentials: descriptors(),
  pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('preferred'),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
}))

export const PasskeyOptionsSchema = named('PasskeyOptions', () => ({
  object: z.literal('passkey_options'),
  purpose: z.enum(PURPOSES),
  expires_at: z.iso.datetime(),
  options: z.union([RequestOptionsSchema(), CreationOptionsSchema()]).meta({
    description: 'For `navigator.credentials`, in the JSON of WebAuthn level 3.',
  }),
}))

export const SecondStepRequiredSchema = named('SecondStepRequired', () => ({
  object: z.literal('sign_in'),
  status: z.literal('second_factor_required'),
  methods: z.array(FactorSchema()),
  expires_at: z.iso.datetime(),
}))

export const ConfirmedSchema = named('ConfirmedSession', () => ({
  id: sessionId(),
  object: z.literal('session'),
  expires_at: z.iso.datetime(),
  fresh: z.literal(true),
  full: z.boolean().meta({ description: 'Whether it is enough to change the password or a factor.' }),
}))

const factorName = once(() => nameUpTo(60).meta({ example: 'Work laptop' }))

const codes = once(() =>
  z.array(z.string()).length(8).meta({
    description: 'Shown only now. Each works once, where no other factor is at hand.',
  }),
)

export const PasskeySchema = named('Passkey', () => ({
  id: z.string().meta({ example: 'psk_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  object: z.literal('passkey'),
  created_at: z.iso.datetime(),
  name: factorName(),
  last_used_at: orNull(z.iso.datetime()),
  backup_eligible: z.boolean().meta({ description: 'Whether it can be copied to other devices of its owner.' }),
  backed_up: z.boolean(),
}))

export const NewPasskeySchema = named('NewPasskey', () => ({
  ...PasskeySchema().shape,
  recovery_codes: codes().optional(),
}))

const totpId = once(() => z.string().meta({ example: 'tot_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }))

export const AuthenticatorAppSchema = named('AuthenticatorApp', () => ({
  id: totpId(),
  object: z.literal('totp'),
  created_at: z.iso.datetime(),
  last_used_at: orNull(z.iso.datetime()),
  locked: z.boolean().meta({ description: 'True after 100 wrong codes in a row. Set it up anew.' }),
}))

export const RecoveryCodesLeftSchema = named('RecoveryCodesLeft', () => ({
  id: z.literal('recovery_codes'),
  object: z.literal('recovery_codes'),
  created_at: z.iso.datetime(),
  left: z.int().min(0).max(8),
}))

export const FactorsSchema = once(() =>
  listSchema(z.discriminatedUnion('object', [PasskeySchema(), AuthenticatorAppSchema(), RecoveryCodesLeftSchema()])),
)

export const AddPasskeySchema = once(() => z.strictObject({ name: factorName(), passkey: RegistrationSchema() }))

export const RenamePasskeySchema = once(() => z.strictObject({ name: factorName() }))

export const TotpToConfirmSchema = named('AuthenticatorAppToConfirm', () => ({
  id: totpId(),
  object: z.literal('totp'),
  status: z.literal('to_confirm'),
  secret: z.string().meta({ description: 'In base32, for typing into the app.' }),
  otpauth_url: z.string().meta({ description: 'For a QR code.' }),
  expires_at: z.iso.datetime(),
}))

export const ConfirmTotpSchema = once(() => z.strictObject({ code: totpCode() }))

export const ConfirmedTotpSchema = named('ConfirmedAuthenticatorApp', () => ({
  id: totpId(),
  object: z.literal('totp'),
  status: z.literal('in_force'),
  recovery_codes: codes().optional(),
}))

export const RecoveryCodesSchema = named('RecoveryCodes', () => ({
  object: z.literal('recovery_codes'),
  codes: codes(),
}))

export const RemovedFactorSchema = named('RemovedFactor', () => ({
  id: z.string(),
  object: z.literal('factor'),
  deleted: z.literal(true),
}))

const RESET_STATES = ['asked', 'agreed', 'done', 'cancelled'] as const
export type ResetState = (typeof RESET_STATES)[number]

export const FactorResetSchema = named('FactorReset', () => ({
  id: z.string().meta({ example: 'rst_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  object: z.literal('factor_reset'),
  created_at: z.iso.datetime(),
  status: z.enum(RESET_STATES),
  asked_by: z.string().meta({ description: 'A manager, or `operator`.', example: 'operator' }),
  due_at: orNull(z.iso.datetime()).meta({
    description: 'From then on the person gets a link. Null until a second manager agreed.',
  }),
  expires_at: z.iso.datetime().meta({ description: 'When it ends if nothing more happens, or when it ended.' }),
}))

export const FactorResetLinkSchema = named('FactorResetLinkRequest', () => ({
  object: z.literal('factor_reset_link'),
  status: z.literal('requested'),
}))

export const FinishFactorResetSchema = once(() => z.strictObject({ token: linkToken(), password: existingPassword() }))

export const OperatorFactorResetSchema = once(() =>
  z.strictObject({ reason: z.enum(['lost_device', 'left_organisation', 'other']) }),
)
