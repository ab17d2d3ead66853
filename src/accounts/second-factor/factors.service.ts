// Sets up, lists and removes a person's second factors. A change ends the person's other sessions, is mailed, and is an act in the
// logs of their organisations.
import { encodeBase64url } from '../../evidence/records/base64.ts'
import type { AppContext } from '../../platform/context.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Infer } from '../../platform/once.ts'
import { sql } from '../../platform/sql.ts'
import type { Clock } from '../../platform/time.ts'
import { REQUIREMENTS, type Requirement } from '../../policies/second-factor.policy.ts'
import type { PeopleStore } from '../people/people.store.ts'
import type { Membership, Session, SessionsStore } from '../people/sessions.store.ts'
import { factorChangedMail } from '../sign-in/account-mails.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import type { Throttle } from '../sign-in/throttle.ts'
import type { Challenges } from './challenges.ts'
import {
  MOST_PASSKEYS,
  TOTP_WAITS_MS,
  type FactorChange,
  type FactorsStore,
  type Passkey,
  type Totp,
} from './factors.store.ts'
import type { PersonActs } from './person-acts.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import type { OwnFactor } from '../access/session-proof.policy.ts'
import type { AddPasskeySchema } from './second-factor.schema.ts'
import { base32, otpauthUrl, SECRET_BYTES, stepOf } from './totp.ts'
import type { TotpSecrets } from './totp-secrets.ts'
import { verifyRegistration } from './webauthn.ts'

type Request = { c: AppContext; caller: Caller }

/** `afterwards` mails and records; call it after the response. `codes`: new recovery codes, where the person had none. */
type Changed<T> = T & { codes: string[] | null; afterwards: () => Promise<unknown> }

export type PasskeyAdded = Changed<{ outcome: 'added'; passkey: Passkey }> | { outcome: 'wrong' | 'full' | 'taken' }

export type Removed = { outcome: 'removed'; afterwards: () => Promise<unknown> } | { outcome: 'not_found' | 'required' }

export type TotpConfirmed = Changed<{ outcome: 'confirmed'; id: string }> | { outcome: 'wrong' }

type Deps = {
  people: PeopleStore
  sessions: SessionsStore
  factors: FactorsStore
  secrets: TotpSecrets
  challenges: Challenges
  throttle: Throttle
  acts: PersonActs
  mailer: Mailer
  db: D1Database
  /** What an authenticator app shows besides the address. */
  issuerOf: (origin: string) => string
  clock: Clock
}

export type FactorsService = ReturnType<typeof createFactorsService>

