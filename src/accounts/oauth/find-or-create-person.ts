// Finds, creates or joins the account of a person who signs in by an identity provider.
// identity.policy.ts decides which. A join is an act in the log of each of the person's organisations, and a mail tells the person.
import type { Mail, Mailer } from '../../platform/mail.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { Clock } from '../../platform/time.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import type { IdentityProvider, SignInConfig } from '../../platform/sign-in-config.ts'
import type { InvitationsStore } from '../members/invitations.store.ts'
import type { ActDelivery } from '../members/act-delivery.ts'
import { newPendingAct, type PendingAct } from '../members/pending-acts.store.ts'
import type { IdentitiesStore, Identity } from '../people/identities.store.ts'
import type { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import { type Claims, decideIdentity, type IdentityDecision, newPersonName, trustedEmail } from './identity.policy.ts'

/** The maximum number of decisions, if other requests take the address or the identity meanwhile. */
const ATTEMPTS = 3

export type FindOrCreatePersonDeps = {
  signUp: SignInConfig['signUp']
  people: PeopleStore
  identities: IdentitiesStore
  sessions: SessionsStore
  /** Looks up if an address has an open invitation. */
  invitations: Pick<InvitationsStore, 'isInvited'>
  delivery: Pick<ActDelivery, 'deliver'>
  mailer: Mailer
  clock: Clock
}

/** The error shown on the sign-in page. `expired`: the person has to begin again. */
export type SignInError = 'expired' | 'refused' | 'email_not_verified' | 'not_confirmed'

export type Recognised = { outcome: 'recognised'; personId: PersonId } | { outcome: 'refused'; error: SignInError }

/** A person who came back from a provider. */
export type ReturningPerson = {
  provider: IdentityProvider
  claims: Claims
  origin: string
  requestId: string
  /** Runs work that continues after the response. */
  later: (work: Promise<unknown>) => void
}

export function createFindOrCreatePerson(
  deps: FindOrCreatePersonDeps,
): (returning: ReturningPerson) => Promise<Recognised> {
  const { people, identities, sessions, mailer, clock } = deps

  async function decide({ iss: issuer, sub: subject }: Claims, email: string | null): Promise<IdentityDecision> {
    const linkedTo = await identities.findPerson({ issuer, subject })
    if (linkedTo !== null || email === null) {
      return decideIdentity({ linkedTo, email, holder: null, isWelcome: false })
    }
    const person = await people.findByEmail(email)
    const holder = person && { id: person.id, isProven: person.emailProvenAt !== null }
    const isWelcome = deps.signUp === 'open' || (await deps.invitations.isInvited(email, clock()))
    return decideIdentity({ linkedTo, email, holder, isWelcome })
  }

  /** Returns null if another request changed the account meanwhile, so that a new decision is needed. */
  async function carryOut(decision: IdentityDecision, returning: ReturningPerson): Promise<Recognised | null> {
    switch (decision.outcome) {
      case 'refuse':
        return { outcome: 'refused', error: decision.error }
      case 'sign_in':
        return { outcome: 'recognised', personId: decision.personId }
      case 'create':
        return create(decision.email, returning)
      case 'join':
        return join(decision, returning)
    }
  }

  async function create(email: string, { provider, claims }: ReturningPerson): Promise<Recognised | null> {
    const now = clock()
    const personId = newId('usr_', now)
    const isMade = await identities.create(
      identityOf(provider, claims, email),
      { id: personId, name: newPersonName(claims, email) },
      now,
    )
    return isMade ? { outcome: 'recognised', personId } : null
  }

  async function join({ personId, email }: { personId: PersonId; email: string }, returning: ReturningPerson) {
    const now = clock()
    const acts = await pendingActs(personId, returning, now)
    if (!(await identities.join(identityOf(returning.provider, returning.claims, email), personId, acts, now)))
      return null
    returning.later(mailIdentityJoined(personId, returning))
    return (await areDelivered(acts)) ? { outcome: 'recognised' as const, personId } : BEGIN_AGAIN
  }

  async function pendingActs(personId: PersonId, { provider, requestId }: ReturningPerson, now: number) {
    const act: Act = { actor: personId, act: 'person.identity_joined', requestId, content: { provider: provider.id } }
    const memberships = await sessions.listMemberships(personId)
    return memberships.map(({ organisationId: id, jurisdiction }) => newPendingAct({ id, jurisdiction }, act, now))
  }

  /** Returns true if all logs have their act; only then is the person signed in. A failed delivery stays pending. */
  async function areDelivered(acts: readonly PendingAct[]): Promise<boolean> {
    const results = await Promise.allSettled(acts.map((act) => deps.delivery.deliver(act)))
    return results.every(({ status }) => status === 'fulfilled')
  }

  async function mailIdentityJoined(
    personId: PersonId,
    { provider: { label }, origin }: ReturningPerson,
  ): Promise<void> {
    const person = mailer.sends ? await people.find(personId) : null
    if (person !== null) await mailer.send(identityJoinedMail({ to: person.email, label, origin, at: clock() }))
  }

  return async (returning) => {
    const email = trustedEmail(returning.claims, returning.provider.emailTrust)
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const recognised = await carryOut(await decide(returning.claims, email), returning)
      if (recognised !== null) return recognised
    }
    return BEGIN_AGAIN
  }
}

const BEGIN_AGAIN: Recognised = { outcome: 'refused', error: 'expired' }

const identityOf = ({ id: provider }: IdentityProvider, { iss, sub }: Claims, email: string): Identity => ({
  issuer: iss,
  subject: sub,
  provider,
  email,
})

type IdentityJoinedMailFacts = {
  to: string
  /** The identity provider's name that people see. */
  label: string
  origin: string
  /** The time in milliseconds. */
  at: number
}

const identityJoinedMail = ({ to, label, origin, at }: IdentityJoinedMailFacts): Mail => ({
  to,
  subject: `You can also sign in with ${label} now`,
  text: `Sign-in with ${label} was added to your account at ${origin} (${new Date(at).toISOString()}). ${label} confirmed that this address is yours.

If that was you, you do not need to do anything. If it was not you, somebody else uses your address at ${label}.

To stop them, secure your account at ${label}, end all sessions here, and tell an owner of your organisation.
`,
})
