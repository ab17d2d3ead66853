// Signs people in by a second factor, and confirms a session by one. All functions may throw `rate_limit_exceeded`.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Infer } from '../../platform/once.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { sql } from '../../platform/sql.ts'
import type { Clock } from '../../platform/time.ts'
import { emailKeyOf, type PeopleStore, type Person } from '../people/people.store.ts'
import type { Claim, Session, SessionsStore, StartedSession } from '../people/sessions.store.ts'
import { appLockedMail, passkeyRefusedMail, passwordKnownMail, recoveryCodeUsedMail } from '../sign-in/account-mails.ts'
import type { PasswordHasher } from '../sign-in/password-hash.ts'
import type { TellNewPlace } from '../sign-in/new-place.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import type { Throttle } from '../sign-in/throttle.ts'
import type { FactorResetsService } from './factor-resets.service.ts'
import { usableFactors } from './factor-counts.ts'
import type { FactorsStore } from './factors.store.ts'
import type { PendingSignIn, PendingSignInsStore } from './pending-sign-ins.store.ts'
import type { PersonActs } from './person-acts.ts'
import type { SentFactor, UseFactor, Wrong } from './prove-factor.ts'
import type { Confirming } from '../access/session-proof.policy.ts'
import type { ConfirmSchema } from './second-factor.schema.ts'

/** `afterwards` mails and records; call it after the response. */
type Afterwards = { afterwards: () => Promise<unknown> }

type WrongFactor = { outcome: 'wrong'; param: string } & Afterwards

/** `over`: the first step is too long ago, or was tried too often. */
export type SecondStep =
  | ({ outcome: 'signed_in'; person: Person; begun: StartedSession } & Afterwards)
  | WrongFactor
  | { outcome: 'over' }

/** `factor_needed`: the password alone is not enough for who has a factor. */
export type Confirmed =
  | { outcome: 'confirmed'; token: string; isFull: boolean }
  | WrongFactor
  | { outcome: 'factor_needed'; methods: Confirming[] }
  | { outcome: 'over' }

type Request = { c: AppContext; caller: Caller }

type Deps = {
  people: PeopleStore
  sessions: SessionsStore
  factors: FactorsStore
  pending: PendingSignInsStore
  resets: Pick<FactorResetsService, 'cancel' | 'cancelBySignIn'>
  use: UseFactor
  throttle: Throttle
  hasher: PasswordHasher
  acts: PersonActs
  mailer: Mailer
  tellNewPlace: TellNewPlace
  clock: Clock
}

const TOLD = { counter: passkeyRefusedMail, guessing: passwordKnownMail, locked: appLockedMail }

export type SecondStepService = ReturnType<typeof createSecondStepService>