export function createFactorsService(deps: Deps) {
  const { people, sessions, factors, secrets, challenges, throttle, acts, mailer, db, issuerOf, clock } = deps

  async function mailChange(personId: PersonId, change: 'added' | 'removed', kind: OwnFactor, origin: string) {
    const person = await people.find(personId)
    if (person !== null) await mailer.send(factorChangedMail({ to: person.email, origin, kind, change }))
  }

  /**
   * Runs the statements that set up a factor, with all that goes with it.
   * @returns null if they had no effect
   */
  async function setUp(
    session: Session,
    { kind, id }: { kind: OwnFactor; id: string },
    { statements, held }: FactorChange,
    { c, caller }: Request,
  ) {
    const { personId } = session
    const now = clock()
    // After a recovery code was used, the others may be where the lost device is.
    const isLost = session.secondFactor === 'recovery_code'
    const codes = isLost || (await factors.findCodes(personId)) === null ? newRecoveryCodes() : null
    const requestId = c.get('requestId')
    const added = await acts.prepare(personId, {
      act: 'person.factor_added',
      requestId,
      content: { factor: kind, factor_id: id },
    })
    const results = await db.batch([
      ...statements,
      factors.noteFirst(personId, held, now),
      ...(codes === null ? [] : factors.replaceCodes(personId, codes.map(hashRecoveryCode), held, now)),
      ...sessions.lift(session, kind, held, now),
      ...acts.write(added, held),
    ])
    if (results[statements.length]?.meta.changes !== 1) return null
    const afterwards = () => Promise.all([acts.deliver(added), mailChange(personId, 'added', kind, caller.origin)])
    return { codes, afterwards }
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
      return (
        person && {
          id: encodeBase64url(await factors.handleOf(personId)),
          name: person.email,
          displayName: person.name,
        }
      )
    },

    listPasskeys: (personId: PersonId): Promise<Passkey[]> => factors.listPasskeys(personId),

    async addPasskey(
      session: Session,
      { name, passkey: sent }: Infer<typeof AddPasskeySchema>,
      { c, caller }: Request,
    ): Promise<PasskeyAdded> {
      const { personId, id: sessionId } = session
      const challenge = challenges.open(c, 'register', sessionId)
      const expected = challenge && {
        origin: caller.origin,
        rpId: new URL(caller.origin).hostname,
        challenge: challenge.bytes,
      }
      const verified = expected && (await verifyRegistration(sent, expected))
      if (challenge === null || verified?.outcome !== 'verified') {
        const cause = verified?.outcome === 'refused' ? verified.reason : 'challenge'
        log({ level: 'info', event: 'passkey_refused', request_id: c.get('requestId'), error_cause: cause })
        return { outcome: 'wrong' }
      }
      const { id: credentialId, ...credential } = verified.credential
      const owned = { id: newId('psk_', clock()), personId, name, transports: sent.response.transports }
      const passkey = { ...credential, ...owned, credentialId, createdAt: clock(), lastUsedAt: null }
      const made = await setUp(
        session,
        { kind: 'passkey', id: passkey.id },
        factors.addPasskey(passkey, sessionId, challenge),
        {
          c,
          caller,
        },
      )
      if (made !== null) return { outcome: 'added', passkey, ...made }
      const isFull = (await factors.count(personId)).passkeys >= MOST_PASSKEYS
      return { outcome: isFull ? 'full' : 'taken' }
    },

    renamePasskey: (personId: PersonId, id: string, name: string): Promise<Passkey | null> =>
      factors.renamePasskey(personId, id, name),

    /** Makes the secret of an app, which counts once its first code confirms it. Throws `rate_limit_exceeded`. */
    async beginTotp({ personId }: Session, { caller }: Request) {
      await throttle.countTry({ act: 'factor_set_up', account: personId, network: caller.network })
      const person = await people.find(personId)
      if (person === null) return null
      const now = clock()
      const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
      const app = { id: newId('tot_', now), personId, createdAt: now }
      await factors.beginTotp({ ...app, ...(await secrets.seal(app, secret)) })
      const issuer = issuerOf(caller.origin)
      return {
        id: app.id,
        secret: base32(secret),
        url: otpauthUrl({ issuer, account: person.email, secret }),
        expiresAt: now + TOTP_WAITS_MS,
      }
    },

    /** Throws `rate_limit_exceeded`. */
    async confirmTotp(session: Session, code: string, { c, caller }: Request): Promise<TotpConfirmed> {
      const { personId } = session
      const tried = await throttle.countTry({ act: 'totp', account: personId, network: caller.network })
      const app = await factors.findTotp(personId, 'to_confirm')
      const step = app === null ? null : await stepIn(app, code)
      if (app === null || step === null) return { outcome: 'wrong' }
      const confirming = factors.confirmTotp(app, session.id, step, clock())
      const made = await setUp(session, { kind: 'totp', id: app.id }, confirming, { c, caller })
      if (made === null) return { outcome: 'wrong' }
      await throttle.uncountTry(tried)
      return { outcome: 'confirmed', id: app.id, ...made }
    },

    /** Replaces the recovery codes. Returns null if the person has no other factor. Throws `rate_limit_exceeded`. */
    async renewCodes({ personId, factorSince }: Session, { c, caller }: Request): Promise<Changed<object> | null> {
      if (factorSince === null) return null
      await throttle.countTry({ act: 'factor_set_up', account: personId, network: caller.network })
      const codes = newRecoveryCodes()
      const renewed = await acts.prepare(personId, { act: 'person.recovery_codes', requestId: c.get('requestId') })
      await db.batch([
        ...factors.replaceCodes(personId, codes.map(hashRecoveryCode), sql`TRUE`, clock()),
        ...acts.write(renewed, sql`TRUE`),
      ])
      const afterwards = () =>
        Promise.all([acts.deliver(renewed), mailChange(personId, 'added', 'recovery_code', caller.origin)])
      return { codes, afterwards }
    },

    /** `required`: an organisation of the person requires it, as the last that is enough. */
    async remove({ personId, id: sessionId }: Session, id: string, { c, caller }: Request): Promise<Removed> {
      const kind = kindOf(id)
      if (kind === null) return { outcome: 'not_found' }
      const requestId = c.get('requestId')
      const act = { act: 'person.factor_removed', requestId, content: { factor: kind, factor_id: id } } as const
      const removed = await acts.prepare(personId, act)
      const memberships = await sessions.listMemberships(personId)
      const { statements, held } = factors.remove(personId, id, strictest(memberships))
      const results = await db.batch([
        ...acts.write(removed, held),
        sessions.endOthers(personId, sessionId, held),
        ...statements,
      ])
      if (results.at(-statements.length)?.meta.changes !== 1)
        return { outcome: (await factors.has(personId, id)) ? 'required' : 'not_found' }
      return {
        outcome: 'removed',
        afterwards: () => Promise.all([acts.deliver(removed), mailChange(personId, 'removed', kind, caller.origin)]),
      }
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
