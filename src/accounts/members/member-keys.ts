// What is asked of an organisation's keys when a member goes.
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { Act } from '../../organisation/acts.ts'
import type { OpenOrganisation } from '../../organisation/organisation-stub.ts'
import type { PersonId } from '../../platform/ids.ts'
import type { Access } from '../access/access.ts'

export type MemberKeys = {
  /** Those that the person has made and that work. */
  listWorking(organisation: Access['organisation'], person: PersonId): Promise<readonly KeyRecord[]>
  /** Revokes them, in one turn with this act, if there are any. Harmless twice. */
  revokeAll(organisation: Access['organisation'], person: PersonId, act: Act): Promise<void>
}

export const memberKeys = (open: OpenOrganisation): MemberKeys => ({
  listWorking: async (organisation, person) => open(organisation).keysOf(person),
  revokeAll: async (organisation, person, act) => {
    await open(organisation).revokeKeysOf(person, act)
  },
})
