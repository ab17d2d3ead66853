// Signs people in by e-mail address and password.
import type { Clock } from '../../platform/time.ts'
import { emailKeyOf, type PeopleStore, type Person } from '../people/people.store.ts'
import type { Begun, SessionsStore } from '../people/sessions.store.ts'
import type { Caller } from './caller.ts'
import type { PasswordHasher } from './password-hash.ts'
import type { Throttle } from './throttle.ts'

export type SignedIn = { outcome: 'signed_in'; person: Person; begun: Begun } | { outcome: 'refused' }

type Deps = {
  people: PeopleStore
  sessions: SessionsStore
  throttle: Throttle
  hasher: PasswordHasher
  clock: Clock
}

export type SignInService = ReturnType<typeof createSignInService>

export function createSignInService({ people, sessions, throttle, hasher, clock }: Deps) {
  /** SECURITY: reads and hashes as much for an unknown person, and for one without a password. */
  async function check(email: string, password: string): Promise<Person | null> {
    const person = await people.findByEmail(email)
    const verdict = hasher.verify(password, person?.password ?? null)
    if (person === null || verdict === 'wrong') return null
    if (verdict === 'outdated') await people.rehash(person, hasher.hash(password))
    return person
  }

  return {
    /** Throws `rate_limit_exceeded`. */
    async signIn(input: { email: string; password: string }, { network, presented }: Caller): Promise<SignedIn> {
      const where = { account: emailKeyOf(input.email), network }
      const counted = await throttle.take({ act: 'sign_in', ...where })
      const person = await check(input.email, input.password)
      if (person === null) return { outcome: 'refused' }
      const begun = await sessions.beginByPassword(person, presented, clock())
      if (begun === null) return { outcome: 'refused' }
      await Promise.all([throttle.giveBack(counted), throttle.know(where)])
      return { outcome: 'signed_in', person, begun }
    },
  }
}
