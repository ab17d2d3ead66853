// Builds the services of members and invitations, and mounts their routes.
import type { Mailer } from '../../platform/mail.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import { type Api, createApi } from '../../platform/router.ts'
import type { AccessControl } from '../access/access-control.ts'
import { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import { createActDelivery } from './act-delivery.ts'
import {
  createInvitationLimits,
  createInvitationsService,
  type InvitationsService,
  type CountTry,
} from './invitations.service.ts'
import { invitationRoutes } from './invitations.routes.ts'
import { InvitationsStore } from './invitations.store.ts'
import { type InvitedSignUp, acceptInvitationRoutes } from './accept-invitation.routes.ts'
import { createAcceptInvitationService } from './accept-invitation.service.ts'
import { memberRoutes } from './members.routes.ts'
import { createMembersService } from './members.service.ts'
import type { MembersStore } from './members.store.ts'
import { viewRoutes } from './views.routes.ts'

type Deps = {
  db: D1Database
  open: OpenOrganisation
  access: AccessControl
  sessions: SessionsStore
  members: MembersStore
  mailer: Mailer
  signUp: InvitedSignUp
  countTry: CountTry
  pepper: Pepper
  publicOrigin: string | null
  clock: Clock
}

export type Members = { routes: Api; invitations: InvitationsService }

export function createMembers(deps: Deps): Members {
  const { db, open, access, sessions, mailer, publicOrigin, clock } = deps
  const invitationsStore = new InvitationsStore(db)
  const delivery = createActDelivery({ db, open, clock })
  const members = createMembersService({ members: deps.members, open, delivery, clock })
  const limits = createInvitationLimits(deps)
  const invitations = createInvitationsService({ invitations: invitationsStore, limits, mailer, delivery, clock })
  const joining = createAcceptInvitationService({
    invitations: invitationsStore,
    people: new PeopleStore(db),
    delivery,
    clock,
  })

  const routes = createApi()
  // The members' routes come last, because they would read `invitations` as a person's id.
  routes.route('/', acceptInvitationRoutes({ access, joining, sessions, signUp: deps.signUp, clock }))
  routes.route('/', invitationRoutes({ access, invitations, publicOrigin }))
  routes.route('/', memberRoutes({ access, members, clock }))
  routes.route('/', viewRoutes({ access, members: deps.members }))
  return { routes, invitations }
}
