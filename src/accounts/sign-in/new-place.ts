// Tells the webhooks of a person's organisations that they signed in from a network that is new for them, and mails nobody.
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import { isAccessOver } from '../access/roles.policy.ts'
import type { Session, SessionsStore } from '../people/sessions.store.ts'

type Deps = { sessions: SessionsStore; open: OpenOrganisation; clock: Clock }

export type TellNewPlace = (session: Session) => Promise<void>

/** Returns the function to call after the response. An organisation that cannot be reached is not told. */
export const createTellNewPlace =
  ({ sessions, open, clock }: Deps): TellNewPlace =>
  async ({ personId, method, secondFactor }) => {
    const memberships = await sessions.listMemberships(personId)
    const data = { member_id: personId, method, second_factor: secondFactor }
    await Promise.allSettled(
      memberships
        .filter(({ endsAt, erasure }) => !isAccessOver(endsAt, clock()) && erasure === null)
        .map(async ({ organisationId: id, jurisdiction }) =>
          open({ id, jurisdiction }).webhook.tell({ type: 'sign_in.new_place', data }),
        ),
    )
  }
