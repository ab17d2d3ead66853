// Puts the parts of signing in by an identity provider together.
import type { Mailer } from '../../platform/mail.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Api } from '../../platform/route.ts'
import type { SignInConfig } from '../../platform/sign-in-config.ts'
import type { AccessControl } from '../access/access.ts'
import { createActDelivery } from '../members/act-delivery.ts'
import { InvitationsStore } from '../members/invitations.store.ts'
import { IdentitiesStore } from '../people/identities.store.ts'
import { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import { OAuthFlowsStore } from './oauth-flows.store.ts'
import { oauthRoutes } from './oauth.routes.ts'
import { createOAuthService } from './oauth.service.ts'
import { createOpenIdClient } from './openid.client.ts'

type Deps = {
  db: D1Database
  open: OpenOrganisation
  signIn: SignInConfig
  access: AccessControl
  sessions: SessionsStore
  mailer: Mailer
  /** Throws `rate_limit_exceeded` if the network sends too many requests. */
  assertNotTooOften: (c: AppContext) => Promise<void>
  /** True if providers may be called over plain http, which is for local development only. */
  allowsPlainHttp: boolean
  clock: Clock
}

export function createOAuth({ db, open, signIn, access, allowsPlainHttp, assertNotTooOften, ...deps }: Deps): Api {
  const service = createOAuthService({
    ...deps,
    ...signIn,
    delivery: createActDelivery({ db, open, clock: deps.clock }),
    openId: createOpenIdClient({ clock: deps.clock, allowsPlainHttp }),
    flows: new OAuthFlowsStore(db),
    people: new PeopleStore(db),
    identities: new IdentitiesStore(db),
    invitations: new InvitationsStore(db),
  })
  return oauthRoutes({ service, access, assertNotTooOften, publicOrigin: signIn.publicOrigin })
}
