// Signs people in by a second factor, and confirms a session by one. All functions may throw `rate_limit_exceeded`.
import { runAfterResponse } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Infer } from '../../platform/once.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { sql } from '../../platform/sql.ts'
import { emailKeyOf, type Person } from '../people/people.store.ts'
import type { Claim, Session, SessionsStore, StartedSession } from '../people/sessions.store.ts'
import { recoveryCodeUsedMail } from '../sign-in/account-mails.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import type { FactorResetsService } from './factor-resets.service.ts'
import { usableFactors } from './factor-counts.ts'
import { PendingSignInsStore, type PendingSignIn } from './pending-sign-ins.store.ts'
import { createPersonActs } from './person-acts.ts'
import { createUseFactor, wrongFactor, type SentFactor } from './prove-factor.ts'
import type { FactorRequest, SecondFactorDeps } from './second-factor-deps.ts'
import type { ConfirmSchema } from './second-factor.schema.ts'

export type SignedIn = { person: Person; begun: StartedSession }

export type SecondStepService = ReturnType<typeof createSecondStepService>

export function createSecondStepService(deps: SecondFactorDeps & { resets: FactorResetsService }) {
  const { db, people, sessions, factors, resets, throttle, hasher, mailer, tellNewPlace, clock } = deps
  const [pending, use, acts] = [new PendingSignInsStore(db), createUseFactor(deps), createPersonActs(deps)]

  async function tellOfRecovery({ id, email }: Person, { c, caller }: FactorRequest): Promise<void> {
    await acts.record(id, { act: 'person.recovery_used', requestId: c.get('requestId') })
    const left = (await factors.count(id)).codes
    await mailer.send(recoveryCodeUsedMail({ to: email, origin: caller.origin, left }))
  }

  /** Begins the session of who proved everything, and cancels a reset of their factors. Returns null if the claim failed. */
  async function beginSession(
    who: Pick<Session, 'personId' | 'method'> & Partial<Pick<Person, 'passwordChangedAt'>>,
    claim: Claim,
    { c, caller: { presented, network, origin } }: FactorRequest,
    last: NonNullable<Parameters<SessionsStore['beginProved']>[4]> = () => [],
  ): Promise<SignedIn | null> {
    const reset = await resets.cancelBySignIn(who.personId, { c, origin })
    const after = (session: SessionId) => [...last(session), ...(reset?.statements(session) ?? [])]
    const begun = await sessions.beginProved(who, claim, presented, clock(), after)
    const person = begun && (await people.find(who.personId))
    if (begun === null || person === null) return null
    const isNew = await throttle.rememberNetwork({ account: emailKeyOf(person.email), network })
    reset?.tell()
    if (isNew) runAfterResponse(c, () => tellNewPlace(begun.session))
    return { person, begun }
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

    /** Throws `session_required` if no such sign-in waits. @param token null if the browser has none */
    async requirePending(token: string | null): Promise<{ token: string; first: PendingSignIn }> {
      const first = token && (await pending.find(token, clock()))
      if (!token || !first) throw stepOver()
      return { token, first }
    },

    /** @param token of the sign-in that waits, from the browser's cookie */
    async finish(token: string | null, sent: SentFactor, { c, caller }: FactorRequest): Promise<SignedIn> {
      const first = token === null ? null : await pending.countTry(token, clock())
      if (token === null || first === null) throw stepOver()
      const request = { c, caller, purpose: 'second_factor' as const, subject: subjectOf(token) }
      const signedIn = await use(sent, first.personId, request, ({ claim }) => {
        // Of two factors at once, one finishes the sign-in.
        const held = sql`${claim.held} AND ${pending.waits(token)}`
        return beginSession(first, { ...claim, held }, request, (session) => [pending.end(token, session)])
      })
      if (sent.recovery_code !== undefined) runAfterResponse(c, () => tellOfRecovery(signedIn.person, request))
      return signedIn
    },

    async signInByPasskey(
      passkey: NonNullable<SentFactor['passkey']>,
      { c, caller }: FactorRequest,
    ): Promise<SignedIn> {
      const request = { c, caller, purpose: 'sign_in' as const, subject: NOBODY }
      return use({ passkey }, null, request, ({ personId, claim }) =>
        beginSession({ personId, method: 'passkey' }, claim, request),
      )
    },

    /** Confirms that who uses the session is its person. */
    async confirm(
      session: Session,
      { password, ...factor }: Infer<typeof ConfirmSchema>,
      { c, caller }: FactorRequest,
    ): Promise<{ token: string; isFull: boolean }> {
      const { personId } = session
      const hasSentFactor = factor.passkey !== undefined || factor.totp !== undefined
      if (!hasSentFactor && (session.factorSince !== null || session.secondFactor === 'provider'))
        throw factorNeeded(await factors.listConfirming(session))
      if (password !== undefined && !(await isPassword(password, session, caller))) throw wrongFactor('password')
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
        if (token === null) throw stepOver()
        return { token, isFull }
      }
      const token = await use(factor, personId, request, ({ claim }) => confirmBy(claim))
      // Who has a factor at hand has not lost them all.
      await resets.cancelIfOpen(personId, { c, origin: caller.origin })
      return { token, isFull }
    },
  }
}

/** The subject of challenges for nobody yet known. */
export const NOBODY = '-'

/** The subject of a waiting sign-in's challenges: not the token, which the cookie of the challenge must not tell. */
export const subjectOf = (token: string): string => sha256Hex(token).slice(0, 32)

const stepOver = (): AppError =>
  new AppError(
    'session_required',
    'The first step is over ten minutes ago, was tried too often, or was not here. Begin again (POST /api/auth/login).',
  )

const factorNeeded = (methods: readonly string[]): AppError =>
  new AppError('second_factor_required', 'You have a second factor: confirm by one that `methods` names.', {
    members: { methods },
  })
