// Routes with which people list, set up and remove their second factors. No route sets or shows a factor of somebody else.
import { runAfterResponse } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Api } from '../../platform/router.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionOperations } from '../access/access-operations.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { ReadCaller } from '../sign-in/read-caller.ts'
import { MOST_FAILURES, type Passkey } from './factors.store.ts'
import type { FactorsService } from './factors.service.ts'
import {
  AddPasskeySchema,
  ConfirmedTotpSchema,
  ConfirmTotpSchema,
  FactorsSchema,
  NewPasskeySchema,
  PasskeySchema,
  RecoveryCodesSchema,
  RemovedFactorSchema,
  RenamePasskeySchema,
  TotpToConfirmSchema,
} from './second-factor.schema.ts'

type Deps = { access: AccessControl; readCaller: ReadCaller; service: FactorsService }

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
        ...(app === null
          ? []
          : [
              {
                id: app.id,
                object: 'totp',
                created_at: iso(app.confirmedAt ?? app.createdAt),
                last_used_at: isoOrNull(app.lastUsedAt),
                locked: app.failures >= MOST_FAILURES,
              },
            ]),
        ...(codes === null
          ? []
          : [
              {
                id: 'recovery_codes',
                object: 'recovery_codes',
                created_at: iso(codes.createdAt),
                left: codes.left,
              },
            ]),
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
      const added = await service.addPasskey(session, await sent.body(), { c, caller })
      if (added.outcome !== 'added') throw ADD_ERRORS[added.outcome]()
      runAfterResponse(c, added.afterwards)
      return c.json({ ...presentPasskey(added.passkey), ...presentCodes(added.codes) }, 201)
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
      const renamed = await service.renamePasskey(personId, c.req.param('passkey_id') ?? '', name)
      if (renamed === null) throw noSuchFactor()
      return c.json(presentPasskey(renamed))
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
      const removed = await service.remove(session, id, { c, caller })
      if (removed.outcome !== 'removed') throw removed.outcome === 'required' ? factorNeeded() : noSuchFactor()
      runAfterResponse(c, removed.afterwards)
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
      const caller = await readCaller(c)
      const begun = await service.beginTotp(session, { c, caller })
      if (begun === null) throw noSuchFactor()
      const { id, secret, url, expiresAt } = begun
      const shown = { secret, otpauth_url: url, expires_at: iso(expiresAt) }
      return c.json({ id, object: 'totp', status: 'to_confirm', ...shown }, 201)
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
      const confirmed = await service.confirmTotp(session, code, { c, caller })
      if (confirmed.outcome === 'wrong') throw wrongCode()
      runAfterResponse(c, confirmed.afterwards)
      return c.json({ id: confirmed.id, object: 'totp', status: 'in_force', ...presentCodes(confirmed.codes) })
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
      const renewed = await service.renewCodes(session, { c, caller })
      if (renewed === null) throw codesAlone()
      runAfterResponse(c, renewed.afterwards)
      return c.json({ object: 'recovery_codes', codes: renewed.codes }, 201)
    },
  )

  return api
}

const iso = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

const presentPasskey = ({ id, createdAt, name, lastUsedAt, isBackupEligible, isBackedUp }: Passkey) => ({
  id,
  object: 'passkey' as const,
  created_at: iso(createdAt),
  name,
  last_used_at: isoOrNull(lastUsedAt),
  backup_eligible: isBackupEligible,
  backed_up: isBackedUp,
})

const presentCodes = (codes: readonly string[] | null) => (codes === null ? {} : { recovery_codes: codes })

const ADD_ERRORS = {
  wrong: () =>
    new AppError(
      'invalid_request',
      'This passkey was not taken. Ask for options again (POST /api/auth/passkeys/options), and try once more.',
      { param: 'passkey', fields: [{ path: 'passkey', rule: 'an answer to the options of this session' }] },
    ),
  full: () => new AppError('conflict', 'You have ten passkeys. Remove one first (DELETE /api/auth/factors/{id}).'),
  taken: () => new AppError('conflict', 'This passkey is set up already. GET /api/auth/factors lists yours.'),
}

const noSuchFactor = (): AppError =>
  new AppError('not_found', 'You have no second factor with this id. GET /api/auth/factors lists yours.')

const factorNeeded = (): AppError =>
  new AppError(
    'conflict',
    'An organisation that you are a member of requires a second factor, and this is your last. Set another one up first.',
  )

const wrongCode = (): AppError =>
  new AppError('invalid_credentials', 'This code is not of the app that you set up, or too old. Type the next one.', {
    param: 'code',
  })

const codesAlone = (): AppError =>
  new AppError('conflict', 'Recovery codes are for who has a passkey or an authenticator app. Set one up first.')
