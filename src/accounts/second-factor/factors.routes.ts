// Routes with which people list, set up and remove their second factors. No route sets or shows a factor of somebody else.
import type { Api } from '../../platform/router.ts'
import { toWire } from '../../platform/wire.ts'
import { sessionOperations } from '../access/access-operations.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import { MOST_FAILURES, type Passkey, type RecoveryCodesLeft, type Totp } from './factors.store.ts'
import type { FactorsService } from './factors.service.ts'
import type { SecondFactorDeps } from './second-factor-deps.ts'
import {
  AddPasskeySchema,
  AuthenticatorAppSchema,
  ConfirmedTotpSchema,
  ConfirmTotpSchema,
  FactorsSchema,
  NewPasskeySchema,
  PasskeySchema,
  RecoveryCodesLeftSchema,
  RecoveryCodesSchema,
  RemovedFactorSchema,
  RenamePasskeySchema,
  TotpToConfirmSchema,
} from './second-factor.schema.ts'

type Deps = SecondFactorDeps & { service: FactorsService }

export function factorRoutes({ access, readCaller, service }: Deps): Api {
  const { api, openapi } = sessionOperations(access, { tags: ['People'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/auth/factors',
      operationId: 'listFactors',
      summary: 'List your second factors',
      description: 'Lists your passkeys, your authenticator app, and how many recovery codes are left.',
      answers: { 200: [FactorsSchema, 'All of them.'] },
    },
    async ({ c, caller: { personId } }) => {
      const { passkeys, app, codes } = await c.get('timings').measure('storage', () => service.list(personId))
      const data = [
        ...passkeys.map(presentPasskey),
        ...(app === null ? [] : [presentApp(app)]),
        ...(codes === null ? [] : [presentCodesLeft(codes)]),
      ]
      return c.json({ object: 'list', data, has_more: false, next_cursor: null })
    },
  )

  openapi(
    {
      route: 'POST /api/auth/passkeys',
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      description:
        'Adds what the browser made by the options for `register`. With a first factor come recovery codes. All other sessions end.',
      proof: 'set_up',
      body: AddPasskeySchema,
      answers: { 201: [NewPasskeySchema, 'The passkey.'] },
      errors: ['rate_limit_exceeded', 'conflict'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { passkey, codes } = await service.addPasskey(session, await sent.body(), { c, caller })
      return c.json({ ...presentPasskey(passkey), ...presentCodes(codes) }, 201)
    },
  )

  openapi(
    {
      route: 'PATCH /api/auth/passkeys/{passkey_id}',
      operationId: 'renamePasskey',
      summary: 'Rename a passkey',
      body: RenamePasskeySchema,
      answers: { 200: [PasskeySchema, 'The passkey as it is now.'] },
      errors: ['not_found'],
    },
    async ({ c, caller: { personId }, sent }) => {
      const { name } = await sent.body()
      return c.json(presentPasskey(await service.renamePasskey(personId, c.req.param('passkey_id') ?? '', name)))
    },
  )

  openapi(
    {
      route: 'DELETE /api/auth/factors/{factor_id}',
      operationId: 'removeFactor',
      summary: 'Remove a second factor',
      description:
        'Removes a passkey or the authenticator app, and with the last one the recovery codes. All other sessions end.',
      proof: 'set_up',
      answers: { 200: [RemovedFactorSchema, 'It is removed.'] },
      errors: ['rate_limit_exceeded', 'not_found', 'conflict'],
    },
    async ({ c, caller: session }) => {
      const caller = await readCaller(c)
      const id = c.req.param('factor_id') ?? ''
      await service.remove(session, id, { c, caller })
      return c.json({ id, object: 'factor', deleted: true })
    },
  )

  openapi(
    {
      route: 'POST /api/auth/totp',
      operationId: 'beginTotp',
      summary: 'Set up an authenticator app',
      description:
        'Makes a secret. It counts once a code of it is confirmed; an app that is in force stays until then.',
      proof: 'set_up',
      answers: { 201: [TotpToConfirmSchema, 'The secret, shown once.'] },
      errors: ['rate_limit_exceeded'],
    },
    async ({ c, caller: session }) => {
      const begun = await service.beginTotp(session, await readCaller(c))
      return c.json(toWire(TotpToConfirmSchema(), { ...begun, object: 'totp', status: 'to_confirm' }), 201)
    },
  )

  openapi(
    {
      route: 'POST /api/auth/totp/confirm',
      operationId: 'confirmTotp',
      summary: 'Confirm an authenticator app',
      description:
        'Puts the app in force by its first code, in the place of one before. With a first factor come recovery codes. All other sessions end.',
      proof: 'set_up',
      body: ConfirmTotpSchema,
      answers: { 200: [ConfirmedTotpSchema, 'It is in force.'] },
      errors: ['rate_limit_exceeded', 'invalid_credentials'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { code } = await sent.body()
      const { id, codes } = await service.confirmTotp(session, code, { c, caller })
      return c.json({ id, object: 'totp', status: 'in_force', ...presentCodes(codes) })
    },
  )

  openapi(
    {
      route: 'POST /api/auth/recovery-codes',
      operationId: 'renewRecoveryCodes',
      summary: 'Make new recovery codes',
      description: 'Makes eight codes. The ones before work no longer.',
      proof: 'full',
      answers: { 201: [RecoveryCodesSchema, 'The codes, shown once.'] },
      errors: ['rate_limit_exceeded', 'conflict'],
    },
    async ({ c, caller: session }) => {
      const caller = await readCaller(c)
      return c.json({ object: 'recovery_codes', codes: await service.renewCodes(session, { c, caller }) }, 201)
    },
  )

  return api
}

const presentPasskey = (passkey: Passkey) =>
  toWire(PasskeySchema(), {
    ...passkey,
    object: 'passkey',
    backupEligible: passkey.isBackupEligible,
    backedUp: passkey.isBackedUp,
  })

const presentApp = (app: Totp) =>
  toWire(AuthenticatorAppSchema(), {
    ...app,
    object: 'totp',
    createdAt: app.confirmedAt ?? app.createdAt,
    locked: app.failures >= MOST_FAILURES,
  })

const presentCodesLeft = (codes: RecoveryCodesLeft) =>
  toWire(RecoveryCodesLeftSchema(), { ...codes, id: 'recovery_codes', object: 'recovery_codes' })

const presentCodes = (codes: readonly string[] | null) => (codes === null ? {} : { recovery_codes: codes })
