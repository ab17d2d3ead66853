// Signs people up and in, and sets their passwords and addresses. SECURITY: nothing is created until a mailed link is used. So a caller who
// cannot read the mail gets no account, and does not learn if there is one. All methods may throw `rate_limit_exceeded`.
import { DAY_MS, type Clock } from '../../platform/time.ts'
import { emailKeyOf, type PeopleStore, type Person } from '../people/people.store.ts'
import type { StartedSession, Session, SessionsStore } from '../people/sessions.store.ts'
import type { Caller } from './read-caller.ts'
import type { PasswordHasher } from './password-hash.ts'
import type { Throttle } from './throttle.ts'
import type { Mailer } from '../../platform/mail.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { logUnexpected } from '../../platform/log.ts'
import type { Founding, FoundByPerson } from '../organisations.service.ts'
import type { MailLinksStore, PendingSignUp } from './mail-links.store.ts'
import {
  addressChangeMail,
  addressTakenMail,
  confirmationMail,
  newAddressMail,
  passwordChangedMail,
  resetMail,
} from './account-mails.ts'
import type { TellNewPlace } from './new-place.ts'
import { passwordFault } from './password-rules.policy.ts'
import type { OwnFactor } from '../access/session-proof.policy.ts'
import type { PersonActs } from '../second-factor/person-acts.ts'
import type { SecondStepService } from '../second-factor/second-step.service.ts'

type SignedIn =
  | { outcome: 'signed_in'; person: Person; begun: StartedSession; afterwards: () => Promise<unknown> }
  | { outcome: 'second_step'; token: string; methods: OwnFactor[]; expiresAt: number }
  | { outcome: 'refused' }

type NewSignUp = { email: string; password: string; name: string; organisation: Founding | null }

type Confirmed = { outcome: 'created'; person: Person; begun: StartedSession } | { outcome: 'used' | 'taken' }

/** `afterwards` mails the person; call it after the response. */
export type PasswordChanged =
  | { outcome: 'changed'; afterwards: () => Promise<unknown> }
  | { outcome: 'unfit'; rule: string }
  | { outcome: 'used' | 'wrong' | 'no_password' }

type Deps = {
  people: PeopleStore
  sessions: SessionsStore
  links: MailLinksStore
  throttle: Throttle
  hasher: PasswordHasher
  mailer: Mailer
  foundByPerson: FoundByPerson
  secondStep: Pick<SecondStepService, 'begin'>
  tellNewPlace: TellNewPlace
  acts: Pick<PersonActs, 'record'>
  clock: Clock
}

export type SignInService = ReturnType<typeof createSignInService>

