// Builds the three erasure services (organisations, people, operator) and mounts their routes.
import type { AccessControl } from '../../accounts/access/access-control.ts'
import { OrganisationsStore } from '../../accounts/organisations.store.ts'
import { PeopleStore } from '../../accounts/people/people.store.ts'
import type { SessionsStore } from '../../accounts/people/sessions.store.ts'
import type { Mailer } from '../../platform/mail.ts'
import { ErasuresStore, AccountRowsStore } from '../../organisation/erasure/erasures.store.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import { createApi, type Api } from '../../platform/router.ts'
import { erasureRoutes, operatorErasureRoutes, personErasureRoutes } from './erasure.routes.ts'
import { createErasureService } from './erasure.service.ts'
import { createOperatorErasuresService } from './operator-erasures.service.ts'
import { createPersonErasureService, type DueErasureCounts } from './person-erasure.service.ts'

type Deps = { db: D1Database; sessions: SessionsStore; open: OpenOrganisation; mailer: Mailer; clock: Clock }

type RouteDeps = { access: AccessControl; publicOrigin: string | null; operatorTokens: readonly string[] }

export function createErasures({ db, sessions, open, mailer, clock }: Deps) {
  const erasures = new ErasuresStore(db)
  const registered = new AccountRowsStore(db)
  const organisations = new OrganisationsStore(db)
  const people = new PeopleStore(db)
  const ofOrganisations = createErasureService({ organisations, erasures, registered, open, mailer, clock })
  const ofPeople = createPersonErasureService({ erasures, registered, sessions, people, open, mailer, clock })
  const ofOperator = createOperatorErasuresService({ erasures, people: ofPeople, open })
  return {
    /** Erases all people whose erasure is due. `now`: milliseconds. */
    eraseDuePeople: async (now: number): Promise<DueErasureCounts> => ofPeople.eraseDuePeople(now),
    routes({ access, publicOrigin, operatorTokens }: RouteDeps): Api {
      const api = createApi()
      api.route('/', erasureRoutes(ofOrganisations, access, publicOrigin))
      api.route('/', personErasureRoutes(ofPeople, access, publicOrigin))
      api.route('/', operatorErasureRoutes(ofOperator, operatorTokens))
      return api
    },
  }
}
