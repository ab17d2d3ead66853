// Sets another password, by a mailed link or by the current password.
import type { Mailer } from '../../platform/mail.ts'
import type { Clock } from '../../platform/time.ts'
import { emailKeyOf, type PeopleStore } from '../people/people.store.ts'
import type { Session } from '../people/sessions.store.ts'
import type { Caller } from './caller.ts'
import type { MailLinksStore } from './mail-links.store.ts'
import { passwordChangedMail, resetMail } from './mails.ts'
import type { PasswordHasher } from './password-hash.ts'
import { passwordFault } from './password-rules.policy.ts'
import type { Throttle } from './throttle.ts'

/** `afterwards`: mails the person, after the response. */
export type PasswordChanged =
  | { outcome: 'changed'; afterwards: () => Promise<unknown> }
  | { outcome: 'unfit'; rule: string }
  | { outcome: 'used' | 'wrong' | 'no_password' }

type Deps = {
  people: PeopleStore
  links: MailLinksStore
  throttle: Throttle
  hasher: PasswordHasher
  mailer: Mailer
  clock: Clock
}

export type PasswordsService = ReturnType<typeof createPasswordsService>

export function createPasswordsService({ people, links, throttle, hasher, mailer, clock }: Deps) {
  async function mailReset(email: string, origin: string): Promise<void> {
    const person = mailer.sends ? await people.findByEmail(email) : null
    if (person === null) return
    const token = await links.issueReset(person.email, clock())
    await mailer.send(resetMail({ to: person.email, origin, token }))
  }

  const changed = (to: string, origin: string): PasswordChanged => ({
    outcome: 'changed',
    afterwards: () => mailer.send(passwordChangedMail({ to, origin })),
  })

  return {
    /** SECURITY: the response does not depend on the account, as in `signUp`. Throws `rate_limit_exceeded`. */
    async requestReset(email: string, { network, origin }: Caller) {
      await throttle.take({ act: 'password_reset', account: emailKeyOf(email), network })
      return { afterwards: () => mailReset(email, origin) }
    },

    /** A refused password leaves the link usable. Throws `rate_limit_exceeded`. */
    async reset(token: string, password: string, { network, origin }: Caller): Promise<PasswordChanged> {
      await throttle.take({ act: 'mailed_link', account: '', network })
      const now = clock()
      const email = await links.findReset(token, now)
      const person = email === null ? null : await people.findByEmail(email)
      if (person === null) return { outcome: 'used' }
      const rule = passwordFault(password, person)
      if (rule !== null) return { outcome: 'unfit', rule }
      const redeemed = await links.redeemReset(token, person, hasher.hash(password), now)
      if (redeemed === 'used') return { outcome: 'used' }
      await throttle.forgive({ account: emailKeyOf(person.email), network })
      return changed(person.email, origin)
    },

    /** Throws `rate_limit_exceeded`. */
    async change(
      { personId, id }: Session,
      { current, wanted }: { current: string; wanted: string },
      { network, origin }: Caller,
    ): Promise<PasswordChanged> {
      const counted = await throttle.take({ act: 'password_change', account: personId, network })
      const person = await people.find(personId)
      if (person === null) return { outcome: 'wrong' }
      if (person.password === null) return { outcome: 'no_password' }
      if (hasher.verify(current, person.password) === 'wrong') return { outcome: 'wrong' }
      await throttle.giveBack(counted)
      const rule = passwordFault(wanted, person)
      if (rule !== null) return { outcome: 'unfit', rule }
      const isChanged = await people.changePassword(person, hasher.hash(wanted), id, clock())
      return isChanged ? changed(person.email, origin) : { outcome: 'wrong' }
    },
  }
}
