// Signs people up. SECURITY: nothing is created until the mailed link is used. So a caller who cannot read the mail gets
// no account, and does not learn if there is one.
import type { Mailer } from '../../platform/mail.ts'
import type { Clock } from '../../platform/time.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { logUnexpected } from '../../platform/log.ts'
import type { FoundOrganisation, Founding } from '../organisations.service.ts'
import { emailKeyOf, type PeopleStore, type Person } from '../people/people.store.ts'
import type { Begun, SessionsStore } from '../people/sessions.store.ts'
import type { MailLinksStore, PendingSignUp } from './mail-links.store.ts'
import { addressTakenMail, confirmationMail } from './mails.ts'
import type { PasswordHasher } from './password-hash.ts'
import type { Caller } from './caller.ts'
import type { Throttle } from './throttle.ts'

export type NewSignUp = { email: string; password: string; name: string; organisation: Founding | null }

export type Confirmed = { outcome: 'created'; person: Person; begun: Begun } | { outcome: 'used' | 'taken' }

type Deps = {
  people: PeopleStore
  sessions: SessionsStore
  links: MailLinksStore
  throttle: Throttle
  hasher: PasswordHasher
  mailer: Mailer
  found: FoundOrganisation
  clock: Clock
}

export type SignUpService = ReturnType<typeof createSignUpService>

export function createSignUpService({ people, sessions, links, throttle, hasher, mailer, found, clock }: Deps) {
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
      await found(founder, founding, requestId)
    } catch (thrown) {
      logUnexpected(thrown, requestId)
    }
  }

  return {
    /**
     * SECURITY: the returned function looks the address up and runs after the response, so that timing tells nothing.
     * Throws `rate_limit_exceeded`.
     */
    async signUp(input: NewSignUp, { network, origin }: Caller) {
      await throttle.take({ act: 'sign_up', account: emailKeyOf(input.email), network })
      const pending = { ...input, password: hasher.hash(input.password) }
      return { afterwards: () => mailLink(pending, origin) }
    },

    /**
     * Creates the person and signs them in, even if founding their organisation fails: they may found it again.
     * Throws `rate_limit_exceeded`.
     */
    async confirm(token: string, { network, presented }: Caller, requestId: string): Promise<Confirmed> {
      await throttle.take({ act: 'mailed_link', account: '', network })
      const now = clock()
      const pending = await links.findSignUp(token, now)
      if (pending === null) return { outcome: 'used' }
      const person = personOf(pending, now)
      const redeemed = await links.redeemSignUp(token, person, now)
      if (redeemed !== 'created') return { outcome: redeemed }
      const begun = await sessions.begin({ personId: person.id, method: 'password' }, presented, now)
      if (begun === null) return { outcome: 'used' }
      await throttle.know({ account: emailKeyOf(person.email), network })
      if (pending.organisation !== null) await foundOrLog(person.id, pending.organisation, requestId)
      return { outcome: 'created', person, begun }
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
  createdAt: now,
})
