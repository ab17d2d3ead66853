// Builds second factors: their services and routes, and the second step that every way to sign in ends with.
import { createApi, type Api } from '../../platform/router.ts'
import type { Pepper } from '../../platform/config.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Clock } from '../../platform/time.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { ActDelivery } from '../members/act-delivery.ts'
import type { MembersStore } from '../members/members.store.ts'
import type { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import type { PasswordHasher } from '../sign-in/password-hash.ts'
import type { TellNewPlace } from '../sign-in/new-place.ts'
import type { ReadCaller } from '../sign-in/read-caller.ts'
import type { Throttle } from '../sign-in/throttle.ts'
import { createChallenges } from './challenges.ts'
import { factorRoutes } from './factors.routes.ts'
import { factorResetRoutes } from './factor-resets.routes.ts'
import { createFactorResetsService } from './factor-resets.service.ts'
import { FactorResetsStore } from './factor-resets.store.ts'
import { createFactorsService } from './factors.service.ts'
import type { FactorsStore } from './factors.store.ts'
import { PendingSignInsStore } from './pending-sign-ins.store.ts'
import { createPersonActs, type PersonActs } from './person-acts.ts'
import { createUseFactor } from './prove-factor.ts'
import { secondStepRoutes } from './second-step.routes.ts'
import { createSecondStepService, type SecondStepService } from './second-step.service.ts'
import { createTotpSecrets } from './totp-secrets.ts'

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
  operatorToken: string | null
  publicOrigin: string | null
  clock: Clock
}

export function createSecondFactor(deps: SecondFactorDeps): {
  routes: Api
  secondStep: SecondStepService
  acts: PersonActs
} {
  const { db, isProduction } = deps
  const challenges = createChallenges(deps)
  const secrets = createTotpSecrets(deps)
  const acts = createPersonActs(deps)
  const use = createUseFactor({ ...deps, challenges, secrets })
  const resets = createFactorResetsService({ ...deps, resets: new FactorResetsStore(db), acts })
  const secondStep = createSecondStepService({ ...deps, pending: new PendingSignInsStore(db), resets, use, acts })
  const issuerOf = (origin: string) => (isProduction ? 'Countersign' : `Countersign (${new URL(origin).host})`)
  const factors = createFactorsService({ ...deps, challenges, secrets, acts, issuerOf })
  const routes = createApi()
  routes.route('/', secondStepRoutes({ ...deps, service: secondStep, factors, challenges }))
  routes.route('/', factorRoutes({ ...deps, service: factors }))
  routes.route('/', factorResetRoutes({ ...deps, service: resets }))
  return { routes, secondStep, acts }
}
