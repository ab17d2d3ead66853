// Sets up, lists and removes a person's second factors. A change ends the person's other sessions, is mailed, and is an act in the
// logs of their organisations.
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { runAfterResponse } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { log } from '../../platform/log.ts'
import type { Infer } from '../../platform/once.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { REQUIREMENTS, type Requirement } from '../../policies/second-factor.policy.ts'
import type { Membership, Session } from '../people/sessions.store.ts'
import { factorChangedMail } from '../sign-in/account-mails.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import { createChallenges, expectedBy } from './challenges.ts'
import { MOST_PASSKEYS, TOTP_WAITS_MS, type FactorChange, type Passkey, type Totp } from './factors.store.ts'
import { createPersonActs, type PersonAct } from './person-acts.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import type { OwnFactor } from '../access/session-proof.policy.ts'
import type { FactorRequest, SecondFactorDeps } from './second-factor-deps.ts'
import type { AddPasskeySchema } from './second-factor.schema.ts'
import { base32, otpauthUrl, SECRET_BYTES, stepOf } from './totp.ts'
import { createTotpSecrets } from './totp-secrets.ts'
import { verifyRegistration } from './webauthn.ts'

export type FactorsService = ReturnType<typeof createFactorsService>

export function createFactorsService(deps: SecondFactorDeps) {
  const { people, sessions, factors, throttle, mailer, db, isProduction, clock } = deps
  const [challenges, secrets, acts] = [createChallenges(deps), createTotpSecrets(deps), createPersonActs(deps)]

  /** Prepares the act of a change. `tell` delivers it and mails the person, after the response. */
  async function prepare(
    personId: PersonId,
    { kind, change, ...act }: Omit<PersonAct, 'requestId'> & { kind: OwnFactor; change: 'added' | 'removed' },
    { c, caller: { origin } }: FactorRequest,
  ) {
    const prepared = await acts.prepare(personId, { ...act, requestId: c.get('requestId') })
    const mail = async () => {
      const person = await people.find(personId)
      if (person !== null) await mailer.send(factorChangedMail({ to: person.email, origin, kind, change }))
    }
    return {
      write: (held: Sql) => acts.write(prepared, held),
      tell: () => runAfterResponse(c, () => Promise.all([acts.deliver(prepared), mail()])),
    }
  }

  /**
   * Runs the statements that set up a factor, with all that goes with it.
   * @returns new recovery codes, if the person had none; null if the statements had no effect
   */
  async function setUp(
    session: Session,
    { kind, id }: { kind: OwnFactor; id: string },
    { statements, held }: FactorChange,
    request: FactorRequest,
  ): Promise<{ codes: string[] | null } | null> {
    const { personId } = session
    const now = clock()
    // After a recovery code was used, the others may be where the lost device is.
    const isLost = session.secondFactor === 'recovery_code'
    const codes = isLost || (await factors.findCodes(personId)) === null ? newRecoveryCodes() : null
    const content = { factor: kind, factor_id: id }
    const added = await prepare(personId, { act: 'person.factor_added', content, kind, change: 'added' }, request)
    const results = await db.batch([
      ...statements,
      factors.noteFirst(personId, held, now),
      ...(codes === null ? [] : factors.replaceCodes(personId, codes.map(hashRecoveryCode), held, now)),
      ...sessions.lift(session, kind, held, now),
      ...added.write(held),
    ])
    if (results[statements.length]?.meta.changes !== 1) return null
    added.tell()
    return { codes }
  }

  return {
    async list(personId: PersonId) {
      const [passkeys, app, codes] = await Promise.all([
        factors.listPasskeys(personId),
        factors.findTotp(personId, 'in_force'),
        factors.findCodes(personId),
      ])
      return { passkeys, app, codes }
    },

    /** Returns the members of WebAuthn's options that tell whose passkey is made. */
    async describeOwner(personId: PersonId) {
      const person = await people.find(personId)
      if (person === null) return null
      const id = encodeBase64url(await factors.handleOf(personId))
      return { id, name: person.email, displayName: person.name }
    },

    async addPasskey(
      session: Session,
      { name, passkey: sent }: Infer<typeof AddPasskeySchema>,
      request: FactorRequest,
    ): Promise<{ passkey: Passkey; codes: string[] | null }> {
      const { c, caller } = request
      const { personId, id: sessionId } = session
      const challenge = challenges.open(c, 'register', sessionId)
      const verified = challenge && (await verifyRegistration(sent, expectedBy(caller, challenge)))
      if (challenge === null || verified?.outcome !== 'verified') {
        const cause = verified?.outcome === 'refused' ? verified.reason : 'challenge'
        log({ level: 'info', event: 'passkey_refused', request_id: c.get('requestId'), error_cause: cause })
        throw notTaken()
      }
      const { id: credentialId, ...credential } = verified.credential
      const owned = { id: newId('psk_', clock()), personId, name, transports: sent.response.transports }
      const passkey = { ...credential, ...owned, credentialId, createdAt: clock(), lastUsedAt: null }
      const adding = factors.addPasskey(passkey, sessionId, challenge)
      const made = await setUp(session, { kind: 'passkey', id: passkey.id }, adding, request)
      if (made !== null) return { passkey, ...made }
      const isFull = (await factors.count(personId)).passkeys >= MOST_PASSKEYS
      throw new AppError('conflict', ADD_CONFLICTS[isFull ? 'full' : 'taken'])
    },

    async renamePasskey(personId: PersonId, id: string, name: string): Promise<Passkey> {
      const renamed = await factors.renamePasskey(personId, id, name)
      if (renamed === null) throw noSuchFactor()
      return renamed
    },

    /** Makes the secret of an app, which counts once its first code confirms it. Throws `rate_limit_exceeded`. */
    async beginTotp({ personId }: Session, { network, origin }: Caller) {
      await throttle.countTry({ act: 'factor_set_up', account: personId, network })
      const person = await people.find(personId)
      if (person === null) throw noSuchFactor()
      const now = clock()
      const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
      const app = { id: newId('tot_', now), personId, createdAt: now }
      await factors.beginTotp({ ...app, ...(await secrets.seal(app, secret)) })
      const issuer = isProduction ? 'Countersign' : `Countersign (${new URL(origin).host})`
      const url = otpauthUrl({ issuer, account: person.email, secret })
      return { id: app.id, secret: base32(secret), otpauthUrl: url, expiresAt: now + TOTP_WAITS_MS }
    },

    /** Throws `rate_limit_exceeded`. */
    async confirmTotp(session: Session, code: string, request: FactorRequest) {
      const { personId } = session
      const tried = await throttle.countTry({ act: 'totp', account: personId, network: request.caller.network })
      const app = await factors.findTotp(personId, 'to_confirm')
      const step = app && (await stepIn(app, code))
      if (app === null || step === null) throw wrongCode()
      const confirming = factors.confirmTotp(app, session.id, step, clock())
      const made = await setUp(session, { kind: 'totp', id: app.id }, confirming, request)
      if (made === null) throw wrongCode()
      await throttle.uncountTry(tried)
      return { id: app.id, ...made }
    },

    /** Replaces the recovery codes of who has another factor. Throws `rate_limit_exceeded`. */
    async renewCodes({ personId, factorSince }: Session, request: FactorRequest): Promise<string[]> {
      if (factorSince === null) throw codesAlone()
      await throttle.countTry({ act: 'factor_set_up', account: personId, network: request.caller.network })
      const codes = newRecoveryCodes()
      const change = { act: 'person.recovery_codes', kind: 'recovery_code', change: 'added' } as const
      const renewed = await prepare(personId, change, request)
      await db.batch([
        ...factors.replaceCodes(personId, codes.map(hashRecoveryCode), sql`TRUE`, clock()),
        ...renewed.write(sql`TRUE`),
      ])
      renewed.tell()
      return codes
    },

    /** Throws `conflict` if an organisation of the person requires it, as the last that is enough. */
    async remove({ personId, id: sessionId }: Session, id: string, request: FactorRequest): Promise<void> {
      const kind = kindOf(id)
      if (kind === null) throw noSuchFactor()
      const content = { factor: kind, factor_id: id }
      const change = { act: 'person.factor_removed', content, kind, change: 'removed' } as const
      const removed = await prepare(personId, change, request)
      const memberships = await sessions.listMemberships(personId)
      const { statements, held } = factors.remove(personId, id, strictest(memberships))
      const results = await db.batch([
        ...removed.write(held),
        sessions.endOthers(personId, sessionId, held),
        ...statements,
      ])
      if (results.at(-statements.length)?.meta.changes !== 1)
        throw (await factors.has(personId, id)) ? factorNeeded() : noSuchFactor()
      removed.tell()
    },
  }

  async function stepIn(app: Totp, code: string): Promise<number | null> {
    if (app.createdAt <= clock() - TOTP_WAITS_MS) return null
    const secret = await secrets.open(app)
    return secret && stepOf(secret, code, clock())
  }
}

const strictest = (memberships: readonly Membership[]): Requirement['secondFactor'] =>
  REQUIREMENTS.findLast((one) => memberships.some(({ secondFactor }) => secondFactor === one)) ?? 'off'

const kindOf = (id: string): 'passkey' | 'totp' | null =>
  id.startsWith('psk_') ? 'passkey' : id.startsWith('tot_') ? 'totp' : null

const notTaken = (): AppError =>
  new AppError(
    'invalid_request',
    'This passkey was not taken. Ask for options again (POST /api/auth/passkeys/options), and try once more.',
    { param: 'passkey', fields: [{ path: 'passkey', rule: 'an answer to the options of this session' }] },
  )

const ADD_CONFLICTS = {
  full: 'You have ten passkeys. Remove one first (DELETE /api/auth/factors/{id}).',
  taken: 'This passkey is set up already. GET /api/auth/factors lists yours.',
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
