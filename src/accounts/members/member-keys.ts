// What is asked of an organisation's keys when a member goes.
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { Act } from '../../organisation/acts.ts'
import type { MadeBy } from '../../organisation/managed-keys.ts'
import type { OpenOrganisation } from '../../organisation/organisation-stub.ts'
import type { PersonId } from '../../platform/ids.ts'
import type { Access } from '../access/access.ts'

export type MemberKeys = {
  /** Those that the person has made and that work. */
  listWorking(organisation: Access['organisation'], person: PersonId): Promise<readonly KeyRecord[]>
  /** Revokes what was made before a time, in one turn with this act, if there is any. Harmless twice. */
  revokeAll(organisation: Access['organisation'], made: MadeBy, act: Act): Promise<void>
}

export const memberKeys = (open: OpenOrganisation): MemberKeys => ({
  listWorking: async (organisation, person) => open(organisation).keysOf(person),
  revokeAll: async (organisation, made, act) => {
    await open(organisation).revokeKeysOf(made, act)
  },
})
