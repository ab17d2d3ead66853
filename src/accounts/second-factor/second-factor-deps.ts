// Lists what second factors are built from, and what each request brings.
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Clock } from '../../platform/time.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { ActDelivery } from '../members/act-delivery.ts'
import type { MembersStore } from '../members/members.store.ts'
import type { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import type { PasswordHasher } from '../sign-in/password-hash.ts'
import type { TellNewPlace } from '../sign-in/new-place.ts'
import type { Caller, ReadCaller } from '../sign-in/read-caller.ts'
import type { Throttle } from '../sign-in/throttle.ts'
import type { FactorsStore } from './factors.store.ts'

export type SecondFactorDeps = {
  db: D1Database
  access: AccessControl
  people: PeopleStore
  sessions: SessionsStore
  factors: FactorsStore
  delivery: ActDelivery
  throttle: Throttle
  hasher: PasswordHasher
  mailer: Mailer
  readCaller: ReadCaller
  members: MembersStore
  tellNewPlace: TellNewPlace
  signingPepper: Pepper
  peppers: readonly Pepper[]
  isProduction: boolean
  operatorTokens: readonly string[]
  publicOrigin: string | null
  clock: Clock
}

/** A request that uses or changes a factor. */
export type FactorRequest = { c: AppContext; caller: Caller }