export function createSecondStepService(deps: Deps) {
  const { people, sessions, factors, pending, resets, use, throttle, hasher, acts, mailer, tellNewPlace, clock } = deps

  async function tell({ personId, of }: NonNullable<Wrong['told']>, { c, caller }: Request): Promise<void> {
    const person = await people.find(personId)
    if (person !== null) await mailer.send(TOLD[of]({ to: person.email, origin: caller.origin }))
    if (of === 'locked') await acts.record(personId, { act: 'person.factor_locked', requestId: c.get('requestId') })
  }

  async function tellOfRecovery({ id, email }: Person, { c, caller }: Request): Promise<void> {
    await acts.record(id, { act: 'person.recovery_used', requestId: c.get('requestId') })
    const left = (await factors.count(id)).codes
    await mailer.send(recoveryCodeUsedMail({ to: email, origin: caller.origin, left }))
  }

  const answerWrong = ({ param, told }: Wrong, request: Request): WrongFactor => ({
    outcome: 'wrong',
    param,
    afterwards: async () => told && tell(told, request),
  })

  /** Begins the session of who proved everything, and cancels a reset of their factors. Returns null if the claim failed. */
  async function beginSession(
    who: Pick<Session, 'personId' | 'method'> & Partial<Pick<Person, 'passwordChangedAt'>>,
    claim: Claim,
    { c, caller: { presented, network, origin } }: Request,
    last: NonNullable<Parameters<SessionsStore['beginProved']>[4]> = () => [],
  ) {
    const reset = await resets.cancelBySignIn(who.personId, { requestId: c.get('requestId'), origin })
    const after = (session: SessionId) => [...last(session), ...(reset?.statements(session) ?? [])]
    const begun = await sessions.beginProved(who, claim, presented, clock(), after)
    const person = begun && (await people.find(who.personId))
    if (begun === null || person === null) return null
    const isNew = await throttle.rememberNetwork({ account: emailKeyOf(person.email), network })
    const afterwards = () => Promise.all([reset?.afterwards(), isNew && tellNewPlace(begun.session)])
    return { outcome: 'signed_in' as const, person, begun, afterwards }
  }

  /** Returns true if the password is the person's. Throws `rate_limit_exceeded`. */
  async function isPassword(password: string, { personId }: Session, { network }: Caller): Promise<boolean> {
    const tried = await throttle.countTry({ act: 'password_change', account: personId, network })
    const person = await people.find(personId)
    if (hasher.verify(password, person?.password ?? null) === 'wrong') return false
    await throttle.uncountTry(tried)
    return true
  }

  return {
    /** Notes that a person's first factor was right. Returns null if it is enough, because they have no second. */
    async begin({ id: personId, secondFactorSince, passwordChangedAt }: Person, method: string, returnTo = '/') {
      if (secondFactorSince === null) return null
      const methods = usableFactors(await factors.count(personId))
      return { methods, ...(await pending.begin({ personId, method, passwordChangedAt, returnTo }, clock())) }
    },

    findPending: (token: string): Promise<PendingSignIn | null> => pending.find(token, clock()),

    /** @param token of the sign-in that waits, from the browser's cookie */
    async finish(token: string, sent: SentFactor, { c, caller }: Request): Promise<SecondStep> {
      const first = await pending.countTry(token, clock())
      if (first === null) return { outcome: 'over' }
      const request = { c, caller, purpose: 'second_factor' as const, subject: subjectOf(token) }
      const used = await use(sent, first.personId, request, ({ claim }) => {
        // Of two factors at once, one finishes the sign-in.
        const held = sql`${claim.held} AND ${pending.waits(token)}`
        return beginSession(first, { ...claim, held }, request, (session) => [pending.end(token, session)])
      })
      if (used.outcome === 'wrong') return answerWrong(used, request)
      const { result } = used
      if (sent.recovery_code === undefined) return result
      return {
        ...result,
        afterwards: () => Promise.all([result.afterwards(), tellOfRecovery(result.person, request)]),
      }
    },

    async signInByPasskey(passkey: NonNullable<SentFactor['passkey']>, { c, caller }: Request): Promise<SecondStep> {
      const request = { c, caller, purpose: 'sign_in' as const, subject: NOBODY }
      const used = await use({ passkey }, null, request, ({ personId, claim }) =>
        beginSession({ personId, method: 'passkey' }, claim, request),
      )
      return used.outcome === 'wrong' ? answerWrong(used, request) : used.result
    },

    /** Confirms that who uses the session is its person. */
    async confirm(
      session: Session,
      { password, ...factor }: Infer<typeof ConfirmSchema>,
      { c, caller }: Request,
    ): Promise<Confirmed> {
      const { personId } = session
      const hasSentFactor = factor.passkey !== undefined || factor.totp !== undefined
      if (!hasSentFactor && session.factorSince !== null)
        return { outcome: 'factor_needed', methods: await factors.listConfirming(personId) }
      if (password !== undefined && !(await isPassword(password, session, caller)))
        return { outcome: 'wrong', param: 'password', afterwards: () => Promise.resolve() }
      const isFull = factor.passkey !== undefined || password !== undefined
      const now = clock()
      const provedAt = isFull ? now : session.provedAt
      const confirmBy = (claim: Claim | null) => {
        const proof = claim === null ? session : { secondFactor: claim.factor, secondFactorAt: now }
        return sessions.confirm(session, { ...session, ...proof, provedAt }, claim)
      }
      const request = { c, caller, purpose: 'confirm' as const, subject: session.id }
      if (!hasSentFactor) {
        const token = await confirmBy(null)
        return token === null ? { outcome: 'over' } : { outcome: 'confirmed', token, isFull }
      }
      const used = await use(factor, personId, request, ({ claim }) => confirmBy(claim))
      if (used.outcome === 'wrong') return answerWrong(used, request)
      // Who has a factor at hand has not lost them all.
      const by = { by: personId, requestId: c.get('requestId'), origin: caller.origin }
      const cancelled = await resets.cancel(personId, by)
      if (cancelled.outcome === 'moved') runAfterResponse(c, cancelled.afterwards)
      return { outcome: 'confirmed', token: used.result, isFull }
    },
  }
}

/** The subject of challenges for nobody yet known. */
export const NOBODY = '-'

/** The subject of a waiting sign-in's challenges: not the token, which the cookie of the challenge must not tell. */
export const subjectOf = (token: string): string => sha256Hex(token).slice(0, 32)
