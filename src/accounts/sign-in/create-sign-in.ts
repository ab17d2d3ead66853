// Builds sign-up, sign-in, passwords and a person's own account: their services and routes. Also returns the rate limits and
// password checks that accepting an invitation, identity providers and the founding of organisations use.
import type { Mailer } from '../../platform/mail.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import type { PersonId } from '../../platform/ids.ts'
import { type Api, createApi } from '../../platform/router.ts'
import type { SignInConfig } from '../../platform/sign-in-config.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { InvitedSignUp } from '../members/accept-invitation.routes.ts'
import type { MembersStore } from '../members/members.store.ts'
import type { ActDelivery } from '../members/act-delivery.ts'
import type { FoundByPerson } from '../organisations.service.ts'
import { emailKeyOf, PeopleStore } from '../people/people.store.ts'
import { ProfilesStore } from '../people/profiles.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import { createSecondFactor } from '../second-factor/create-second-factor.ts'
import type { FactorsStore } from '../second-factor/factors.store.ts'
import type { SecondStepService } from '../second-factor/second-step.service.ts'
import { AttemptsStore } from './attempts.store.ts'
import { createReadCaller, networkOfCaller } from './read-caller.ts'
import { emailChangeRoutes } from './email-change.routes.ts'
import { MailLinksStore } from './mail-links.store.ts'
import { createTellNewPlace } from './new-place.ts'
import { ownAccountRoutes, userPresenter } from './own-account.routes.ts'
import type { PasswordHasher } from './password-hash.ts'
import { passwordFault } from './password-rules.policy.ts'
import { passwordRoutes } from './passwords.routes.ts'
import { signInRoutes } from './sign-in.routes.ts'
import { createSignInService } from './sign-in.service.ts'
import { signUpRoutes } from './sign-up.routes.ts'
import { createThrottle, type AccountNetwork } from './throttle.ts'

type Deps = {
  db: D1Database
  config: SignInConfig
  access: AccessControl
  sessions: SessionsStore
  members: MembersStore
  mailer: Mailer
  hasher: PasswordHasher
  foundByPerson: FoundByPerson
  factors: FactorsStore
  delivery: ActDelivery
  open: OpenOrganisation
  signingPepper: Pepper
  peppers: readonly Pepper[]
  isProduction: boolean
  operatorTokens: readonly string[]
  /** The platform's limit of requests per network and minute; undefined for no such limit. */
  networkLimit: RateLimit | undefined
  clock: Clock
}

export type SignIn = {
  routes: Api
  /** The step after a first factor, for other ways to sign in. */
  secondStep: Pick<SecondStepService, 'begin'>
  /** Applies the network's limit, for other ways to get an account. Throws `rate_limit_exceeded`. */
  assertNotTooOften(c: AppContext): Promise<void>
  /** The parts of signing up that accepting an invitation needs. */
  signUp: InvitedSignUp
  /** Counts that this person founds an organisation. Throws `rate_limit_exceeded`. */
  countFounding(person: PersonId): Promise<void>
}

export function createSignIn(deps: Deps): SignIn {
  const { db, config, access, sessions, hasher, signingPepper: pepper, networkLimit, clock } = deps
  const people = new PeopleStore(db)
  const throttle = createThrottle({ attempts: new AttemptsStore(db), pepper, networkLimit, clock })
  const { publicOrigin } = config
  const readCaller = createReadCaller({ access, throttle, publicOrigin })
  const showUser = userPresenter(new ProfilesStore(db), clock)
  const tellNewPlace = createTellNewPlace(deps)
  const secondFactor = createSecondFactor({ ...deps, people, throttle, readCaller, tellNewPlace, publicOrigin })
  const { secondStep, acts } = secondFactor
  const service = createSignInService({
    ...deps,
    people,
    links: new MailLinksStore(db),
    throttle,
    secondStep,
    tellNewPlace,
    acts,
  })

  const routes = createApi()
  routes.route('/', signInRoutes({ service, access, sessions, readCaller }))
  routes.route('/', signUpRoutes({ service, readCaller, showUser, signUp: config.signUp }))
  routes.route('/', ownAccountRoutes({ access, people, sessions, showUser, clock }))
  routes.route('/', emailChangeRoutes({ service, access, readCaller, showUser }))
  routes.route('/', passwordRoutes({ service, access, readCaller }))
  routes.route('/', secondFactor.routes)

  return {
    routes,
    secondStep,
    assertNotTooOften: (c) => throttle.limitNetwork(networkOfCaller(c)),
    signUp: {
      async assertMayTry(c, email) {
        await throttle.limitNetwork(networkOfCaller(c))
        await throttle.countTry({ act: 'invited_sign_up', ...accountAndNetwork(c, email) })
      },
      passwordFault,
      hash: (password) => hasher.hash(password),
      async rememberNetwork(c, email) {
        await throttle.rememberNetwork(accountAndNetwork(c, email))
      },
    },
    async countFounding(person) {
      // The limit counts per account, so the network does not matter.
      await throttle.countTry({ act: 'founding', account: person, network: '' })
    },
  }
}

const accountAndNetwork = (c: AppContext, email: string): AccountNetwork => ({
  account: emailKeyOf(email),
  network: networkOfCaller(c),
})