export function createSignInService(deps: Deps) {
  const { people, sessions, links, throttle, hasher, mailer, foundByPerson, secondStep, tellNewPlace, acts, clock } =
    deps

  /** SECURITY: an unknown person, or one without a password, costs the same reads and hashes as any other. */
  async function checkPassword(email: string, password: string): Promise<Person | null> {
    const person = await people.findByEmail(email)
    const verdict = hasher.verify(password, person?.password ?? null)
    if (person === null || verdict === 'wrong') return null
    if (verdict === 'outdated') await people.rehash(person, hasher.hash(password))
    return person
  }

  async function mailLink(pending: PendingSignUp, origin: string): Promise<void> {
    const to = pending.email
    const isTaken = (await people.findByEmail(to)) !== null
    await mailer.send(
      isTaken
        ? addressTakenMail({ to, origin })
        : confirmationMail({ to, origin, token: await links.issueSignUp(pending, clock()) }),
    )
  }

  async function foundOrLog(founder: PersonId, founding: Founding, requestId: string): Promise<void> {
    try {
      await foundByPerson(founder, founding, requestId)
    } catch (thrown) {
      logUnexpected(thrown, requestId)
    }
  }

  async function mailReset(email: string, origin: string): Promise<void> {
    const person = mailer.sends ? await people.findByEmail(email) : null
    if (person === null) return
    const token = await links.issueReset(person.email, clock())
    await mailer.send(resetMail({ to: person.email, origin, token }))
  }

  async function mailAddressChange(personId: PersonId, to: string, origin: string): Promise<void> {
    const [person, other] = [await people.find(personId), await people.findByEmail(to)]
    if (person === null || !mailer.sends) return
    await mailer.send(addressChangeMail({ to: person.email, origin }))
    const isTaken = other !== null && other.id !== personId
    await mailer.send(
      isTaken
        ? addressTakenMail({ to, origin })
        : newAddressMail({ to, origin, token: await links.issueChange(to, personId, clock()) }),
    )
  }

  /** @param recordUndone records that second factors went with it */
  const changed = (to: string, origin: string, recordUndone?: () => Promise<unknown>): PasswordChanged => ({
    outcome: 'changed',
    afterwards: () =>
      Promise.all([
        mailer.send(passwordChangedMail({ to, origin, isFactorRemoved: recordUndone !== undefined })),
        recordUndone?.(),
      ]),
  })

  return {
    async signIn(input: { email: string; password: string }, { network, presented }: Caller): Promise<SignedIn> {
      const where = { account: emailKeyOf(input.email), network }
      const counted = await throttle.countTry({ act: 'sign_in', ...where })
      const person = await checkPassword(input.email, input.password)
      if (person === null) return { outcome: 'refused' }
      const waiting = await secondStep.begin(person, 'password')
      if (waiting !== null) {
        // SECURITY: the network is not remembered, and the presented session stays: who knows only the password has not signed in.
        await throttle.uncountTry(counted)
        return { outcome: 'second_step', ...waiting }
      }
      const begun = await sessions.beginByPassword(person, presented, clock())
      if (begun === null) return { outcome: 'refused' }
      const [isNew] = await Promise.all([throttle.rememberNetwork(where), throttle.uncountTry(counted)])
      return { outcome: 'signed_in', person, begun, afterwards: async () => isNew && tellNewPlace(begun.session) }
    },

    /** SECURITY: the returned function looks the address up and runs after the response, so that its timing reveals nothing. */
    async signUp(input: NewSignUp, { network, origin }: Caller) {
      await throttle.countTry({ act: 'sign_up', account: emailKeyOf(input.email), network })
      const pending = { ...input, password: hasher.hash(input.password) }
      return { afterwards: () => mailLink(pending, origin) }
    },

    /** Creates the person and signs them in, even if founding their organisation fails: they may found it again. */
    async confirm(token: string, { network, presented }: Caller, requestId: string): Promise<Confirmed> {
      await throttle.countTry({ act: 'mailed_link', account: '', network })
      const now = clock()
      const pending = await links.findSignUp(token, now)
      if (pending === null) return { outcome: 'used' }
      const person = personOf(pending, now)
      const redeemed = await links.redeemSignUp(token, person, now)
      if (redeemed !== 'created') return { outcome: redeemed }
      const begun = await sessions.begin({ personId: person.id, method: 'password' }, presented, now)
      if (begun === null) return { outcome: 'used' }
      await throttle.rememberNetwork({ account: emailKeyOf(person.email), network })
      if (pending.organisation !== null) await foundOrLog(person.id, pending.organisation, requestId)
      return { outcome: 'created', person, begun }
    },

    /** SECURITY: the response does not depend on the account, as in `signUp`. */
    async requestReset(email: string, { network, origin }: Caller) {
      await throttle.countTry({ act: 'password_reset', account: emailKeyOf(email), network })
      return { afterwards: () => mailReset(email, origin) }
    },

    /** Sets a password by a mailed link. The link stays usable if the password is refused. */
    async reset(
      token: string,
      password: string,
      { network, origin }: Caller,
      requestId: string,
    ): Promise<PasswordChanged> {
      await throttle.countTry({ act: 'mailed_link', account: '', network })
      const now = clock()
      const email = await links.findReset(token, now)
      const person = email === null ? null : await people.findByEmail(email)
      if (person === null) return { outcome: 'used' }
      const rule = passwordFault(password, person)
      if (rule !== null) return { outcome: 'unfit', rule }
      const redeemed = await links.redeemReset(token, person, hasher.hash(password), now)
      if (redeemed === 'used') return { outcome: 'used' }
      await throttle.forgive({ account: emailKeyOf(person.email), network })
      // The store has taken a young first factor away.
      const isUndone = person.secondFactorSince !== null && person.secondFactorSince > now - DAY_MS
      if (!isUndone) return changed(person.email, origin)
      const act = { act: 'person.factor_removed', requestId, content: { factor: null } } as const
      return changed(person.email, origin, () => acts.record(person.id, act))
    },

    /** SECURITY: the response does not depend on the address, as in `signUp`. */
    async requestEmailChange({ personId }: Session, email: string, { network, origin }: Caller) {
      for (const account of [personId, emailKeyOf(email)])
        await throttle.countTry({ act: 'email_change', account, network })
      return { afterwards: () => mailAddressChange(personId, email, origin) }
    },

    /** SECURITY: needs a session of the person, so that a stranger who gets a mistyped address's mail gets no account. */
    async confirmEmailChange(
      { personId, id }: Session,
      token: string,
      { network }: Caller,
    ): Promise<'changed' | 'used'> {
      await throttle.countTry({ act: 'mailed_link', account: '', network })
      const now = clock()
      const email = await links.findChange(token, personId, now)
      const person = email === null ? null : await people.find(personId)
      if (person === null || email === null) return 'used'
      const redeemed = await links.redeemChange(token, person, email, id, now)
      if (redeemed === 'changed') await throttle.rememberNetwork({ account: emailKeyOf(email), network })
      return redeemed
    },

    async change(
      { personId, id }: Session,
      { current, newPassword }: { current: string; newPassword: string },
      { network, origin }: Caller,
    ): Promise<PasswordChanged> {
      const counted = await throttle.countTry({ act: 'password_change', account: personId, network })
      const person = await people.find(personId)
      if (person === null) return { outcome: 'wrong' }
      if (person.password === null) return { outcome: 'no_password' }
      if (hasher.verify(current, person.password) === 'wrong') return { outcome: 'wrong' }
      await throttle.uncountTry(counted)
      const rule = passwordFault(newPassword, person)
      if (rule !== null) return { outcome: 'unfit', rule }
      const isChanged = await people.changePassword(person, hasher.hash(newPassword), id, clock())
      return isChanged ? changed(person.email, origin) : { outcome: 'wrong' }
    },
  }
}

const personOf = ({ email, name, password }: PendingSignUp, now: number): Person => ({
  id: newId('usr_', now),
  email,
  emailProvenAt: now,
  name,
  password,
  passwordChangedAt: now,
  secondFactorSince: null,
  createdAt: now,
})
